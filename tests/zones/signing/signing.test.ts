import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { assign } from "../../accounts/assignments/assigned.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { Clock, hour } from "../../support/clock.ts";
import { RestClient } from "../../support/rest-client.ts";
import { startCloudflare, type CloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import { ovh } from "../../support/vendors/records/ovh.ts";
import { startRecordVendor } from "../../support/vendors/records/server.ts";
import { gandi as liveDns } from "../../support/vendors/rrsets/gandi.ts";
import { startRrsetVendor } from "../../support/vendors/rrsets/server.ts";
import { registered, startGandi, type RegistrarAccount } from "../../support/vendors/registrars/account.ts";
import { freshName, type Body } from "../../support/zones.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";

// Names below `example` are never checked from outside, so what the vendor says of keys counts.

const clock = new Clock();
let zw: Zonewright & { stop(): Promise<void> };
let cloudflare: CloudflareServer;
let gandi: RegistrarAccount;
let admin: RestClient;
let manual: string;
let signer: string;
let account: string;

const permissions = ["domains:read", "domains:write", "records:read", "records:write"];
permissions.push("registrations:read", "registrations:write");

beforeAll(async () => {
  [cloudflare, gandi] = await Promise.all([startCloudflare(), startGandi()]);
  zw = await startZonewright({ env: { EGRESS_ALLOW: "127.0.0.1", JOBS: "off" }, now: clock.now });
  const created = async (path: string, body: object) => (await zw.admin.post(path, body)).body.id;
  manual = await created("/api/provider-configs", { kind: "manual", name: "Manual", membersMayUse: true });
  const { token: apiToken, accountId, url: endpoint } = cloudflare;
  const config = { apiToken, accountId, endpoint };
  signer = await created("/api/provider-configs", { kind: "cloudflare", name: "Cloudflare", config });
  account = await created("/api/registrar-configs", { kind: "gandi", name: "Gandi", config: gandi.config });
  // A token, which outlasts any jump of the clock.
  const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Lasting", permissions });
  admin = new RestClient(zw.url, body.token);
});
afterAll(async () => {
  await zw.stop();
  await Promise.all([cloudflare.stop(), gandi.stop()]);
});

async function domain(name: string, providerConfigId = signer): Promise<string> {
  const { status, body } = await admin.post("/api/domains", { name, providerConfigId });
  if (status !== 201) throw new Error(`${name} was not added: ${JSON.stringify(body)}`);
  return body.id;
}

const set = async (id: string, enabled: boolean, force = false) =>
  await admin.post(`/api/domains/${id}/dnssec`, { enabled, force });
const publish = async (id: string, body: object = {}) => await admin.post(`/api/domains/${id}/dnssec/publish-ds`, body);

/** A delegation in a zone here, to a zone that its vendor signs. */
async function delegated() {
  const parentName = freshName();
  const parent = await domain(parentName, manual);
  const child = await domain(`shop.${parentName}`);
  await admin.post(`/api/domains/${parent}/records`, { recordType: "NS", name: "shop", value: "ns.example.net" });
  const { body } = await set(child, true);
  const ds = async (): Promise<Body[]> => (await admin.get(`/api/domains/${parent}/records?type=DS`)).body.records;
  return { parent, parentName, child, published: body.dsToPublish as string[], ds };
}

test("turning DNSSEC on returns the DS records to publish, and turning it on again changes nothing", async () => {
  const id = await domain(freshName());
  expect((await admin.get(`/api/domains/${id}/dnssec`)).body).toMatchObject({ canSet: true, dsToPublish: [] });
  const { status, body } = await set(id, true);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { dsToPublish: [expect.stringMatching(/^\d+ 13 2 [\da-f]{64}$/)] },
  });
  expect((await set(id, true)).body.dsToPublish).toEqual(body.dsToPublish);
});

test("while another instance changes the zone or its signing, turning DNSSEC on and publishing DS records wait", async () => {
  const id = await domain(freshName());
  const held = { lease_token: randomUUID(), lease_until: new Date(Date.now() + hour), lease_holder: null };
  const free = { lease_token: null, lease_until: null, lease_holder: null };
  const lease = async (columns: typeof held | typeof free) => {
    await queries(zw.services.database.fork()).updateTable("domains").set(columns).where("id", "=", id).execute();
  };
  const waits = async (call: Promise<{ status: number }>) => {
    const first = await Promise.race([call, sleep(300, { status: null })]);
    await lease(free);
    return [first.status, (await call).status];
  };
  await lease(held);
  expect(await waits(set(id, true))).toEqual([null, 200]);
  await lease(held);
  expect(await waits(publish(id, { dryRun: true }))).toEqual([null, 200]);
  await lease(held);
  expect(await waits(set(id, false, true))).toEqual([null, 200]);
});

