/** A request that a client of PowerDNS's API may get wrong, or sends in an odd form. */
export interface OddRequest {
  what: string;
  /** The body of the PATCH. */
  body: (zone: string) => unknown;
  /** Why Zonewright refuses what PowerDNS takes. Left out: both answer the same. */
  refusedBecause?: string;
}

function rrset(zone: string, other: object = {}) {
  const records = [{ content: "192.0.2.1", disabled: false }];
  return { name: `a.${zone}.`, type: "A", ttl: 60, changetype: "REPLACE", records, ...other };
}

const patch = (what: string, rrsets: (zone: string) => unknown, refusedBecause?: string): OddRequest => ({
  what,
  body: (zone) => ({ rrsets: rrsets(zone) }),
  ...(refusedBecause ? { refusedBecause } : {}),
});
const withRecords = (what: string, type: string, ...contents: readonly string[]) =>
  patch(what, (zone) => [rrset(zone, { type, records: contents.map((content) => ({ content, disabled: false })) })]);

export const oddRequests: readonly OddRequest[] = [
  patch("no list of RRsets", () => "x"),
  patch("an RRset that is no object", () => [1]),
  { what: "no RRsets", body: () => ({}) },
  patch("an empty list", () => []),
  patch("no name", () => [{ type: "A", changetype: "DELETE" }]),
  patch("a name without its last dot", (zone) => [rrset(zone, { name: `www.${zone}` })]),
  patch("a name outside the zone", (zone) => [rrset(zone, { name: "www.elsewhere.test." })]),
  patch("a name in capitals", (zone) => [rrset(zone, { name: `UP.${zone}.` })]),
  patch("an unknown type", (zone) => [rrset(zone, { type: "BOGUS" })]),
  patch("no changetype", (zone) => [rrset(zone, { changetype: undefined })]),
  patch("another changetype", (zone) => [rrset(zone, { changetype: "PRUNES" })]),
  patch("a changetype in small letters", (zone) => [rrset(zone, { changetype: "replace" })]),
  patch("no TTL", (zone) => [rrset(zone, { ttl: undefined })]),
  patch(
    "a TTL that is a text",
    (zone) => [rrset(zone, { ttl: "60" })],
    "PowerDNS reads the number in it; a mistake of the client is better seen",
  ),
  patch("a TTL of 2^31", (zone) => [rrset(zone, { ttl: 2 ** 31 })], "RFC 2181 §8: a TTL has 31 bits"),
  patch("neither records nor comments", (zone) => [rrset(zone, { records: undefined })]),
  patch("an empty list of records", (zone) => [rrset(zone, { records: [] })]),
  patch("a record without content", (zone) => [rrset(zone, { records: [{}] })]),
  patch("a record without `disabled`", (zone) => [rrset(zone, { records: [{ content: "192.0.2.1" }] })]),
  patch("a disabled record", (zone) => [rrset(zone, { records: [{ content: "192.0.2.1", disabled: true }] })]),
  patch("`set-ptr` as false", (zone) => [
    rrset(zone, { records: [{ content: "192.0.2.1", disabled: false, "set-ptr": false }] }),
  ]),
  withRecords("half an address", "A", "192.0.2"),
  withRecords("a record twice", "A", "192.0.2.1", "192.0.2.1"),
  withRecords("text without quotes", "TXT", "plain"),
  withRecords("SPF without quotes", "SPF", "v=spf1 -all"),
  withRecords("a name in quotes", "PTR", '"host.example."'),
  withRecords("a mail server in quotes", "MX", '10 "mail.example."'),
  withRecords("a CNAME without its last dot", "CNAME", "b.example"),
  withRecords("an MX without its last dot", "MX", "10 mail.example"),
  withRecords("two CNAMEs", "CNAME", "b.example.", "c.example."),
  patch("an RRset twice", (zone) => [rrset(zone), rrset(zone)]),
  patch("a CNAME at the apex", (zone) => [
    rrset(zone, { name: `${zone}.`, type: "CNAME", records: [{ content: "b.example.", disabled: false }] }),
  ]),
  patch("the deletion of what does not exist", (zone) => [{ name: `none.${zone}.`, type: "A", changetype: "DELETE" }]),
  patch(
    "the deletion of the SOA",
    (zone) => [{ name: `${zone}.`, type: "SOA", changetype: "DELETE" }],
    "the SOA is made from the zone's settings",
  ),
];
