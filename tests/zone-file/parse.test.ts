import { describe, expect, test } from "vitest";
import { ok, refuse } from "../../server/result.ts";
import { parseZoneFile, type ZoneFileOptions } from "../../server/zone-file/parse.ts";

const zone = "example.com";

/** One text per record: `name ttl type value`. */
function read(text: string, options: Partial<ZoneFileOptions> = {}) {
  const parsed = parseZoneFile(text, { zone, ...options });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  const records = parsed.records.map(({ name, ttl, recordType, value }) => `${name} ${ttl} ${recordType} ${value}`);
  return { ...parsed, records, messages: parsed.warnings.map(({ line, message }) => `${line}: ${message}`) };
}

/** One text per error: `line: message`, the file before it where it is an included one. */
function errorsOf(text: string, options: Partial<ZoneFileOptions> = {}): string[] {
  const parsed = parseZoneFile(text, { zone, ...options });
  if (parsed.ok) return [];
  return parsed.errors.map(({ line, file, message }) => `${file === undefined ? "" : `${file} `}${line}: ${message}`);
}

describe("files as they are found", () => {
  test("a BIND zone with a parenthesised SOA, blank owners and nested origins", () => {
    const parsed = read(
      String.raw`
$TTL 1h
$ORIGIN com.
example   IN SOA  ns1.example.com. host\.master.example.com. (
            2024010101 ; serial
            1d         ; refresh
            2H 4w      ; retry, expire
            300 )      ; minimum
          IN NS   ns1.example
             NS   ns2.example.net.
          300 MX  10 mail.example
$ORIGIN example.com.
mail      A     192.0.2.1
          AAAA  2001:DB8:0:0::1
$ORIGIN eu
www       CNAME mail.example.com.
*         in 5m A 192.0.2.2
@         IN TXT "apex of eu"
$ORIGIN @
deep      A 192.0.2.3
`,
    );
    expect(parsed.soa).toEqual({
      mname: "ns1.example.com",
      rname: String.raw`host\.master.example.com`,
      serial: 2_024_010_101,
      refresh: 86_400,
      retry: 7200,
      expire: 2_419_200,
      minimum: 300,
      ttl: 3600,
    });
    expect(parsed.records).toEqual([
      "@ 3600 NS ns1.example.com",
      "@ 3600 NS ns2.example.net",
      "@ 300 MX 10 mail.example.com",
      "mail 3600 A 192.0.2.1",
      "mail 3600 AAAA 2001:db8::1",
      "www.eu 3600 CNAME mail.example.com",
      "*.eu 300 A 192.0.2.2",
      "eu 3600 TXT apex of eu",
      "deep.eu 3600 A 192.0.2.3",
    ]);
    expect(parsed.messages).toEqual([]);
  });

  test("TTL and class come in either order, and neither needs to be there", () => {
    expect(
      read(
        "a A 192.0.2.1\na 60 A 192.0.2.2\nb in a 192.0.2.3\nc IN 1h A 192.0.2.4\nd 1h CLASS1 type1 192.0.2.5\nin A 192.0.2.6",
      ).records,
    ).toEqual([
      "a 3600 A 192.0.2.1",
      "a 60 A 192.0.2.2",
      "b 60 A 192.0.2.3",
      "c 3600 A 192.0.2.4",
      "d 3600 A 192.0.2.5",
      "in 3600 A 192.0.2.6",
    ]);
  });

  test.each([
    ["$TTL", "$TTL 77\n@ 60 IN SOA a b 1 2 3 4 5\na 88 A 192.0.2.1\nb A 192.0.2.2", "b 77 A 192.0.2.2"],
    ["the last explicit TTL", "@ 60 IN SOA a b 1 2 3 4 5\nb A 192.0.2.2", "b 60 A 192.0.2.2"],
    ["the SOA minimum", "@ IN SOA a b 1 2 3 4 5\nb A 192.0.2.2", "b 5 A 192.0.2.2"],
    ["the default", "b A 192.0.2.2", "b 3600 A 192.0.2.2"],
  ])("a record without a TTL takes %s", (_, text, last) => {
    expect(read(text).records.at(-1)).toBe(last);
  });

  test("the caller's default TTL and origin serve where the file has none", () => {
    expect(read("b A 192.0.2.2", { defaultTtl: 9, origin: "sub.example.com" }).records).toEqual([
      "b.sub 9 A 192.0.2.2",
    ]);
  });

  test("text: semicolons in quotes, a key over several strings, escapes", () => {
    expect(
      read(String.raw`
_dmarc TXT "v=DMARC1; p=none; rua=mailto:a@example.com"
k1._domainkey IN TXT ( "v=DKIM1; k=rsa; p=MIGf" ; first
    "MA0GCSq" "AQAB" )
quotes TXT "a \"b\" \\ c" \100
parts  TXT a b c
bytes  TXT "caf\195\169 é"
`).records,
    ).toEqual([
      "_dmarc 3600 TXT v=DMARC1; p=none; rua=mailto:a@example.com",
      "k1._domainkey 3600 TXT v=DKIM1; k=rsa; p=MIGfMA0GCSqAQAB",
      String.raw`quotes 3600 TXT a "b" \ cd`,
      "parts 3600 TXT abc",
      "bytes 3600 TXT café é",
    ]);
  });

  test("CRLF, a byte order mark and a missing last line end change nothing", () => {
    expect(read("\uFEFF$TTL 60\r\nwww A 192.0.2.1\r\n\r\n  A 192.0.2.2").records).toEqual([
      "www 60 A 192.0.2.1",
      "www 60 A 192.0.2.2",
    ]);
  });

  test("types that cannot be edited are kept, unknown ones in generic form", () => {
    const parsed = read(String.raw`
$TTL 60
a  TYPE65280 \# 4 0A 000001
b  https 1 . alpn="h2,h3" ipv4hint=192.0.2.1
c  SVCB 0 svc
d  TLSA 3 1 1 AB CD
e  SSHFP 4 2 AB
f  NAPTR 100 50 "s" "SIP+D2U" "" _sip._udp
g  DS 12345 13 2 ABCD
h  PTR host
i  TYPE43 \# 5 3039 0d02ab
`);
    expect(parsed.records).toEqual([
      "a 60 TYPE65280 \\# 4 0a000001",
      "b 60 HTTPS 1 . alpn=h2,h3 ipv4hint=192.0.2.1",
      "c 60 SVCB 0 svc.example.com.",
      "d 60 TLSA 3 1 1 abcd",
      "e 60 SSHFP 4 2 ab",
      'f 60 NAPTR 100 50 "s" "SIP+D2U" "" _sip._udp.example.com.',
      "g 60 DS 12345 13 2 abcd",
      "h 60 PTR host.example.com.",
      "i 60 DS \\# 5 30390d02ab",
    ]);
  });

  test("owners keep their escapes, and `@` and `$` may be escaped", () => {
    expect(read("a\\.b A 192.0.2.1\n\\$x A 192.0.2.1\n\\@ A 192.0.2.1\nWWW.Example.COM. A 192.0.2.1").records).toEqual([
      "a\\.b 3600 A 192.0.2.1",
      "\\$x 3600 A 192.0.2.1",
      "\\@ 3600 A 192.0.2.1",
      "www 3600 A 192.0.2.1",
    ]);
  });

  test("MX and SRV carry their priority, and nothing is proxied", () => {
    expect(parseZoneFile("@ MX 5 m\n_s._tcp SRV 7 0 80 h", { zone })).toMatchObject({
      records: [
        { priority: 5, proxied: false },
        { priority: 7, proxied: false },
      ],
    });
  });

  test("a name server that stands in for a missing one is no record", () => {
    expect(read("@ NS placeholder.invalid.\nsub NS placeholder.invalid.\n@ NS ns").records).toEqual([
      "sub 3600 NS placeholder.invalid",
      "@ 3600 NS ns.example.com",
    ]);
  });

  test("a hundred thousand records are read", () => {
    const lines = Array.from(
      { length: 100_000 },
      (_, index) => `h${index} A 10.0.${(index >> 8) & 255}.${index & 255}`,
    );
    // Work that grew with the square of the file would take minutes, which is longer than a test may.
    expect(read(lines.join("\n")).records).toHaveLength(100_000);
  });
});