test("a provider that has no call for it is refused with what decides instead", async () => {
  const id = await domain(freshName(), manual);
  expect((await admin.get(`/api/domains/${id}/dnssec`)).body.canSet).toBe(false);
  expect(await set(id, true)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("The servers that serve the zone decide") },
  });
});

test("without keys there are no DS records to publish", async () => {
  expect(await publish(await domain(freshName()), { dryRun: true })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("Turn DNSSEC on first") },
  });
});

test("where neither registrar nor parent zone is here, publishing says what to enter", async () => {
  const name = freshName();
  const id = await domain(name);
  const { dsToPublish } = (await set(id, true)).body;
  expect(await publish(id)).toMatchObject({
    status: 200,
    body: { through: null, applied: false, after: dsToPublish, instructions: expect.stringContaining(dsToPublish[0]) },
  });
});

test("DS records go into the parent zone: those of keys are added, and those of no key are removed", async () => {
  const { parent, parentName, child, published, ds } = await delegated();
  const stale = `4711 13 2 ${"0f".repeat(32)}`;
  await admin.post(`/api/domains/${parent}/records`, { recordType: "DS", name: "shop", value: stale });
  const plan = (await publish(child, { dryRun: true })).body;
  const expected = { through: "parent_zone", parentZone: { id: parent, name: parentName } };
  expect(plan).toMatchObject({ ...expected, before: [stale], after: published, applied: false });
  const outdated = { planHash: `${plan.planHash}x` };
  expect((await publish(child, outdated)).status).toBe(409);
  const done = await publish(child, { planHash: plan.planHash, message: "CHG-7", force: true });
  expect(done).toMatchObject({ status: 200, body: { ...expected, applied: true } });
  expect((await ds()).map(({ value }) => value.toLowerCase())).toEqual(published);
  const { entries } = (await admin.get(`/api/domains/${parent}/history`)).body;
  expect(entries[0]).toMatchObject({ message: "CHG-7", creates: 1, deletes: 1 });
  // Publishing again finds nothing to do.
  expect((await publish(child)).body).toMatchObject({ applied: false, before: published, planHash: null });
});

test("a locked DS record in the parent zone is not replaced without `unlock`", async () => {
  const { parent, child, published, ds } = await delegated();
  const value = `4711 13 2 ${"0f".repeat(32)}`;
  const added = await admin.post(`/api/domains/${parent}/records`, { recordType: "DS", name: "shop", value });
  await admin.put(`/api/domains/${parent}/records/${added.body.id}`, { locked: true });
  const { planHash } = (await publish(child, { dryRun: true })).body;
  const refused = await publish(child, { force: true, planHash });
  expect(refused).toMatchObject({ status: 409, body: { code: "CONFIRMATION_REQUIRED" } });
  expect(refused.body.detail).toContain("unlock: true");
  expect((await ds()).map((record) => record["value"].toLowerCase())).toEqual([value]);
  const unlocking = await publish(child, { dryRun: true, unlock: true });
  const done = await publish(child, { force: true, unlock: true, planHash: unlocking.body.planHash });
  expect(done).toMatchObject({ status: 200, body: { applied: true } });
  expect((await ds()).map((record) => record["value"].toLowerCase())).toEqual(published);
});

test("DS records that match no key are removed only by a plan that was shown", async () => {
  const { parent, child, ds } = await delegated();
  const value = `4711 13 2 ${"0f".repeat(32)}`;
  await admin.post(`/api/domains/${parent}/records`, { recordType: "DS", name: "shop", value });
  expect(await publish(child, { force: true })).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining(value) },
  });
  expect(await ds()).toHaveLength(1);
});

test("a parent zone that requires reviews is named, and the change that it takes can be requested there", async () => {
  const { parent, parentName, child, published, ds } = await delegated();
  await zw.admin.put(`/api/domains/${parent}`, { reviewRequired: "everyone" });
  const { status, body } = await publish(child);
  expect({ status, code: body.code }).toEqual({ status: 409, code: "REVIEW_REQUIRED" });
  expect(body.detail).toContain(`records of ${parentName}, which requires a review`);
  const [path] = /\/api\/domains\/\S+\/change-requests/.exec(body.detail) ?? [""];
  const changes = published.map((value) => ({ action: "create", record: { recordType: "DS", name: "shop", value } }));
  expect((await zw.admin.post(path, { title: "Publish DS", changes })).status).toBe(201);
  expect(await ds()).toEqual([]);
});

