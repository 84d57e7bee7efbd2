import { expect, test } from "vitest";
import { isMadeBy, type Sent } from "../../../web/src/zone/draft/sent.ts";

const data = (name: string, value: string, ttl = 300) => ({
  recordType: "A",
  name,
  value,
  strings: null,
  ttl,
  priority: null,
  proxied: false,
  status: "active" as const,
});

const [before, after] = [data("www", "192.0.2.1"), data("www", "192.0.2.2")];
const plan = {
  creates: [data("new", "192.0.2.5")],
  updates: [{ id: "www", before, after, changes: {} }],
  deletes: [{ id: "old", ...data("old", "192.0.2.9") }],
  revision: 4,
};
const sent: Sent = { edits: [], plan };

const created = { action: "create" as const, recordId: "1", before: null, after: data("new", "192.0.2.5") };
const updated = { action: "update" as const, recordId: "www", before, after };
const deleted = { action: "delete" as const, recordId: "old", before: data("old", "192.0.2.9"), after: null };
const made: Parameters<typeof isMadeBy>[1] = {
  actorId: "ada",
  tsigKey: null,
  creates: 1,
  updates: 1,
  deletes: 1,
  changes: [created, updated, deleted],
};

test.each<[string, Partial<typeof made>, boolean]>([
  ["is what was sent", {}, true],
  [
    "has more that the name server deleted",
    { deletes: 2, changes: [...made.changes, { ...deleted, recordId: "ds" }] },
    true,
  ],
  ["lists only its first changes", { deletes: 1, changes: [updated] }, true],
  ["is somebody else's", { actorId: "bob" }, false],
  ["is that of a key of theirs", { tsigKey: "dhcp" }, false],
  ["creates another record", { changes: [{ ...created, after: data("new", "192.0.2.6") }, updated, deleted] }, false],
  ["changes another record", { changes: [created, { ...updated, recordId: "api" }, deleted] }, false],
  [
    "gives a changed record another value",
    { changes: [created, { ...updated, after: data("www", "192.0.2.3") }, deleted] },
    false,
  ],
  [
    "changes the status of a record, too",
    { changes: [created, { ...updated, after: { ...after, status: "disabled" } }, deleted] },
    false,
  ],
  [
    "has the TTL that the provider gave a changed record",
    { changes: [created, { ...updated, after: { ...after, ttl: 60 } }, deleted] },
    true,
  ],
  ["deletes another record", { changes: [created, updated, { ...deleted, recordId: "api" }] }, false],
  ["creates one more", { creates: 2, changes: [...made.changes, { ...created, recordId: "2" }] }, false],
  ["deletes nothing", { deletes: 0, changes: [created, updated] }, false],
])("a change set that %s is not the one that a sent draft made", (_, different, is) => {
  expect(isMadeBy(sent, { ...made, ...different }, "ada")).toBe(is);
});

test("a change set with another TTL is not the one that a draft of a new TTL made", () => {
  const slower = { ...before, ttl: 600 };
  const ttlOnly = {
    edits: [],
    plan: { creates: [], updates: [{ id: "www", before, after: slower, changes: {} }], deletes: [], revision: 4 },
  };
  const set = (ttl: number) => ({
    ...made,
    creates: 0,
    deletes: 0,
    changes: [{ ...updated, after: { ...before, ttl } }],
  });
  expect(isMadeBy(ttlOnly, set(600), "ada")).toBe(true);
  expect(isMadeBy(ttlOnly, set(900), "ada")).toBe(false);
});
