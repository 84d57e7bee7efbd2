import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describedVariables } from "../../server/ops/config/environment.ts";
import { configurationOn } from "../support/pages/page-configuration.ts";

const root = join(import.meta.dirname, "../..");
const lines = readFileSync(join(root, "docs/operations/zonewright.service"), "utf8").split("\n");

/** All values of a directive, in order. */
function values(directive: string): string[] {
  return lines.filter((line) => line.startsWith(`${directive}=`)).map((line) => line.slice(directive.length + 1));
}

test("the systemd unit starts an existing program and has only valid sections and directives", () => {
  expect(lines.filter((line) => !/^(?:#.*|\[(?:Unit|Service|Install)\]|[A-Z]\w+=.*|)$/.test(line))).toEqual([]);
  const [node = "", ...rest] = values("ExecStart")[0]?.split(" ") ?? [];
  const script = rest.at(-1) ?? "";
  expect(values("WorkingDirectory")).toEqual(["/opt/zonewright"]);
  expect(existsSync(join(root, node.replace("/opt/zonewright/", "")))).toBe(true);
  expect(existsSync(join(root, script))).toBe(true);
});

test("the systemd unit sets only variables of the service and writes only to its data directory", () => {
  const given = values("Environment").flatMap((list) => list.split(" ").map((one) => one.split("=")));
  const known = new Set(["NODE_ENV", ...describedVariables().map(({ name }) => name)]);
  expect(given.filter(([name = ""]) => !known.has(name))).toEqual([]);
  expect(Object.fromEntries(given)).toMatchObject({ DATA_DIR: "/var/lib/zonewright" });
  expect([values("StateDirectory"), values("ProtectSystem"), values("ReadWritePaths")]).toEqual([
    ["zonewright"],
    ["strict"],
    [],
  ]);
});

test("the systemd unit runs without root and without capabilities, and the guide's drop-in for port 53 adds just the one that it needs", async () => {
  expect([values("User"), values("NoNewPrivileges")]).toEqual([["zonewright"], ["yes"]]);
  expect([values("CapabilityBoundingSet"), values("AmbientCapabilities")]).toEqual([[""], [""]]);
  const dropIn = await configurationOn("docs/guide/secondaries.md", "AmbientCapabilities=");
  expect(dropIn.trim().split("\n")).toEqual([
    "[Service]",
    "AmbientCapabilities=CAP_NET_BIND_SERVICE",
    "CapabilityBoundingSet=CAP_NET_BIND_SERVICE",
  ]);
});
