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
 * What clients rely on is stored: the OpenAPI document in client-sdk/api, and the client as it was packed in client.tgz. Within the line of
 * the version that it names, the interface may only grow; who breaks it raises the version in both package.json to another line and stores
 * it anew with `npm run store-api`. docs/compatibility.md tells clients what they can count on.
 */
const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const zw = useZonewright({ env: { SITE_URL: "https://dns.example.com" } });

let before: ApiDocument;
let after: ApiDocument;
beforeAll(async () => {
  before = JSON.parse(await readFile(join(root, "client-sdk/api/openapi.json"), "utf8")) as ApiDocument;
  after = (await zw.nobody.get("/api/openapi.json")).body;
});

/** The client's declarations, stored ones and those of now, in a folder where they can be compared. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-types-"));
  const { tarball } = await packClient();
  const packed = { before: join(import.meta.dirname, "client.tgz"), after: tarball };
  for (const [name, file] of Object.entries(packed)) {
    await mkdir(join(folder, name));
    await run("tar", ["-xzf", file, "-C", join(folder, name), "--strip-components=2", "package/dist"]);
  }
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

/** A change to the declarations. */
type Change = [what: string, file: string, from: string | RegExp, to: string];
/** The constant of the comparison that breaks, and words of the compiler's complaint about it. */
type Complaint = [constant: string, words: string];

/**
 * Changes and the expected complaints. The compiler names one fault of a constant, so those that are made together break different ones;
 * each comparison of two interfaces takes as long as compiling them.
 */
const changes: [Change, Complaint][][] = [
  [
    [
      ["a field of answers renamed", "results.d.ts", "tempToken: string;", "token: string;"],
      ["stillGives_identity", "tempToken"],
    ],
    [
      ["a query made a mutation", "server/router.d.ts", "TRPCQueryProcedure<{", "TRPCMutationProcedure<{"],
      ["stillOfKind", '"mutation"'],
    ],
    [
      [
        "an input that must be there",
        "server/router.d.ts",
        "rememberMe?: boolean | undefined;",
        "rememberMe: boolean;",
      ],
      ["stillTakes_auth", "rememberMe"],
    ],
    [
      ["a helper that needs more", "client.d.ts", "signOut(): ", "signOut(everywhere: boolean): "],
      ["stillTaken", "signOut"],
    ],
    [
      ["an option that is gone", "options.d.ts", "url: string | URL;", "url: URL;"],
      ["stillAnOption", "url"],
    ],
    [
      ["a field of errors that is gone", "errors.d.ts", "readonly requestId: string | null;", ""],
      ["stillAnError", "requestId"],
    ],
    [
      ["an export that is gone", "index.d.ts", "isZonewrightError", "createClient as isOurError"],
      ["import", "isZonewrightError"],
    ],
    [
      ["a number among values", "results.d.ts", 'state: "behind" | ', 'state: 1 | "behind" | '],
      ["stillGives_mirrors", "number"],
    ],
    [
      ["a value fewer in inputs", "server/router.d.ts", /"A" \| "AAAA" \| /g, '"AAAA" | '],
      ["stillTakes_delegation", '"A"'],
    ],
    [
      ["null in answers", "results.d.ts", /(type Snapshot = \{[^}]*version: number);/, "$1 | null;"],
      ["stillGives_snapshots", "version"],
    ],
    [
      ["an input of another type", "server/router.d.ts", "inviteCode?: string", "inviteCode?: number"],
      ["stillTakes_identity", "inviteCode"],
    ],
    [
      ["a field of answers that may be missing", "results.d.ts", /(type Session = \{[^}]*userAgent):/, "$1?:"],
      ["stillGives_sessions", "userAgent"],
    ],
    [
      ["text for a moment", "results.d.ts", /(type AuditEntry = \{[^}]*\bat): Date;/, "$1: string;"],
      ["stillGives_audit", "'at'"],
    ],
  ],
  [
    [
      ["a helper's field that must be there", "client.d.ts", "rememberMe?: boolean | undefined", "rememberMe: boolean"],
      ["stillTaken", "rememberMe"],
    ],
    [
      ["a call renamed", "server/router.d.ts", "checkExpiry: import", "lookUpExpiry: import"],
      ["stillTakes_domains", "'checkExpiry' is missing"],
    ],
  ],
];
/** Changes that harm no program. */
const additions: Change[] = [
  ["a field more in answers", "results.d.ts", "tempToken: string;", "tempToken: string; lifetime: number;"],
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
    "results.d.ts",
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

/** The declarations of now with changes, in a folder of their own. */
async function changed(name: string, made: readonly Change[]): Promise<void> {
  await cp(join(folder, "after"), join(folder, name), { recursive: true });
  for (const [what, file, from, to] of made) {
    const text = await readFile(join(folder, name, file), "utf8");
    const other = text.replace(from, to);
    if (other === text) throw new Error(`Nothing was found to change: ${what}`);
    await writeFile(join(folder, name, file), other);
  }
}

/** What one run of the compiler says about the stored declarations, about each group of changes, and about the additions. */
let sinceStored: string | undefined;
let ofChanges: string[];
let ofAdditions: string | undefined;
beforeAll(async () => {
  const versions = [...changes.map((group) => group.map(([change]) => change)), additions];
  for (const [index, made] of versions.entries()) await changed(`changed-${index}`, made);
  const compared = versions.map((_, index) => ({ before: "after", after: `changed-${index}` }));
  const [first, ...others] = await typeBreaks(folder, [{ before: "before", after: "after" }, ...compared]);
  sinceStored = first;
  ofAdditions = others.pop();
  ofChanges = others;
}, 180_000);

test("programs written against this line's types still compile", () => {
  expect(sinceStored).toBe("");
});

test("every change that would break programs is detected, and no other", () => {
  const missed = changes.flatMap((group, index) =>
    group.filter(([, [constant, words]]) => {
      const complaints = (ofChanges[index] ?? "").split(/^(?=\S)/m);
      return !complaints.some((text) => text.startsWith(`${constant}:`) && text.includes(words));
    }),
  );
  expect(missed.map(([[what]]) => what)).toEqual([]);
  expect(ofAdditions).toBe("");
});
