import { expect, test } from "vitest";
import { assignedRights } from "../../../web/src/records/assigned-rights.ts";

const assigned = (subdomainPattern: string, access: "read" | "write") => ({ subdomainPattern, access });

test("a member changes the hosts that a write assignment matches, and no others", () => {
  const { locked, writes } = assignedRights([
    assigned("*.dev", "write"),
    assigned("www", "write"),
    assigned("*", "read"),
  ]);
  expect(locked).toBe(false);
  expect(["api.dev", "a.b.dev", "www"].map(writes)).toEqual([true, true, true]);
  expect(["@", "dev", "api", "www2"].map(writes)).toEqual([false, false, false, false]);
});

test("with only read assignments, nothing can be changed", () => {
  expect(assignedRights([assigned("*", "read")]).locked).toBe(true);
  expect(assignedRights([]).locked).toBe(true);
});
