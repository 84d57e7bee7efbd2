import { group, record, rrset, zone, type Group } from "../group.ts";

const addresses = (count: number) => Array.from({ length: count }, (_, index) => `192.0.2.${index + 1}`);
const hosts = (count: number) =>
  Array.from({ length: count }, (_, index) => record(`host${index}`, "A", `10.0.${index >> 8}.${index & 255}`));

const texts = (count: number) => Array.from({ length: count }, (_, index) => `value ${index}`);

/** What one change may do. */
export const changeGroups: readonly Group[] = [
  group("a TTL only", [record("t", "A", "192.0.2.1")], [record("t", "A", "192.0.2.1", 7_200)]),
  group("the TTL of many values only", rrset("t", "A", addresses(5)), rrset("t", "A", addresses(5), 86_400)),
  group("a TTL of a minute", [record("t", "A", "192.0.2.1", 60)]),
  group("a TTL of 0", [record("t", "A", "192.0.2.1", 0)], [record("t", "A", "192.0.2.1", 1)]),
  group("the largest TTL", [record("t", "A", "192.0.2.1", 2_147_483_647)]),
  group("a value more with another TTL", [record("t", "A", "192.0.2.1")], rrset("t", "A", addresses(2), 7_200)),
  group("a value less with another TTL", rrset("t", "A", addresses(3)), rrset("t", "A", addresses(2), 7_200)),
  group("TTL and value", [record("t", "A", "192.0.2.1")], [record("t", "A", "192.0.2.2", 7_200)]),
  group("one of many values deleted", rrset("m", "A", addresses(20)), rrset("m", "A", addresses(20).toSpliced(7, 1))),
  group(
    "one of many values replaced",
    rrset("m", "A", addresses(20)),
    rrset("m", "A", addresses(20).with(3, "192.0.2.99")),
  ),
  group("all values replaced", rrset("m", "A", addresses(3)), rrset("m", "A", ["192.0.2.7", "192.0.2.8"])),
  group(
    "A to CNAME and back",
    [record("s", "A", "192.0.2.1")],
    [record("s", "CNAME", "www.example.net")],
    [record("s", "A", "192.0.2.1")],
  ),
  group(
    "many types to CNAME and back",
    [record("s", "A", "192.0.2.1"), record("s", "TXT", "x"), record("s", "MX", "10 m.example.net")],
    [record("s", "CNAME", "www.example.net")],
    [record("s", "AAAA", "2001:db8::1"), record("s", "TXT", "x")],
  ),
  group(
    "CNAME to NS and back",
    [record("s", "CNAME", "www.example.net")],
    [record("s", "NS", "ns.example.net")],
    [record("s", "CNAME", "www.example.net")],
  ),
  group("A to MX", [record("s", "A", "192.0.2.1")], [record("s", "MX", "10 mail.example.net")]),
  group("A to TXT", [record("s", "A", "192.0.2.1")], [record("s", "TXT", "192.0.2.1")]),
  group(
    "two names that exchange their values",
    [record("x", "A", "192.0.2.1"), record("y", "A", "192.0.2.2")],
    [record("x", "A", "192.0.2.2"), record("y", "A", "192.0.2.1")],
  ),
  group(
    "two names that exchange A and CNAME",
    [record("x", "A", "192.0.2.1"), record("y", "CNAME", `x.${zone}`)],
    [record("y", "A", "192.0.2.1"), record("x", "CNAME", `y.${zone}`)],
  ),
  group(
    "a delegation in place of records",
    [record("sub", "A", "192.0.2.1"), record("a.sub", "A", "192.0.2.2")],
    [record("sub", "NS", "ns.example.net")],
    [record("sub", "A", "192.0.2.1")],
  ),
  group("many types at once", [
    record("www", "A", "192.0.2.1"),
    record("www", "AAAA", "2001:db8::1"),
    record("www", "TXT", "text"),
    record("www", "CAA", "0 issue ca.example"),
    record("www", "MX", "10 mail.example.net"),
    record("_sip._udp", "SRV", "1 2 3 sip.example.net"),
    record("c", "CNAME", "www.example.net"),
    record("sub", "NS", "ns.example.net"),
  ]),
  group("nothing", [], []),
  group("100 records at once", hosts(100), hosts(50)),
  group("1,201 records", hosts(1201), hosts(1201).toSpliced(600, 1)),
  {
    name: "90 values of one RRset",
    steps: [
      { records: rrset("m", "TXT", texts(90)), refusedBy: { "Azure DNS": /more than 20 records/ } },
      { records: rrset("m", "TXT", ["value 7"]) },
    ],
  },
  {
    name: "400 values of one RRset",
    steps: [
      {
        records: rrset("m", "TXT", texts(400)),
        // BIND's max-records-per-type is 100, as is Google's quota; Alibaba Cloud DNS takes 90.
        refusedBy: {
          BIND: /perhaps because of a limit/,
          "zone files": /max-records-per-type/,
          "Alibaba Cloud DNS": /QuotaExceeded\.Record/,
          "Azure DNS": /more than 20 records/,
          "Google Cloud DNS": /exceed quota for resource records per rrset/,
        },
      },
    ],
  },
];
