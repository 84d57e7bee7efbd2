import { base, group, record, rrset, zone, type Group } from "../group.ts";

const nsWithoutAddress = /requiring an address for name servers within the zone/;

/** What the eight types may hold. */
export const typeGroups: readonly Group[] = [
  group("A", [record("a", "A", "192.0.2.1")], [record("a", "A", "255.255.255.255")], [record("a", "A", "0.0.0.0")]),
  group("AAAA", [record("a", "AAAA", "2001:DB8:0:0::1")], [record("a", "AAAA", "::")], [record("a", "AAAA", "::1")]),
  group("an IPv4 address within IPv6", rrset("a", "AAAA", ["::ffff:192.0.2.1", "64:ff9b::192.0.2.1"])),
  group("an IPv6 address without a run of zeros", [record("a", "AAAA", "1:2:3:4:5:6:7:8")]),
  group("CNAME", [record("c", "CNAME", "one.example.net")], [record("c", "CNAME", "two.example.net", 7_200)]),
  group("a CNAME to the apex and to a name of the zone", [
    record("c", "CNAME", zone),
    record("d", "CNAME", `ns.${zone}`),
  ]),
  group("MX", rrset("m", "MX", ["10 one.example.net", "10 two.example.net", "20 three.example.net"])),
  group(
    "a change of an MX's priority",
    [record("m", "MX", "10 mail.example.net")],
    [record("m", "MX", "0 mail.example.net")],
  ),
  group(
    "a null MX",
    [record("m", "MX", "0 .")],
    [record("m", "MX", "10 mail.example.net")],
    [record("m", "MX", "0 .")],
  ),
  group("MX at the apex", [record("@", "MX", "10 mail.example.net")], [record("@", "MX", "0 .")]),
  group("SRV", rrset("_sip._tcp", "SRV", ["10 60 5060 one.example.net", "10 40 5060 two.example.net"])),
  group("an SRV without a service", [record("_imap._tcp", "SRV", "0 0 1 .")]),
  group("CAA", rrset("@", "CAA", ["0 issue ca.example", "0 issuewild ;", "128 iodef mailto:security@example.net"])),
  group("a CAA with blanks and parameters", [record("c", "CAA", "0 issue ca.example; account=230123; policy=ev")]),
  group("a CAA of an unknown property", [record("c", "CAA", "0 tbs unknown  value")]),
  group(
    "NS below the apex",
    [record("sub", "NS", "ns1.example.net")],
    rrset("sub", "NS", ["ns1.example.net", "ns2.example.net"]),
  ),
  group(
    "NS below the apex with glue",
    [record("sub", "NS", `ns.sub.${zone}`), record("ns.sub", "A", "192.0.2.53")],
    [record("sub", "NS", `ns.sub.${zone}`), ...rrset("ns.sub", "A", ["192.0.2.53", "192.0.2.54"])],
    [record("sub", "NS", `ns.sub.${zone}`), record("ns.sub", "A", "192.0.2.54", 7_200)],
  ),
  group("a second NS at the apex", [record("@", "NS", "ns.example.net", 3600)]),
  {
    name: "another NS at the apex",
    steps: [
      { base: [], records: [record("@", "NS", "ns1.example.net", 3600)] },
      { base: [], records: [record("@", "NS", "ns2.example.net", 7_200)] },
      { base: [], records: rrset("@", "NS", ["ns3.example.net", "ns4.example.net"]) },
    ],
  },
  {
    name: "an NS within the zone that has no address",
    steps: [
      {
        base: [],
        records: [record("@", "NS", `nowhere.${zone}`, 3600)],
        refusedBy: { BIND: nsWithoutAddress },
        unserved: ["zone files"],
      },
    ],
  },
  {
    name: "no NS at the apex",
    steps: [
      {
        base: base.filter(({ recordType }) => recordType !== "NS"),
        records: [],
        refusedBy: {
          BIND: /needs at least one name server at its apex/,
          Knot: /needs at least one name server at its apex/,
          PowerDNS: /needs at least one name server at its apex/,
          "Huawei Cloud DNS": /Default record sets cannot be deleted/,
          "Google Cloud DNS": /must contain exactly one resource record set of type 'NS' at the apex/,
        },
      },
    ],
  },
];
