import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { webhookDocument } from "../../docs/generator/webhook-protocol.ts";
import { useZonewright } from "../support/zonewright.ts";

const run = promisify(execFile);
const linter = join(import.meta.dirname, "../../node_modules/@redocly/cli/bin/cli.js");
const zw = useZonewright({ env: { SITE_URL: "https://dns.internal" } });

/** Paths and answers that clients rely on although they break two recommended rules, as `rule at pointer`. */
const known = [
  ...["callback-url", "register", "authorize", "callback"].map(
    (last) => `no-ambiguous-paths at #/paths/~1auth~1oauth~1{providerId}~1${last}`,
  ),
  // Beside /notifications/configs/{id}.
  "no-ambiguous-paths at #/paths/~1notifications~1{id}~1read",
  // They answer only with redirects.
  ...["~1auth~1oauth~1{providerId}~1authorize", "~1auth~1oauth~1{providerId}~1callback", "~1oauth~1oidc"].map(
    (path) => `operation-2xx-response at #/paths/${path}/get/responses`,
  ),
];

interface Finding {
  ruleId: string;
  message: string;
  location: { pointer?: string }[];
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-lint-"));
  await writeFile(join(folder, "redocly.yaml"), "extends: [recommended]\n");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the linter's findings except the known ones, all of which must still occur. The linter fails if there are any. */
async function findings(document: unknown, allowed = known): Promise<string[]> {
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
  const reported = problems.map(({ ruleId, message, location }) => [`${ruleId} at ${location[0]?.pointer}`, message]);
  expect(reported.flatMap(([what = ""]) => (allowed.includes(what) ? [what] : [])).toSorted()).toEqual(
    allowed.toSorted(),
  );
  return reported.filter(([what = ""]) => !allowed.includes(what)).map((parts) => parts.join(": "));
}

test("the document passes Redocly's recommended rules, except for paths and redirects that clients rely on", async () => {
  const document = (await zw.nobody.get("/api/openapi.json")).body;
  expect(await findings(document)).toEqual([]);
});

test("the document of the webhook protocol passes Redocly's recommended rules", async () => {
  expect(await findings(webhookDocument(), [])).toEqual([]);
});

test("the linter finds errors in a faulty document", async () => {
  const { body } = await zw.nobody.get("/api/openapi.json");
  const document = structuredClone(body) as {
    paths: Record<string, { get?: { summary?: string; operationId?: string } }>;
  };
  const list = document.paths["/domains"]?.get;
  delete list?.summary;
  delete list?.operationId;
  expect(await findings(document)).toHaveLength(2);
});
