import { expect, test } from "vitest";
import { needsReview } from "../../../web/src/records/needs-review.ts";

const record = (name: string, recordType = "A") => ({
  recordType,
  name,
  value: "192.0.2.1",
  strings: null,
  ttl: 300,
  priority: null,
  proxied: false,
  status: "active" as const,
});
const created = (...creates: ReturnType<typeof record>[]) => ({ creates, updates: [], deletes: [] });
const updated = (changes: Record<string, [unknown, unknown]>) => ({
  ...created(),
  updates: [{ id: "1", before: record("www"), after: record("www"), changes }],
});
const rule = (reviewRequired: "off" | "members" | "everyone", reviewAcme = false) => ({ reviewRequired, reviewAcme });
const person = (role: string, writes = true) => ({ role, rights: { writes: () => writes } });

test.each([
  ["off", "member", false],
  ["members", "member", true],
  ["members", "admin", false],
  ["everyone", "admin", true],
] as const)("where reviews are required of %s, a change by the role %s needs one: %s", (required, role, needed) => {
  expect(needsReview(rule(required), person(role), created(record("www")))).toBe(needed);
  expect(needsReview(rule(required), person(role), null)).toBe(needed);
});

test("what one may only propose needs a review, whatever the rule", () => {
  expect(needsReview(rule("off"), person("member", false), created(record("www")))).toBe(true);
});

test("proofs for certificates need a review only where the domain says so", () => {
  const proof = record("_acme-challenge.www", "TXT");
  expect(needsReview(rule("everyone"), person("admin"), created(proof))).toBe(false);
  expect(needsReview(rule("everyone"), person("admin"), created(proof, record("www")))).toBe(true);
  expect(needsReview(rule("everyone", true), person("admin"), created(proof))).toBe(true);
});

test.each([
  [{}, false],
  [{ ownerId: [null, "1"] as [unknown, unknown] }, false],
  [{ ttl: [300, 60] as [unknown, unknown] }, true],
  [{ locked: [true, false] as [unknown, unknown] }, true],
])("an update that changes %j needs a review: %s", (changes, needed) => {
  expect(needsReview(rule("everyone", true), person("admin"), updated(changes))).toBe(needed);
});
