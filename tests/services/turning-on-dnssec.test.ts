import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { entries } from "../notifications/audit/trail.ts";
import { Clock, hour } from "../support/clock.ts";
import { startNsd } from "../support/name-servers/authoritative.ts";
import { startPowerdns, type PowerdnsServer } from "../support/name-servers/powerdns-api.ts";
import { freePorts } from "../support/programs.ts";
import { RestClient } from "../support/rest-client.ts";
import { ovh } from "../support/vendors/records/ovh.ts";
import { startRecordVendor, type RecordServer } from "../support/vendors/records/server.ts";
import { gandi, signWith } from "../support/vendors/rrsets/gandi.ts";
import { startRrsetVendor, type RrsetServer } from "../support/vendors/rrsets/server.ts";
import type { Body } from "../support/zones.ts";
import { adminPassword, startZonewright, type Zonewright } from "../support/zonewright.ts";
import { addresses, sign, soa, startResolver, startUnbound } from "./dnssec-zones.ts";

// A private root, PowerDNS with `corp.lab` and `shop.corp.lab`, and BIND and Unbound, which validate. Only `corp.lab` is signed at first.

const clock = new Clock();
const stops: (() => Promise<void>)[] = [];
let powerdns: PowerdnsServer;
let resolvers: Awaited<ReturnType<typeof startResolver | typeof startUnbound>>[];
/** Starts an Unbound that remembers nothing. */
let freshUnbound: () => ReturnType<typeof startUnbound>;
let zw: Zonewright & { stop(): Promise<void> };
let admin: RestClient;
let shop: string;
let corp: string;

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  powerdns = await startPowerdns({ address: addresses.zones, port });
  stops.push(() => powerdns.stop());
  const nameservers = ["ns.corp.lab."];
  await powerdns.call("POST", "/zones", { name: "corp.lab.", kind: "Native", nameservers, dnssec: true });
  await powerdns.call("POST", "/zones", { name: "shop.corp.lab.", kind: "Native", nameservers });
  const [key] = (await powerdns.call("GET", "/zones/corp.lab./cryptokeys")) as { ds: string[] }[];
  const dsOfCorp = key?.ds.find((ds) => / 2 /.test(ds)) ?? "";
  const rootText = `${soa(".", "a.root.")}a.root. A ${addresses.root}\ncorp.lab. NS ns.corp.lab.\nns.corp.lab. A ${addresses.zones}\ncorp.lab. DS ${dsOfCorp}\n`;
  const root = await sign(".", rootText, { algorithms: ["ECDSAP256SHA256"] });
  const nsd = await startNsd({ address: addresses.root, port, zones: new Map([[".", root.text]]) });
  stops.push(() => nsd.stop());
  const [anchor = ""] = root.ds;
  const zones = `${addresses.zones}@${port}`;
  const stubs = { ".": `${addresses.root}@${port}`, "corp.lab": zones, "shop.corp.lab": zones };
  freshUnbound = () => startUnbound(anchor, stubs);
  resolvers = [await startResolver(port, anchor), await freshUnbound()];
  stops.push(...resolvers.map((resolver) => () => resolver.stop()));
  zw = await startZonewright({
    env: {
      RESOLVER_ROOTS: `${addresses.root}:${port}`,
      RESOLVER_TRUST_ANCHOR: anchor,
      EGRESS_ALLOW: "127.0.0.0/8",
      JOBS: "off",
    },
    now: clock.now,
  });
  stops.push(() => zw.stop());
  const permissions = ["domains:read", "domains:write", "records:read", "records:write"];
  permissions.push("registrations:read", "registrations:write", "audit:read");
  // A token, which outlasts any jump of the clock.
  const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Lasting", permissions });
  admin = new RestClient(zw.url, body.token);
  const config = { kind: "powerdns", name: "PowerDNS", config: { url: powerdns.url, apiKey: powerdns.apiKey } };
  const { body: made } = await zw.admin.post("/api/provider-configs", config);
  const imported = await zw.admin.post(`/api/provider-configs/${made.id}/import`, {
    zones: ["corp.lab", "shop.corp.lab"],
  });
  if (imported.status !== 200 || imported.body.results.some(({ error }: Body) => error !== null))
    throw new Error(JSON.stringify(imported.body));
  [corp = "", shop = ""] = imported.body.results.map(({ domainId }: Body) => domainId);
  await added("ns", "A", addresses.zones);
  await added("shop", "NS", "ns.corp.lab.");
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

