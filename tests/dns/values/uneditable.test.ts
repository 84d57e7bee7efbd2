import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ruleFor } from "../../../server/dns/record-types.ts";
import { uneditableRule } from "../../../server/dns/values/uneditable.ts";
import { hostName } from "../../support/records/arbitrary-names.ts";
import { expectReadable, expectStable, readText, refusal, written } from "./value-rules.ts";
import { anyCharacter } from "../../support/any-character.ts";

test.each([
  ["PTR", "Host", "host.example.com."],
  ["DNAME", "OTHER.example.net.", "other.example.net."],
  ["ALIAS", "@", "example.com."],
  ["AFSDB", "1 AFS", "1 afs.example.com."],
  ["KX", "10 kx", "10 kx.example.com."],
  ["RP", "admin .", "admin.example.com. ."],
  [
    "NAPTR",
    '100  10 "u" "E2U+sip" "!^.*$!sip:info@example.com!" .',
    '100 10 "u" "E2U+sip" "!^.*$!sip:info@example.com!" .',
  ],
  ["NAPTR", '1 1 "S" "SIP+D2U" "" _sip._udp', '1 1 "S" "SIP+D2U" "" _sip._udp.example.com.'],
  ["HTTPS", '1 . alpn="h2,h3" ipv4hint=192.0.2.1', "1 . alpn=h2,h3 ipv4hint=192.0.2.1"],
  ["SVCB", "0 Svc", "0 svc.example.com."],
  ["HTTPS", String.raw`1 . alpn="h2,h\\,3" key667="a b"`, String.raw`1 . alpn="h2,h\\,3" key667="a b"`],
  ["HTTPS", "1 . PORT=44 Alpn=h2,h3", "1 . alpn=h2,h3 port=44"],
  ["HTTPS", "1 . ECH=MTIzLi4uCg== IPv6Hint=2001:DB8:0::1", "1 . ech=MTIzLi4uCg== ipv6hint=2001:db8::1"],
  ["HTTPS", "1 . MANDATORY=PORT PORT=53", "1 . mandatory=port port=53"],
  ["HTTPS", "1 . port=443 alpn=h2 mandatory=port,alpn", "1 . mandatory=alpn,port alpn=h2 port=443"],
  ["DS", "60485 RSASHA1 5 2BB183AF 5F22588179", "60485 5 5 2bb183af5f22588179"],
  ["CDS", "0 0 0 00", "0 0 0 00"],
  ["TLSA", "3 1 1 ABCD EF01", "3 1 1 abcdef01"],
  ["TYPE43", "\\# 5 3039 0D09AB", "\\# 5 30390d09ab"],
  ["SMIMEA", "3 0 0 AB CD", "3 0 0 abcd"],
  ["SSHFP", "4 0 12 AB", "4 0 12ab"],
  ["DNSKEY", "257 3 13 mdsswUyr 3DPW13Q=", "257 3 13 mdsswUyr3DPW13Q="],
  ["OPENPGPKEY", "AaBb CcDd", "AaBbCcDd"],
  ["LOC", "52 22 23.000 N  4 53 32.000 E -2.00m", "52 22 23.000 N 4 53 32.000 E -2.00m 1m 10000m 10m"],
  ["URI", '10 1 "ftp://ftp.example.com/public"', '10 1 "ftp://ftp.example.com/public"'],
  ["HINFO", String.raw`"a\"b\\\032\255" x`, String.raw`"a\"b\\ \255" "x"`],
  ["TYPE65280", "\\# 4 0A00 0001", "\\# 4 0a000001"],
  ["PTR", "\\# 3 016100", "a."],
  ["TYPE65281", "\\# 0", "\\# 0"],
])("%s data %s of an uneditable type is stored as %s", (recordType, text, canonical) => {
  const rule = uneditableRule(recordType);
  expect(readText(rule, text)).toBe(canonical);
  expect(rule.print(canonical)).toBe(canonical);
  expectStable(rule, canonical);
});

test("a printed field of an uneditable type cannot end its line or begin a comment", () => {
  const fields = ["a;b", "c\nd", 'e"f', "(g)", "h i", "j\\", "ä"].map((raw) => ({ raw, quoted: false }));
  const read = uneditableRule("X").read(fields, "");
  expect(read).toMatchObject({ value: { value: String.raw`a\;b c\010d e\"f \(g\) h\032i j\\ \195\164` } });
  expect(uneditableRule("X").read([{ raw: "a\nb", quoted: true }], "")).toMatchObject({
    value: { value: String.raw`"a\010b"` },
  });
});

test.each([
  ["", "the name is missing"],
  ["   ", "the name is missing"],
  ['"open', "quotes closed"],
  ["a\nb", "one line"],
  ["a\tb", "one line"],
  ["a..b", "empty label"],
  ["\\# 3 00", "octets"],
  ['"\\999"', "escape"],
])("the PTR value %j is refused: %s", (value, reason) => {
  expect(refusal(uneditableRule("PTR"), value)).toContain(reason);
});

test("a client's value of an uneditable type gets the same canonical form as data from a file", () => {
  expect(written(uneditableRule("SPF"), '"""x"  "a=b"')).toBe('"" "x" "a=b"');
  expect(written(uneditableRule("SPF"), "x")).toBe('"x"');
  expect(written(uneditableRule("TLSA"), "3  1 1 ABCD EF")).toBe("3 1 1 abcdef");
  expect(written(uneditableRule("PTR"), "Host.Example.com")).toBe("host.example.com.");
  expect(refusal(uneditableRule("PTR"), "host.example.com.", 1)).toContain("PTR records have none");
});

test("the text of an SPF value must be in quotes, as its blanks are lost without them", () => {
  expect(refusal(uneditableRule("SPF"), "v=spf1 -all")).toContain("must have its text in quotes");
  expect(readText(uneditableRule("SPF"), "v=spf1 -all")).toBe('"v=spf1" "-all"');
});

test("every type gets its own value rule or the rule for uneditable types", () => {
  for (const type of ["A", "AAAA", "CNAME", "NS", "MX", "TXT", "SRV", "CAA", "PTR", "TYPE65280", "constructor"]) {
    expect(ruleFor(type).recordType).toBe(type);
  }
  expect(ruleFor("MX").read([{ raw: "10", quoted: false }], "").ok).toBe(false);
});

test("any fields of an uneditable type are stored in a canonical form", () => {
  expect.hasAssertions();
  const field = fc.record({ raw: fc.string({ unit: anyCharacter, minLength: 1 }), quoted: fc.boolean() });
  const type = fc.constantFrom("HINFO", "HTTPS", "TYPE65280", "LOC");
  fc.assert(
    fc.property(type, fc.array(field, { minLength: 2, maxLength: 6 }), (recordType, fields) => {
      const read = uneditableRule(recordType).read(fields, "example.com");
      fc.pre(read.ok);
      if (read.ok) expectReadable(uneditableRule(recordType), read.value.value);
    }),
    { numRuns: 1000 },
  );
});

test("every PTR value is canonical after one pass", () => {
  expect.hasAssertions();
  fc.assert(fc.property(hostName, (host) => expectStable(uneditableRule("PTR"), written(uneditableRule("PTR"), host))));
});
