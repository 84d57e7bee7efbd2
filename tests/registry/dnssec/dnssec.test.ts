import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { assign } from "../../accounts/assignments/assigned.ts";
import { Clock, day } from "../../support/clock.ts";
import { RestClient } from "../../support/rest-client.ts";
import { startCloudflare, type CloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import { registered, startPorkbun, type RegistrarAccount } from "../../support/vendors/registrars/account.ts";
import { manualConfig, type Body } from "../../support/zones.ts";
import { adminPassword, startZonewright, type Zonewright } from "../../support/zonewright.ts";
import { startPrivateRoot, topLevel, delegation, zoneName, type PrivateRoot } from "../delegation/private-root.ts";

const clock = new Clock();
let world: PrivateRoot;
let cloudflare: CloudflareServer;
let porkbun: RegistrarAccount;
let zw: Zonewright & { stop(): Promise<void> };
let admin: RestClient;
let id: string;

beforeAll(async () => {
  [world, cloudflare, porkbun] = await Promise.all([startPrivateRoot(), startCloudflare(), startPorkbun()]);
  zw = await startZonewright({
    env: { RESOLVER_ROOTS: world.roots, EGRESS_ALLOW: "127.53.0.0/16,127.0.0.1", JOBS: "off" },
    now: clock.now,
  });
  // A token, which outlasts any jump of the clock.
  const permissions = ["domains:read", "domains:write", "registrations:read", "registrations:write"];
  const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Lasting", permissions });
  admin = new RestClient(zw.url, body.token);
  id = (await admin.post("/api/domains", { name: zoneName, providerConfigId: await manualConfig(zw) })).body.id;
});
afterAll(async () => {
  await zw.stop();
  await Promise.all([world.internet.stop(), cloudflare.stop(), porkbun.stop()]);
});

const get = async (client = admin) => (await client.get(`/api/domains/${id}/dnssec`)).body;
const unchecked = {
  notCheckedBecause: null,
  checkedAt: null,
  canSet: false,
  signedBy: null,
  signaturesExpireAt: null,
  state: null,
  keys: null,
  dsToPublish: [],
  parentDs: null,
  cds: null,
  chain: "unknown",
  chainReason: null,
  findings: [],
};

test("nothing is known of a domain that was not checked yet", async () => {
  expect(await get()).toEqual({ domainId: id, ...unchecked });
});

test("whoever may only read a domain sees its DNSSEC, and may not have it checked", async () => {
  const reader = await zw.member("dnssec-reader");
  expect((await reader.get(`/api/domains/${id}/dnssec`)).status).toBe(404);
  await assign(zw, reader, id, "*", "read");
  expect((await reader.get(`/api/domains/${id}/dnssec`)).status).toBe(200);
  expect((await reader.post(`/api/domains/${id}/dnssec/check`)).status).toBe(403);
});

test("the daily job checks DNSSEC with the delegation", async () => {
  world.top.zones = topLevel([...delegation, `one.tld DS 4711 13 2 ${"0F".repeat(32)}`]);
  await zw.services.delegationCheck.work({}, new AbortController().signal);
  const seen = await get();
  expect(seen).toMatchObject({
    checkedAt: expect.any(String),
    state: "unsigned",
    keys: [],
    dsToPublish: [],
    parentDs: [`4711 13 2 ${"0f".repeat(32)}`],
    chain: "unknown",
    chainReason: expect.stringContaining("Check the trust anchor"),
    findings: [
      { code: "ds_mismatch", severity: "warning", message: expect.stringContaining("before you change anything") },
    ],
  });
  const { body } = await admin.get(`/api/domains/${id}/delegation`);
  expect(body.checkedAt).not.toBeNull();
});

test("DS records that match no key are not reported where nothing shows that anybody validates", async () => {
  const { body } = await zw.admin.get("/api/notifications");
  const reports = body.notifications.filter(({ metadata }: Body) => metadata.domainId === id);
  expect(reports.map(({ event }: Body) => event)).not.toContain("dnssec.ds_mismatch");
});

test("a check asked for is stored and returned", async () => {
  const before = await get();
  clock.advance(day / 2);
  world.top.zones = topLevel(delegation);
  const { status, body } = await admin.post(`/api/domains/${id}/dnssec/check`);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { state: "unsigned", parentDs: [], findings: [] },
  });
  expect(new Date(body.checkedAt).getTime()).toBeGreaterThan(new Date(before.checkedAt).getTime());
  expect(await get()).toEqual(body);
});

