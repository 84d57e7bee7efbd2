import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatTtl, parseTtl } from "../../../web/src/ui/ttl.ts";

test.each([
  ["300", 300],
  ["5m", 300],
  ["5 min", 300],
  ["1h30m", 5_400],
  ["1 h 30 min", 5_400],
  ["2d", 172_800],
  ["10 minutes", 600],
  ["1 hour 30 mins", 5_400],
  ["2 Days", 172_800],
  ["3 months", null],
  ["1 w", 604_800],
  ["2 Tage", 172_800],
  ["1 Std 30 Minuten", 5_400],
  ["1 Woche", 604_800],
  ["90 Sek", 90],
  ["0", 0],
  ["soon", null],
  ["", null],
  ["-5", null],
  ["1.5h", null],
])("the TTL %j is %j seconds", (typed, seconds) => {
  expect(parseTtl(typed)).toBe(seconds);
});

test("a TTL that is shown reads back as the same number of seconds", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_147_483_647 }), (seconds) => {
      expect(parseTtl(formatTtl(seconds))).toBe(seconds);
    }),
  );
});
