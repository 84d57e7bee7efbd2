import { expect, test } from "vitest";
import { noNotes } from "../../../server/dns/record.ts";
import { knownKind, providerKinds } from "../../../server/dns-providers/kinds.ts";
import type { ProviderKind } from "../../../server/dns-providers/provider.ts";
import { ttlFor } from "../../../server/dns-service/update-clients/acme-challenges.ts";
import { planState } from "../../../server/dns/desired-state.ts";
import { limitIssues, storedTtl, withoutReadOnly } from "../../../server/zones/records/provider-limits.ts";
import { lineOf } from "../../support/zones.ts";

const ns = (value: string) => ({
  recordType: "NS",
  name: "@",
  value,
  ttl: 3600,
  strings: null,
  priority: null,
  proxied: false,
});
const base = { ...ns("192.0.2.1"), recordType: "A", name: "www" };
/** A vendor with as many limits as possible. */
const vendor: ProviderKind = {
  ...knownKind("manual"),
  name: "Vendor",
  recordTypes: ["A", "TXT", "NS"],
  minTtl: 60,
  maxTtl: 3600,
  cutsTexts: true,
  unsupportedReason: ({ name }) => (name === "bad" ? { field: "name", reason: "cannot." } : null),
  readOnlyReason: ({ recordType, name }) => (recordType === "NS" && name === "@" ? "keeps it." : null),
};
const { vendorTypes: _, ...withoutVendorTypes }: ProviderKind = { ...vendor, recordTypes: "any" };
const at = new Date(0);
const live = (id: string, value: string) => ({
  ...ns(value),
  id,
  version: 1,
  status: "active" as const,
  ...noNotes,
  createdAt: at,
  updatedAt: at,
});

test("a read-only record is never replaced by another, and the other record is still added or deleted", () => {
  const own = live("01", "f1g1ns1.dnspod.net");
  const other = live("02", "ns.example.net");
  const dnspod = knownKind("dnspod");
  const coming = withoutReadOnly(planState([own], [ns("ns.example.net")]).changes, dnspod);
  expect(coming.changes.map(({ action, after }) => [action, after && lineOf(after)])).toEqual([
    ["create", "@ NS ns.example.net"],
  ]);
  expect(coming.readOnly.map(({ record }) => lineOf(record))).toEqual(["@ NS f1g1ns1.dnspod.net"]);
  const going = withoutReadOnly(planState([other], [ns("f1g1ns1.dnspod.net")]).changes, dnspod);
  expect(going.changes.map(({ action, id }) => [action, id])).toEqual([["delete", "02"]]);
  expect(going.readOnly.map(({ reason }) => reason)).toEqual(["DNSPod manages its own name servers at the apex."]);
});

test.each(providerKinds)(
  "the TTL of challenges and of hosts with dynamic addresses is one that $kind takes",
  (kind) => {
    for (const [recordType, value] of [
      ["TXT", "challenge"],
      ["A", "192.0.2.1"],
    ] as const) {
      const record = { ...ns(value), recordType, name: "_acme-challenge", ttl: ttlFor(kind) };
      expect(limitIssues(record, kind, "example.com")).toEqual([]);
    }
  },
);

const stored = (kind: string, ttls: readonly number[]) => ttls.map((ttl) => storedTtl(knownKind(kind), ttl));

test("a TTL that a provider does not store becomes the next higher one that it does", () => {
  expect(stored("linode", [1, 30, 60, 3_600, 3_601, 9_999_999])).toEqual([30, 30, 120, 3_600, 7_200, 9_999_999]);
  expect(stored("gandi", [60, 301])).toEqual([300, 301]);
  expect(stored("cloudflare", [1, 5])).toEqual([1, 30]);
  // The vendor's reference says from 300, so only people may try lower ones.
  expect(stored("huaweicloud", [1, 60, 301])).toEqual([300, 300, 301]);
  expect(ttlFor(knownKind("huaweicloud"))).toBe(300);
});