test("an unsigned zone is not asked for CDS records", () => {
  const asked = [world.first, world.second].flatMap(({ questions }) => questions);
  expect(asked).toContain(`${zoneName} DNSKEY`);
  expect(asked.filter((question) => /CDS|CDNSKEY/.test(question))).toEqual([]);
});

test("DS records that a registrar had between two checks hold signing for their TTL", async () => {
  const { token: apiToken, accountId, url: endpoint } = cloudflare;
  const session = await zw.signIn("admin", adminPassword);
  const created = async (to: string, body: object) => (await session.post(to, body)).body.id;
  const config = { apiToken, accountId, endpoint };
  const signer = await created("/api/provider-configs", { kind: "cloudflare", name: "Cloudflare", config });
  const account = await created("/api/registrar-configs", { kind: "porkbun", name: "Porkbun", config: porkbun.config });
  const name = "signed.tld";
  world.top.zones = topLevel([...delegation, `${name} NS ns1.one.tld`]);
  porkbun.domains.set(name, registered());
  const path = `/api/domains/${(await admin.post("/api/domains", { name, providerConfigId: signer })).body.id}`;
  await session.put(path, { registrarConfigId: account });
  const { body: on } = await admin.post(`${path}/dnssec`, { enabled: true });
  expect(on).toMatchObject({ parentDs: [], dsToPublish: [expect.any(String)] });
  for (const ds of [on.dsToPublish, []]) {
    const { planHash } = (await admin.put(`${path}/registration`, { ds, dryRun: true })).body;
    const { status, body } = await admin.put(`${path}/registration`, { ds, planHash, force: true });
    expect({ status, body }).toMatchObject({ status: 200, body: { applied: true } });
  }
  const off = () => admin.post(`${path}/dnssec`, { enabled: false });
  expect(await off()).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("may remember the removed DS records") },
  });
  clock.advance(day + 1);
  expect((await off()).status).toBe(200);
});

const unknown = (why: string) => ({
  status: 409,
  body: { code: "CONFIRMATION_REQUIRED", detail: expect.stringContaining(why) },
});

