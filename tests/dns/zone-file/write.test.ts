import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ruleFor } from "../../../server/dns/record-types.ts";
import { recordKey, rrsetKey, type RecordData } from "../../../server/dns/record.ts";
import { parseZoneFile } from "../../../server/dns/zone-file/parse.ts";
import { nextSerial, initialSoa, type Soa } from "../../../server/dns/zone-file/contents.ts";
import { printZoneFile } from "../../../server/dns/zone-file/write.ts";
import { anyCharacter } from "../../support/any-character.ts";

const zone = "example.com";
const soa: Soa = {
  mname: "ns1.example.com",
  rname: "hostmaster.example.com",
  serial: 2_024_010_101,
  refresh: 3600,
  retry: 900,
  expire: 1_209_600,
  minimum: 300,
  ttl: 3600,
};

function record(name: string, recordType: string, value: string, ttl = 300): RecordData {
  const priority = recordType === "MX" || recordType === "SRV" ? Number(value.split(" ")[0]) : null;
  return { recordType, name, value, ttl, strings: null, priority, proxied: false };
}

describe("printing zone files", () => {
  const records = [
    record("www", "CNAME", "example.com"),
    record("a.www", "A", "192.0.2.4"),
    record("@", "TXT", 'say "hi"; \\'),
    record("b", "A", "192.0.2.3", 2_147_483_647),
    record("@", "NS", "ns1.example.com"),
    record("*", "A", "192.0.2.9"),
    record("b", "A", "192.0.2.2"),
    record("@", "MX", "10 mail.example.net"),
    record("www-2", "TYPE65280", "\\# 4 0a000001"),
  ];

  test("a printed zone file has provider-specific types as comments", () => {
    const own = record("www", "R53_ALIAS", "A alias-target.dns-name=d1.cloudfront.net.\nwww A 192.0.2.66", 0);
    const text = printZoneFile({ zone, soa, records: [...records, own] });
    expect(text).toContain(
      "\n; www   0      IN R53_ALIAS A alias-target.dns-name=d1.cloudfront.net. www A 192.0.2.66\n",
    );
    const read = parseZoneFile(text, { zone });
    expect(read).toMatchObject({ ok: true });
    expect(read.ok && read.records.map(recordKey).toSorted()).toEqual(records.map(recordKey).toSorted());
  });

  test("a printed zone file has the SOA, the apex, then names in canonical order", () => {
    expect(printZoneFile({ zone, soa, records, defaultTtl: 60 }))
      .toBe(String.raw`; Zone example.com, written by Zonewright. Records added by hand are kept, comments are not.
$ORIGIN example.com.
$TTL 60
@     3600   IN SOA    ns1.example.com. hostmaster.example.com. (
        2024010101 ; serial
        3600       ; refresh
        900        ; retry
        1209600    ; expire
        300        ; minimum
        )
@     300    IN NS     ns1.example.com.
@     300    IN MX     10 mail.example.net.
@     300    IN TXT    "say \"hi\"; \\"
*     300    IN A      192.0.2.9
b     300    IN A      192.0.2.2
b     2147483647 IN A      192.0.2.3
www   300    IN CNAME  example.com.
a.www 300    IN A      192.0.2.4
www-2 300    IN TYPE65280 \# 4 0a000001
`);
  });

  test("the order of the records does not affect the printed zone file", () => {
    const text = printZoneFile({ zone, soa, records });
    expect(printZoneFile({ zone, soa, records: records.toReversed() })).toBe(text);
  });

  test("a zone without name servers is printed with a placeholder, which reading omits", () => {
    const text = printZoneFile({ zone, soa: initialSoa(zone, new Date("2024-05-06T00:00:00Z")), records: [] });
    expect(text).toContain("@ 3600   IN NS     placeholder.invalid.\n");
    expect(parseZoneFile(text, { zone })).toMatchObject({
      ok: true,
      records: [],
      soa: { mname: "placeholder.invalid", rname: "hostmaster.example.com", serial: 2_024_050_600, minimum: 300 },
    });
  });

  test("names in a printed SOA may be the root and contain escapes", () => {
    const odd = { ...soa, mname: ".", rname: String.raw`a\.b.example.com` };
    expect(parseZoneFile(printZoneFile({ zone, soa: odd, records: [] }), { zone })).toMatchObject({
      ok: true,
      soa: odd,
    });
  });

  test("the hostmaster may be given as an email address", () => {
    expect(initialSoa(zone, new Date(), { hostmaster: "host.master@example.net" }).rname).toBe(
      String.raw`host\.master.example.net`,
    );
  });

  test("a long owner does not shift other lines of a printed zone file", () => {
    const text = printZoneFile({
      zone,
      soa,
      records: [record("a".repeat(63), "A", "192.0.2.1"), record("b", "A", "192.0.2.1")],
    });
    expect(text).toContain(`\n${"b".padEnd(32)} 300`);
  });
});

const label = fc.oneof(
  fc.stringMatching(/^[a-z0-9_]([a-z0-9_-]{0,6}[a-z0-9])?$/),
  fc.constantFrom(
    "_dmarc",
    "xn--bcher-kva",
    "0/25",
    String.raw`a\.b`,
    String.raw`\@`,
    String.raw`\$x`,
    String.raw`a\;b\(`,
    String.raw`\000\255`,
  ),
);
const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));
const owner = fc.oneof(fc.constantFrom("@", "*", "in", "60", "a", "*.dev"), host);
const number16 = fc.nat(65_535);
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('"', "\\", ";", "(", ")", " ", "\n", "a", "é", "日", "\\#", "1"), maxLength: 40 }),
  fc.nat(600).map((length) => "é".repeat(length)),
);
const hex = fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("hex"));

