import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { channelNames } from "../../server/notifications/channels/kinds.ts";
import { providerKinds } from "../../server/dns-providers/kinds.ts";
import { providerIds } from "../../server/database/tables/identity.ts";
import { page } from "../support/markdown.ts";

const root = join(import.meta.dirname, "../..");
const { prose } = await page("docs/contributing.md");
const adding = await page("docs/providers/adding.md");
/** `server/dns/values/<type>.ts`, also where the last part is a folder. */
const pathsIn = (text: string) =>
  [...text.matchAll(/`((?:server|tests|docs|client-sdk|web|bench)\/[\w./<>-]+)`/g)].map(([, path = ""]) => path);
const paths = pathsIn(prose);

function files(folder: string): string[] {
  return globSync("*.ts", { cwd: join(root, folder) });
}

test("every file and folder that the walkthroughs name exists", () => {
  expect(paths.length).toBeGreaterThan(30);
  expect(pathsIn(adding.prose).length).toBeGreaterThan(10);
  const missing = paths
    .concat(pathsIn(adding.prose))
    .filter((path) => globSync(path.replaceAll(/<\w+>/g, "*"), { cwd: root }).length === 0);
  expect(missing).toEqual([]);
});

test("every DNS provider has the files that the walkthrough names", () => {
  const walked = paths.filter((path) => path.includes("<kind>") && !path.startsWith("tests/"));
  expect(walked.length).toBeGreaterThan(1);
  const kinds = providerKinds.filter(({ connect }) => connect !== null).map(({ kind }) => kind);
  const wanted = kinds.flatMap((kind) => walked.map((path) => path.replace("<kind>", kind)));
  expect(wanted.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([]);
});

test("every channel and identity provider has its file where the walkthrough says", () => {
  // The two robots share a file, and the two OpenID providers one, too.
  const sharing: Record<string, string> = { dingtalk: "robots", feishu: "robots" };
  const channels = channelNames.map((name) => `${sharing[name] ?? name}.ts`);
  expect(files("server/notifications/channels/kinds")).toEqual(expect.arrayContaining(channels));
  const identities = providerIds.map((id) => `${id === "custom" ? "oidc" : id}.ts`);
  expect(files("server/accounts/identity/providers")).toEqual(expect.arrayContaining(identities));
});
