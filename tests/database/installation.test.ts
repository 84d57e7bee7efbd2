import { expect, test } from "vitest";
import { isNewer } from "../../server/database/installation.ts";

test.each([
  ["0.2.0", "0.1.9", true],
  ["0.10.0", "0.9.9", true],
  ["1.0.0", "0.99.99", true],
  ["0.2.1", "0.2.0", true],
  ["0.2.0", "0.2.0", false],
  ["0.2.0-rc.1", "0.2.0", false],
  ["0.1.9", "0.2.0", false],
  ["0.9.9", "0.10.0", false],
])("version %s is newer than %s: %s", (one, other, newer) => {
  expect(isNewer(one, other)).toBe(newer);
});
