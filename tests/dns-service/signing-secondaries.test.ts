import { expect, onTestFinished, test, vi } from "vitest";
import { NoticeLog } from "../registry/expiry/notice-log.ts";
import { Clock, minute } from "../support/clock.ts";
import { StandInSecondary } from "../support/name-servers/stand-in-secondary.ts";
import { transfer } from "../support/name-servers/transfer-client.ts";
import { patience } from "../support/patience.ts";
import { useZonewright } from "../support/zonewright.ts";

const clock = new Clock();
const log = new NoticeLog();
const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0", JOBS: "off" }, now: clock.now, logTo: log });

const report = async (id: string) => (await zw.admin.get(`/api/domains/${id}/secondaries`)).body;

test("a secondary that signs has serials of its own: it is in sync with what it transferred, and never ahead", async () => {
  const signer = await StandInSecondary.start(null, clock.now);
  onTestFinished(() => signer.stop());
  const { body: config } = await zw.admin.post("/api/provider-configs", {
    kind: "primary",
    name: "Signing",
    config: {
      nameServers: "ns1.example.net",
      contact: "dns@example.net",
      notify: `127.0.0.1:${signer.port}`,
      signingSecondaries: `127.0.0.1:${signer.port}`,
    },
  });
  const name = "signing.example";
  const { body } = await zw.admin.post("/api/domains", { name, providerConfigId: config.id });
  const [port = 0] = zw.services.dnsService.ports;
  await transfer(port, name);
  const inSync = async () =>
    expect(await report(body.id)).toMatchObject({ secondaries: [{ signs: true, inSync: true }] });
  await vi.waitFor(inSync, patience);
  signer.serves.set(name, (await report(body.id)).serial + 5_000);
  await zw.services.secondaryCheck.runOnce();
  await inSync();
  expect(log.next(name)).toEqual([]);
  // It stays away from the next change.
  const record = { recordType: "A", name: "www", value: "192.0.2.1" };
  expect((await zw.admin.post(`/api/domains/${body.id}/records`, record)).status).toBe(201);
  const reached = async (inSync: number) =>
    expect((await zw.admin.get(`/api/domains/${body.id}/history`)).body.entries[0]).toMatchObject({
      propagation: { secondaries: 1, inSync },
    });
  // It counts as one to reach once it has been notified, which happens in the background.
  await vi.waitFor(() => reached(0), patience);
  await zw.services.secondaryCheck.runOnce();
  expect(await report(body.id)).toMatchObject({ secondaries: [{ inSync: false }] });
  clock.advance(11 * minute);
  await zw.services.secondaryCheck.runOnce();
  expect(log.next(name)).toEqual(["zone.secondary_behind"]);
  await transfer(port, name);
  await vi.waitFor(inSync, patience);
  await zw.services.secondaryCheck.runOnce();
  expect(log.next(name)).toEqual(["zone.secondary_recovered"]);
  await reached(1);
});
