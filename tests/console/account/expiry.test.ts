import { expect, test } from "vitest";
import { expiryDate, isPast } from "../../../web/src/account/expiry.ts";

const now = new Date(2027, 0, 31, 10, 30);

test("a token for some days ends at the same time of day", () => {
  expect(expiryDate("30", "", now)).toEqual(new Date(2027, 2, 2, 10, 30));
  expect(expiryDate("365", "", now)).toEqual(new Date(2028, 0, 31, 10, 30));
});

test("a token until a day works until that day ends where the person is", () => {
  expect(expiryDate("date", "2027-03-01", now)).toEqual(new Date(2027, 2, 1, 23, 59, 59, 999));
});

test("a token that never expires has no end, and a missing day is found", () => {
  expect(expiryDate("never", "", now)).toBeNull();
  expect(expiryDate("date", "", now)).toBeUndefined();
});

test("a token has ended from its last moment on", () => {
  expect([null, new Date(1_000), new Date(1_001)].map((end) => isPast(end, 1_000))).toEqual([false, true, false]);
});