describe("what is odd is kept and told", () => {
  test("repetitions are merged, also with another TTL", () => {
    const parsed = read("a 60 A 192.0.2.1\nA 60 A 192.0.2.1\na 90 A 192.0.2.1");
    expect(parsed.records).toEqual(["a 60 A 192.0.2.1"]);
    const message = "a A 192.0.2.1 is there already; the repetition is left out.";
    expect(parsed.messages).toEqual([`2: ${message}`, `3: ${message}`]);
  });

  test("different TTLs at one name and type are kept, and told once", () => {
    const parsed = read("a 60 A 192.0.2.1\na 90 A 192.0.2.2\na 99 A 192.0.2.3\na 90 AAAA ::1");
    expect(parsed.records).toHaveLength(4);
    expect(parsed.messages).toEqual([
      "2: a A has records with different TTLs; servers use one of them (RFC 2181 §5.2).",
    ]);
  });

  test("a bare text that a semicolon cuts off", () => {
    expect(read("k TXT v=DKIM1;k=rsa;p=abc").messages).toEqual([
      "1: What follows the ; is a comment; put the text in quotes to keep it.",
    ]);
  });

  test("the SOA again at the end, as in a zone transfer, is nothing odd", () => {
    const soa = "@ 60 SOA a b 1 2 3 4 5";
    expect(read(`${soa}\nx A 192.0.2.1\n${soa}`).messages).toEqual([]);
  });
});

