import { whole, withHead, type AwkwardZone } from "./awkward-zone.ts";

const soa = "SOA ns1 hostmaster 2024010101 7200 900 1209600 300\n";
const signature = (type: string, tag: number) => `RRSIG ${type} 13 3 60 20301122173103 20240101000000 ${tag} @ AAAA`;

/** Where a TTL comes from, and which one applies. */
export const ttls: AwkwardZone[] = [
  withHead(
    "TTLs with units, in any order and case",
    "a 1h30m A 192.0.2.2\nb 1W2D3H4M5S A 192.0.2.2\nc 90s A 192.0.2.2\nd 30m1h A 192.0.2.2\ne 1w A 192.0.2.2",
  ),
  withHead("a TTL of nothing and the largest one", "a 0 A 192.0.2.2\nb 2147483647 A 192.0.2.2"),
  withHead("several $TTL in one file", "a A 192.0.2.2\n$TTL 60\nb A 192.0.2.2\n$TTL 1d\nc A 192.0.2.2\n  TXT x"),
  withHead("$TTL wins over the TTL of the record before", "a 7 A 192.0.2.2\nb A 192.0.2.2"),
  whole(
    "no $TTL: an SOA without a TTL makes its minimum the default",
    `@ ${soa}@ 10 NS ns1\nns1 A 192.0.2.1\nwww 20 A 192.0.2.2\nmail A 192.0.2.3\n`,
  ),
  whole("no $TTL: the TTL of the record before", `@ 77 ${soa}@ NS ns1\nns1 10 A 192.0.2.1\nwww A 192.0.2.2\n`),
  whole("$TTL behind an SOA without a TTL", `@ ${soa}$TTL 44\n@ NS ns1\nns1 A 192.0.2.1\n`),
  withHead("different TTLs in a row", "a 60 A 192.0.2.2\na 90 A 192.0.2.3\na 30 A 192.0.2.1"),
  withHead(
    "different TTLs in a row, with another type between",
    "a 60 A 192.0.2.2\n 5 TXT x\n 90 A 192.0.2.3\n 6 TXT a",
  ),
  withHead(
    "different TTLs apart from each other",
    "a 60 A 192.0.2.9\nb 5 A 192.0.2.3\na 90 A 192.0.2.2\na 30 A 192.0.2.3",
  ),
  withHead(
    "different TTLs of name servers and of mail servers",
    "@ 60 NS ns2\n@ 90 NS ns3\n@ 5 MX 10 a\n@ 6 MX 20 b\nns2 A 192.0.2.2\nns3 A 192.0.2.3",
  ),
  withHead(
    "different TTLs of a delegation with its addresses between",
    "sub 60 NS a.sub\na.sub 5 A 192.0.2.2\na.sub 6 AAAA 2001:db8::2\nsub 90 NS b.sub\nb.sub A 192.0.2.3\na.sub 7 A 192.0.2.4\nsub 8 NS c.sub\nc.sub A 192.0.2.5",
  ),
  withHead("a repetition with another TTL", "a 60 A 192.0.2.2\na 90 A 192.0.2.2"),
  withHead(
    "a repetition with another TTL later on",
    "a 60 A 192.0.2.1\n 60 A 192.0.2.2\nb A 192.0.2.3\na 90 A 192.0.2.1",
  ),
  withHead(
    "each signature has the TTL of what it covers",
    `a 60 A 192.0.2.2\na 90 MX 10 a\na 60 ${signature("A", 1)}\na 90 ${signature("MX", 1)}\na 60 ${signature("A", 2)}\na 300 ${signature("NSEC", 1)}`,
  ),
  withHead(
    "signatures of one RRset with different TTLs",
    `a 60 ${signature("A", 2)}\na 90 ${signature("MX", 1)}\na 30 ${signature("A", 1)}`,
  ),
];
