import { expect, test } from "vitest";
import { assignedRights } from "../../../web/src/zone/assigned-rights.ts";

type Access = "read" | "propose" | "write";
const assigned = (subdomainPattern: string, access: Access, recordTypes: string[] = []) => ({
  subdomainPattern,
  access,
  recordTypes,
});
const a = (name: string) => ({ name, recordType: "A" });

test("a member changes the hosts that a write assignment matches, and no others", () => {
  const { locked, writes } = assignedRights(
    [assigned("*.dev", "write"), assigned("www", "write"), assigned("*", "read")],
    false,
  );
  expect(locked).toBe(false);
  expect(["api.dev", "a.b.dev", "www"].map(a).map(writes)).toEqual([true, true, true]);
  expect(["@", "dev", "api", "www2"].map(a).map(writes)).toEqual([false, false, false, false]);
});

test("with only read assignments, nothing can be changed", () => {
  expect(assignedRights([assigned("*", "read")], false).locked).toBe(true);
  expect(assignedRights([], false).locked).toBe(true);
});

test("a propose assignment lets a member edit, but not without a review", () => {
  const { locked, edits, writes } = assignedRights([assigned("*", "propose"), assigned("www", "write")], false);
  expect(locked).toBe(false);
  expect([edits(a("api")), writes(a("api"))]).toEqual([true, false]);
  expect([edits(a("www")), writes(a("www"))]).toEqual([true, true]);
});

test("an assignment of record types covers only those", () => {
  const { edits } = assignedRights([assigned("*", "write", ["TXT"])], false);
  expect(edits({ name: "www", recordType: "TXT" })).toBe(true);
  expect(edits(a("www"))).toBe(false);
});

test("the name servers of the zone itself take an assignment that names the type", () => {
  const apex = { name: "@", recordType: "NS" };
  expect(assignedRights([assigned("*", "write")], false).edits(apex)).toBe(false);
  expect(assignedRights([assigned("*", "write", ["NS"])], false).edits(apex)).toBe(true);
  expect(assignedRights([assigned("*", "write")], false).edits({ name: "sub", recordType: "NS" })).toBe(true);
});

test("where mail is protected, MX records take an assignment that names the type", () => {
  const mx = { name: "www", recordType: "MX" };
  expect(assignedRights([assigned("*", "write")], false).edits(mx)).toBe(true);
  expect(assignedRights([assigned("*", "write")], true).edits(mx)).toBe(false);
  expect(assignedRights([assigned("*", "write", ["MX"])], true).edits(mx)).toBe(true);
});

test("a new record is offered the types that some assignment covers", () => {
  const typed = [assigned("*.shop", "write", ["TXT", "MX"]), assigned("www", "read")];
  expect(["A", "MX", "TXT"].map(assignedRights(typed, true).offers)).toEqual([false, true, true]);
  expect(["A", "MX", "TXT"].map(assignedRights([assigned("*", "propose")], true).offers)).toEqual([true, false, true]);
});

test("a member sees every record only with an assignment to all names and types", () => {
  const each = [assigned("*", "read"), assigned("*.dev", "read"), assigned("*", "read", ["TXT"])];
  expect(each.map((one) => assignedRights([one], false).seesAll)).toEqual([true, false, false]);
});
