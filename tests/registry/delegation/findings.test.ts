import { expect, test } from "vitest";
import { judge } from "../../../server/registry/delegation/findings.ts";
import type { Observation, ParentSeen, ServerSeen } from "../../../server/registry/delegation/observe.ts";
import { whyNotPublic } from "../../../server/registry/delegation/check.ts";
import { nameAbove, referralIn } from "../../../server/registry/delegation/resolver.ts";

const at = (name: string, address: string, change: Partial<ServerSeen> = {}): ServerSeen => ({
  name,
  address,
  state: "authoritative",
  serial: 5,
  detail: null,
  ...change,
});
const delegated: Extract<ParentSeen, { kind: "delegated" }> = {
  kind: "delegated",
  zone: "tld",
  nameServers: ["ns.one.tld", "ns.two.tld"],
  glue: [{ name: "ns.one.tld", address: "192.0.2.1" }],
  ds: [],
};
const healthy: Observation = {
  zone: "one.tld",
  parent: delegated,
  apex: { nameServers: ["ns.two.tld", "ns.one.tld"], keys: [] },
  servers: [at("ns.one.tld", "192.0.2.1"), at("ns.two.tld", "192.0.2.2")],
  ownAddresses: { "ns.one.tld": ["192.0.2.1"] },
  pointers: [],
  targets: new Map(),
  skipped: 0,
};
const key = { tag: 1, algorithm: 13, entryPoint: true, rdata: "0101030d00" };
const ds = { tag: 1, algorithm: 13, digestType: 99, digest: "00" };
const codes = ({ hasMirrors = false, ...change }: Partial<Observation> & { hasMirrors?: boolean }): string[] =>
  judge({ ...healthy, ...change }, { hasMirrors }).findings.map(({ code, severity, server }) =>
    [code, severity, server].filter((part) => part !== null).join(" "),
  );

test.for<[string, Partial<Observation> & { hasMirrors?: boolean }, string[]]>([
  ["a healthy zone", {}, []],
  ["an unknown parent", { parent: { kind: "unknown", message: "" }, servers: [] }, []],
  ["a hidden parent", { parent: { kind: "hidden", zone: "tld", ds: [] } }, []],
  ["no delegation", { parent: { kind: "not_delegated", zone: "tld" }, servers: [] }, ["not_delegated error"]],
  [
    "an apex that no server shows",
    {
      apex: { nameServers: null, keys: null },
      servers: [at("ns.two.tld", "192.0.2.2", { state: "lame", serial: null })],
    },
    ["lame error ns.two.tld"],
  ],
  [
    "more servers in the zone than above",
    { apex: { nameServers: [...delegated.nameServers, "ns.three.tld"], keys: [] } },
    ["ns_missing_at_parent warning ns.three.tld"],
  ],
  ["fewer servers", { apex: { nameServers: ["ns.one.tld"], keys: [] } }, ["ns_extra_at_parent warning ns.two.tld"]],
  ["no glue", { parent: { ...delegated, glue: [] } }, ["glue_missing error ns.one.tld"]],
  ["other glue", { ownAddresses: { "ns.one.tld": ["192.0.2.9"] } }, ["glue_wrong error ns.one.tld"]],
  [
    "glue that lacks an address",
    { ownAddresses: { "ns.one.tld": ["192.0.2.1", "2001:db8::1"] } },
    ["glue_wrong warning ns.one.tld"],
  ],
  ["glue that cannot be compared", { ownAddresses: { "ns.one.tld": null } }, []],
  [
    "a server without a route to it",
    { servers: [at("ns.two.tld", "2001:db8::2", { state: "not_checked", serial: null })] },
    [],
  ],
  [
    "a silent address of two",
    {
      servers: [at("ns.two.tld", "192.0.2.2"), at("ns.two.tld", "192.0.2.3", { state: "unreachable", serial: null })],
    },
    ["unreachable error ns.two.tld"],
  ],
  [
    "serials around zero",
    {
      servers: [at("ns.one.tld", "192.0.2.1", { serial: 4_294_967_295 }), at("ns.two.tld", "192.0.2.2", { serial: 2 })],
    },
    ["serial_differs warning ns.one.tld"],
  ],
  [
    "servers of two primaries",
    {
      servers: [
        at("ns.one.tld", "192.0.2.1", { primary: "a" }),
        at("ns.two.tld", "192.0.2.2", { serial: 4, primary: "b" }),
      ],
    },
    ["serial_differs warning ns.two.tld"],
  ],
  [
    "servers of two primaries of a mirrored domain",
    {
      hasMirrors: true,
      servers: [
        at("ns.one.tld", "192.0.2.1", { primary: "a" }),
        at("ns.two.tld", "192.0.2.2", { serial: 4, primary: "b" }),
      ],
    },
    [],
  ],
  [
    "one of several servers of a mirror behind",
    {
      hasMirrors: true,
      servers: [
        at("ns.one.tld", "192.0.2.1", { primary: "a", serial: 9 }),
        at("ns.two.tld", "192.0.2.2", { primary: "b" }),
        at("ns.two.tld", "192.0.2.3", { primary: "b", serial: 6 }),
      ],
    },
    ["serial_differs warning ns.two.tld"],
  ],
  ["a DS record without keys", { parent: { ...delegated, ds: [ds] } }, ["ds_without_dnskey error"]],
  [
    "a DS record while keys are unknown",
    { parent: { ...delegated, ds: [ds] }, apex: { nameServers: null, keys: null } },
    [],
  ],
  [
    "a DS record of another key",
    { parent: { ...delegated, ds: [{ ...ds, tag: 2 }] }, apex: { ...healthy.apex, keys: [key] } },
    ["ds_without_dnskey error"],
  ],
  [
    "a DS record beside that of a coming key",
    { parent: { ...delegated, ds: [{ ...ds, tag: 2 }, ds] }, apex: { ...healthy.apex, keys: [key] } },
    [],
  ],
  ["keys without a DS record", { apex: { ...healthy.apex, keys: [key] } }, ["dnskey_without_ds info"]],
])("%s is judged as such", ([, change, expected]) => {
  expect(codes(change)).toEqual(expected);
});

