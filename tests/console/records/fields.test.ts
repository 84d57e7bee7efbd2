import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  betterType,
  canonicalName,
  canonicalValue,
  checkFields,
  zoneFileLine,
} from "../../../web/src/records/fields/check.ts";
import { understandLine, understandName, understandValue } from "../../../web/src/records/fields/understand.ts";
import { joinValue, splitValue, valueParts } from "../../../web/src/records/fields/value-parts.ts";

test.each([
  ["A", " 192.0.2.1 ", "192.0.2.1", null],
  ["A", "http://192.0.2.1/index.html", "192.0.2.1", "url"],
  ["A", "192.0.2.1:8080", "192.0.2.1", "port"],
  ["AAAA", "[2001:db8::1]:443", "2001:db8::1", "port"],
  ["AAAA", "https://[2001:db8::1]/", "2001:db8::1", "url"],
  ["CNAME", "https://shops.example.org/start?x=1", "shops.example.org", "url"],
  ["MX", "10   https://mail.example.com", "10 mail.example.com", "url"],
  ["SRV", "0 5 5060 sip.example.com.", "0 5 5060 sip.example.com.", null],
  ["TXT", '"v=spf1 -all"', "v=spf1 -all", "quotes"],
  ["TXT", 'say "hello" twice', 'say "hello" twice', null],
  ["TXT", '"one" "two"', "onetwo", "strings"],
  ["TXT", "“v=spf1 -all”", "v=spf1 -all", "quotes"],
  ["TXT", "some text in txt records", "some text in txt records", null],
  ["TXT", 'k IN TXT ( "v=DKIM1; k=rsa; "\n\t  "p=MIGf" )  ; ----- DKIM key k', "v=DKIM1; k=rsa; p=MIGf", "line"],
  ["TXT", '( "v=DKIM1; "\r\n "p=MIGf" )', "v=DKIM1; p=MIGf", "strings"],
  ["TXT", 'TXT "v=spf1 -all"', "v=spf1 -all", "line"],
  ["TXT", '("a text")', '("a text")', null],
  ["TXT", "v=DKIM1; p=MIGf\n  CSqG\r\nAQUA", "v=DKIM1; p=MIGfCSqGAQUA", "lines"],
  ["TXT", "v=spf1 include:a.example\n  -all\n", "v=spf1 include:a.example -all", "lines"],
  ["A", "www A 192.0.2.1", "192.0.2.1", "line"],
  ["A", "A\t192.0.2.1", "192.0.2.1", "line"],
  ["MX", "example.org.  MX  10 mail.example.org.", "10 mail.example.org.", "line"],
  ["TXT", "v=spf1 include:a.example \n\n \t-all", "v=spf1 include:a.example -all", "lines"],
  ["MX", "mx 10", "10 mx", "order"],
  ["MX", "10 20", "10 20", null],
  ["CNAME", "localhost:3000", "localhost:3000", null],
  ["CNAME", "a..:3000", "a..:3000", null],
  ["A", "1.2.3:80", "1.2.3:80", null],
  ["TXT", 'www 300 IN TXT "v=spf1 -all"', "v=spf1 -all", "line"],
  ["TXT", '"escaped \\" quote"', '"escaped \\" quote"', null],
  ["CNAME", "not a url", "not a url", null],
  ["A", '"192.0.2.1"', "192.0.2.1", "quotes"],
  ["A", "192.0.2.1.", "192.0.2.1", "dot"],
  ["A", "192.0.2.1\u200b", "192.0.2.1", null],
  ["A", "192.0.2.1/", "192.0.2.1", "url"],
  ["A", "192.0.2.0/24", "192.0.2.0/24", null],
  ["A", "www.example.com. 300 IN A 192.0.2.1", "192.0.2.1", "line"],
  ["AAAA", "::ffff:192.0.2.1", "::ffff:192.0.2.1", null],
  ["CNAME", " 'www.example.org.' ", "www.example.org.", "quotes"],
  ["CNAME", "www.example.org/start", "www.example.org", "url"],
  ["CNAME", "//www.example.org/start", "www.example.org", "url"],
  ["CNAME", "www.example.org:8080", "www.example.org", "port"],
  ["CNAME", "www.example.com.example.com.", "www.example.com", "zoneTwice"],
  ["CNAME", "WWW.Example.com.Example.com", "WWW.Example.com", "zoneTwice"],
  ["PTR", "1.0/25.2.0.192.in-addr.arpa.", "1.0/25.2.0.192.in-addr.arpa.", null],
  ["MX", "mail.example.org 10", "10 mail.example.org", "order"],
  ["MX", "10 mail.example.org:25", "10 mail.example.org", "port"],
  ["MX", "10 user@example.org", "10 user@example.org", null],
  ["SRV", "0 5 5060 sip.example.com.example.com", "0 5 5060 sip.example.com", "zoneTwice"],
  ["CAA", '0 issue "letsencrypt.org"', '0 issue "letsencrypt.org"', null],
])("a pasted %s value %j is understood as %j", (recordType, typed, value, correction) => {
  expect(understandValue(recordType, typed, "example.com")).toEqual({ value, correction });
});

// The expressions of the console are linear, too: each of these once took minutes, and that of a test ends it.
test.each([
  ["dots without an end", "CNAME", `${"a.".repeat(200_000)}@x`],
  ["letters before two dots", "CNAME", `a.${"b".repeat(300_000)}..:80`],
  ["one long word", "MX", "m".repeat(400_000)],
  ["blanks behind a string", "TXT", `"a"${" ".repeat(400_000)}x`],
  ["blanks within a text", "TXT", `a${" ".repeat(400_000)}b\nc`],
])("a huge paste is read at once, and left as it is: %s", (_what, recordType, typed) => {
  const { value } = understandValue(recordType, typed, "example.com");
  expect(value.length).toBeGreaterThan(typed.length - 2);
});

