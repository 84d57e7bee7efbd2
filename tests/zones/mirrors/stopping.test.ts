import { expect, onTestFinished, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { startCloudflare } from "../../support/vendors/cloudflare/server.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone } from "../../support/zones.ts";

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });

test("a service that stops while it works at a mirror notes no failure, and leaves the mirror due for the next one", async () => {
  const cloudflare = await startCloudflare();
  onTestFinished(() => cloudflare.stop());
  const config = { apiToken: cloudflare.token, accountId: cloudflare.accountId, endpoint: cloudflare.url };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "cloudflare", name: "Cloud", config });
  const zone = await fileZone(zw);
  cloudflare.addZone(zone.name);
  const { body: mirror } = await zone.post("/mirrors", { providerConfigId: body.id });
  await zone.post(`/mirrors/${mirror.mirrorId}/reconcile`);
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
  const found = queries(zw.services.database.fork())
    .selectFrom("mirrors")
    .select(["failures", "lease_until", "due_at"]);
  expect(await found.where("id", "=", mirror.mirrorId).executeTakeFirst()).toMatchObject({
    failures: 0,
    lease_until: null,
    due_at: expect.any(Date),
  });
});
