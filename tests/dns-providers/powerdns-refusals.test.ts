import { expect, test } from "vitest";
import { applyInOneCall } from "../../server/dns-providers/powerdns/apply-changes.ts";
import { create, record, update } from "./zone-folder.ts";

test("a PowerDNS refusal that names no RRset refuses every change sent, without a retry", async () => {
  const old = record("old", "A", "192.0.2.1");
  const present = [
    {
      name: "old",
      recordType: "A",
      ttl: old.ttl,
      records: [{ content: old.value, disabled: false, data: old }],
    },
  ];
  const changes = [create(record("new", "A", "192.0.2.2")), update(old, { ...old, value: "192.0.2.3" })];
  const sent: number[] = [];
  const outcomes = await applyInOneCall("example.com", present, changes, false, async (rrsets) => {
    sent.push(rrsets.length);
    return await Promise.resolve({ ok: false, refusal: { status: 422, reason: "Not today", said: "Not today" } });
  });
  const refused = { ok: false, message: "PowerDNS refused the change: Not today" };
  expect([sent, outcomes]).toEqual([[2], [refused, refused]]);
});