describe("errors name their line", () => {
  const noInclude = "$INCLUDE is not accepted here; put the file's lines in its place.";
  test.each<[string, string]>([
    ["\nwww 60 A\n", "2: The A value must be an IPv4 address"],
    ["www A 192.0.2.256", "1: The A value must be an IPv4 address"],
    ["www AA 192.0.2.1", '1: "AA" is not a record type.'],
    ["www TYPE0 \\# 0", '1: "TYPE0" is not a record type.'],
    ["www TYPE65536 \\# 0", '1: "TYPE65536" is not a record type.'],
    ["www TYPE65280 \\# 4 0a", "1: Generic RDATA must state its number of octets"],
    ["www 60 IN", "1: This entry has no record type."],
    ["www", "1: This entry has no record type."],
    ['www "A" 192.0.2.1', '1: A record type was expected in place of "A".'],
    ["www CH A 192.0.2.1", "1: Class CH is not served here, only IN."],
    ["www CLASS3 A 192.0.2.1", "1: Class CLASS3 is not served here, only IN."],
    ["www 2147483648 A 192.0.2.1", "1: 2147483648 is more than the largest time"],
    ["\n A 192.0.2.1", "2: This line begins with a blank, but there is no record before it"],
    ['"www" A 192.0.2.1', "1: An owner name cannot stand in quotes."],
    ["www.example.net. A 192.0.2.1", '1: The name "www.example.net" is outside the zone example.com.'],
    ["notexample.com. A 192.0.2.1", '1: The name "notexample.com" is outside the zone example.com.'],
    ["a..b A 192.0.2.1", '1: The name "a..b" cannot be a domain name'],
    ["$ORIGIN", "1: $ORIGIN needs one name."],
    ["$ORIGIN a b", "1: $ORIGIN needs one name."],
    ["$ORIGIN a..b", '1: The name "a..b" cannot be a domain name'],
    ["$TTL", "1: $TTL needs one time."],
    ["$TTL soon", '1: "soon" is not a time'],
    ["$INCLUDE more.zone", `1: ${noInclude}`],
    ["$INCLUDE", "1: $INCLUDE needs a file and, if any, an origin."],
    ["\n\n$GENERATE 1-9 h$ A 192.0.2.$", "3: $GENERATE is an extension of BIND"],
    ["$x A 192.0.2.1", "1: There is no directive $x; an owner name that begins with $ is written \\$."],
    ["@ SOA a b 1 2 3 4", "1: An SOA needs seven fields"],
    ["@ SOA a b 4294967296 2 3 4 5", '1: "4294967296" is not a serial'],
    ["@ SOA a b 1 2 3 4 x", '1: "x" is not a time'],
    ["sub SOA a b 1 2 3 4 5", "1: The SOA belongs to the zone's apex, not to sub."],
    ["@ SOA a b 1 2 3 4 5\n@ SOA a b 2 2 3 4 5", "2: The zone has a different SOA already."],
    ["a (\n A 192.0.2.1", "1: The parenthesis that opens here is never closed."],
    ['a TXT "b', "1: The quote that opens on this line is not closed on it."],
    ["a )", "1: This ) closes nothing."],
    ["a A 192.0.2.1\n; \u0000", "2: The control character U+0000 does not belong in a zone file."],
  ])("%j", (text, message) => {
    const errors = errorsOf(text);
    expect(errors).toHaveLength(1);
    expect(errors[0]?.slice(0, message.length)).toBe(message);
  });

  test("of several lines are told together, and lines that follow from one are not", () => {
    expect(errorsOf("out.example.net. A 192.0.2.1\n A 192.0.2.2\nb A x\nc A 192.0.2.3\nd FOO")).toEqual([
      '1: The name "out.example.net" is outside the zone example.com.',
      expect.stringContaining("3: The A value"),
      '5: "FOO" is not a record type.',
    ]);
  });

  test("stop at twenty", () => {
    expect(errorsOf("a A x\n".repeat(1000))).toHaveLength(20);
    expect(errorsOf("\u0000\n".repeat(1000))).toHaveLength(20);
  });
});

