import { whole, withHead, type AwkwardZone } from "./awkward-zone.ts";

const soa = "@ IN SOA ns1 hostmaster 2024010101 7200 900 1209600 300\n";
const server = "@ NS ns1\nns1 A 192.0.2.1\n";

/** Forms of a file that RFC 1035 §5 allows. */
export const forms: AwkwardZone[] = [
  whole(
    "names all absolute, no directive",
    `example.com. 60 IN SOA ns1.example.com. a.example.com. 1 2 3 4 5
example.com. 60 IN NS ns1.example.com.
ns1.example.com. 60 IN A 192.0.2.1
`,
  ),
  whole(
    "an SOA over many lines with comments",
    `$TTL 1h
@ IN SOA ns1.example.com. host\\.master.example.com. ( ; begins
  2024010101 ; serial

      1d ; refresh
  2H    ; retry
  4w ; expire
  300 ) ; ends
${server}`,
  ),
  whole(
    "parentheses in the middle of a name server and an address",
    `$TTL 60\n${soa}@ NS (\n ns1 )\nns1 A (192.0.2.1)\n`,
  ),
  whole("an opening parenthesis right after the type", `$TTL 60\n@ SOA(ns1 hostmaster 1 2 3 4 5)\n${server}`),
  whole("nested parentheses", `$TTL 60\n@ SOA ( ns1 ( hostmaster ) 1 2\n 3 ( 4 5 ) )\n${server}`),
  whole(
    "an origin above the zone",
    `$TTL 60
$ORIGIN com.
example IN SOA ns1.example hostmaster.example 1 2 3 4 5
 IN NS ns1.example
ns1.example A 192.0.2.1
$ORIGIN example
www A 192.0.2.2
`,
  ),
  whole(
    "an origin of the root",
    `$ORIGIN .\n$TTL 60\nexample.com SOA ns1.example.com hostmaster.example.com 1 2 3 4 5\nexample.com NS ns1.example.com\nns1.example.com A 192.0.2.1\n`,
  ),
  whole("no origin, every name relative to the zone", `$TTL 60\n${soa}${server}www CNAME ns1\n`),
  whole("directives in small letters", `$ttl 60\n$origin example.com.\n${soa}${server}$origin sub\nwww a 192.0.2.9\n`),
  whole(
    "the class before the TTL, behind it, and left out",
    `$TTL 60\n${soa}${server}a IN 5 A 192.0.2.2\nb 5 IN A 192.0.2.2\nc 5 A 192.0.2.2\nd IN A 192.0.2.2\ne A 192.0.2.2\n`,
  ),
  whole("the class as CLASS1 and in small letters", `$TTL 60\n${soa}${server}a class1 A 192.0.2.2\nb in A 192.0.2.3\n`),
  whole("the transfer's second SOA at the end", `$TTL 60\n${soa}${server}${soa}`),
  whole(
    "blank lines, blank lines with tabs, and comments only",
    `\n\n\t \n; nothing\n   ; indented\n$TTL 60\n${soa}\t\n${server}\n\n;`,
  ),
  whole("no line end behind the last line", `$TTL 60\n${soa}${server}last A 192.0.2.4`),
  whole(
    "line ends of Windows",
    `$TTL 60\n${soa}${server}www A 192.0.2.5\n\n  AAAA 2001:db8::1\nt TXT ( "a"\n "b" )\n`.replaceAll("\n", "\r\n"),
  ),
  {
    ...whole("a byte order mark", `\u00ef\u00bb\u00bf$TTL 60\n${soa}${server}`),
    plain: `$TTL 60\n${soa}${server}`,
  },
  withHead("tabs between all fields", "www\t\t60\tIN\t\tA\t192.0.2.2\n\tIN\tAAAA\t2001:db8::2"),
  withHead("a blank owner takes the one above", "www A 192.0.2.2\n A 192.0.2.3\n\tAAAA 2001:db8::2\n 60 MX 10 www"),
  withHead("a blank owner after a new origin", 'www A 192.0.2.2\n$ORIGIN sub\n TXT "still www"\nwww A 192.0.2.3'),
  withHead("a blank owner after a comment and an empty line", "www A 192.0.2.2\n\n; c\n  TXT a"),
  withHead("at signs as owner and in data", "$ORIGIN sub\n@ A 192.0.2.2\nmail MX 10 @\nalias CNAME @"),
  withHead("an escaped at sign", "\\@ A 192.0.2.2"),
  withHead("an escaped dollar at the beginning", "\\$x A 192.0.2.2"),
  withHead(
    "an origin relative to the one before",
    "$ORIGIN a\n$ORIGIN b\nwww A 192.0.2.2\n$ORIGIN example.com.\nwww A 192.0.2.3",
  ),
  withHead(
    "owners like TTLs, classes and types",
    "in A 192.0.2.2\n60 A 192.0.2.3\nmx A 192.0.2.4\na A 192.0.2.5\n1h IN 1h A 192.0.2.6",
  ),
  withHead(
    "a comment behind every kind of field",
    "www ( ;owner\n 60;ttl\n IN ; class\n A ;type\n 192.0.2.2;data\n ) ; end",
  ),
  withHead("a comment that ends in a backslash", "; all \\\nwww A 192.0.2.2"),
  withHead("a comment with quotes and parentheses", '; it\'s "open ( here\nwww A 192.0.2.2 ; ) "'),
  withHead("a comment in Latin-1", "; B\u00fcro M\u00fcnchen\nwww A 192.0.2.2 ; \u00e9t\u00e9"),
  withHead("a comment in UTF-8", "; B\u00c3\u00bcro\nwww A 192.0.2.2"),
  withHead("a comment with control characters", "; \u0001\u0007\u001b[31m\nwww A 192.0.2.2"),
  withHead("a text with a semicolon in quotes", 'd TXT "v=DMARC1; p=none; rua=mailto:a@example.com"'),
  withHead("a text with an escaped semicolon and blank outside of quotes", String.raw`d TXT v=DMARC1\;\ p=none`),
  withHead("a text with quotes and backslashes", String.raw`q TXT "say \"hello\" \\ \032\000\255"`),
  withHead("texts side by side without a blank", 'q TXT "a""b"'),
  withHead("a text that is empty", 'q TXT ""'),
  withHead("an empty text among others", 'q TXT "a" "" "b"'),
  withHead(
    "a text of 255 octets, and one with escapes that long",
    `q TXT "${"x".repeat(255)}"\nr TXT "${String.raw`\200`.repeat(255)}"`,
  ),
  withHead("many texts in parentheses over lines", `q TXT (\n  "${"a".repeat(200)}" ; one\n  "${"b".repeat(200)}"\n)`),
  withHead("a text in raw UTF-8 and raw Latin-1", 't TXT "caf\u00c3\u00a9"\nu TXT "caf\u00e9"'),
  withHead("a text with a tab inside", 't TXT "a\tb"'),
  withHead("repeated records", "www A 192.0.2.2\nwww A 192.0.2.2\nWWW A 192.0.2.2"),
  withHead("a record whose number has zeros in front", "m MX 010 mail\ns SRV 00 01 0443 www"),
  withHead(
    "data in generic form of a known type",
    String.raw`g A \# 4 c0000203
g MX \# 3 0000 00
h TYPE1 \# 4 c0000204
h CLASS1 TYPE28 \# 16 20010db8 0000000000000000 00000001`,
  ),
  withHead(
    "an unknown type",
    String.raw`u TYPE65280 \# 4 0A 000001` + "\nu TYPE731 \\# 6 abcd (\n ef 01 23 45 )\nv TYPE65281 \\# 0",
  ),
  withHead("types by their numbers", 'n TYPE15 10 mail\nn TYPE16 "t"\no type5 www'),
  withHead("mnemonics in mixed case", 'n aaaa 2001:DB8:0:0::1\nn Mx 10 Mail\nn tXt "T"'),
];