test("a delegation that a zone in between has is not published in the zone above both", async () => {
  const { parent, parentName } = await delegated();
  const below = await domain(`deep.cut.${parentName}`);
  for (const name of ["cut", "deep.cut"])
    await admin.post(`/api/domains/${parent}/records`, { recordType: "NS", name, value: "ns.example.net" });
  await set(below, true);
  expect((await publish(below)).body).toMatchObject({ through: null, applied: false });
});

test("signing is turned off only after the DS records are removed and their TTL has passed", async () => {
  const { parent, parentName, child, ds } = await delegated();
  await publish(child);
  const refused = { status: 409, body: { detail: expect.stringContaining(`The zone ${parentName} has DS records`) } };
  expect(await set(child, false)).toMatchObject(refused);
  expect(await set(child, false, true)).toMatchObject(refused);
  const [record] = await ds();
  expect((await admin.delete(`/api/domains/${parent}/records/${record?.["id"]}`)).status).toBe(200);
  expect(await set(child, false, true)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("may remember the removed DS records") },
  });
  const later = Number(record?.["ttl"]) * 1_000 + hour;
  expect(await clock.ahead(later, () => set(child, false))).toMatchObject({ status: 200, body: { dsToPublish: [] } });
});

test("DS records hold an owner back who may not see the zone that has them", async () => {
  const { parentName, child } = await delegated();
  await publish(child);
  const owner = await zw.member("dnssec-owner");
  const { id } = (await owner.get("/api/auth/me")).body;
  expect((await admin.put(`/api/domains/${child}`, { ownerId: id })).status).toBe(200);
  const refused = await owner.post(`/api/domains/${child}/dnssec`, { enabled: false, force: true });
  expect(refused).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("The parent zone has DS records") },
  });
  expect(refused.body.detail).not.toContain(`zone ${parentName}`);
});

test("a TTL that was lowered just before does not shorten the wait", async () => {
  const { parent, child, ds } = await delegated();
  await publish(child);
  const [record] = await ds();
  const path = `/api/domains/${parent}/records/${record?.["id"]}`;
  expect((await admin.put(path, { ttl: 60 })).status).toBe(200);
  expect((await admin.delete(path)).status).toBe(200);
  expect(await clock.ahead(120_000, () => set(child, false))).toMatchObject({ status: 409 });
  expect((await clock.ahead(Number(record?.["ttl"]) * 1_000 + hour, () => set(child, false))).status).toBe(200);
});

test("where reviews are required, only an administrator turns signing off, with a reason", async () => {
  const id = await domain(freshName());
  expect((await zw.admin.put(`/api/domains/${id}`, { reviewRequired: "everyone" })).status).toBe(200);
  expect((await set(id, true)).status).toBe(200);
  const off = { enabled: false, force: true };
  const path = `/api/domains/${id}/dnssec`;
  expect(await admin.post(path, off)).toMatchObject({ status: 409, body: { code: "REVIEW_REQUIRED" } });
  expect((await admin.post(path, { ...off, override: true })).status).toBe(400);
  expect((await admin.post(path, { ...off, override: true, message: "CHG-8" })).status).toBe(200);
  const [entry] = await entries(zw.admin, { targetId: id, action: "domain.set_dnssec" });
  expect(entry?.after).toEqual({ enabled: false, message: "CHG-8", reviewOverridden: true });
});

test("an answer that does not come is audited, and says what may have happened", async () => {
  const id = await domain(freshName());
  const begun = async () => await entries(zw.admin, { targetId: id, action: "domain.send_dnssec" });
  cloudflare.fault("PATCH", "cutAfter");
  const lost = await set(id, true);
  expect(lost).toMatchObject({
    status: 502,
    body: { detail: expect.stringContaining("DNSSEC may have been turned on") },
  });
  const [entry] = await entries(zw.admin, { targetId: id, action: "domain.set_dnssec" });
  expect(entry?.after).toMatchObject({ enabled: true, error: expect.stringContaining("may have been turned on") });
  expect(await begun()).toMatchObject([{ before: { enabled: false }, after: { enabled: true } }]);
  expect((await set(id, true)).body.dsToPublish).toHaveLength(1);
  expect(await begun()).toHaveLength(1);
});

test("where nobody can look at the parent zone, turning off needs force", async () => {
  const id = await domain(freshName());
  await set(id, true);
  expect(await set(id, false)).toMatchObject({
    status: 409,
    body: { code: "CONFIRMATION_REQUIRED", detail: expect.stringContaining("is not checked from outside") },
  });
  expect((await set(id, false, true)).status).toBe(200);
});