describe("$INCLUDE", () => {
  const files: Record<string, string> = {
    hosts: "$ORIGIN deep\nwww A 192.0.2.1\n",
    relative: " A 192.0.2.9\n",
    bad: "\nx FOO",
    outer: "$INCLUDE bad",
    loop: "$INCLUDE loop",
  };
  const include = (path: string) => {
    const text = files[path];
    return text === undefined ? refuse(`There is no ${path}.`) : ok(text);
  };

  test("takes another origin, and gives origin and owner back", () => {
    const parsed = read("a A 192.0.2.0\n$INCLUDE hosts eu ; note\n A 192.0.2.2\nb A 192.0.2.3\n$INCLUDE relative", {
      include,
    });
    expect(parsed.records).toEqual([
      "a 3600 A 192.0.2.0",
      "www.deep.eu 3600 A 192.0.2.1",
      "a 3600 A 192.0.2.2",
      "b 3600 A 192.0.2.3",
      "b 3600 A 192.0.2.9",
    ]);
    expect(parsed.includedFiles).toEqual(["hosts", "relative"]);
  });

  test("errors name the file that they are in", () => {
    expect(errorsOf("\n$INCLUDE outer\n$INCLUDE nowhere", { include })).toEqual([
      'bad 2: "FOO" is not a record type.',
      "3: There is no nowhere.",
    ]);
  });

  test("a file that includes itself ends after ten levels", () => {
    expect(errorsOf("$INCLUDE loop", { include })).toEqual(["loop 1: $INCLUDE is nested more than 10 deep."]);
  });

  test("files that include each other over and over end too", () => {
    const errors = errorsOf("$INCLUDE 0", {
      include: (path) => ok(path === "8" ? "" : `$INCLUDE ${Number(path) + 1}\n`.repeat(9)),
    });
    expect(errors[0]).toContain("The zone includes more than 1000 files.");
  });
});
