import { whole, withHead, type AwkwardZone } from "./awkward-zone.ts";

const label = (length: number) => "x".repeat(length);
/** Four labels that make 248 characters. */
const longZone = [label(63), label(63), label(63), label(56)].join(".");
const octets = (text: string) => Buffer.from(text).toString("latin1");

/** Names that are legal and rare. */
export const names: AwkwardZone[] = [
  withHead(
    "capitals in owners, targets and the origin",
    "$ORIGIN EXAMPLE.com.\nWWW A 192.0.2.2\nAlias CNAME WWW\nm MX 10 Mail.EXAMPLE.net.",
  ),
  withHead("wildcards", '* A 192.0.2.2\n*.dev CNAME www\n* MX 10 www\nsub.* TXT "not a wildcard"\nwww A 192.0.2.3'),
  withHead("underscores", "_sip._tcp SRV 1 2 5060 sip\n_dmarc TXT a\nsip A 192.0.2.2\n_ TXT b"),
  withHead(
    "a dot within a label",
    String.raw`a\.b A 192.0.2.2
c CNAME a\.b
john\.doe TXT x`,
  ),
  withHead(
    "blanks, quotes and semicolons within labels",
    String.raw`a\032b TXT x
a\ c TXT x
a\;b TXT x
a\"b TXT x
a\(b\) TXT x
a\\b TXT x`,
  ),
  withHead(
    "octets without a glyph",
    String.raw`\000\001\127\200\255 TXT x
a\010b A 192.0.2.2`,
  ),
  withHead(
    "ordinary characters escaped",
    String.raw`\w\w\w A 192.0.2.2
\119x A 192.0.2.2
c CNAME \w\119w`,
  ),
  withHead("raw UTF-8 in an owner", octets("bücher A 192.0.2.2")),
  withHead(
    "raw UTF-8 in targets",
    octets("c CNAME bücher\nm MX 10 Bücher\ns SRV 1 2 3 é.example.net.\nn NS é\np PTR ß.例え."),
  ),
  withHead("raw Latin-1 in names", "b\u00fccher A 192.0.2.2\nc CNAME b\u00fccher"),
  withHead("an escape before a raw octet", octets("b\\ücher A 192.0.2.2")),
  withHead("A-labels", "xn--bcher-kva A 192.0.2.2\nc CNAME XN--BCHER-KVA"),
  withHead("a label of 63 octets", `${label(63)} A 192.0.2.2\n${String.raw`\200`.repeat(63)} TXT x`),
  withHead("a name of 255 octets", `${[label(63), label(63), label(63), label(49)].join(".")} A 192.0.2.2`),
  withHead("a target of 255 octets", `c CNAME ${[label(63), label(63), label(63), label(61)].join(".")}.`),
  withHead(
    "numbers, hyphens and slashes as labels",
    "0 A 192.0.2.2\n-a TXT x\n0/25 NS ns1\n127.0.0.1 TXT x\na--b A 192.0.2.2",
  ),
  withHead("targets at the root", "m MX 0 .\ns SRV 0 0 0 .\nr RP . ."),
  withHead("targets in a top level domain alone", "m MX 10 com.\nc CNAME localhost."),
  withHead("a name that repeats the zone", "www.example.com A 192.0.2.2"),
  withHead("empty non-terminals", "a.b.c.d A 192.0.2.2"),
  withHead(
    "names below a delegation",
    "sub NS ns.sub\nsub NS ns.other.example.net.\nns.sub A 192.0.2.7\nns.sub AAAA 2001:db8::7",
  ),
  whole(
    "a zone of 248 characters",
    `$TTL 60\n@ SOA ns.example.net. host.example.net. 1 2 3 4 5\n@ NS ns.example.net.\nabcd A 192.0.2.1\n`,
    longZone,
  ),
  whole(
    "a public suffix",
    "$TTL 60\n@ SOA ns.nic host.nic 1 2 3 4 5\n@ NS ns.nic\nns.nic A 192.0.2.1\nexample NS ns.example\nns.example A 192.0.2.2\n",
    "co.test",
  ),
  whole(
    "an internationalized zone",
    "$TTL 60\n@ SOA ns host 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n",
    "xn--bcher-kva.example",
  ),
];