/** Type and RDATA value, canonical once its rule has read back what it prints. */
const typeAndValue: fc.Arbitrary<[string, string]> = fc.oneof(
  fc.ipV4().map((value): [string, string] => ["A", value]),
  fc.ipV6().map((value): [string, string] => ["AAAA", value]),
  host.map((value): [string, string] => ["CNAME", value]),
  host.map((value): [string, string] => ["NS", value]),
  fc
    .tuple(number16, fc.oneof(fc.constant("."), host))
    .map(([number, name]): [string, string] => ["MX", `${number} ${name}`]),
  text.map((value): [string, string] => ["TXT", value]),
  fc.tuple(number16, number16, number16, host).map((parts): [string, string] => ["SRV", parts.join(" ")]),
  fc
    .tuple(fc.nat(255), fc.constantFrom("issue", "iodef"), text)
    .map((parts): [string, string] => ["CAA", parts.join(" ")]),
  host.map((value): [string, string] => ["PTR", `${value}.`]),
  hex.map((value): [string, string] => ["TLSA", `3 1 0 ${value}`]),
  hex.map((value): [string, string] => ["TYPE65280", `\\# ${value.length / 2} ${value}`]),
  host.map((value): [string, string] => ["HTTPS", `1 ${value}. alpn=h2,h3 key667="a b"`]),
  host.map((value): [string, string] => ["SVCB", `1 ${value}. mandatory=alpn,dohpath alpn=h2 dohpath=/q{?dns} ohttp`]),
  host.map((value): [string, string] => ["HIP", `2 2001 AwEA ${value}.`]),
  host.map((value): [string, string] => ["IPSECKEY", `10 3 2 ${value}. AwEA`]),
  host.map((value): [string, string] => ["NAPTR", `100 50 "s" "SIP;+" "" ${value}.`]),
);

/** Canonical records: anything that a value rule reads. */
const zoneRecord = fc
  .tuple(owner, typeAndValue, fc.nat(2 ** 31 - 1))
  .map(([name, [recordType, value], ttl]) => {
    const rule = ruleFor(recordType);
    const parsed = parseZoneFile(`@ ${recordType} ${rule.print(value)}`, { zone });
    const canonical = parsed.ok ? parsed.records[0] : undefined;
    return canonical && Object.assign(canonical, { name, ttl });
  })
  .filter((found) => found !== undefined);

/** An RRset has one TTL. */
const oneTtl = (records: RecordData[]) => {
  const ttls = new Map(records.map((record) => [rrsetKey(record), record.ttl]));
  return records.map((record) => ({ ...record, ttl: ttls.get(rrsetKey(record)) ?? 0 }));
};

const byKey = (one: RecordData, other: RecordData) => (recordKey(one) < recordKey(other) ? -1 : 1);

describe("printing and parsing", () => {
  test("parsing a printed zone file returns the same records", () => {
    fc.assert(
      fc.property(fc.uniqueArray(zoneRecord, { selector: recordKey, maxLength: 30 }).map(oneTtl), (records) => {
        const printed = printZoneFile({ zone, soa, records });
        const parsed = parseZoneFile(printed, { zone });
        expect(parsed).toMatchObject({ ok: true, soa });
        expect(parsed.ok && parsed.records.toSorted(byKey)).toEqual(records.toSorted(byKey));
        expect(parsed.ok && printZoneFile({ zone, soa, records: parsed.records })).toBe(printed);
      }),
      { numRuns: 500 },
    );
  });

  test("parsing any text gives either records or errors", () => {
    const scrap = fc.constantFrom(
      "$ORIGIN ",
      "$TTL ",
      "@",
      " ",
      "\n",
      "\r\n",
      "(",
      ")",
      '"',
      "\\",
      ";",
      "IN ",
      "A ",
      "TXT ",
      "SOA ",
      "192.0.2.1",
      "60 ",
      "x",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter }),
          fc.array(scrap).map((parts) => parts.join("")),
        ),
        (text) => {
          const parsed = parseZoneFile(text, { zone });
          expect(parsed.ok || parsed.errors.length > 0).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe("the next serial", () => {
  const now = new Date("2024-03-09T23:59:59Z");
  test.each([
    [0, 2_024_030_900],
    [1, 2_024_030_900],
    [2_024_030_899, 2_024_030_900],
    [2_024_030_900, 2_024_030_901],
    [2_024_030_999, 2_024_031_000],
    [2_030_010_100, 2_030_010_101],
    [2_147_483_648 + 2_024_030_899, 2_147_483_648 + 2_024_030_900],
    [2_147_483_648 + 2_024_030_901, 2_024_030_900],
    [4_294_967_295, 2_024_030_900],
  ])("the serial %i is followed by %i", (current, next) => {
    expect(nextSerial(current, now)).toBe(next);
  });

  test("the serial wraps from its maximum to 1, never to 0", () => {
    expect(nextSerial(4_294_967_295, new Date("2200-01-01T00:00:00Z"))).toBe(1);
  });

  test("the next serial is always an increase by RFC 1982 and never 0", () => {
    fc.assert(
      fc.property(
        fc.nat(2 ** 32 - 1),
        fc.date({ min: new Date(0), max: new Date("4000-01-01"), noInvalidDate: true }),
        (current, date) => {
          const next = nextSerial(current, date);
          const distance = (next - current + 2 ** 32) % 2 ** 32;
          expect(distance).toBeGreaterThan(0);
          expect(distance).toBeLessThan(2 ** 31);
          expect(next).toBeGreaterThan(0);
        },
      ),
    );
  });
});
