import { describe, expect, test } from "vitest";
import { looksLikeTtl, parseTtl } from "../../../server/dns/record.ts";

describe("TTLs in a zone file", () => {
  test.each([
    ["0", 0],
    ["3600", 3600],
    ["0300", 300],
    ["1h30m", 5400],
    ["1H30M", 5400],
    ["1w2d", 777_600],
    ["1W2d3H4m5S", 788_645],
    ["90s", 90],
    ["2147483647", 2_147_483_647],
  ])("the TTL %s is %i seconds", (text, seconds) => {
    expect(parseTtl(text)).toEqual({ ok: true, value: seconds });
  });

  test.each(["2147483648", "3551w", "9999999999w"])("the TTL %s exceeds 31 bits and is refused", (text) => {
    expect(parseTtl(text)).toEqual({
      ok: false,
      message: `${text} exceeds the maximum of 2147483647 seconds.`,
    });
  });

  test.each(["", "-1", "1.5", "1h30", "h", "1y", "1 h", "1e3", "0x10", "99999999999"])(
    "%j is not a valid TTL",
    (text) => {
      expect(looksLikeTtl(text)).toBe(false);
      expect(parseTtl(text)).toMatchObject({ ok: false });
    },
  );
});