async function added(name: string, recordType: string, value: string): Promise<void> {
  const { status, body } = await admin.post(`/api/domains/${corp}/records`, { name, recordType, value });
  if (status !== 201) throw new Error(`${name} ${recordType} was not added: ${JSON.stringify(body)}`);
}

const set = (enabled: boolean) => admin.post(`/api/domains/${shop}/dnssec`, { enabled });

/** The resolvers forget what they know after a second. */
async function resolvesAs(expected: { status: string; validated: boolean }): Promise<void> {
  const isSo = async () => {
    const answers = await Promise.all(resolvers.map((resolver) => resolver.resolve("shop.corp.lab")));
    expect(answers).toEqual([expected, expected]);
  };
  await vi.waitFor(isSo, { timeout: 20_000, interval: 500 });
}

/** What a resolver finds that remembers nothing. */
async function foundAnew(): Promise<{ status: string; validated: boolean }> {
  const resolver = await freshUnbound();
  try {
    return await resolver.resolve("shop.corp.lab");
  } finally {
    await resolver.stop();
  }
}

const dsRecords = async (): Promise<Body[]> => (await admin.get(`/api/domains/${corp}/records?type=DS`)).body.records;

test("a zone is signed, its DS records are published in the parent zone, and resolvers validate it", async () => {
  await resolvesAs({ status: "NOERROR", validated: false });
  const before = (await admin.get(`/api/domains/${shop}/records`)).body.records;
  const { status, body: on } = await set(true);
  expect({ status, on }).toMatchObject({
    status: 200,
    on: {
      state: "pending",
      canSet: true,
      signedBy: "provider",
      keys: [{ role: "csk", active: true }],
      parentDs: [],
      findings: [{ code: "ds_missing" }],
    },
  });
  const [key] = (await powerdns.call("GET", "/zones/shop.corp.lab./cryptokeys")) as { ds: string[] }[];
  expect(key?.ds).toEqual(expect.arrayContaining(on.dsToPublish));
  await resolvesAs({ status: "NOERROR", validated: false });

  const { body: plan } = await admin.post(`/api/domains/${shop}/dnssec/publish-ds`, { dryRun: true });
  const published = {
    through: "parent_zone",
    parentZone: { id: corp, name: "corp.lab" },
    before: [],
    after: on.dsToPublish,
  };
  expect(plan).toMatchObject({ ...published, applied: false, instructions: null });
  expect(await dsRecords()).toEqual([]);
  const { planHash } = plan;
  const done = await admin.post(`/api/domains/${shop}/dnssec/publish-ds`, { planHash, message: "CHG-1" });
  expect(done).toMatchObject({ status: 200, body: { ...published, applied: true } });
  await resolvesAs({ status: "NOERROR", validated: true });
  const { body: secure } = await admin.post(`/api/domains/${shop}/dnssec/check`);
  expect(secure).toMatchObject({ state: "signed", chain: "secure", parentDs: on.dsToPublish, findings: [] });

  // Neither keys nor signatures count as records, or as changes made elsewhere.
  expect((await admin.get(`/api/domains/${shop}/records`)).body.records).toEqual(before);
  expect((await admin.get(`/api/domains/${shop}`)).body).toMatchObject({ signedBy: "provider", drift: null });
  const sync = await admin.post(`/api/domains/${shop}/sync`, { dryRun: true });
  expect(sync.body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
});

test("a key is replaced at PowerDNS, and resolvers validate the zone all the while", async () => {
  const keys = "/zones/shop.corp.lab./cryptokeys";
  const publish = (body: object) => admin.post(`/api/domains/${shop}/dnssec/publish-ds`, body);
  const [old] = (await powerdns.call("GET", keys)) as { id: number; ds: string[] }[];
  const validated = { status: "NOERROR", validated: true };
  await powerdns.call("POST", keys, { keytype: "csk", active: true, published: true });
  expect(await foundAnew()).toEqual(validated);
  // The DS record of the new key comes beside that of the old one.
  const both = (await publish({})).body;
  expect(both).toMatchObject({ applied: true, before: [expect.any(String)] });
  expect(both.after).toHaveLength(2);
  expect(await foundAnew()).toEqual(validated);
  await powerdns.call("DELETE", `${keys}/${old?.id}`);
  expect(await foundAnew()).toEqual(validated);
  const { body: extra } = await admin.post(`/api/domains/${shop}/dnssec/check`);
  expect(extra).toMatchObject({ chain: "secure", findings: [{ code: "ds_extra" }] });
  const { body: plan } = await publish({ dryRun: true });
  const [only] = plan.after;
  expect(old?.ds).not.toContain(only);
  expect(await publish({ planHash: plan.planHash })).toMatchObject({ body: { applied: true, after: [only] } });
  expect(await foundAnew()).toEqual(validated);
  const { body: secure } = await admin.post(`/api/domains/${shop}/dnssec/check`);
  expect(secure).toMatchObject({ state: "signed", chain: "secure", parentDs: [only], findings: [] });
});

test("signing is not turned off before the DS records are gone and their TTL has passed", async () => {
  expect(await set(false)).toMatchObject({
    status: 409,
    body: {
      detail: expect.stringMatching(/The zone corp.lab has DS records .* Remove the DS records first, and wait/),
    },
  });
  const [ds] = await dsRecords();
  await admin.delete(`/api/domains/${corp}/records/${ds?.["id"]}`);
  expect(await set(false)).toMatchObject({
    status: 409,
    body: { detail: expect.stringMatching(/may remember the removed DS records of shop.corp.lab until/) },
  });
  await resolvesAs({ status: "NOERROR", validated: false });
  expect((await powerdns.lookUp("shop.corp.lab", "DNSKEY")).length).toBeGreaterThan(0);
  clock.advance(Number(ds?.["ttl"]) * 1_000 + hour);
  expect(await set(false)).toMatchObject({
    status: 200,
    body: { state: "unsigned", signedBy: null, keys: [], dsToPublish: [], findings: [] },
  });
  expect(await powerdns.lookUp("shop.corp.lab", "DNSKEY")).toEqual([]);
  await resolvesAs({ status: "NOERROR", validated: false });
});

/** A zone that PowerDNS signs and serves, as the domain of a vendor. */
async function servedFor({ dialect: { kind }, config, store }: RrsetServer | RecordServer) {
  const administrator = await zw.signIn("admin", adminPassword);
  const name = `${kind}.corp.lab`;
  const nameservers = ["ns.corp.lab."];
  await powerdns.call("POST", "/zones", { name: `${name}.`, kind: "Native", nameservers, dnssec: true });
  const [key] = (await powerdns.call("GET", `/zones/${name}./cryptokeys`)) as { ds: string[] }[];
  store.addZone(name);
  const { body } = await administrator.post("/api/provider-configs", { kind, name: kind, config });
  const { body: domain } = await admin.post("/api/domains", { name, providerConfigId: body.id });
  await added(kind, "NS", "ns.corp.lab.");
  const path = `/api/domains/${domain.id}/dnssec`;
  return { name, path, ds: key?.ds.find((ds) => / 2 /.test(ds)) ?? "" };
}

test("of a vendor that shows DS records but no keys, a served key is published only if it is one of these", async () => {
  const vendor = await startRrsetVendor(gandi);
  stops.push(() => vendor.stop());
  const { name, path, ds } = await servedFor(vendor);
  signWith(vendor.store, name, `4711 13 2 ${"0f".repeat(32)}`);
  expect(await admin.post(`${path}/publish-ds`, {})).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining(`The keys that are served for ${name} are not those that Gandi has.`) },
  });
  signWith(vendor.store, name, ds);
  const published = { through: "parent_zone", applied: true, after: [ds] };
  expect((await admin.post(`${path}/publish-ds`, {})).body).toMatchObject(published);
});

