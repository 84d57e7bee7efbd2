import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { versionLine } from "../../client-sdk/version-line.ts";
import type { ApiDocument } from "../support/api/api-document.ts";
import { packClient } from "../support/client-tarball.ts";
import { useZonewright } from "../support/zonewright.ts";
import { breakingChanges } from "./breaking-changes.ts";
import { typeBreaks } from "./type-breaks.ts";

/*
 * What clients rely on is stored in client-sdk/api: the interface as it was at the version that it names. Within the line of
 * that version it may only grow; who breaks it raises the version in both package.json to another line and stores the
 * interface anew with `npm run store-api`. docs/compatibility.md tells clients what they can count on.
 */
const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const stored = join(root, "client-sdk/api");
const zw = useZonewright({ env: { SITE_URL: "https://dns.example.com" } });

let before: ApiDocument;
let after: ApiDocument;
beforeAll(async () => {
  before = JSON.parse(await readFile(join(stored, "openapi.json"), "utf8")) as ApiDocument;
  after = (await zw.nobody.get("/api/openapi.json")).body;
});

/** The client's declarations, stored ones and those of now, in a folder where they can be compared. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-types-"));
  await mkdir(join(folder, "after"));
  const { tarball } = await packClient();
  await run("tar", ["-xzf", tarball, "-C", join(folder, "after"), "--strip-components=2", "package/dist"]);
  await cp(join(stored, "types"), join(folder, "before"), { recursive: true });
}, 180_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function versionIn(file: string): Promise<string> {
  return (JSON.parse(await readFile(join(root, file), "utf8")) as { version: string }).version;
}

test("service and client have one version, of the stored interface's line (after a new line, run `npm run store-api`)", async () => {
  expect(await versionIn("client-sdk/package.json")).toBe(await versionIn("package.json"));
  expect(after.info.version).toBe(await versionIn("package.json"));
  expect(versionLine(before.info.version)).toBe(versionLine(after.info.version));
  expect(["0.1.4", "0.2.0", "1.2.3", "2.0.0"].map(versionLine)).toEqual(["0.1", "0.2", "1", "2"]);
});

test("REST clients of this line keep working", () => {
  expect(Object.keys(before.paths).length).toBeGreaterThan(50);
  expect(breakingChanges(before, after)).toEqual([]);
});

test("programs written against this line's types still compile", async () => {
  expect(await typeBreaks(folder, [{ before: "before", after: "after" }])).toEqual([""]);
});

/** Changes to the declarations, and the expected complaint. */
const changes: [what: string, file: string, from: string | RegExp, to: string, complaint: string][] = [
  ["a call renamed", "server/router.d.ts", "checkExpiry: import", "lookUpExpiry: import", "'checkExpiry' is missing"],
  ["a query made a mutation", "server/router.d.ts", "TRPCQueryProcedure<{", "TRPCMutationProcedure<{", '"mutation"'],
  ["a field of answers renamed", "server/router.d.ts", "tempToken: string;", "token: string;", "tempToken"],
  [
    "a field of answers that may be missing",
    "server/router.d.ts",
    "tempToken: string;",
    "tempToken?: string;",
    "tempToken",
  ],
  [
    "a number among values",
    "server/router.d.ts",
    /"admin" \| "auditor" \| "member";/g,
    '"admin" | "auditor" | "member" | 1;',
    "number",
  ],
  ["null in answers", "server/router.d.ts", /accessToken: string;/g, "accessToken: string | null;", "accessToken"],
  ["text for a moment", "server/router.d.ts", /createdAt: Date;/g, "createdAt: string;", "createdAt"],
  [
    "an input that must be there",
    "server/router.d.ts",
    "rememberMe?: boolean | undefined;",
    "rememberMe: boolean;",
    "rememberMe",
  ],
  ["a value fewer in inputs", "server/router.d.ts", /"A" \| "AAAA" \| /g, '"AAAA" | ', '"A"'],
  ["an input of another type", "server/router.d.ts", "inviteCode: string;", "inviteCode: number;", "inviteCode"],
  ["a helper that needs more", "client.d.ts", "signOut(): ", "signOut(everywhere: boolean): ", "signOut"],
  [
    "a helper's field that must be there",
    "client.d.ts",
    "rememberMe?: boolean | undefined",
    "rememberMe: boolean",
    "rememberMe",
  ],
  ["an option that is gone", "options.d.ts", "url: string | URL;", "url: URL;", "url"],
  ["a field of errors that is gone", "errors.d.ts", "readonly requestId: string | null;", "", "requestId"],
  ["an export that is gone", "index.d.ts", "isZonewrightError", "createClient as isOurError", "isZonewrightError"],
];
/** Changes that harm no program. */
const additions: [what: string, file: string, from: string | RegExp, to: string][] = [
  ["a field more in answers", "server/router.d.ts", "tempToken: string;", "tempToken: string; lifetime: number;"],
  [
    "an input that may be left out",
    "server/router.d.ts",
    "inviteCode: string;",
    "inviteCode: string; colour?: string;",
  ],
  [
    "a value more in inputs",
    "server/router.d.ts",
    'recordType: "A" | "AAAA" | ',
    'recordType: "A" | "AAAA" | "HTTPS" | ',
  ],
  [
    "a value more in answers",
    "server/router.d.ts",
    /"admin" \| "auditor" \| "member";/g,
    '"admin" | "auditor" | "guest" | "member";',
  ],
  [
    "an event more, with metadata of its own",
    "server/platform/events.d.ts",
    /"channel\.disabled"\];([^]*)"channel\.disabled": \{/,
    '"channel.disabled", "zone.signed"];$1"zone.signed": { key: string }; "channel.disabled": {',
  ],
  ["an error code more", "server/platform/errors.d.ts", "UNAVAILABLE: {", "GONE: object; UNAVAILABLE: {"],
  ["a helper more", "client.d.ts", "signOut(): ", "signOutEverywhere(): Promise<void>; signOut(): "],
  ["an option more", "options.d.ts", "url: string | URL;", "url: string | URL; locale?: string;"],
];

test("every change that would break programs is detected, and no other", async () => {
  const all = [...changes, ...additions];
  for (const [index, [what, file, from, to]] of all.entries()) {
    await cp(join(folder, "after"), join(folder, `changed-${index}`), { recursive: true });
    const text = await readFile(join(folder, "after", file), "utf8");
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`Nothing was found to change: ${what}`);
    await writeFile(join(folder, `changed-${index}`, file), changed);
  }
  const versions = all.map((_, index) => ({ before: "after", after: `changed-${index}` }));
  const found = await typeBreaks(folder, versions);
  const missed = changes.filter(([, , , , complaint], index) => !found[index]?.includes(complaint));
  expect(missed.map(([what]) => what)).toEqual([]);
  expect(found.slice(changes.length)).toEqual(additions.map(() => ""));
});
