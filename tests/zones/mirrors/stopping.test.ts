import { expect, onTestFinished, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { refusal, startCloudflare } from "../../support/vendors/cloudflare/server.ts";
import { startZonewright, useZonewright, type Zonewright } from "../../support/zonewright.ts";
import { fileZone } from "../../support/zones.ts";

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });

/** A zone with a mirror at Cloudflare. */
async function mirroredZone(at: Zonewright) {
  const cloudflare = await startCloudflare();
  onTestFinished(() => cloudflare.stop());
  const config = { apiToken: cloudflare.token, accountId: cloudflare.accountId, endpoint: cloudflare.url };
  const { body } = await at.admin.post("/api/provider-configs", { kind: "cloudflare", name: "Cloud", config });
  const zone = await fileZone(at);
  cloudflare.addZone(zone.name);
  const { body: mirror } = await zone.post("/mirrors", { providerConfigId: body.id });
  await zone.post(`/mirrors/${mirror.mirrorId}/reconcile`);
  return { cloudflare, zone, mirrorId: mirror.mirrorId as string };
}

const stateOf = async (at: Zonewright, mirrorId: string) =>
  await queries(at.services.database.fork())
    .selectFrom("mirrors")
    .select(["failures", "lease_until", "due_at"])
    .where("id", "=", mirrorId)
    .executeTakeFirst();

const leftForNext = { failures: 0, lease_until: null, due_at: expect.any(Date) };

test("a service that stops while it works at a mirror notes no failure, and leaves the mirror due for the next one", async () => {
  const { cloudflare, zone, mirrorId } = await mirroredZone(zw);
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  cloudflare.vendor.meanwhile(
    () => true,
    () => {
      begun.resolve();
      return held.promise;
    },
  );
  await zone.add("A", "www", "192.0.2.1", 300);
  await begun.promise;
  const stopped = zw.services.mirrorReconciler.stop();
  held.resolve();
  await stopped;
  expect((await zone.get("/mirrors")).body.mirrors).toMatchObject([{ state: "behind", error: null }]);
  expect(await stateOf(zw, mirrorId)).toMatchObject(leftForNext);
});

test("a service stops at once while a mirror waits for a vendor that asked for a pause, and leaves the mirror due", async () => {
  const waits = Promise.withResolvers<void>();
  const never = Promise.withResolvers<void>();
  const here = await startZonewright({
    env: { EGRESS_ALLOW: "127.0.0.1" },
    pause: async () => {
      waits.resolve();
      await never.promise;
    },
  });
  onTestFinished(() => here.stop());
  const { cloudflare, zone, mirrorId } = await mirroredZone(here);
  const reply = refusal(429, 971, "Please wait");
  cloudflare.vendor.failNext(
    { after: false, reply: { ...reply, headers: { ...reply.headers, "retry-after": "55" } } },
    100,
  );
  await zone.add("A", "www", "192.0.2.1", 300);
  await waits.promise;
  await here.services.stop();
  expect(await stateOf(here, mirrorId)).toMatchObject(leftForNext);
});