test("DS records are set at the registrar by its plan", async () => {
  const name = freshName();
  const id = await domain(name);
  gandi.domains.set(name, registered());
  await zw.admin.put(`/api/domains/${id}`, { registrarConfigId: account });
  const { dsToPublish } = (await set(id, true)).body;
  const { body: plan } = await publish(id, { dryRun: true });
  expect(plan).toMatchObject({ through: "registrar", before: [], after: dsToPublish, warnings: [], applied: false });
  expect((await publish(id)).status).toBe(400);
  expect((await publish(id, { planHash: plan.planHash })).body).toMatchObject({ after: dsToPublish, applied: true });
  expect((await admin.get(`/api/domains/${id}/registration`)).body.registrar.ds).toEqual(dsToPublish);
  // Before the registry publishes them, nobody sees them from outside.
  expect(await set(id, false, true)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("The registrar, when it was last read, has DS records") },
  });
});

test("publishing at the registrar keeps the DS records of keys that it has now, read or not", async () => {
  const name = freshName();
  const id = await domain(name);
  await zw.admin.put(`/api/domains/${id}`, { registrarConfigId: account });
  const [own] = (await set(id, true)).body.dsToPublish;
  // Another digest of the same key, and a record of a key that is gone, entered in the registrar's console.
  const other = own.replace(" 13 2 ", " 13 3 ");
  const former = `1 13 2 ${"ab".repeat(32)}`;
  gandi.domains.set(name, registered({ ds: [other, former] }));
  const { body: plan } = await publish(id, { dryRun: true });
  expect(plan).toMatchObject({ before: [former, other], after: [own, other] });
  expect((await publish(id, { planHash: plan.planHash })).body).toMatchObject({ applied: true, after: plan.after });
  expect(gandi.domains.get(name)?.ds.toSorted()).toEqual([own, other]);
  // What was removed there since is published again.
  gandi.domains.set(name, registered({ ds: [] }));
  expect((await publish(id, { dryRun: true })).body).toMatchObject({ before: [], after: [own] });
});

test("a vendor that shows DS records but no keys has these published, and one that shows neither has its console named", async () => {
  const vendors = [await startRrsetVendor(liveDns), await startRecordVendor(ovh)] as const;
  const added = async ({ dialect: { kind }, config, store }: (typeof vendors)[number]) => {
    const { body } = await zw.admin.post("/api/provider-configs", { kind, name: kind, config });
    const name = freshName();
    store.addZone(name);
    return await domain(name, body.id);
  };
  try {
    const shown = await added(vendors[0]);
    const { dsToPublish } = (await set(shown, true)).body;
    expect(dsToPublish).toEqual([expect.stringMatching(/^1000 13 2 [\da-f]{64}$/)]);
    expect((await publish(shown)).body).toMatchObject({ through: null, after: dsToPublish });
    expect(await set(shown, false, true)).toMatchObject({ status: 200, body: { dsToPublish: [] } });

    const hidden = await added(vendors[1]);
    expect((await publish(hidden)).body.detail).toContain("Turn DNSSEC on first");
    expect(await set(hidden, true)).toMatchObject({ status: 200, body: { canSet: true, dsToPublish: [] } });
    expect(await publish(hidden)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("OVHcloud does not show the keys") },
    });
    expect((await set(hidden, false, true)).status).toBe(200);
    expect((await publish(hidden)).body.detail).toContain("Turn DNSSEC on first");
  } finally {
    for (const vendor of vendors) await vendor.stop();
  }
});

test("whoever does not manage a domain cannot turn its DNSSEC on or publish its DS records", async () => {
  const { child, ds } = await delegated();
  const writer = await zw.member("dnssec-writer");
  const calls = [`/api/domains/${child}/dnssec`, `/api/domains/${child}/dnssec/publish-ds`];
  for (const path of calls) expect((await writer.post(path, { enabled: false })).status).not.toBe(200);
  await assign(zw, writer, child, "*", "write");
  expect((await writer.post(`/api/domains/${child}/dnssec`, { enabled: false })).status).toBe(403);
  expect((await writer.post(`/api/domains/${child}/dnssec/publish-ds`, {})).status).toBe(403);
  // The records of the parent zone need their own permission.
  const { body } = await zw.admin.post("/api/auth/me/tokens", {
    name: "Registrations only",
    permissions: ["registrations:write"],
  });
  const narrow = new RestClient(zw.url, body.token);
  expect(await narrow.post(`/api/domains/${child}/dnssec/publish-ds`, {})).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining("records:write") },
  });
  expect(await ds()).toEqual([]);
});