test.for<[string, "missing" | "no_address" | "unknown" | "exists", string | null]>([
  ["CNAME", "missing", "error"],
  ["CNAME", "no_address", null],
  ["MX", "no_address", "warning"],
  ["SRV", "missing", "error"],
  ["NS", "unknown", null],
  ["ALIAS", "exists", null],
])("a %s to a name that is %s has the severity %s", ([recordType, state, severity]) => {
  const pointers = [{ name: "www", recordType, target: "gone.tld" }];
  const { findings } = judge({ ...healthy, pointers, targets: new Map([["gone.tld", state]]) });
  expect(findings.map((finding) => finding.severity)).toEqual(severity === null ? [] : [severity]);
});

/** The message about an NS record whose name server does not exist. */
function messageFor(name: string): string | undefined {
  const pointers = [{ name, recordType: "NS", target: "gone.tld" }];
  return judge({ ...healthy, pointers, targets: new Map([["gone.tld", "missing"]]) }).findings[0]?.message;
}

test("a zone's own name server that does not exist is never to be deleted", () => {
  expect(messageFor("@")).not.toMatch(/delete/i);
  expect(messageFor("@")).toContain("Correct the name");
  expect(messageFor("sub")).toContain("Delete the record, or point it elsewhere.");
});

test("what a check could not see leaves earlier findings open, and what it saw does not", () => {
  const finding = { name: "@", recordType: null, server: "ns.two.tld", target: null };
  const unknown = judge({ ...healthy, parent: { kind: "unknown", message: "" }, servers: [] });
  const known = judge(healthy);
  for (const code of ["not_delegated", "ns_extra_at_parent", "glue_missing", "lame", "ds_without_dnskey"] as const) {
    expect(unknown.leavesOpen({ ...finding, code })).toBe(true);
    expect(known.leavesOpen({ ...finding, code })).toBe(false);
  }
  const dangling = { code: "dangling", name: "www", recordType: "MX", server: null, target: "gone.tld" } as const;
  expect(known.leavesOpen(dangling)).toBe(true);
  expect(judge({ ...healthy, targets: new Map([["gone.tld", "exists"]]) }).leavesOpen(dangling)).toBe(false);
});

test.for([
  ["zonewright.com", "", true],
  ["zonewright.com", "internal", false],
  ["example.com", "", false],
  ["www.example.org", "", false],
  ["notexample.com", "", true],
  ["corp.internal", "", false],
  ["internal.com", "", true],
  ["printer.local", "", false],
  ["2.0.192.in-addr.arpa", "", true],
  ["1.168.192.in-addr.arpa", "", false],
  ["20.172.in-addr.arpa", "", false],
  ["32.172.in-addr.arpa", "", true],
  ["d.f.ip6.arpa", "", false],
] as const)("%s in the view %j is public: %s", ([name, view, isPublic]) => {
  expect(whyNotPublic({ name, view }) === null).toBe(isPublic);
});

const record = (name: string, type: string, value: string) => ({ name, type, value, rdata: Buffer.alloc(0) });

const reply = (cut: string) => ({
  authoritative: false,
  rcode: 0,
  answers: [],
  authorities: [record(cut, "NS", "ns.one.tld"), record(cut, "NS", "ns.other")],
  additionals: [record("ns.one.tld", "A", "192.0.2.1"), record("ns.other", "A", "192.0.2.66")],
});

test("a referral leads down only, and its addresses are taken only from below the zone that refers", () => {
  expect(referralIn(reply("one.tld"), "tld", "www.one.tld")?.servers).toEqual([
    { name: "ns.one.tld", addresses: ["192.0.2.1"] },
    { name: "ns.other", addresses: [] },
  ]);
  for (const cut of ["tld", ".", "two.tld", "other"]) expect(referralIn(reply(cut), "tld", "www.one.tld")).toBeNull();
  expect([nameAbove("a.b"), nameAbove("a\\.b.c"), nameAbove("tld")]).toEqual(["b", "c", "."]);
});
