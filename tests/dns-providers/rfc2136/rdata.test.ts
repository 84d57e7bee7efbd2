import { decode, encode, type Answer } from "dns-packet";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMessage } from "../../../server/dns/wire/messages.ts";
import { expandRdata, readRdata, writeRdata } from "../../../server/dns/wire/rdata.ts";
import { WireError } from "../../../server/dns/names/wire-names.ts";
import { ruleFor } from "../../../server/dns/record-types.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const readOctets = (type: string, octets: Buffer) => readRdata(octets, type, 0, octets.length).value;

/** Value and RDATA, the latter made by hand from the RFCs. */
const table: readonly (readonly [type: string, value: string, octets: string])[] = [
  ["A", "192.0.2.1", "c0000201"],
  ["AAAA", "2001:db8::1", "20010db8 00000000 00000000 00000001"],
  ["AAAA", "::ffff:192.0.2.1", "00000000 00000000 0000ffff c0000201"],
  ["CNAME", "www.example", "03777777 076578616d706c65 00"],
  ["NS", ".", "00"],
  ["MX", "10 a.b", "000a 0161 0162 00"],
  ["MX", "0 .", "0000 00"],
  ["SRV", "1 2 5060 a", "0001 0002 13c4 0161 00"],
  ["TXT", "", "00"],
  ["TXT", "hi", "02 6869"],
  ["TXT", String.raw`"\ü`, "04 225cc3bc"],
  ["TXT", String.raw`\# 2 01ff`, "01ff"],
  ["CAA", "0 issue ca.example; x=1", "00 05 6973737565 63612e6578616d706c653b20783d31"],
  ["PTR", String.raw`a\.b.example`, "03612e62 076578616d706c65 00"],
  ["DNAME", "b.", "0162 00"],
  ["TLSA", "3 1 1 abcd", "030101 abcd"],
  ["SSHFP", "4 2 abcd", "0402 abcd"],
  ["DS", "12345 13 2 abcd", "3039 0d 02 abcd"],
  ["CDS", "0 0 0 00", "0000 00 00 00"],
  ["DNSKEY", "257 3 13 AQI=", "0101 03 0d 0102"],
  ["OPENPGPKEY", "AQI=", "0102"],
  ["SMIMEA", "3 0 0 ff", "030000 ff"],
  ["URI", '10 1 "ftp://x"', "000a 0001 6674703a2f2f78"],
  ["NAPTR", '1 2 "u" "E2U+sip" "!^.*$!\\\\\\\\1!" .', "0001 0002 0175 074532552b736970 0a 215e2e2a24215c5c3121 00"],
  ["HINFO", '"PC" "a b"', "025043 03612062"],
  ["RP", "a. b.", "0161 00 0162 00"],
  ["HTTPS", "0 a.", "0000 0161 00"],
  [
    "HTTPS",
    "1 . mandatory=alpn,port alpn=h2,h3 no-default-alpn port=8443",
    "0001 00 0000 0004 0001 0003 0001 0006 026832 026833 0002 0000 0003 0002 20fb",
  ],
  [
    "SVCB",
    "1 . ipv4hint=192.0.2.1 ipv6hint=2001:db8::1",
    `0001 00 0004 0004 c0000201 0006 0010 20010db8${"0".repeat(22)}01`,
  ],
  ["SVCB", "1 . ech=AQI= key667=hello", "0001 00 0005 0002 0102 029b 0005 68656c6c6f"],
  // RFC 9460 appendix D.2, figure 10: the value list and the text both escape.
  [
    "SVCB",
    String.raw`16 foo.example.org. mandatory=alpn,ipv4hint alpn="f\\\\oo\\,bar,h2" ipv4hint=192.0.2.1`,
    "0010 03666f6f 076578616d706c65 036f7267 00 0000 0004 0001 0004 0001 000c 08665c6f6f2c626172 026832 0004 0004 c0000201",
  ],
  ["LOC", String.raw`\# 2 abcd`, "abcd"],
  ["LOC", "52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000m 10m", "00 00 16 13 8b3cf018 810cbce0 009895b8"],
  ["CERT", "1 12345 8 AAAA", "0001 3039 08 000000"],
  ["HIP", "2 2001 AwEA rvs.example.com.", "02 02 0003 2001 030100 03727673 076578616d706c65 03636f6d 00"],
  ["TYPE65280", String.raw`\# 0`, ""],
];

