import { expect, test } from "vitest";
import { isRaisedAlone } from "../../../server/dns-providers/applying/serial-fingerprints.ts";

const now = new Date("2026-07-31T12:00:00Z");
const seconds = now.getTime() / 1_000;

test.each([
  ["one change raised it by one", 7, 8, 1],
  ["three messages raised it by three", 7, 10, 3],
  ["a change that was already made did not raise it", 7, 7, 1],
  ["it wrapped around", 2 ** 32 - 1, 0, 1],
  ["it is the Unix time", seconds - 90_000, seconds, 1],
  ["it is the Unix time of a server with a slow clock", seconds - 90_000, seconds - 60, 1],
  ["it is the first of today", 2026073007, 2026073101, 1],
  ["it is the first of today, counted from 0", 2026073007, 2026073100, 1],
  ["it is the first of tomorrow, in a time zone where it is tomorrow", 2026073104, 2026080101, 1],
  ["it is the next of today", 2026073101, 2026073102, 1],
])("a new serial is ours alone if %s", (_what, before, after, changes) => {
  expect(isRaisedAlone(before, after, changes, now)).toBe(true);
});

test.each([
  ["it was raised once more", 7, 9, 1],
  ["it was raised once more and wrapped around", 2 ** 32 - 1, 1, 1],
  ["somebody else's edit followed ours on the same day", 2026073101, 2026073103, 1],
  ["ours was not the first of today", 2026073007, 2026073102, 1],
  ["it is a date long past", 2026013007, 2026013101, 1],
  ["somebody set it back", 8, 7, 1],
])("a new serial is not ours alone if %s", (_what, before, after, changes) => {
  expect(isRaisedAlone(before, after, changes, now)).toBe(false);
});
