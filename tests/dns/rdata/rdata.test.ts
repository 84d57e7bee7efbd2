import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layouts } from "../../../server/dns/rdata/layouts.ts";
import { rdataFromFields, rdataToText } from "../../../server/dns/rdata/rdata.ts";
import { logicalLines, joinParameters } from "../../../server/dns/zone-file/tokens.ts";
import { data } from "../zone-file/corpus/types.ts";
import { anyCharacter } from "../../support/any-character.ts";

const type = fc.constantFrom(...layouts.keys());
const word = fc.oneof(
  fc.nat(70_000).map(String),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 }),
  fc.constantFrom(
    ..."N S E W A MX TYPE65535 . @ - a..b host ::1 192.0.2.1 1:10.0.0.0/8 AAAA AA== tcp alpn=h2 alpn= port=1".split(
      " ",
    ),
  ),
  fc.constantFrom(
    ..."mandatory=alpn,key9 key65535=x 20240101000000 4294967295 99999999999 00-00-5e-00-53-2a 0:0:0:0 0x00 +12 \\".split(
      " ",
    ),
  ),
);
const field = fc.record({ raw: word, quoted: fc.boolean() });

function fieldsOf(recordType: string, text: string) {
  const [line] = logicalLines(text);
  return line?.kind === "line" ? joinParameters(recordType, line.fields) : [];
}

describe("RDATA of a known type", () => {
  test.each([
    ["BRID", String.raw`\# 0`],
    ["HHIT", String.raw`\# 0`],
    ["RRSIG", "A 13 1 300 20301201000000 20251101000000 12345 zone.example. AAAA"],
  ])("%s data that name servers refuse to load is refused: %s", (recordType, text) => {
    expect(rdataFromFields(recordType, fieldsOf(recordType, text), "zone.example")).toMatchObject({ ok: false });
  });

  test("an RRSIG may have as many labels as its signer, also for a wildcard", () => {
    const text = "A 13 2 300 20301201000000 20251101000000 12345 zone.example. AAAA";
    expect(rdataFromFields("RRSIG", fieldsOf("RRSIG", text), "")).toMatchObject({ ok: true });
  });

  test("RDATA of any octets is unchanged after printing and reading", () => {
    fc.assert(
      fc.property(type, fc.uint8Array({ maxLength: 60 }), (recordType, octets) => {
        const text = rdataToText(recordType, Buffer.from(octets));
        // Without a text of its own, data has generic form.
        fc.pre(text.ok && (text.value !== "" || octets.length === 0));
        const again = rdataFromFields(recordType, fieldsOf(recordType, text.ok ? text.value : ""), "elsewhere.test");
        // Names are then in lower case and sets in one form, so the texts must be equal.
        expect(again.ok && rdataToText(recordType, again.value)).toEqual(text);
      }),
      { numRuns: 5000, examples: [["APL", Uint8Array.of(0, 0, 0, 0)]] },
    );
  });

  test("any RDATA fields are either read or refused in a sentence", () => {
    fc.assert(
      fc.property(type, fc.array(field, { maxLength: 10 }), (recordType, fields) => {
        const rdata = rdataFromFields(recordType, fields, "example.com");
        const reported = rdata.ok ? rdataToText(recordType, rdata.value) : rdata;
        expect(reported.ok ? "read" : reported.message).toMatch(rdata.ok ? /^read$/ : /\.$/);
      }),
      { numRuns: 5000 },
    );
  });

  test("RDATA in generic form gives the same record as in its own form", () => {
    for (const [recordType, ...rdatas] of data) {
      for (const rdata of rdatas.filter((text) => !text.startsWith("\\#"))) {
        const own = rdataFromFields(recordType, fieldsOf(recordType, rdata), "example.com");
        if (!own.ok) throw new Error(`${recordType} ${rdata}: ${own.message}`);
        const generic = `\\# ${own.value.length} ${own.value.toString("hex")}`;
        expect(rdataFromFields(recordType, fieldsOf(recordType, generic), "")).toEqual(own);
      }
    }
  });

  test.each(["NSEC next", "NXT next", "WKS 192.0.2.1 tcp", "HIP 2 00 AAAA", "APL", "HTTPS 1 .", "TXT"])(
    "%s with 200,000 more fields is refused or read, without running out of resources",
    (line) => {
      const [recordType = "", ...fields] = line.split(" ");
      const many = [...fields, ...Array.from({ length: 200_000 }, () => "1")].map((raw) => ({ raw, quoted: false }));
      expect(rdataFromFields(recordType, many, "")).toMatchObject({ ok: recordType === "WKS" });
    },
  );

  test("RDATA with a key longer than its length field allows is refused", () => {
    const key = Buffer.alloc(65_537).toString("base64");
    const fields = ["2", "00", key].map((raw) => ({ raw, quoted: false }));
    expect(rdataFromFields("HIP", fields, "")).toMatchObject({ ok: false });
  });
});