test("of a vendor that shows neither keys nor DS records, the served keys are published", async () => {
  const vendor = await startRecordVendor(ovh);
  stops.push(() => vendor.stop());
  const { path, ds } = await servedFor(vendor);
  expect((await admin.post(path, { enabled: true })).body).toMatchObject({ canSet: true, dsToPublish: [ds] });
  const published = { through: "parent_zone", applied: true, after: [ds] };
  expect((await admin.post(`${path}/publish-ds`, {})).body).toMatchObject(published);
});

test("keys that were deactivated at PowerDNS are deleted when DNSSEC is turned off, with an audit entry", async () => {
  const keys = "/zones/shop.corp.lab./cryptokeys";
  await powerdns.call("POST", keys, { keytype: "csk", active: false });
  expect(await powerdns.call("GET", keys)).toEqual([expect.objectContaining({ active: false })]);
  expect(await set(false)).toMatchObject({ status: 200, body: { state: "unsigned", keys: [] } });
  expect(await powerdns.call("GET", keys)).toEqual([]);
  const [entry] = await entries(admin, { targetId: shop, action: "domain.set_dnssec" });
  expect(entry).toMatchObject({ before: { enabled: false, inactiveKeys: 1 }, after: { enabled: false } });
  // Nothing is left to do.
  expect((await set(false)).status).toBe(200);
  expect(await entries(admin, { targetId: shop, action: "domain.set_dnssec" })).toHaveLength(3);
});
