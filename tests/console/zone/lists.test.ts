import { expect, test } from "vitest";
import { commaList, reminderDays, typeList } from "../../../web/src/zone/lists.ts";

test.each([
  ["prod, web", ["prod", "web"]],
  [" prod ,,prod,  ", ["prod"]],
  ["", []],
])("%j lists %j", (text, entries) => {
  expect(commaList(text)).toEqual(entries);
});

test.each([
  ["30, 7, 1", [30, 7, 1]],
  ["1,7,7", [7, 1]],
  ["0, 3650", [3650, 0]],
  ["", []],
  ["3651", null],
  ["-1", null],
  ["seven", null],
  ["1.5", null],
  [Array.from({ length: 21 }, (_, day) => day).join(), null],
])("%j is read as the reminders %j", (text, days) => {
  expect(reminderDays(text)).toEqual(days);
});

test.each([
  ["A, AAAA", ["A", "AAAA"]],
  ["txt mx", ["TXT", "MX"]],
  ["TXT;MX , txt", ["TXT", "MX"]],
  ["", []],
])("%j names the record types %j", (text, types) => {
  expect(typeList(text)).toEqual(types);
});
