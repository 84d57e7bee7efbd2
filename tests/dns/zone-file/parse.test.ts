import { describe, expect, test } from "vitest";
import { ok, refuse } from "../../../server/platform/result.ts";
import { parseZoneFile, type ZoneFileOptions } from "../../../server/dns/zone-file/parse.ts";

const zone = "example.com";

/** One text per record: `name ttl type value`. */
function read(text: string, options: Partial<ZoneFileOptions> = {}) {
  const parsed = parseZoneFile(text, { zone, ...options });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  const records = parsed.records.map(({ name, ttl, recordType, value }) => `${name} ${ttl} ${recordType} ${value}`);
  return {
    ...parsed,
    recordsRead: parsed.records,
    records,
    messages: parsed.warnings.map(({ line, message }) => `${line}: ${message}`),
  };
}

/** One text per error: `line: message`, the file before it where it is an included one. */
function errorsOf(text: string, options: Partial<ZoneFileOptions> = {}): string[] {
  const parsed = parseZoneFile(text, { zone, ...options });
  if (parsed.ok) return [];
  return parsed.errors.map(({ line, file, message }) => `${file === undefined ? "" : `${file} `}${line}: ${message}`);
}

describe("real-world zone files", () => {
  test("a BIND zone with a parenthesized SOA, blank owners and nested origins is read", () => {
    const parsed = read(
      String.raw`
$TTL 1h
$ORIGIN com.
example   IN SOA  Ns1.example.com. Host\.Master.example.com. (
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
      mname: "Ns1.example.com",
      rname: String.raw`Host\.Master.example.com`,
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

  test("TTL and class are optional and come in either order", () => {
    expect(
      read(
        "a A 192.0.2.1\na2 60 A 192.0.2.2\nb in a 192.0.2.3\nc IN 1h A 192.0.2.4\nd 1h CLASS1 type1 192.0.2.5\nin A 192.0.2.6",
      ).records,
    ).toEqual([
      "a 3600 A 192.0.2.1",
      "a2 60 A 192.0.2.2",
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
    [
      "the SOA minimum, whatever TTL stands between, where the SOA has none",
      "@ IN SOA a b 1 2 3 4 5\na 88 A 192.0.2.1\nb A 192.0.2.2",
      "b 5 A 192.0.2.2",
    ],
    ["the default", "b A 192.0.2.2", "b 3600 A 192.0.2.2"],
  ])("a record without a TTL takes %s", (_, text, last) => {
    expect(read(text).records.at(-1)).toBe(last);
  });

  test("the caller's default TTL and origin apply if the file has none", () => {
    expect(read("b A 192.0.2.2", { defaultTtl: 9, origin: "sub.example.com" }).records).toEqual([
      "b.sub 9 A 192.0.2.2",
    ]);
  });

  test("texts may have semicolons in quotes, several strings and escapes", () => {
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

  test("CRLF, a byte order mark and a missing final line end make no difference", () => {
    expect(read("\uFEFF$TTL 60\r\nwww A 192.0.2.1\r\n\r\n  A 192.0.2.2").records).toEqual([
      "www 60 A 192.0.2.1",
      "www 60 A 192.0.2.2",
    ]);
  });

  test("uneditable types are preserved, unknown ones in generic form", () => {
    const parsed = read(String.raw`
$TTL 60
a  TYPE65280 \# 4 0A 000001
b  https 1 . alpn="h2,h3" ipv4hint=192.0.2.1
c  SVCB 0 svc
d  TLSA 3 1 0 AB CD
e  SSHFP 4 0 AB
f  NAPTR 100 50 "s" "SIP+D2U" "" _sip._udp
g  DS 12345 13 9 ABCD
h  PTR host
i  TYPE43 \# 5 3039 0d09ab
`);
    expect(parsed.records).toEqual([
      "a 60 TYPE65280 \\# 4 0a000001",
      "b 60 HTTPS 1 . alpn=h2,h3 ipv4hint=192.0.2.1",
      "c 60 SVCB 0 svc.example.com.",
      "d 60 TLSA 3 1 0 abcd",
      "e 60 SSHFP 4 0 ab",
      'f 60 NAPTR 100 50 "s" "SIP+D2U" "" _sip._udp.example.com.',
      "g 60 DS 12345 13 9 abcd",
      "h 60 PTR host.example.com",
      "i 60 DS 12345 13 9 ab",
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

  test("MX and SRV records from a file have their priority, and no record is proxied", () => {
    expect(parseZoneFile("@ MX 5 m\n_s._tcp SRV 7 0 80 h", { zone })).toMatchObject({
      records: [
        { priority: 5, proxied: false },
        { priority: 7, proxied: false },
      ],
    });
  });

  test("the placeholder name server in a file is not a record", () => {
    expect(read("@ NS placeholder.invalid.\nsub NS placeholder.invalid.\n@ NS ns").records).toEqual([
      "sub 3600 NS placeholder.invalid",
      "@ 3600 NS ns.example.com",
    ]);
  });

  test("a file of a hundred thousand records is read", () => {
    const lines = Array.from(
      { length: 100_000 },
      (_, index) => `h${index} A 10.0.${(index >> 8) & 255}.${index & 255}`,
    );
    // Work quadratic in the size of the file would take minutes, beyond a test's time limit.
    expect(read(lines.join("\n")).records).toHaveLength(100_000);
  });
});

/** The data of an RRSIG. */
function signature(type: string, tag: number): string {
  return `RRSIG ${type} 13 3 60 20301122173103 20240101000000 ${tag} @ AAAA`;
}

describe("suspicious content is accepted with a warning", () => {
  test("duplicate records in a file are merged with a warning, even if their TTLs differ", () => {
    const parsed = read("a 60 A 192.0.2.1\nA 60 A 192.0.2.1\na 90 A 192.0.2.1");
    expect(parsed.records).toEqual(["a 60 A 192.0.2.1"]);
    const message = "A 192.0.2.1 is a duplicate and is ignored.";
    expect(parsed.messages).toEqual([`2: A ${message}`, `3: a ${message}`]);
  });

  test("an RRset with different TTLs gets the one that BIND would use, with a warning", () => {
    const parsed = read(
      "a 60 A 192.0.2.1\na 90 A 192.0.2.2\na 99 A 192.0.2.3\na 90 AAAA ::1\nb TXT b\na 5 A 192.0.2.4",
    );
    expect(parsed.records.filter((record) => record.startsWith("a "))).toEqual([
      "a 5 A 192.0.2.1",
      "a 5 A 192.0.2.2",
      "a 5 A 192.0.2.3",
      "a 90 AAAA ::1",
      "a 5 A 192.0.2.4",
    ]);
    expect(parsed.messages).toEqual([
      "2: a A has records with different TTLs; 60 is used for all of them, as in BIND (RFC 2181 §5.2).",
      "6: a A has records with different TTLs; 5 is used for all of them, as in BIND (RFC 2181 §5.2).",
    ]);
  });

  test("an RRSIG shares its TTL only with signatures that cover the same type", () => {
    const parsed = read(`a 60 ${signature("A", 1)}\na 90 ${signature("MX", 1)}\na 60 ${signature("A", 2)}`);
    expect(parsed.records.map((record) => record.split(" ").slice(0, 4).join(" "))).toEqual([
      "a 60 RRSIG A",
      "a 90 RRSIG MX",
      "a 60 RRSIG A",
    ]);
    expect(parsed.messages).toEqual([]);
  });

  test("an unquoted text cut off by a semicolon gets a warning", () => {
    expect(read("k TXT v=DKIM1;k=rsa;p=abc").messages).toEqual([
      "1: The text after the ; is a comment; put the whole text in quotes to include it.",
    ]);
  });

  test("a repeated SOA at the end, as in a zone transfer, gets no warning", () => {
    const soa = "@ 60 SOA a b 1 2 3 4 5";
    expect(read(`${soa}\nx A 192.0.2.1\n${soa}`).messages).toEqual([]);
    expect(read(`${soa}\nx A 192.0.2.1\n${soa.replace("a b", "A B")}`).messages).toEqual([]);
  });
});

describe("errors in a zone file", () => {
  const noInclude = "$INCLUDE is not supported here; replace it with the file's lines.";
  test.each<[string, string]>([
    ["\nwww 60 A\n", "2: The A value must be an IPv4 address"],
    ["www A 192.0.2.256", "1: The A value must be an IPv4 address"],
    ["www AA 192.0.2.1", '1: "AA" is not a known record type.'],
    ["www TYPE0 \\# 0", '1: "TYPE0" is not a known record type.'],
    ["www TYPE65536 \\# 0", '1: "TYPE65536" is not a known record type.'],
    ["www TYPE65280 \\# 4 0a", "1: Generic RDATA must have the form"],
    ["www 60 IN", "1: This entry has no record type."],
    ["www", "1: This entry has no record type."],
    ['www "A" 192.0.2.1', '1: Expected a record type, not "A" in quotes.'],
    ["www CH A 192.0.2.1", "1: Class CH is not supported; use IN."],
    ["www CLASS3 A 192.0.2.1", "1: Class CLASS3 is not supported; use IN."],
    ["www 2147483648 A 192.0.2.1", "1: 2147483648 exceeds the maximum"],
    ["\n A 192.0.2.1", "2: This line begins with whitespace, but there is no previous record"],
    ['"www" A 192.0.2.1', "1: An owner name must not be quoted."],
    ["www.example.net. A 192.0.2.1", '1: The name "www.example.net" is outside the zone example.com.'],
    ["notexample.com. A 192.0.2.1", '1: The name "notexample.com" is outside the zone example.com.'],
    ["a..b A 192.0.2.1", '1: "a..b" is not a valid domain name'],
    ["$ORIGIN", "1: $ORIGIN takes exactly one name."],
    ["$ORIGIN a b", "1: $ORIGIN takes exactly one name."],
    ["$ORIGIN a..b", '1: "a..b" is not a valid domain name'],
    ["$TTL", "1: $TTL takes exactly one time."],
    ["$TTL soon", '1: "soon" is not a valid time'],
    ["$INCLUDE more.zone", `1: ${noInclude}`],
    ["$INCLUDE", "1: $INCLUDE takes a file name and an optional origin."],
    ["\n\n$GENERATE 1-9 h$ A 192.0.2.$", "3: $GENERATE is a BIND extension"],
    ["$x A 192.0.2.1", "1: $x is not a known directive. Write an owner name that begins with $ as \\$."],
    ["@ SOA a b 1 2 3 4", "1: An SOA must have seven fields"],
    ["@ SOA a b 4294967296 2 3 4 5", '1: "4294967296" is not a serial'],
    ["@ SOA a b 1 2 3 4 x", '1: "x" is not a valid time'],
    ["sub SOA a b 1 2 3 4 5", "1: The SOA must be at the zone's apex, not at sub."],
    ["@ SOA a b 1 2 3 4 5\n@ SOA a b 2 2 3 4 5", "2: The zone already has a different SOA."],
    ["a (\n A 192.0.2.1", "1: The parenthesis that opens here is never closed."],
    ['a TXT "b', "1: A quote on this line is never closed; close it on the same line."],
    ["a )", "1: This ) has no matching (."],
    ['a (\n TXT\n "\u0000" )', "3: The control character U+0000 is not allowed here"],
    ['a TXT "\uFFFD"', "1: A byte here was not valid UTF-8 and was lost in decoding"],
    ['a TXT "\ud800"', "1: A byte here was not valid UTF-8 and was lost in decoding"],
  ])("an error in a zone file names its line: %j", (text, message) => {
    const errors = errorsOf(text);
    expect(errors).toHaveLength(1);
    expect(errors[0]?.slice(0, message.length)).toBe(message);
  });

  test("errors of several lines are reported together, without follow-up errors", () => {
    expect(errorsOf("out.example.net. A 192.0.2.1\n A 192.0.2.2\nb A x\nc A 192.0.2.3\nd FOO")).toEqual([
      '1: The name "out.example.net" is outside the zone example.com.',
      expect.stringContaining("3: The A value"),
      '5: "FOO" is not a known record type.',
    ]);
  });

  test("parsing stops after twenty errors", () => {
    expect(errorsOf("a A x\n".repeat(1000))).toHaveLength(20);
    expect(errorsOf("\u0000 A\n".repeat(1000))).toHaveLength(20);
  });
});

describe("octets above ASCII", () => {
  test("non-ASCII octets in names and texts are preserved, whatever their encoding", () => {
    const records = [
      "b\\195\\188cher 3600 CNAME b\\195\\188cher.example.com",
      "m 3600 MX 10 b\\195\\188cher.example.com",
      "p 3600 PTR b\\195\\188cher.example.com",
      "t 3600 TXT bücher",
    ];
    const text = 'bücher CNAME b\\ücher\nm MX 10 bücher\np PTR bücher\nt TXT "bücher"';
    expect(read(text).records).toEqual(records);
    expect(parseZoneFile(Buffer.from("é A 192.0.2.1\nt TXT é", "latin1"), { zone })).toMatchObject({
      records: [{ name: "\\233" }, { value: "\\# 2 01e9" }],
    });
  });

  test("a comment may contain any octets", () => {
    const file = Buffer.from("; caf\u00e9 \u0000\u001b\nwww A 192.0.2.1 ; \u00ff", "latin1");
    expect(parseZoneFile(file, { zone })).toMatchObject({ ok: true, records: [{ name: "www" }], warnings: [] });
    expect(read("; \uFFFD\nwww A 192.0.2.1").records).toHaveLength(1);
  });
});

describe("records outside the zone", () => {
  const text = "www A 192.0.2.1\nwww.example.net. A 192.0.2.2\n AAAA ::1\n$ORIGIN net.\nmail A 192.0.2.3\nmail x A";

  test("records outside the zone are skipped on request with line and name, while other errors are reported", () => {
    const parsed = read(text.slice(0, -"\nmail x A".length), { ignoreOutOfZone: true });
    expect(parsed.records).toEqual(["www 3600 A 192.0.2.1"]);
    expect(parsed.outOfZone).toEqual([
      { line: 2, name: "www.example.net" },
      { line: 3, name: "www.example.net" },
      { line: 5, name: "mail.net" },
    ]);
    expect(errorsOf(text, { ignoreOutOfZone: true })).toEqual(['6: "x" is not a known record type.']);
  });

  test("an SOA outside the zone is skipped on request", () => {
    expect(read("net. SOA a b 1 2 3 4 5", { ignoreOutOfZone: true })).toMatchObject({ soa: null, records: [] });
  });
});

describe("malformed data", () => {
  const text = "a SSHFP 1 1 zz\nb PTR a. b.\nc TYPE65280 foo\nd ALIAS www\ne TYPE41 \\# 0\n@ DS 1 2 3 ab";

  test("malformed data is stored unchanged in a zone that is only read, with a warning per line", () => {
    const parsed = read(text, { keepBadData: true });
    expect(parsed.records).toEqual([
      "a 3600 SSHFP 1 1 zz",
      "b 3600 PTR a. b.",
      "c 3600 TYPE65280 foo",
      "d 3600 ALIAS www.example.com",
      "e 3600 TYPE41 \\# 0",
      "@ 3600 DS 1 2 3 ab",
    ]);
    expect(parsed.warnings.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(parsed.messages[0]).toBe(
      '1: The SSHFP data is invalid: the fingerprint must be hexadecimal digits in pairs, not "zz". It is stored unchanged.',
    );
    expect(errorsOf(text)).toHaveLength(6);
  });

  test("malformed data that cannot be parsed is an error even in a zone that is only read", () => {
    expect(errorsOf("a A x", { keepBadData: true })).toHaveLength(1);
  });
});

describe("a string over 255 octets", () => {
  const key = `v=DKIM1; k=rsa; p=${"A".repeat(392)}`;
  const text = `a TXT "${key}"\nb SPF "${"é".repeat(200)}"`;

  test("a string over 255 octets is refused with its line and what to do", () => {
    expect(errorsOf(text)).toEqual([
      "1: A string of a TXT record has at most 255 octets, and this one has 410; split it into several, each in quotes of its own.",
      "2: A string of a SPF record has at most 255 octets, and this one has 400; split it into several, each in quotes of its own.",
    ]);
    expect(errorsOf(`a TXT "b" "${key}"`)).toEqual([expect.stringContaining("and string 2 has 410;")]);
  });

  test.each([{ splitLongStrings: true }, { keepBadData: true }])(
    "a string over 255 octets is split where the reader is lenient, with a warning: %j",
    (options) => {
      const parsed = read(text, options);
      expect(parsed.records[0]).toBe(`a 3600 TXT ${key}`);
      expect(parsed.records[1]).toBe(
        `b 3600 SPF "${String.raw`\195\169`.repeat(127)}\\195" "${String.raw`\169`}${String.raw`\195\169`.repeat(72)}"`,
      );
      expect(parsed.messages).toEqual([
        "1: A string of this TXT record has more than 255 octets, the most that one can have (RFC 1035 §3.3); it is split into strings of 255 octets.",
        expect.stringMatching(/^2: A string of this SPF record/),
      ]);
    },
  );

  test("an escape is never cut when a string is split, and the other strings stay as they are", () => {
    const raw = `${"x".repeat(254)}${String.raw`\255\"\\`}`;
    const parsed = read(`a TXT "one" "${raw}"`, { splitLongStrings: true });
    expect(parsed.ok && parsed.recordsRead[0]?.strings).toEqual(["one", `${"x".repeat(254)}\\255`, String.raw`"\\`]);
  });

  test("a long hexadecimal of generic TXT data is not a string", () => {
    const octets = Buffer.concat([Buffer.of(200), Buffer.alloc(200, "y")]);
    expect(read(String.raw`a TXT \# 201 ${octets.toString("hex")}`).records).toEqual([`a 3600 TXT ${"y".repeat(200)}`]);
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

  test("$INCLUDE accepts an origin, and afterwards origin and owner are restored", () => {
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

  test("an error in an included file names the file", () => {
    expect(errorsOf("\n$INCLUDE outer\n$INCLUDE nowhere", { include })).toEqual([
      'bad 2: "FOO" is not a known record type.',
      "3: There is no nowhere.",
    ]);
  });

  test("a file that includes itself is refused after ten levels", () => {
    expect(errorsOf("$INCLUDE loop", { include })).toEqual(["loop 1: $INCLUDE is nested more than 10 deep."]);
  });

  test("files that include each other many times are refused", () => {
    const errors = errorsOf("$INCLUDE 0", {
      include: (path) => ok(path === "8" ? "" : `$INCLUDE ${Number(path) + 1}\n`.repeat(9)),
    });
    expect(errors[0]).toContain("The zone includes more than 1000 files.");
  });
});
