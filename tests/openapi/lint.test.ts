import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useZonewright } from "../support/zonewright.ts";

const run = promisify(execFile);
const linter = join(import.meta.dirname, "../../node_modules/@redocly/cli/bin/cli.js");
const zw = useZonewright({ env: { SITE_URL: "https://dns.internal" } });

/**
 * Two of the recommended rules do not fit the paths and answers that clients rely on: `/domains/tags` stands beside `/domains/{id}`, and an
 * identity provider's redirects have no 2xx answer.
 */
const settings = `
extends: [recommended]
rules:
  no-ambiguous-paths: off
  operation-2xx-response: off
`;

interface Finding {
  ruleId: string;
  message: string;
  location: { pointer?: string }[];
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-lint-"));
  await writeFile(join(folder, "redocly.yaml"), settings);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the linter says of a document. It ends with an error where it finds one. */
async function findings(document: unknown): Promise<string[]> {
  const file = join(folder, "openapi.json");
  await writeFile(file, JSON.stringify(document));
  const options = ["lint", file, "--config", join(folder, "redocly.yaml"), "--format", "json"];
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const ended = run(process.execPath, [linter, ...options], { env, maxBuffer: 64 * 1024 * 1024 });
  const output = await ended.then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  const { problems } = JSON.parse(output) as { problems: Finding[] };
  return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`);
}

test("the document passes the recommended rules of Redocly without a warning", async () => {
  const document = (await zw.nobody.get("/api/openapi.json")).body;
  expect(await findings(document)).toEqual([]);
});

test("the linter finds what is wrong", async () => {
  const { body } = await zw.nobody.get("/api/openapi.json");
  const document = structuredClone(body) as {
    paths: Record<string, { get?: { summary?: string; operationId?: string } }>;
  };
  const list = document.paths["/domains"]?.get;
  delete list?.summary;
  delete list?.operationId;
  expect(await findings(document)).toHaveLength(2);
});
