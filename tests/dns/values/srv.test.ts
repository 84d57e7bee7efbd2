import * as fc from "fast-check";
import { expect, test } from "vitest";
import { srvRule } from "../../../server/dns/values/srv.ts";
import { hostName } from "../../support/records/arbitrary-names.ts";
import { expectReadable, expectStable, readText, refusal, written } from "./value-rules.ts";

test.each([
  ["10 5 5060 SIP.example.com.", null, "10 5 5060 sip.example.com", "10 5 5060 sip.example.com."],
  ["5 5060 sip.example.com", 10, "10 5 5060 sip.example.com", "10 5 5060 sip.example.com."],
  ["10 5 5060 sip.example.com", 10, "10 5 5060 sip.example.com", "10 5 5060 sip.example.com."],
  ["65535  65535 65535 a.example", undefined, "65535 65535 65535 a.example", "65535 65535 65535 a.example."],
  ["0 0 1 .", null, "0 0 1 .", "0 0 1 ."],
])("the SRV value %j with priority %s becomes %s and prints as %s", (input, priority, canonical, printed) => {
  expect(srvRule.write(input, priority)).toMatchObject({
    value: { value: canonical, priority: Number.parseInt(canonical, 10), warnings: [] },
  });
  expect(srvRule.print(canonical)).toBe(printed);
  expectStable(srvRule, canonical);
});

test.each([
  ["", null, "<target>"],
  ["5060 sip.example.com", null, "<target>"],
  ["5 5060 sip.example.com", null, "has no priority"],
  ["10 5 5060 sip.example.com", 11, "Make them agree"],
  ["65536 5 5060 sip.example.com", null, "priority must be"],
  ["10 65536 5060 sip.example.com", null, "weight must be"],
  ["10 5 0 sip.example.com", null, "from 1 to 65535"],
  ["10 5 65536 sip.example.com", null, "from 1 to 65535"],
  ["10 5 5060 2001:db8::1", null, "A or AAAA"],
  ["10 5 5060 a.example b", null, "<target>"],
])("the SRV value %j with priority %s is refused: %s", (input, priority, reason) => {
  expect(refusal(srvRule, input, priority)).toContain(reason);
});

test.each([
  ["0 0 0 .", "0 0 0 ."],
  ["1 2 0 sip", "1 2 0 sip.example.com"],
  ["\\# 7 00010002000300", "\\# 7 00010002000300"],
])("SRV data %s in a master file is stored as %s", (text, canonical) => {
  expect(readText(srvRule, text)).toBe(canonical);
  expectReadable(srvRule, canonical);
});

test.each(["", "1 2 3", "1 2 x sip", "1 2 3 sip x", "\\# 6 000100020003"])("SRV data %j is refused", (text) => {
  expect(() => readText(srvRule, text)).toThrow("SRV data must be");
});

test("every SRV value is canonical after one pass and has its priority in the value", () => {
  const number = fc.integer({ min: 0, max: 65535 });
  fc.assert(
    fc.property(number, number, fc.integer({ min: 1, max: 65535 }), hostName, (priority, weight, port, host) => {
      const canonical = written(srvRule, `${weight} ${port} ${host}`, priority);
      expect(srvRule.write(canonical, null)).toMatchObject({ value: { priority } });
      expectStable(srvRule, canonical);
    }),
  );
});