describe("DS records of a domain that was signed before it was added here", () => {
  const name = "before.tld";
  let signer: string;
  let account: string;
  let path: string;
  let ds: string[];
  beforeAll(async () => {
    const { token: apiToken, accountId, url: endpoint } = cloudflare;
    const session = await zw.signIn("admin", adminPassword);
    const created = async (to: string, body: object) => (await session.post(to, body)).body.id;
    const config = { apiToken, accountId, endpoint };
    signer = await created("/api/provider-configs", { kind: "cloudflare", name: "Signer", config });
    account = await created("/api/registrar-configs", { kind: "porkbun", name: "Account", config: porkbun.config });
  });
  beforeEach(async () => {
    world.top.zones = topLevel([...delegation, `${name} NS ns1.one.tld`]);
    const session = await zw.signIn("admin", adminPassword);
    const add = async () =>
      `/api/domains/${(await admin.post("/api/domains", { name, providerConfigId: signer })).body.id}`;
    const first = await add();
    ds = (await admin.post(`${first}/dnssec`, { enabled: true })).body.dsToPublish;
    await session.delete(first);
    porkbun.domains.set(name, registered({ ds: [...ds] }));
    path = await add();
    await session.put(path, { registrarConfigId: account });
  });
  afterEach(async () => {
    await (await zw.signIn("admin", adminPassword)).delete(path);
  });

  const off = () => admin.post(`${path}/dnssec`, { enabled: false });
  const removeDs = async () => {
    const { planHash } = (await admin.put(`${path}/registration`, { ds: [], dryRun: true })).body;
    expect(await admin.put(`${path}/registration`, { ds: [], planHash })).toMatchObject({ status: 200 });
  };
  const wait = { status: 409, body: { detail: expect.stringContaining("may remember the removed DS records") } };
  const forced = () => admin.post(`${path}/dnssec`, { enabled: false, force: true });

  test("hold signing for their TTL, even if nobody looked before they were removed here", async () => {
    await removeDs();
    expect((await admin.get(`${path}/dnssec`)).body).toMatchObject({ checkedAt: null, state: null });
    expect(await off()).toMatchObject(wait);
    clock.advance(day + 1);
    expect((await off()).status).toBe(200);
  });

  test("hold signing for the longer TTL that a check saw", async () => {
    world.top.zones = topLevel([...delegation, `${name} NS ns1.one.tld`, `${name} DS ${ds[0]}`]);
    expect((await admin.post(`${path}/dnssec/check`)).body.parentDs).toEqual(ds);
    // As stored where the parent zone signs the DS records with this TTL.
    await sql`update delegations set dnssec = jsonb_set(dnssec, '{lastDs,ttl}', '172800')
      where dnssec->'parentDs' = ${JSON.stringify(ds)}::jsonb`.execute(queries(zw.services.database.fork()));
    await removeDs();
    world.top.zones = topLevel([...delegation, `${name} NS ns1.one.tld`]);
    expect(await off()).toMatchObject(wait);
    clock.advance(day + 1);
    expect(await off()).toMatchObject(wait);
    clock.advance(day);
    expect((await off()).status).toBe(200);
  });

  test("hold signing for a day, if its registrar is known and the first check finds none", async () => {
    porkbun.domains.set(name, registered());
    expect(await off()).toMatchObject(wait);
    clock.advance(day + 1);
    expect((await off()).status).toBe(200);
  });

  describe("while the parent zone does not answer", () => {
    beforeEach(() => {
      world.top.behavior = "refused";
    });
    afterEach(() => {
      world.top.behavior = "normal";
    });

    test("need a confirmation if no check ever saw any", async () => {
      porkbun.domains.set(name, registered());
      expect(await off()).toMatchObject(unknown("The parent zone did not answer"));
      expect((await forced()).status).toBe(200);
    });

    test("hold signing for a day once it answers that there are none", async () => {
      porkbun.domains.set(name, registered());
      expect(await off()).toMatchObject(unknown("The parent zone did not answer"));
      world.top.behavior = "normal";
      expect(await off()).toMatchObject(wait);
    });

    test("hold signing for their TTL after they were removed here, and need a confirmation after it", async () => {
      await removeDs();
      expect(await off()).toMatchObject(wait);
      expect(await forced()).toMatchObject(wait);
      clock.advance(day + 1);
      expect(await off()).toMatchObject(unknown("Its DS records were changed at the registrar"));
      expect((await forced()).status).toBe(200);
    });

    test("hold signing if a check saw them, also after they were removed here", async () => {
      world.top.behavior = "normal";
      world.top.zones = topLevel([...delegation, `${name} NS ns1.one.tld`, `${name} DS ${ds[0]}`]);
      await admin.post(`${path}/dnssec/check`);
      world.top.behavior = "refused";
      await removeDs();
      clock.advance(day + 1);
      const { status, body } = await forced();
      expect({ status, body }).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
      expect(body.detail).toContain("The parent zone does not answer now. When it last did, it has DS records");
      // It answers again, and the records are gone.
      world.top.behavior = "normal";
      world.top.zones = topLevel([...delegation, `${name} NS ns1.one.tld`]);
      expect(await off()).toMatchObject(wait);
    });
  });
});

test("a name that is gone is neither signed nor unsigned", async () => {
  world.top.zones = topLevel([]);
  const { body } = await admin.post(`/api/domains/${id}/dnssec/check`);
  expect(body).toMatchObject({ state: null, keys: null, cds: null, findings: [] });
});

test("what cannot be seen is not known", async () => {
  for (const server of [world.top, world.first, world.second]) server.behavior = "refused";
  const { body } = await admin.post(`/api/domains/${id}/dnssec/check`);
  expect(body).toMatchObject({ state: null, keys: null, parentDs: null, cds: null, chain: "unknown", findings: [] });
});

test("a domain that is not public is not checked", async () => {
  const { body: domain } = await admin.post("/api/domains", { name: "corp.internal" });
  const { body } = await admin.post(`/api/domains/${domain.id}/dnssec/check`);
  expect(body).toEqual({ domainId: domain.id, ...unchecked, notCheckedBecause: expect.stringContaining("internal") });
});