describe("RDATA", () => {
  test.each(table)("%s RDATA converts to the wire and back: %s", (type, value, octets) => {
    expect(writeRdata(type, value).toString("hex")).toBe(hex(octets).toString("hex"));
    expect(readOctets(type, hex(octets))).toBe(value);
  });

  test.each([
    ["MX", "000a 0161"],
    ["SRV", "0001 0002"],
    ["TXT", "05 6869"],
    ["DS", "3039"],
    ["HTTPS", "0001 00 0001"],
    ["NAPTR", "0001"],
    ["CNAME", "0161"],
    ["CAA", "00 09 6973"],
  ])("malformed %s RDATA is preserved unchanged", (type, octets) => {
    const value = readOctets(type, hex(octets));
    expect(value).toBe(String.raw`\# ${hex(octets).length} ${hex(octets).toString("hex")}`);
    expect(writeRdata(type, value)).toEqual(hex(octets));
  });

  test.each([
    ["MX", "300 a b"],
    ["TLSA", "3 1 1 abc"],
    ["TLSA", "300 1 1 ab"],
    ["DNSKEY", "1 2 3 ?"],
    ["LOC", "52 22 23 N 4 53 32 X 0m"],
    ["TYPE65280", "foo"],
    ["HTTPS", "1 . bogus=1"],
    ["PTR", "a. b."],
    ["HINFO", '"one"'],
  ])("%s RDATA that does not fit the wire is refused: %s", (type, value) => {
    expect(() => writeRdata(type, value)).toThrow(WireError);
  });

  test("RDATA of any type and content survives reading and writing", () => {
    const types = [...new Set([...table.map(([type]) => type), "RRSIG", "NSEC", "TYPE1234"])];
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.uint8Array({ maxLength: 60 }), (type, bytes) => {
        const octets = Buffer.from(bytes);
        const first = readRdata(octets, type, 0, octets.length).value;
        if ((type === "A" && octets.length !== 4) || (type === "AAAA" && octets.length !== 16)) return;
        if (first === "" && type !== "TXT") return;
        const written = writeRdata(type, first);
        expect(readOctets(type, written)).toBe(first);
      }),
      { numRuns: 3000 },
    );
  });

  test("TXT RDATA of any length and content survives reading and writing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 900 }), (text) => {
        const rule = ruleFor("TXT").write(text, null);
        const value = rule.ok ? rule.value.value : "refused";
        expect(readOctets("TXT", writeRdata("TXT", value))).toBe(value);
      }),
    );
  });
});

describe("comparison with dns-packet", () => {
  const answers: Answer[] = [
    { type: "A", name: "a.example", ttl: 60, data: "192.0.2.1" },
    { type: "CNAME", name: "b.example", ttl: 60, data: "a.example" },
    { type: "MX", name: "example", ttl: 60, data: { preference: 10, exchange: "mail.example" } },
    { type: "SRV", name: "_s._tcp.example", ttl: 60, data: { priority: 1, weight: 2, port: 3, target: "s.example" } },
    { type: "TXT", name: "t.example", ttl: 60, data: ["one", "two"] },
    { type: "NS", name: "example", ttl: 60, data: "ns.example" },
    { type: "PTR", name: "p.example", ttl: 60, data: "a.example" },
  ];

  test("dns-packet writes RDATA that we read", () => {
    const message = readMessage(
      encode({ type: "response", id: 7, questions: [{ type: "ANY" as "A", name: "example" }], answers }),
    );
    expect(message).toMatchObject({ id: 7, isResponse: true, rcode: 0 });
    const values = message.answers.map((record, index) => {
      const type = answers[index]?.type ?? "";
      return `${record.name} ${record.ttl} ${type} ${readRdata(message.octets, type, record.rdataStart, record.rdataEnd).value}`;
    });
    expect(values).toEqual([
      "a.example 60 A 192.0.2.1",
      "b.example 60 CNAME a.example",
      "example 60 MX 10 mail.example",
      "_s._tcp.example 60 SRV 1 2 3 s.example",
      "t.example 60 TXT onetwo",
      "example 60 NS ns.example",
      "p.example 60 PTR a.example",
    ]);
  });

  test("dns-packet reads RDATA that we write", () => {
    const { rdataStart, rdataEnd, octets } = sole("MX", writeRdata("MX", "10 mail.example"));
    expect(decode(octets).answers?.[0]).toMatchObject({
      type: "MX",
      data: { preference: 10, exchange: "mail.example" },
    });
    expect(expandRdata(octets, "MX", rdataStart, rdataEnd)).toEqual(writeRdata("MX", "10 mail.example"));
  });
});

/** A response with one record of this RDATA. */
function sole(type: "MX", rdata: Buffer) {
  const octets = encode({ type: "response", answers: [{ type, name: "x", data: { preference: 0, exchange: "." } }] });
  const record = readMessage(octets).answers[0];
  if (!record) throw new Error("no answer");
  const whole = Buffer.concat([octets.subarray(0, record.rdataStart), rdata]);
  whole.writeUInt16BE(rdata.length, record.rdataStart - 2);
  const [read] = readMessage(whole).answers;
  if (!read) throw new Error("no answer");
  return { ...read, octets: whole };
}
