import { expect, test } from "vitest";
import { mayTakeBack, type ChangeSet } from "../../../web/src/timeline/may-take-back.ts";

const record = (name: string) => ({
  recordType: "A",
  name,
  value: "192.0.2.1",
  strings: null,
  ttl: 300,
  priority: null,
  proxied: false,
  status: "active" as const,
});
const made = (name: string, changed: Partial<ChangeSet> = {}) => ({
  state: "applied" as const,
  revision: 5,
  actorId: "somebody",
  changes: [{ action: "create" as const, recordId: name, before: null, after: record(name) }],
  creates: 1,
  updates: 0,
  deletes: 0,
  ...changed,
});
const manager = { userId: "me", manages: true, mustRequest: false, seesAll: true, writes: () => true };
const member = { ...manager, manages: false, writes: ({ name }: { name: string }) => name === "www" };

test("an administrator may revert every change whose records are still stored", () => {
  expect(mayTakeBack(made("www"), 0, manager)).toBe(true);
  expect(mayTakeBack(made("www"), 5, manager)).toBe(false);
  expect(mayTakeBack(made("www", { revision: null, state: "failed" }), 0, manager)).toBe(false);
  expect(mayTakeBack(made("www", { state: "pending" }), 0, manager)).toBe(false);
});

test("a member may revert a change only if they may write all of it and see all of it", () => {
  expect(mayTakeBack(made("www"), 0, member)).toBe(true);
  expect(mayTakeBack(made("api"), 0, member)).toBe(false);
  expect(mayTakeBack(made("www", { creates: 2 }), 0, member)).toBe(false);
  expect(mayTakeBack(made("www", { changes: [], creates: 0 }), 0, member)).toBe(false);
});

test("a person who sees only some records may revert only their own changes, which they see whole", () => {
  const narrow = { ...member, seesAll: false };
  expect(mayTakeBack(made("www"), 0, narrow)).toBe(false);
  expect(mayTakeBack(made("www", { actorId: null }), 0, narrow)).toBe(false);
  expect(mayTakeBack(made("www", { actorId: "me" }), 0, narrow)).toBe(true);
});

test("whoever needs a review and cannot override it is offered no revert, the zone's owner included", () => {
  expect(mayTakeBack(made("www"), 0, { ...manager, mustRequest: true })).toBe(false);
  expect(mayTakeBack(made("www"), 0, { ...member, mustRequest: true })).toBe(false);
});
