import { afterAll, beforeAll, expect, test } from "vitest";
import { configure, newZone } from "../../dns-providers/vendor-zone.ts";
import { settleOpen } from "../../dns-providers/settling.ts";
import { Clock, hour } from "../../support/clock.ts";
import { RestClient } from "../../support/rest-client.ts";
import { startAlidnsServer, type AlidnsServer } from "../../support/vendors/alidns/server.ts";
import { useZonewright } from "../../support/zonewright.ts";
import type { Zone } from "../../support/zones.ts";
import { narrowedToken } from "./narrowed.ts";

const clock = new Clock();
const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" }, now: clock.now, pause: clock.pause });
const name = "lost.example";
let vendor: AlidnsServer;
let zone: Zone;

beforeAll(async () => {
  vendor = await startAlidnsServer(clock.now);
  const { url, accessKeyId, accessKeySecret } = vendor;
  zone = await newZone(zw, await configure(zw, "alidns", { url, accessKeyId, accessKeySecret }, []), name);
});
afterAll(() => vendor.stop());

test("a challenge that a provider took without an answer is deleted after a day", async () => {
  const client = new RestClient(zw.url, await narrowedToken(zw.admin, { recordTypes: ["TXT"] }));
  vendor.faults.next("AddDomainRecord", { kind: "does later", status: 500, body: {} });
  const { status } = await client.post("/api/acme/present", { fqdn: `_acme-challenge.${name}`, value: "lost" });
  expect(status).toBe(502);
  vendor.faults.catchUp();
  await settleOpen(zw, clock);
  expect(await zone.lines()).toEqual(["_acme-challenge TXT lost"]);
  clock.advance(25 * hour);
  await zw.services.acmeChallenges.deleteLeft();
  expect(vendor.account.records(name)).toEqual([]);
});
