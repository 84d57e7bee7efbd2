import { gzipSync } from "node:zlib";

/** A body that is more expensive than its size suggests. */
export interface HostileShape {
  what: string;
  path: "login" | "trpc login" | "create" | "plan" | "zone file" | "trpc zone file";
  body(): Uint8Array<ArrayBuffer>;
  isGzip?: boolean;
}

const mebibyte = 1_048_576;
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const bytes = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const zoneFile = (records: number) =>
  many(records, (host) => `h${host} A 10.0.${(host >> 8) & 255}.${host & 255}\n`).join("");
const wrong = { recordType: 1, name: 1, value: 1, ttl: "x", priority: "x", proxied: 1, comment: 1 };

/** One body of each expensive kind, at the largest size that its call accepts. */
export const hostileShapes: readonly HostileShape[] = [
  {
    what: "superjson sets and references, 60 KB, not signed in",
    path: "trpc login",
    body: () =>
      bytes({
        json: { m: many(6_000, String) },
        meta: {
          values: { m: ["set"] },
          referentialEqualities: { "m.5999": many(2_000, (index) => `m.${5_998 - index}`) },
        },
      }),
  },
  {
    what: "unknown fields, 60 KB, not signed in",
    path: "login",
    body: () => bytes(Object.fromEntries(many(5_500, (index) => [`k${index}`, 1]))),
  },
  {
    what: "unknown fields, 1 MiB",
    path: "create",
    body: () => bytes(Object.fromEntries(many(80_000, (index) => [`k${index}`, 1]))),
  },
  {
    what: "long unknown fields, 1 MiB",
    path: "create",
    body: () => bytes(Object.fromEntries(many(9_900, (index) => [`${"k".repeat(90)}${index}`, 1]))),
  },
  {
    what: "nested lists, 1 MiB",
    path: "create",
    body: () => bytes(`{"tags":[${"[],".repeat(mebibyte / 3 - 10)}0]}`),
  },
  {
    what: "one string of escapes, 1 MiB",
    path: "create",
    body: () => bytes(`{"name":"${"\\u0061".repeat(mebibyte / 6 - 10)}"}`),
  },
  {
    what: "a gzip bomb, 50 MB inflated",
    path: "create",
    body: () => gzipSync(Buffer.alloc(50_000_000, " ")),
    isGzip: true,
  },
  {
    what: "a plan of 1,000 changes with every field invalid",
    path: "plan",
    body: () => bytes({ changes: many(1_000, () => ({ action: "create", record: wrong })) }),
  },
  {
    what: "a plan of 1,000 TXT records of 2,000 characters",
    path: "plan",
    body: () =>
      bytes({
        changes: many(1_000, (index) => ({
          action: "create",
          record: { recordType: "TXT", name: `t${index}`, value: "x".repeat(2_000) },
        })),
      }),
  },
  {
    what: "a plan of 1,000 records at one name with alternating TTLs",
    path: "plan",
    body: () =>
      bytes({
        changes: many(1_000, (index) => ({
          action: "create",
          record: { recordType: "A", name: "one", value: `10.0.${index >> 8}.${index & 255}`, ttl: 300 + (index % 2) },
        })),
      }),
  },
  {
    what: "a dry run of a zone file, 50,000 records, 1 MB",
    path: "zone file",
    body: () => bytes({ zonefile: zoneFile(50_000), dryRun: true }),
  },
  {
    what: "the same over tRPC",
    path: "trpc zone file",
    body: () => bytes({ zonefile: zoneFile(50_000), dryRun: true }),
  },
  {
    what: "a dry run of a zone file, 250,000 records",
    path: "zone file",
    body: () => bytes({ zonefile: zoneFile(250_000), dryRun: true }),
  },
  {
    what: "a dry run of one record a million times, 15 MB",
    path: "zone file",
    body: () => bytes({ zonefile: "h1 A 10.0.0.1\n".repeat(1_000_000), dryRun: true }),
  },
  {
    what: "a dry run of 15 MB of comments",
    path: "zone file",
    body: () => bytes({ zonefile: `; ${"x".repeat(70)}\n`.repeat(200_000), dryRun: true }),
  },
];
