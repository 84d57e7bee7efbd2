import { expect, test } from "vitest";
import { assignedRights } from "../../../web/src/records/assigned-rights.ts";

type Access = "read" | "propose" | "write";
const assigned = (subdomainPattern: string, access: Access, recordTypes: string[] = []) => ({
  subdomainPattern,
  access,
  recordTypes,
});
const a = (name: string) => ({ name, recordType: "A" });

test("a member changes the hosts that a write assignment matches, and no others", () => {
  const { locked, writes } = assignedRights([
    assigned("*.dev", "write"),
    assigned("www", "write"),
    assigned("*", "read"),
  ]);
  expect(locked).toBe(false);
  expect(["api.dev", "a.b.dev", "www"].map(a).map(writes)).toEqual([true, true, true]);
  expect(["@", "dev", "api", "www2"].map(a).map(writes)).toEqual([false, false, false, false]);
});

test("with only read assignments, nothing can be changed", () => {
  expect(assignedRights([assigned("*", "read")]).locked).toBe(true);
  expect(assignedRights([]).locked).toBe(true);
});

test("a propose assignment lets a member edit, but not without a review", () => {
  const { locked, edits, writes } = assignedRights([assigned("*", "propose"), assigned("www", "write")]);
  expect(locked).toBe(false);
  expect([edits(a("api")), writes(a("api"))]).toEqual([true, false]);
  expect([edits(a("www")), writes(a("www"))]).toEqual([true, true]);
});

test("an assignment of record types covers only those", () => {
  const { edits } = assignedRights([assigned("*", "write", ["TXT"])]);
  expect(edits({ name: "www", recordType: "TXT" })).toBe(true);
  expect(edits(a("www"))).toBe(false);
});

test("the name servers of the zone itself take an assignment that names the type", () => {
  const apex = { name: "@", recordType: "NS" };
  expect(assignedRights([assigned("*", "write")]).edits(apex)).toBe(false);
  expect(assignedRights([assigned("*", "write", ["NS"])]).edits(apex)).toBe(true);
  expect(assignedRights([assigned("*", "write")]).edits({ name: "sub", recordType: "NS" })).toBe(true);
});
