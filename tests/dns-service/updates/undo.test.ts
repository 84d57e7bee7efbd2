import { expect, test } from "vitest";
import { update } from "../../support/name-servers/update-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { newZone } from "./key-clients.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });

test("an update is taken back as a whole, like any change", async () => {
  const { id, client, lines, add } = await newZone(zw, "undo.example");
  await add({ recordType: "A", name: "www", value: "192.0.2.1", ttl: 300 });
  const before = await lines();
  const operations = [update.deleteRrset("www", "A"), update.add("www", "A", "192.0.2.2"), update.add("x", "TXT", "x")];
  expect(await client.update(operations)).toBe(0);
  expect(await lines()).toEqual(["www 300 A 192.0.2.2", "x 300 TXT x"]);
  const { body } = await zw.admin.get(`/api/domains/${id}/history?limit=1`);
  const { status } = await zw.admin.post(`/api/domains/${id}/history/${body.entries[0].id}/revert`, {});
  expect([status, await lines()]).toEqual([200, before]);
});

test("an update that a domain's reviews refuse is in the audit trail with the reason", async () => {
  const { id, client, lines } = await newZone(zw, "reviewed.example");
  expect((await zw.admin.put(`/api/domains/${id}`, { reviewRequired: "everyone" })).status).toBe(200);
  expect(await client.update([update.add("www", "A", "192.0.2.1")])).toBe(5);
  expect(await client.update([update.add("_acme-challenge", "TXT", "exempt")])).toBe(0);
  expect(await lines()).toEqual(["_acme-challenge 300 TXT exempt"]);
  const { body } = await zw.admin.get("/api/audit?action=domain.refuse_update&limit=10");
  expect(body.entries).toHaveLength(1);
  expect(body.entries[0]).toMatchObject({ targetId: id, after: { reason: expect.stringContaining("review") } });
});
