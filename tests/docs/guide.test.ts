import { expect, test } from "vitest";
import { permissions } from "../../server/access/permissions.ts";
import { channelNames } from "../../server/notifications/channels/kinds.ts";
import { page, pages, tableRows } from "../support/markdown.ts";

const named = (cells: readonly (string | undefined)[]) =>
  cells.flatMap((cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)).toSorted();

test("the page on channels names every kind of channel", async () => {
  const channels = await page("docs/guide/channels.md");
  expect(named(tableRows(channels, "`channel`").map(([first]) => first))).toEqual(channelNames.toSorted());
});

test("the page on personal tokens names every permission", async () => {
  const rows = tableRows(await page("docs/guide/tokens.md"), "permission");
  expect(named(rows.map(([first]) => first))).toEqual(permissions.toSorted());
});

test("each of the five concepts has one diagram", async () => {
  const { text } = await page("docs/concepts.md");
  const parts = text.split(/^## /m).slice(1);
  expect(parts.map((part) => part.slice(0, part.indexOf("\n")))).toEqual([
    "Zones",
    "Versions",
    "Snapshots",
    "Plans",
    "Delegation",
  ]);
  for (const part of parts) expect(part.match(/^```mermaid$/gm)).toHaveLength(1);
});

test("no node of a diagram has the name of a Mermaid keyword", async () => {
  const diagrams = (await pages()).flatMap((one) => one.blocks).filter(({ language }) => language === "mermaid");
  const nodes = diagrams.flatMap(({ code }) =>
    [...code.matchAll(/(\w+)(?:\[|\(\[| --| -\.)/g)].map(([, name]) => name),
  );
  expect(nodes).toContain("sent");
  expect(
    nodes.filter((name) => /^(?:call|class|click|default|end|graph|href|style|subgraph)$/.test(name ?? "")),
  ).toEqual([]);
});

test("every block marked as JSON is valid JSON", async () => {
  const blocks = (await pages()).flatMap((one) => one.blocks).filter(({ language }) => language === "json");
  expect(blocks.length).toBeGreaterThan(3);
  for (const { code } of blocks) expect(() => JSON.parse(code) as unknown).not.toThrow();
});