test("a huge paste that is mended is read at once, too: the zone's name again and again, and a line within lines", () => {
  const again = "example.com.".repeat(100_000);
  expect(understandValue("CNAME", again, "example.com")).toEqual({ value: "example.com", correction: "zoneTwice" });
  expect(understandName(`www.${again}`, "example.com")).toEqual({ name: "www.example.com", correction: "zoneTwice" });
  const { correction } = understandValue("A", `${"www IN A ".repeat(50_000)}192.0.2.1`, "example.com");
  expect(correction).toBe("line");
});

test.each([
  ["www", "www", null],
  ["www.example.com.example.com", "www.example.com", "zoneTwice"],
  ["www.example.com.example.com.", "www.example.com", "zoneTwice"],
  ["https://www.example.com/a", "www.example.com", "url"],
  [" @ ", "@", null],
  ["example.com.example.com", "example.com", "zoneTwice"],
  ['"www"', "www", "quotes"],
  ["www\u200b", "www", null],
  ["www.example.com/path", "www.example.com", "url"],
  ["www.example.com:8080", "www.example.com", "port"],
  ["www.", "www.", null],
])("a pasted name %j is understood as %j", (typed, name, correction) => {
  expect(understandName(typed, "example.com")).toEqual({ name, correction });
});

test.each([
  ["www2\t300\tIN\tA\t192.0.2.9", ["www2", "A", 300, "192.0.2.9"]],
  ["www.example.com. IN 60 CNAME shop.example.org.", ["www.example.com.", "CNAME", 60, "shop.example.org."]],
  ["@ MX 10 mail.example.org.", ["@", "MX", null, "10 mail.example.org."]],
  ['k._domainkey IN TXT ( "v=DKIM1; "\n "p=MIGf" ) ; key', ["k._domainkey", "TXT", null, "v=DKIM1; p=MIGf"]],
  ["a A 192.0.2.1\nb A 192.0.2.2", null],
  ["www 300 IN WKS 192.0.2.1 6 25", null],
  ["www", null],
  ["two words", null],
])("a line %j pasted as a name is read as %j", (line, read) => {
  const { name, recordType, ttl, value } = understandLine(line, ["A", "CNAME", "MX", "TXT"], "example.com") ?? {
    name: "",
    recordType: "",
    ttl: 0,
    value: "",
  };
  expect(name === "" ? null : [name, recordType, ttl, value]).toEqual(read);
});

test("the fields of a value join to what they were split from", () => {
  const words = fc.array(fc.stringMatching(/^[a-z0-9.]{1,8}$/), { minLength: 4, maxLength: 6 });
  fc.assert(
    fc.property(fc.constantFrom("MX", "SRV", "CAA", "A", "TXT"), words, (recordType, parts) => {
      const value = parts.join(" ");
      expect(splitValue(recordType, value)).toHaveLength(valueParts(recordType).length);
      expect(joinValue(splitValue(recordType, value))).toBe(value);
    }),
  );
});

test("a value with too few parts leaves the later fields empty", () => {
  expect(splitValue("SRV", "0 5")).toEqual(["0", "5", "", ""]);
});

test("the browser judges a record by the service's own rules", () => {
  const faults = checkFields({ recordType: "A", name: "w ww", value: "192.0.2.999", ttl: -1 }, "example.com");
  expect(faults.name).toMatch(/must look like/);
  expect(faults.value).toMatch(/must be an IPv4 address/);
  expect(faults.ttl).not.toBeNull();
  expect(
    checkFields({ recordType: "CAA", name: "@", value: "3 isse ca.example", ttl: null }, "example.com").warnings,
  ).toHaveLength(2);
});

test.each([
  ["A", "2001:db8::1", "AAAA"],
  ["AAAA", "192.0.2.1", "A"],
  ["A", "www.example.org", "CNAME"],
  ["A", "www", null],
  ["A", "192.0.2.999", null],
  ["CNAME", "192.0.2.1", null],
])("for a %s value %j the better type is %j", (recordType, value, type) => {
  expect(betterType(recordType, value)).toBe(type);
});

test("what is understood is understood the same way again", () => {
  const part = fc.constantFrom(
    "www",
    ".",
    "example.com",
    '"',
    " ",
    "http://",
    "/",
    ":80",
    "10",
    "192.0.2.1",
    "“",
    "IN A ",
    "\u200b",
  );
  const typed = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.constantFrom("A", "CNAME", "MX", "SRV", "TXT", "CAA"), typed, (recordType, given) => {
      const { value } = understandValue(recordType, given, "example.com");
      if (checkFields({ recordType, name: "@", value, ttl: null }, "example.com").value !== null) return;
      expect(understandValue(recordType, value, "example.com").value).toBe(value);
    }),
  );
});

test("values and names are shown in the form in which they are stored", () => {
  expect(canonicalValue("AAAA", "2001:DB8:0:0::1")).toBe("2001:db8::1");
  expect(canonicalValue("A", "nonsense")).toBe("nonsense");
  expect(canonicalName("WWW.example.com.", "example.com")).toBe("www");
});

test("a record is copied as a line of a zone file", () => {
  const record = { name: "@", ttl: 300, recordType: "MX", value: "10 mail.example.com", strings: null };
  expect(zoneFileLine(record)).toBe("@\t300\tIN\tMX\t10 mail.example.com.");
});
