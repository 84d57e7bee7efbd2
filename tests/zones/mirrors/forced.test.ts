import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { patience } from "../../support/patience.ts";
import { refusal, startCloudflare, type CloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, type Zone } from "../../support/zones.ts";

/** A clock that stands still, so that nothing is tried again by itself. */
const time = Date.now();
const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1", JOBS: "off" }, now: () => new Date(time) });
let cloudflare: CloudflareServer;
let cloudConfig: string;
let zone: Zone;
let path: string;
beforeAll(async () => {
  cloudflare = await startCloudflare();
  const config = { apiToken: cloudflare.token, accountId: cloudflare.accountId, endpoint: cloudflare.url };
  cloudConfig = (await zw.admin.post("/api/provider-configs", { kind: "cloudflare", name: "Cloud", config })).body.id;
});
afterAll(() => cloudflare.stop());
beforeEach(async () => {
  zone = await fileZone(zw);
  cloudflare.addZone(zone.name);
  const { body } = await zone.post("/mirrors", { providerConfigId: cloudConfig });
  path = `/mirrors/${body.mirrorId}/reconcile`;
  await zone.post(path);
});

/** Adds more records of others at the mirror than the safety threshold lets go. */
function addForeign(): void {
  for (let index = 0; index < 12; index++)
    cloudflare.addRecord(zone.name, { type: "A", name: `x${index}.${zone.name}`, content: "192.0.2.7", ttl: 300 });
}
const foreign = () => cloudflare.records(zone.name).filter(({ content }) => content === "192.0.2.7").length;
const asksForForce = { mirrors: [{ state: "failing", foreign: 12, error: expect.stringContaining("force: true") }] };

test("force counts for one attempt that reached the provider, also if that refused: later records of others are not deleted", async () => {
  addForeign();
  const reply = refusal(400, 9_999, "The harbour master does not like it.");
  cloudflare.vendor.failNext({ after: false, reply }, 100, ({ method }) => method !== "GET");
  expect((await zone.post(path, { force: true })).body).toMatchObject({ mirrors: [{ state: "failing" }] });
  cloudflare.vendor.forgetFaults();
  expect((await zone.post(path)).body).toMatchObject(asksForForce);
  expect(foreign()).toBe(12);
  expect((await zone.post(path, { force: true })).body).toMatchObject({ mirrors: [{ state: "in_sync" }] });
  expect(foreign()).toBe(0);
});

test("force waits for a provider that could not be reached", async () => {
  addForeign();
  cloudflare.fault("GET", "refuse");
  expect((await zone.post(path, { force: true })).body).toMatchObject({ mirrors: [{ state: "failing" }] });
  expect(foreign()).toBe(12);
  expect((await zone.post(path)).body).toMatchObject({ mirrors: [{ state: "in_sync" }] });
  expect(foreign()).toBe(0);
});

test("force that is asked for during another attempt counts for the next one", async () => {
  let forced: Promise<unknown> = Promise.resolve();
  cloudflare.vendor.meanwhile(
    ({ method, url }) => method === "POST" && url.pathname.endsWith("/batch"),
    async () => {
      addForeign();
      forced = zone.post(path, { force: true });
      await vi.waitFor(async () => expect(await isForced()).toBe(true), patience);
    },
  );
  await zone.add("A", "www", "192.0.2.1", 300);
  await zone.post(path);
  await forced;
  expect((await zone.get("/mirrors")).body).toMatchObject({ mirrors: [{ state: "in_sync", foreign: 0 }] });
  expect(foreign()).toBe(0);
});

async function isForced(): Promise<boolean> {
  const found = queries(zw.services.database.fork()).selectFrom("mirrors").select("force_next");
  return (await found.where("domain_id", "=", zone.id).executeTakeFirstOrThrow()).force_next;
}
