import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ruleFor } from "../../../server/dns/record-types.ts";
import { writtenValues } from "../../support/records/arbitrary-data.ts";
import { expectReadable, expectStable, readText, refusal, written } from "./value-rules.ts";

const sha256 = "8CB0FC6C527506A053F4F14C8464BEBBD6DEDE2738D11468DD953D7D6A3021F1";

describe("values that clients write in the form of a zone file", () => {
  test.each([
    ["PTR", "Host.Example.com.", "host.example.com", "host.example.com."],
    ["PTR", "büro.example", "xn--bro-hoa.example", "xn--bro-hoa.example."],
    ["TLSA", `3 1 1 ${sha256}`, `3 1 1 ${sha256.toLowerCase()}`, null],
    ["TLSA", "3  1 0 ABCD EF", "3 1 0 abcdef", null],
    ["SSHFP", `4 2 ${sha256.slice(0, 32)} ${sha256.slice(32)}`, `4 2 ${sha256.toLowerCase()}`, null],
    ["HTTPS", '1 . alpn="h2,h3" ipv4hint=192.0.2.1', "1 . alpn=h2,h3 ipv4hint=192.0.2.1", null],
    ["HTTPS", "1 . port=8443 alpn=h2", "1 . alpn=h2 port=8443", null],
    ["HTTPS", "0 WWW.example.net", "0 www.example.net.", null],
    ["HTTPS", "0 büro.example.", "0 xn--bro-hoa.example.", null],
    [
      "SVCB",
      "16 svc.example.net mandatory=port,alpn alpn=h3 port=853",
      "16 svc.example.net. mandatory=alpn,port alpn=h3 port=853",
      null,
    ],
    ["SVCB", "1 . key667=hello", "1 . key667=hello", null],
    ["DS", `60485 ECDSAP256SHA256 2 ${sha256}`, `60485 13 2 ${sha256.toLowerCase()}`, null],
    ["NAPTR", '100 10 "s" "SIP+D2U" "" _sip._udp.Example.com', '100 10 "s" "SIP+D2U" "" _sip._udp.example.com.', null],
    [
      "NAPTR",
      '100 10 u E2U+sip "!^.*$!sip:info@example.com!" .',
      '100 10 "u" "E2U+sip" "!^.*$!sip:info@example.com!" .',
      null,
    ],
    [
      "DHCID",
      "AAIBY2/AuCccgoJbsaxcQc9TUapptP69l OjxfNuVAA2kjEA=",
      "AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=",
      null,
    ],
    ["TLSA", "\\# 5 030100abcd", "3 1 0 abcd", null],
    ["HTTPS", "\\# 3 000100", "1 .", null],
  ])("a %s written as %j is stored as %j", (type, input, canonical, printed) => {
    const rule = ruleFor(type);
    expect(written(rule, input)).toBe(canonical);
    expect(rule.print(canonical)).toBe(printed ?? canonical);
    expectStable(rule, canonical);
  });

  test.each([
    ["PTR", "192.0.2.1", "A or AAAA"],
    ["PTR", "a b", "valid domain name"],
    ["TLSA", "", "usage"],
    ["TLSA", "3 1 1", "missing"],
    ["TLSA", "256 1 1 ab", "0 to 255"],
    ["TLSA", "3 1 1 abc", "hexadecimal"],
    ["TLSA", "3 1 1 xyz0", "hexadecimal"],
    ["SSHFP", "4 2 aabb", "32 octets"],
    ["TLSA", "3 1 1 aabb", "32 octets"],
    ["TLSA", `3 1 2 ${sha256}`, "64 octets"],
    ["SSHFP", "four 2 aabb", "0 to 255"],
    ["HTTPS", "1", "target"],
    ["HTTPS", "1 . alpn", "alpn"],
    ["HTTPS", "1 . port=99999", "port"],
    ["HTTPS", "1 . ipv4hint=192.0.2.300", "IPv4"],
    ["HTTPS", "1 . mandatory=alpn", "mandatory"],
    ["HTTPS", "1 . port=1 port=2", "repeated"],
    ["HTTPS", '1 . alpn="h2', "quotes closed"],
    ["HTTPS", "65536 .", "0 to 65535"],
    ["SVCB", "1 a..b", "empty label"],
    ["SVCB", "1 192.0.2.1", "A or AAAA"],
    ["DS", "1 13 2 abcd", "32 octets"],
    ["DS", "1 13", "missing"],
    ["DS", "70000 13 2 ab", "0 to 65535"],
    ["NAPTR", '1 1 "s" "x" "" ', "missing"],
    ["NAPTR", '1 1 "-" "x" "" .', "letters and digits"],
    ["NAPTR", '1 1 "u" "x" "broken" .', "regular expression"],
    ["DHCID", "not base64!", "Base64"],
    ["DHCID", "a\nb", "one line"],
  ])("the %s value %j is refused with its fault", (type, input, reason) => {
    const message = refusal(ruleFor(type), input);
    expect(message.toLowerCase()).toContain(reason.toLowerCase());
    expect(message).toMatch(/\.$/);
  });

  test.each(["PTR", "TLSA", "SSHFP", "HTTPS", "SVCB", "DS", "NAPTR", "DHCID"])(
    "a %s record has no priority of its own",
    (type) => {
      expect(refusal(ruleFor(type), "1 . x", 5)).toContain(`${type} records have none`);
    },
  );

  test.each([
    ["TLSA", "4 1 0 ab", "usage 4 is not assigned"],
    ["TLSA", "3 2 0 ab", "selector 2 is not assigned"],
    ["TLSA", "255 255 255 ab", null],
    ["SSHFP", `5 2 ${sha256}`, "algorithm 5 is not assigned"],
    ["SSHFP", `4 1 ${sha256.slice(0, 40)}`, "SHA-1"],
    ["HTTPS", "0 a.example alpn=h2", "ignore the parameters"],
    ["HTTPS", "0 .", "not available"],
    ["HTTPS", "1 . alpn=h2", null],
    ["HTTPS", "1 www", '"www."'],
    ["NAPTR", '1 1 "s" "x" "" host', '"host."'],
    ["DS", `1 8 1 ${sha256.slice(0, 40)}`, "SHA-1"],
    ["DS", `1 13 2 ${sha256}`, null],
    ["NAPTR", '1 1 "u" "E2U" "!^.*$!x!" a.example', "either"],
  ])("the %s value %j is accepted with the warning %j", (type, input, warning) => {
    const result = ruleFor(type).write(input, null);
    const warnings = result.ok ? result.value.warnings : ["refused"];
    expect(warnings.length).toBe(warning === null ? 0 : 1);
    expect(warnings.join("")).toContain(warning ?? "");
  });

  test("malformed data of a zone file is kept as written, and prints as it was", () => {
    for (const [type, text] of [
      ["SSHFP", "1 1 zz"],
      ["PTR", "a. b."],
      ["TLSA", "3 1"],
    ] as const) {
      const rule = ruleFor(type);
      expect(readText(rule, text)).toBe(text);
      expectReadable(rule, text);
    }
  });
});

test.each([String.raw`a\"b.example`, String.raw`a\032b.example`, String.raw`a\\.example`, String.raw`a\.b.example`])(
  "a PTR to a name with escapes, %s, is printed as an absolute name",
  (host) => {
    const rule = ruleFor("PTR");
    expect(readText(rule, `${host}.`)).toBe(host);
    expect(rule.print(host)).toBe(`${host}.`);
  },
);

test.each(Object.keys(writtenValues))(
  "every %s value is canonical after one pass, and reads back as printed",
  (type) => {
    expect.hasAssertions();
    const rule = ruleFor(type);
    const given = writtenValues[type] ?? fc.constant("");
    fc.assert(fc.property(given, (value) => expectStable(rule, written(rule, value))));
  },
);

test.each(["PTR", "TLSA", "SSHFP", "SVCB", "DS"])("capitals and more spaces change nothing in a %s value", (type) => {
  expect.hasAssertions();
  const rule = ruleFor(type);
  fc.assert(
    fc.property(writtenValues[type] ?? fc.constant(""), (value) => {
      expect(written(rule, ` ${value.toUpperCase().replaceAll(" ", "   ")} `)).toBe(written(rule, value));
    }),
  );
});
