import { expect, test } from "vitest";
import { isRaisedAlone } from "../../../server/dns-providers/applying/serial-marks.ts";

const now = new Date("2026-07-31T12:00:00Z");
const seconds = now.getTime() / 1_000;

test.each([
  ["one change raises it by one", 7, 8, 1],
  ["three messages raise it by three", 7, 10, 3],
  ["a change that the server found made already does not raise it", 7, 7, 1],
  ["it goes round", 2 ** 32 - 1, 0, 1],
  ["it is the time", seconds - 90_000, seconds, 1],
  ["it is the time of a server whose clock is late", seconds - 90_000, seconds - 60, 1],
  ["it is today's first", 2026073007, 2026073101, 1],
  ["it is today's first, counted from nought", 2026073007, 2026073100, 1],
  ["it is tomorrow's first, where it is tomorrow already", 2026073104, 2026080101, 1],
  ["it is today's next", 2026073101, 2026073102, 1],
])("a serial is that of our changes: %s", (_what, before, after, changes) => {
  expect(isRaisedAlone(before, after, changes, now)).toBe(true);
});

test.each([
  ["it was raised once more", 7, 9, 1],
  ["it was raised once more, and goes round", 2 ** 32 - 1, 1, 1],
  ["two came on the day of ours", 2026073101, 2026073103, 1],
  ["ours was not the first of today", 2026073007, 2026073102, 1],
  ["it is a date of long ago", 2026013007, 2026013101, 1],
  ["somebody set it back", 8, 7, 1],
])("a serial counts more than our changes: %s", (_what, before, after, changes) => {
  expect(isRaisedAlone(before, after, changes, now)).toBe(false);
});
