import { group, record, rrset, zone, type Group } from "../group.ts";

const longLabel = "l".repeat(63);
const longestOwner = [longLabel, longLabel, longLabel, "m".repeat(253 - zone.length - 3 * 64 - 1)].join(".");

/** Where records may be. */
export const nameGroups: readonly Group[] = [
  group("the apex", [record("@", "A", "192.0.2.1")], rrset("@", "A", ["192.0.2.2", "192.0.2.3"])),
  group("many types at the apex", [
    record("@", "A", "192.0.2.1"),
    record("@", "AAAA", "2001:db8::1"),
    record("@", "MX", "10 mail.example.net"),
    record("@", "TXT", "v=spf1 -all"),
    record("@", "CAA", "0 issue ca.example"),
  ]),
  group("a wildcard", [record("*", "A", "192.0.2.1")], [record("*", "A", "192.0.2.2", 7_200)]),
  group("a wildcard CNAME", [record("*", "CNAME", "www.example.net")], [record("*", "CNAME", "other.example.net")]),
  group("a wildcard below a name", [record("*.dev", "TXT", "any"), record("dev", "A", "192.0.2.1")]),
  group(
    "a name that a wildcard covers",
    [record("*", "A", "192.0.2.1")],
    [record("*", "A", "192.0.2.1"), record("own", "A", "192.0.2.1")],
    [record("*", "A", "192.0.2.1"), record("own", "A", "192.0.2.2")],
    [record("*", "A", "192.0.2.1"), record("own", "TXT", "text")],
    [record("*", "A", "192.0.2.1")],
  ),
  group("an underscore", [
    record("_acme-challenge", "TXT", "token"),
    record("under_score", "CNAME", "www.example.net"),
  ]),
  {
    name: "an address at a name with an underscore",
    steps: [
      {
        records: [record("under_score", "A", "192.0.2.1")],
        // BIND's check-names. The plan refuses it for zone files, before their provider is asked.
        refusedBy: { BIND: /one of its own rules forbids it/ },
        unserved: ["zone files"],
      },
    ],
  },
  group("a name below names that do not exist", [record("a.b.c.d", "A", "192.0.2.1")], [record("b.c.d", "TXT", "x")]),
  group("capitals", [record("WWW", "A", "192.0.2.1"), record("alias", "CNAME", "Target.Example.NET")]),
  group("an international owner", [record("bücher", "A", "192.0.2.1"), record("例え.straße", "TXT", "x")]),
  group("an international target", [record("idn", "CNAME", "bücher.example"), record("idn2", "MX", "5 例え.example")]),
  group("digits as a label", [record("123", "A", "192.0.2.1"), record("0/25", "NS", "ns.example.net")]),
  group("hyphens and digits", [record("a-b--c-1", "A", "192.0.2.1"), record("1a", "A", "192.0.2.2")]),
  group("a label of 63 characters", [record(longLabel, "A", "192.0.2.1")]),
  group("a name of 253 characters", [record(longestOwner, "A", "192.0.2.1")]),
  group("a record that moves to another name", [record("old", "A", "192.0.2.1")], [record("new", "A", "192.0.2.1")]),
  group("names of one letter", [record("a", "A", "192.0.2.1"), record("b", "A", "192.0.2.2")]),
];
