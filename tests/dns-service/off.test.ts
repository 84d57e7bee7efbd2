import { expect, test } from "vitest";
import { useZonewright } from "../support/zonewright.ts";
import { addZone } from "../support/zones.ts";

const zw = useZonewright();

test("without DNS_LISTEN nothing listens, nobody is notified, and zones of kind primary are managed all the same", async () => {
  const { dnsService } = zw.services;
  expect(dnsService.enabled).toBe(false);
  expect(dnsService.ports).toEqual([]);
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", notify: "127.0.0.1:9" };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Off", config });
  const zone = await addZone(zw, { name: "off.example", providerConfigId: body.id });
  await zone.add("A", "www", "192.0.2.1");
  const report = (await zone.get("/secondaries")).body;
  expect(report).toMatchObject({ serial: expect.any(Number), secondaries: [{ serial: null, lastNotifyAt: null }] });
  expect(report.secondaries[0].error).toBeNull();
});