test.each<[string, Partial<typeof base>, ProviderKind, [string, RegExp][]]>([
  ["nothing", {}, vendor, []],
  ["the least TTL", { ttl: 60 }, vendor, []],
  ["the largest TTL", { ttl: 3600 }, vendor, []],
  ["a type", { recordType: "MX" }, vendor, [["recordType", /^Vendor cannot store MX records\.$/]]],
  ["a short TTL", { ttl: 59 }, vendor, [["ttl", /^Vendor requires a TTL from 60 to 3600 seconds\.$/]]],
  ["a long TTL", { ttl: 3601 }, vendor, [["ttl", /^Vendor requires a TTL/]]],
  ["an automatic TTL", { ttl: 1 }, { ...vendor, automaticTtl: 1 }, []],
  ["another TTL", { ttl: 2 }, { ...vendor, automaticTtl: 1 }, [["ttl", /seconds, or 1 for automatic\.$/]]],
  ["the proxy", { proxied: true }, vendor, [["proxied", /^Vendor has no proxy/]]],
  ["the proxy", { proxied: true }, { ...vendor, supportsProxied: true }, []],
  [
    "strings",
    { recordType: "TXT", strings: ["a", "b"] as never },
    vendor,
    [["strings", /^Vendor stores a TXT as one text/]],
  ],
  ["what the vendor says", { name: "bad" }, vendor, [["name", /^Vendor cannot\.$/]]],
  ["what is read-only", { recordType: "NS", name: "@" }, vendor, [["recordType", /^Vendor keeps it\.$/]]],
  [
    "everything at once",
    { recordType: "MX", ttl: 9, proxied: true },
    vendor,
    [
      ["recordType", /MX/],
      ["ttl", /TTL/],
      ["proxied", /proxy/],
    ],
  ],
  [
    "what a strict mirror refuses",
    { ttl: 59 },
    { ...knownKind("manual"), strictMirrors: [{ name: "Second", kind: vendor }] },
    [["ttl", /^The strict mirror Second refuses it: Vendor requires a TTL/]],
  ],
  [
    "strings at a strict mirror, which splits texts itself",
    { recordType: "TXT", strings: ["a", "b"] as never },
    { ...knownKind("manual"), strictMirrors: [{ name: "Second", kind: vendor }] },
    [],
  ],
  [
    "an automatic TTL at a strict mirror",
    { ttl: 1 },
    {
      ...knownKind("manual"),
      automaticTtl: 1,
      automaticSeconds: 300,
      strictMirrors: [{ name: "Second", kind: vendor }],
    },
    [],
  ],
  [
    "a TTL that is not the automatic one at a strict mirror",
    { ttl: 2 },
    {
      ...knownKind("manual"),
      automaticTtl: 1,
      automaticSeconds: 300,
      strictMirrors: [{ name: "Second", kind: vendor }],
    },
    [["ttl", /^The strict mirror Second refuses it/]],
  ],
  [
    "an automatic TTL of no known seconds at a strict mirror",
    { ttl: 1 },
    { ...knownKind("manual"), automaticTtl: 1, strictMirrors: [{ name: "Second", kind: vendor }] },
    [["ttl", /^The strict mirror Second refuses it/]],
  ],
  [
    "a TTL that is automatic at a strict mirror, too",
    { ttl: 1 },
    {
      ...knownKind("manual"),
      automaticTtl: 1,
      automaticSeconds: 5,
      strictMirrors: [{ name: "Second", kind: { ...vendor, automaticTtl: 1 } }],
    },
    [],
  ],
])("a provider refuses %s and names the field (%#)", (_what, more, kind, expected) => {
  const issues = limitIssues({ ...base, ...more }, kind, "example.com");
  expect(issues.map(({ path }) => path)).toEqual(expected.map(([field]) => [field]));
  for (const [index, [, words]] of expected.entries()) expect(issues[index]?.message).toMatch(words);
});

test.each<[string, ProviderKind, boolean]>([
  ["A", { ...vendor, recordTypes: "any", vendorTypes: false }, true],
  ["TYPE65280", { ...vendor, recordTypes: "any", vendorTypes: false }, true],
  ["ALIAS", { ...vendor, recordTypes: "any", vendorTypes: true }, true],
  ["ALIAS", { ...vendor, recordTypes: "any", vendorTypes: false }, false],
  ["ALIAS", withoutVendorTypes, false],
  ["MX", { ...vendor, recordTypes: ["A"] }, false],
])("whether a provider stores %s records depends on its types (%#)", (recordType, kind, expected) => {
  expect(limitIssues({ ...base, recordType }, kind, "example.com").length === 0).toBe(expected);
});

test("an update between a read-only record and another becomes two changes, and any other stays one", () => {
  const own = { ...live("01", "ns.vendor.example"), name: "@" };
  const sub = { ...own, name: "sub" };
  const update = (before: typeof own, after: typeof own) => ({ action: "update" as const, id: "01", before, after });
  const split = (before: typeof own, after: typeof own) => {
    const { changes, readOnly } = withoutReadOnly([update(before, after)], vendor);
    return [changes.map(({ action }) => action), readOnly.map(({ record }) => record.name)];
  };
  expect(split(sub, own)).toEqual([["delete"], ["@"]]);
  expect(split(own, sub)).toEqual([["create"], ["@"]]);
  expect(split(sub, { ...sub, ttl: 60 })).toEqual([["update"], []]);
  expect(split(own, { ...own, ttl: 60 })).toEqual([[], ["@"]]);
  expect(split(sub, { ...sub, value: "ns2.vendor.example" })).toEqual([["update"], []]);
  expect(split(own, { ...own, value: "ns2.vendor.example" })).toEqual([[], ["@"]]);
  const disabling = withoutReadOnly([update(own, { ...own, status: "disabled" as never })], vendor);
  expect([disabling.changes, disabling.readOnly.map(({ change }) => change.action)]).toEqual([[], ["update"]]);
  const others = [
    { action: "create" as const, id: "02", before: null, after: sub },
    { action: "delete" as const, id: "01", before: sub, after: null },
  ];
  expect(withoutReadOnly(others, vendor)).toEqual({ changes: others, readOnly: [] });
});
