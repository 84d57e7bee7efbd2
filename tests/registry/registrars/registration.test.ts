import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { writeName } from "../../../server/dns/names/wire-names.ts";
import { Clock, hour, minute } from "../../support/clock.ts";
import { dsOf, json, registered, type RegistrarAccount } from "../../support/vendors/registrars/account.ts";
import {
  startRegistrars,
  registrarKinds,
  type RegistrarKindName,
  type Registrars,
} from "../../support/vendors/registrars/all.ts";
import { adminPassword, startZonewright, type Zonewright } from "../../support/zonewright.ts";
import { RestClient } from "../../support/rest-client.ts";
import type { Body } from "../../support/zones.ts";
import { content, reset, startPrivateRoot, zoneName, type PrivateRoot } from "../delegation/private-root.ts";

const clock = new Clock();
const publicKey = Buffer.alloc(64, 7).toString("base64");
const ds = dsOf(zoneName, 13, publicKey);
let root: PrivateRoot;
let accounts: Registrars;
let gandi: RegistrarAccount;
let configs: Record<string, string>;
let zw: Zonewright & { stop(): Promise<void> };
let path: string;

beforeAll(async () => {
  [root, accounts] = await Promise.all([startPrivateRoot(), startRegistrars()]);
  ({ gandi } = accounts);
  const env = { RESOLVER_ROOTS: root.roots, EGRESS_ALLOW: "127.0.0.0/8", JOBS: "off" };
  zw = await startZonewright({ env, now: clock.now, pause: () => Promise.resolve() });
  configs = {};
  for (const kind of registrarKinds) {
    const { config } = accounts[kind];
    configs[kind] = (await zw.admin.post("/api/registrar-configs", { kind, name: kind, config })).body.id;
  }
  const { body } = await zw.admin.post("/api/domains", { name: zoneName });
  path = `/api/domains/${body.id}`;
});
afterAll(async () => {
  await zw.stop();
  await Promise.all([...Object.values(accounts).map((account) => account.stop()), root.internet.stop()]);
});

const account = () => gandi.domains.get(zoneName) ?? registered();
beforeEach(async () => {
  reset(root);
  for (const { domains } of Object.values(accounts))
    domains.set(zoneName, registered({ nameServers: ["ns1.one.tld", "ns2.one.tld"] }));
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
  await zw.admin.put(path, { registrarConfigId: configs["gandi"], reviewRequired: "off" });
});

/** What a kind's API does not say. */
const unsaid: Partial<Record<RegistrarKindName, object>> = { cloudflare: { nameServers: null, ds: null } };

/** Gives the zone the key of `ds`. */
function signZone() {
  const signed = [...content(), `${zoneName} DNSKEY 257 3 13 ${publicKey}`];
  root.first.zones = { [zoneName]: signed };
  root.second.zones = { [zoneName]: signed };
}

const put = (body: object, client = zw.admin) => client.put(`${path}/registration`, body);

/** Plans a change, and carries the plan out. */
async function changed(wanted: object, more: object = {}): Promise<{ plan: Body; status: number; body: Body }> {
  const { body: plan } = await put({ ...wanted, dryRun: true });
  const { status, body } = await put({ ...wanted, planHash: plan.planHash, ...more });
  return { plan, status, body };
}

test.each(registrarKinds)("%s changes what its API can, one call for each field, and changes it back", async (kind) => {
  signZone();
  const own = accounts[kind].domains;
  own.set(zoneName, registered({ nameServers: ["ns1.one.tld", "ns9.example.net"], ds: [ds], autoRenew: false }));
  await zw.admin.put(path, { registrarConfigId: configs[kind] });
  await zw.admin.post(`${path}/check-expiry`);
  const { body: shown } = await zw.admin.get(`${path}/registration`);
  const before = { nameServers: ["ns1.one.tld", "ns9.example.net"], ds: [ds], locked: true, autoRenew: false };
  expect(shown.registrar).toMatchObject({ ...before, ...unsaid[kind], error: null });
  const all = { nameServers: ["ns1.one.tld", "ns2.one.tld"], ds: [], locked: false, autoRenew: true };
  const can = (values: object) =>
    Object.fromEntries(Object.entries(values).filter(([field]) => shown.registrar.changes.includes(field)));
  const made = accounts[kind].changes().length;
  const { status, body } = await changed(can(all), { force: true });
  expect({ status, message: body.message, undo: body.undo }).toEqual({ status: 200, undo: can(before) });
  expect(own.get(zoneName)).toMatchObject(can(all));
  expect(accounts[kind].changes().length - made).toBe(Object.keys(can(all)).length);
  expect(await changed(body.undo, { force: true })).toMatchObject({ status: 200 });
  expect(own.get(zoneName)).toMatchObject(can(before));
  expect(accounts[kind].changes().join(" ")).not.toMatch(/[/.](?:renew|register|transfer|order|create)s?\b/i);
});

test("DNSimple gets keys instead of DS records where the registry wants these, and no DS of another digest", async () => {
  signZone();
  const { dnsimple } = accounts;
  dnsimple.keySuffixes.add("tld");
  await zw.admin.put(path, { registrarConfigId: configs["dnsimple"] });
  const other = ds.replace(" 13 2 ", " 13 3 ");
  const refused = await changed({ ds: [ds, other] });
  expect(refused).toMatchObject({ status: 502, body: { message: expect.stringContaining(`Leave out DS ${other}.`) } });
  expect(dnsimple.domains.get(zoneName)?.ds).toEqual([]);
  expect((await changed({ ds: [ds] })).status).toBe(200);
  expect(dnsimple.domains.get(zoneName)?.ds).toEqual([ds]);
  expect((await zw.admin.get(`${path}/registration`)).body.registrar.ds).toEqual([ds]);
  expect((await changed({ ds: [] })).status).toBe(200);
  dnsimple.keySuffixes.clear();
});

test("INWX makes no change that it charges for, and no DS records beside keys of its own", async () => {
  signZone();
  const { inwx } = accounts;
  await zw.admin.put(path, { registrarConfigId: configs["inwx"] });
  inwx.prices.set(zoneName, "12.50");
  const charged = await changed({ autoRenew: false });
  expect(charged).toMatchObject({ status: 502, body: { message: expect.stringContaining("INWX charges 12.5 EUR") } });
  inwx.prices.clear();
  inwx.automatic.add(zoneName);
  const own = await changed({ ds: [ds] }, { force: true });
  expect(own).toMatchObject({ status: 502, body: { message: expect.stringContaining("keys of this name itself") } });
  expect(own.plan.changes).toEqual([{ field: "ds", before: null, after: [ds] }]);
  expect(inwx.domains.get(zoneName)).toMatchObject({ autoRenew: true, ds: [] });
  inwx.automatic.clear();
});

test("OVHcloud's own name servers are given up first, and a right that the consumer key lacks is named", async () => {
  const { ovh } = accounts;
  await zw.admin.put(path, { registrarConfigId: configs["ovh"] });
  ovh.hosted.add(zoneName);
  expect((await changed({ nameServers: ["ns1.one.tld"] })).status).toBe(200);
  expect(ovh.domains.get(zoneName)?.nameServers).toEqual(["ns1.one.tld"]);
  ovh.denied.add(`/1.0/domain/${zoneName}/serviceInfos`);
  const { status, body } = await put({ autoRenew: false, dryRun: true });
  const advice = `it lacks GET /domain/${zoneName}/serviceInfos. Request a consumer key with the rights GET /domain,`;
  expect({ status, message: body.message }).toEqual({ status: 502, message: expect.stringContaining(advice) });
  ovh.denied.clear();
});

test("a change that the registrar has not carried out yet is not taken for undone, and another one needs force", async () => {
  const { ovh } = accounts;
  ovh.slow.add(zoneName);
  await zw.admin.put(path, { registrarConfigId: configs["ovh"] });
  const [one, both] = [["ns1.one.tld"], ["ns1.one.tld", "ns2.one.tld"]];
  const { body: sent } = await changed({ nameServers: one });
  expect(sent).toMatchObject({ applied: true, undo: { nameServers: both } });
  // Lookups go on showing the old state.
  await zw.admin.post(`${path}/check-expiry`);
  expect((await zw.admin.get(`${path}/registration`)).body.registrar.nameServers).toEqual(both);
  const refused = await changed(sent.undo);
  const said = expect.stringMatching(
    /^OVHcloud does not show the change of name servers of \d{4}-\d\d-\d\d \d\d:\d\d UTC yet/,
  );
  expect(refused).toMatchObject({
    plan: { changes: [{ field: "nameServers", before: one, after: both }], warnings: [said] },
    status: 409,
    body: { code: "CONFIRMATION_REQUIRED", message: said },
  });
  expect(await changed({ autoRenew: false })).toMatchObject({ status: 200, plan: { warnings: [expect.anything()] } });
  const made = ovh.changes().length;
  expect(await changed(sent.undo, { force: true })).toMatchObject({ status: 200, body: { applied: true } });
  expect(ovh.changes().length).toBe(made + 1);
  // Both are in flight, although it shows what the second one asks for.
  const third = { plan: { changes: [{ before: both, after: one }], warnings: [said] }, status: 409 };
  expect(await changed({ nameServers: one })).toMatchObject(third);
  ovh.carryOutNext();
  await zw.admin.post(`${path}/check-expiry`);
  expect((await zw.admin.get(`${path}/registration`)).body.registrar.nameServers).toEqual(one);
  expect(await changed({ nameServers: ["ns2.one.tld"] })).toMatchObject({ plan: { warnings: [said] }, status: 409 });
  ovh.carryOut();
  expect(ovh.domains.get(zoneName)?.nameServers).toEqual(both);
  expect(await changed({ nameServers: both })).toMatchObject({ status: 200, body: { changes: [], applied: false } });
  expect(await changed({ nameServers: one })).toMatchObject({ status: 200, plan: { warnings: [] } });
  ovh.carryOut();
  expect(await changed({ nameServers: both })).toMatchObject({ status: 200, plan: { warnings: [] } });
  clock.advance(25 * hour);
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
  // What is not shown after a day is not waited for.
  expect(await changed({ nameServers: both })).toMatchObject({ status: 200, plan: { changes: [{ before: one }] } });
  ovh.carryOut();
  ovh.slow.clear();
});

test("a change that failed after the registrar had accepted it can be sent again with force", async () => {
  const { ovh } = accounts;
  signZone();
  ovh.slow.add(zoneName);
  await zw.admin.put(path, { registrarConfigId: configs["ovh"] });
  const before = { nameServers: ["ns1.one.tld", "ns2.one.tld"], ds: [] };
  for (const wanted of [{ ds: [ds] }, { nameServers: ["ns1.one.tld"] }]) {
    const [field = ""] = Object.keys(wanted);
    expect((await changed(wanted)).body).toMatchObject({ applied: true });
    ovh.failTasks();
    expect(await changed(wanted)).toMatchObject({
      plan: {
        changes: [{ field, before: before[field as keyof typeof before], after: Object.values(wanted)[0] }],
        warnings: [expect.stringContaining("This is the same change.")],
      },
      status: 409,
      body: { code: "CONFIRMATION_REQUIRED" },
    });
    expect((await changed(wanted, { force: true })).body).toMatchObject({ applied: true });
    ovh.carryOut();
    expect(ovh.domains.get(zoneName)).toMatchObject(wanted);
    expect((await changed(wanted)).body).toMatchObject({ changes: [], applied: false });
  }
  ovh.slow.clear();
});

const pending = (what: string) =>
  expect.stringMatching(new RegExp(`^OVHcloud does not show the change of ${what} of `)) as unknown;

test("name servers and DS records that are still in force count, although the registrar accepted their end", async () => {
  const { ovh } = accounts;
  await zw.admin.put(path, { registrarConfigId: configs["ovh"] });
  signZone();
  ovh.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld"], ds: [ds] }));
  ovh.slow.add(zoneName);
  expect((await changed({ ds: [] })).body).toMatchObject({ applied: true });
  root.second.zones = { [zoneName]: content() };
  expect(await changed({ nameServers: ["ns2.one.tld"] })).toMatchObject({
    plan: {
      changes: [{ field: "nameServers" }],
      warnings: [
        expect.stringContaining(
          `Resolvers keep the old DS records of ${zoneName} for their TTL, and ns2.one.tld has no`,
        ),
        pending("DS records"),
      ],
    },
    status: 409,
    body: { code: "CONFIRMATION_REQUIRED" },
  });
  ovh.carryOut();
  expect((await changed({ nameServers: ["ns2.one.tld"] })).body).toMatchObject({ applied: true, warnings: [] });
  // The unsigned server is on its way out now, and may serve for hours yet.
  signZone();
  root.first.zones = { [zoneName]: content() };
  expect(await changed({ ds: [ds] })).toMatchObject({
    plan: { warnings: [expect.stringContaining("ns1.one.tld has no key"), pending("name servers")] },
    status: 409,
    body: { code: "CONFIRMATION_REQUIRED" },
  });
  ovh.carryOut();
  expect((await changed({ ds: [ds] })).body).toMatchObject({ applied: true, warnings: [] });
  ovh.carryOut();
  ovh.slow.clear();
});

test.each([
  ["addition", [], [ds]],
  ["removal", [ds], []],
])(
  "the undo of the %s of DS records that Amazon does not show yet is refused, not called done",
  async (_what, before, after) => {
    signZone();
    const { route53domains: amazon } = accounts;
    amazon.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld"], ds: [...before] }));
    amazon.slow.add(zoneName);
    await zw.admin.put(path, { registrarConfigId: configs["route53domains"] });
    expect((await changed({ ds: after })).body).toMatchObject({ applied: true, undo: { ds: before } });
    const made = amazon.changes().length;
    const undone = await changed({ ds: before }, { force: true });
    expect(undone).toMatchObject({
      plan: { changes: [{ field: "ds", before: after, after: before }] },
      status: 502,
      body: { message: expect.stringMatching(/cannot be taken back now\. .* Nothing was changed\.$/) },
    });
    expect(amazon.changes().length).toBe(made);
    // It is still in flight, so the next plan says so too.
    expect((await put({ ds: before, dryRun: true })).body.warnings).toContainEqual(
      expect.stringContaining("does not show the change of DS records"),
    );
    amazon.carryOut();
    expect((await changed({ ds: before })).body).toMatchObject({ applied: true });
    amazon.carryOut();
    expect(amazon.domains.get(zoneName)?.ds).toEqual(before);
    amazon.slow.clear();
  },
);

test.each([
  [
    { state: "failed", error: { code: 1, message: "The registry refuses." } },
    "The registry refuses. Nothing was changed.",
  ],
  [{ state: "action_required", error: null }, "Look at the domain in its dashboard."],
])("a change that Cloudflare does not finish says why: %o", async (outcome, message) => {
  await zw.admin.put(path, { registrarConfigId: configs["cloudflare"] });
  accounts.cloudflare.outcomes.push(outcome);
  const refused = await changed({ autoRenew: false });
  expect(refused).toMatchObject({ status: 502, body: { message: expect.stringContaining(message) } });
});

const porkbunCall = (part: string) => (call: { url: URL }) => call.url.pathname.includes(part);
const porkbunError = { status: "ERROR", message: "Unable to update the domain." };

test.each([
  ["updateAutoRenew", { autoRenew: false }, porkbunError],
  [
    "updateAutoRenew",
    { autoRenew: false },
    // As the answer names each domain.
    { status: "SUCCESS", results: { [zoneName]: { status: "ERROR", message: "Unable to update the domain." } } },
  ],
  ["updateNs", { nameServers: ["ns1.one.tld"] }, porkbunError],
  ["createDnssecRecord", { ds: [ds] }, porkbunError],
])("what Porkbun refuses with status 200 is a refusal: %s with %o, answered by %o", async (call, wanted, answer) => {
  signZone();
  const { porkbun } = accounts;
  await zw.admin.put(path, { registrarConfigId: configs["porkbun"] });
  porkbun.failNext({ after: false, reply: json(200, answer) }, 1, porkbunCall(call));
  const { status, body } = await changed(wanted);
  expect({ status, message: body.message }).toEqual({
    status: 502,
    message: expect.stringContaining("Porkbun: Unable to update the domain. Nothing was changed."),
  });
  expect(porkbun.domains.get(zoneName)).toMatchObject({
    autoRenew: true,
    nameServers: ["ns1.one.tld", "ns2.one.tld"],
    ds: [],
  });
  const { body: trail } = await zw.admin.get("/api/audit?action=domain.change_registration&limit=1");
  expect(trail.entries[0].after).toEqual({ error: expect.stringContaining("Unable to update the domain.") });
});

test("a read that Porkbun refuses with status 200 is not taken for a name without DS records", async () => {
  const { porkbun } = accounts;
  porkbun.domains.set(zoneName, registered({ ds: [ds] }));
  await zw.admin.put(path, { registrarConfigId: configs["porkbun"] });
  await zw.admin.post(`${path}/check-expiry`);
  for (const [call, message, error] of [
    ["getDnssecRecords", "Unable to read the domain.", "Porkbun: Unable to read the domain."],
    ["getNs", "Invalid domain.", "Porkbun does not have this name in the account."],
    ["listAll", "Invalid API key. (002)", "Porkbun rejects the credentials of this registrar configuration."],
  ] as const) {
    porkbun.failNext({ after: false, reply: json(200, { status: "ERROR", message }) }, 1, porkbunCall(call));
    await zw.admin.post(`${path}/check-expiry`);
    const { registrar } = (await zw.admin.get(`${path}/registration`)).body;
    expect(registrar).toMatchObject({ ds: [ds], error: expect.stringContaining(error) });
  }
});

test("Amazon keeps the addresses of name servers within the domain, and names the permission that is missing", async () => {
  const { route53domains } = accounts;
  await zw.admin.put(path, { registrarConfigId: configs["route53domains"] });
  route53domains.glue.set("ns1.one.tld", ["192.0.2.1"]);
  expect((await changed({ nameServers: ["ns1.one.tld"] })).status).toBe(200);
  expect(route53domains.domains.get(zoneName)?.nameServers).toEqual(["ns1.one.tld"]);
  route53domains.glue.clear();
  const denied = { __type: "com.amazon#AccessDeniedException", message: "User is not authorized" };
  route53domains.failNext({ after: false, reply: { status: 400, body: JSON.stringify(denied) } });
  const { status, body } = await put({ autoRenew: false, dryRun: true });
  const advice = "its user may route53domains:GetDomainDetail. It says: User is not authorized (400)";
  expect({ status, message: body.message }).toEqual({ status: 502, message: expect.stringContaining(advice) });
});

test("an adapter gets one field per change with what was there before, and DS records with their keys", async () => {
  signZone();
  const adapter = accounts["epp-webhook"];
  await zw.admin.put(path, { registrarConfigId: configs["epp-webhook"] });
  expect((await changed({ ds: [ds] })).status).toBe(200);
  const key = { ds, flags: 257, algorithm: 13, publicKey };
  expect(adapter.sent.at(-1)).toEqual({ field: "ds", before: [], after: [ds], keys: [key] });
  const message = "The registry is closed until Monday.";
  adapter.failNext(
    { after: false, reply: { status: 422, body: JSON.stringify({ message }) } },
    1,
    ({ method }) => method === "POST",
  );
  const refused = await changed({ locked: false });
  expect(refused).toMatchObject({ status: 502, body: { message: expect.stringContaining(message) } });
  expect(adapter.domains.get(zoneName)).toMatchObject({ ds: [ds], locked: true });
});

test("an adapter gets back what it said as it said it, however it writes hosts and digests", async () => {
  signZone();
  const adapter = accounts["epp-webhook"];
  const said = { nameServers: ["NS2.one.tld.", "ns1.one.tld"], ds: [ds.toUpperCase()] };
  adapter.domains.set(zoneName, registered(said));
  await zw.admin.put(path, { registrarConfigId: configs["epp-webhook"] });
  expect(await changed({ nameServers: ["ns1.one.tld"], ds: [] }, { force: true })).toMatchObject({ status: 200 });
  expect(adapter.sent.slice(-2)).toEqual([
    { field: "ds", before: said.ds, after: [] },
    { field: "nameServers", before: said.nameServers, after: ["ns1.one.tld"] },
  ]);
});

test("Porkbun's answers to too many calls are waited out, and a name without API access is not taken for a missing one", async () => {
  const { porkbun } = accounts;
  await zw.admin.put(path, { registrarConfigId: configs["porkbun"] });
  const page = "<html><head><title>503 Service Temporarily Unavailable</title></head></html>";
  porkbun.failNext({ after: false, reply: { status: 503, body: page } }, 1, porkbunCall("updateAutoRenew"));
  porkbun.failNext({ after: false, reply: { status: 202, body: "" } }, 1, porkbunCall("updateAutoRenew"));
  expect(await changed({ autoRenew: false })).toMatchObject({ status: 200, body: { applied: true } });
  expect(porkbun.domains.get(zoneName)?.autoRenew).toBe(false);
  for (const status of [400, 200]) {
    const reply = json(status, { status: "ERROR", message: "Domain is not opted in to API access." });
    porkbun.failNext({ after: false, reply }, 1, porkbunCall("getNs"));
    await zw.admin.post(`${path}/check-expiry`);
    expect((await zw.admin.get(`${path}/registration`)).body.registrar.error).toBe(
      `Porkbun rejects the credentials of this registrar configuration. Check the API key and its secret key, and that API access is on for the domain. It says: Domain is not opted in to API access. (${status})`,
    );
  }
});

test("a registration shows the registrar beside registry and parent, with what to do", async () => {
  gandi.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld"], locked: false }));
  await zw.admin.post(`${path}/check-expiry`);
  await zw.admin.post(`${path}/delegation/check`);
  const { body } = await zw.admin.get(`${path}/registration`);
  expect(body).toMatchObject({
    name: zoneName,
    expirySource: "registrar",
    registrar: {
      kind: "gandi",
      account: "gandi",
      locked: false,
      autoRenew: true,
      nameServers: ["ns1.one.tld"],
      error: null,
    },
    parent: { zone: "tld", nameServers: ["ns1.one.tld", "ns2.one.tld"] },
  });
  expect(body.findings.map(({ code }: Body) => code)).toEqual(["name_servers_differ", "unlocked"]);
});

test("a plan changes nothing, is carried out exactly, is audited, and says how to take it back", async () => {
  const before = gandi.changes().length;
  const { body: plan } = await put({ autoRenew: false, dryRun: true });
  expect(plan).toMatchObject({ applied: false, changes: [{ field: "autoRenew", before: true, after: false }] });
  expect(gandi.changes().length).toBe(before);
  const { body } = await put({ autoRenew: false, planHash: plan.planHash, message: "CHG-1042" });
  expect(body).toMatchObject({ applied: true, undo: { autoRenew: true } });
  expect(account().autoRenew).toBe(false);
  const { body: trail } = await zw.admin.get("/api/audit?action=domain.change_registration&limit=1");
  expect(trail.entries[0]).toMatchObject({
    before: { autoRenew: true },
    after: { autoRenew: false, message: "CHG-1042" },
  });
  await changed(body.undo);
  expect(account().autoRenew).toBe(true);
});

test("a plan is refused once the registration is no longer what it was made for", async () => {
  const { body: plan } = await put({ autoRenew: false, dryRun: true });
  account().autoRenew = false;
  account().locked = false;
  const { status } = await put({ autoRenew: false, planHash: plan.planHash });
  expect(status).toBe(409);
  const { body, status: without } = await put({ autoRenew: true });
  expect({ without, path: body.issues?.[0]?.path }).toEqual({ without: 400, path: ["planHash"] });
});

test("while another instance changes the domain, a change waits and asks the registrar anew, and a plan does not wait", async () => {
  const free = { lease_token: null, lease_until: null, lease_holder: null };
  const held = { lease_token: randomUUID(), lease_until: new Date(Date.now() + hour), lease_holder: null };
  const lease = (columns: typeof held | typeof free) =>
    queries(zw.services.database.fork()).updateTable("domains").set(columns).where("name", "=", zoneName).execute();
  await lease(held);
  const { body: plan } = await put({ autoRenew: false, dryRun: true });
  const sent = put({ autoRenew: false, planHash: plan.planHash });
  const first = await Promise.race([sent, sleep(300, null)]);
  const made = gandi.changes().length;
  account().autoRenew = false;
  await lease(free);
  expect({ first, status: (await sent).status }).toEqual({ first: null, status: 409 });
  expect(gandi.changes().length).toBe(made);
});

test("name servers that do not serve the zone need force, and none at all is refused", async () => {
  root.second.zones = {};
  const wanted = { nameServers: ["ns2.one.tld"] };
  const refused = await changed(wanted);
  expect(refused).toMatchObject({ status: 409, body: { code: "CONFIRMATION_REQUIRED" } });
  expect(refused.plan.warnings).toEqual([expect.stringContaining("ns2.one.tld does not answer for one.tld.")]);
  expect(account().nameServers).toEqual(["ns1.one.tld", "ns2.one.tld"]);
  expect((await changed({ nameServers: ["ns1.one.tld"] })).status).toBe(200);
  expect((await changed(wanted, { force: true })).status).toBe(200);
  expect(account().nameServers).toEqual(["ns2.one.tld"]);
  expect(await put({ nameServers: [], dryRun: true, force: true })).toMatchObject({ status: 400 });
});

test("a risk that came up after the plan refuses it, also with force, and a new plan shows it", async () => {
  root.second.zones = {};
  const wanted = { nameServers: ["ns1.one.tld"] };
  const { body: plan } = await put({ ...wanted, dryRun: true });
  expect(plan.warnings).toEqual([]);
  root.first.zones = {};
  const silent = "ns1.one.tld does not answer for one.tld.";
  for (const force of [false, true])
    expect(await put({ ...wanted, planHash: plan.planHash, force })).toMatchObject({
      status: 409,
      body: { code: "CONFLICT", message: expect.stringContaining(silent) },
    });
  expect(account().nameServers).toEqual(["ns1.one.tld", "ns2.one.tld"]);
  const again = await changed(wanted, { force: true });
  expect(again).toMatchObject({ status: 200, plan: { warnings: [expect.stringContaining(silent)] } });
  // A risk that went away asks for nothing more.
  account().nameServers = ["ns1.one.tld", "ns2.one.tld"];
  const { body: warned } = await put({ ...wanted, dryRun: true });
  reset(root);
  expect((await put({ ...wanted, planHash: warned.planHash })).status).toBe(200);
});

test("DS records are published if they match a key of the zone, and refused if they do not", async () => {
  signZone();
  const wrong = dsOf(zoneName, 13, Buffer.alloc(64, 8).toString("base64"));
  expect(await put({ ds: [wrong], dryRun: true, force: true })).toMatchObject({
    status: 400,
    body: { issues: [{ path: ["ds"] }] },
  });
  expect((await changed({ ds: [ds.toUpperCase()] })).status).toBe(200);
  expect(account().ds).toEqual([ds]);
  expect((await changed({ ds: [] })).status).toBe(200);
  expect(account().ds).toEqual([]);
});

test("a name server that serves the zone unsigned, or hides its keys, is not added under a DS record without force", async () => {
  signZone();
  root.second.zones = { [zoneName]: content() };
  gandi.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld"], ds: [ds] }));
  const wanted = { nameServers: ["ns1.one.tld", "ns2.one.tld"] };
  const message = expect.stringContaining("ns2.one.tld has no key of one.tld that matches a planned DS record");
  expect(await changed(wanted)).toMatchObject({
    plan: { warnings: [message] },
    status: 409,
    body: { code: "CONFIRMATION_REQUIRED", message },
  });
  signZone();
  root.second.refusedTypes.add("DNSKEY");
  expect((await changed(wanted)).plan.warnings).toEqual([
    expect.stringContaining("ns2.one.tld does not say which keys of one.tld it has"),
  ]);
  root.second.refusedTypes.clear();
  expect(await changed(wanted)).toMatchObject({ plan: { warnings: [] }, status: 200 });
});

const alarms = async () =>
  (await zw.admin.get("/api/notifications")).body.notifications.filter(
    ({ event }: Body) => event === "domain.registration_changed",
  );

test("a lookup that read the registration before a change neither takes it back nor reports it", async () => {
  gandi.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld", "ns2.one.tld"], locked: false }));
  await zw.admin.post(`${path}/check-expiry`);
  const before = (await alarms()).length;
  const made: number[] = [];
  gandi.meanwhile(
    ({ method, url }) => method === "GET" && url.pathname.endsWith("/dnskeys"),
    async () => made.push((await changed({ locked: true })).status),
  );
  const { body } = await zw.admin.post(`${path}/check-expiry`);
  expect({ made, source: body.source, expiresAt: body.expiresAt }).toEqual({
    made: [200],
    source: "registrar",
    expiresAt: "2031-03-01T10:00:00.000Z",
  });
  const shown = (await zw.admin.get(`${path}/registration`)).body;
  expect(shown).toMatchObject({ registrar: { locked: true, error: null } });
  await zw.admin.post(`${path}/check-expiry`);
  expect(await alarms()).toHaveLength(before);
});

test("a change leaves a trace before it is sent, and its outcome before the registrar is asked again", async () => {
  signZone();
  gandi.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld", "ns2.one.tld"], ds: [ds] }));
  await zw.admin.post(`${path}/check-expiry`);
  const before = (await alarms()).length;
  const entries = async (): Promise<Body[]> => (await zw.admin.get("/api/audit?limit=20")).body.entries;
  const earlier = new Set((await entries()).map(({ id }) => id));
  const trails: string[][] = [];
  const note = async () => {
    const own = (await entries()).filter(({ id, action }) => !earlier.has(id) && action.endsWith("_registration"));
    return trails.push(own.map(({ action }) => action));
  };
  // As if the service ended here: what the next lookup sees was changed by nobody unknown.
  gandi.meanwhile(
    ({ method }) => method === "DELETE",
    async () => {
      account().autoRenew = false;
      await zw.admin.post(`${path}/check-expiry`);
    },
  );
  gandi.meanwhile(
    ({ method }) => method === "PATCH",
    async () => {
      await note();
      gandi.meanwhile(({ method, target }) => method === "GET" && target.endsWith("/dnskeys"), note);
    },
  );
  const { status } = await changed({ autoRenew: false, ds: [] });
  expect({ status, trails, alarms: (await alarms()).length - before }).toEqual({
    status: 200,
    trails: [["domain.send_registration"], ["domain.change_registration", "domain.send_registration"]],
    alarms: 0,
  });
});

test("a zone below the name, and one in another view, show a change of the registration and do not report it", async () => {
  const others = [{ name: `below.${zoneName}` }, { name: zoneName, view: "internal" }];
  const paths: string[] = [];
  for (const other of others) {
    const { body } = await zw.admin.post("/api/domains", other);
    paths.push(`/api/domains/${body.id}`);
    await zw.admin.put(`/api/domains/${body.id}`, { registrarConfigId: configs["gandi"] });
    await zw.admin.post(`/api/domains/${body.id}/check-expiry`);
  }
  await zw.admin.post(`${path}/check-expiry`);
  const before = (await alarms()).length;
  expect((await changed({ autoRenew: false })).status).toBe(200);
  for (const each of [path, ...paths])
    expect((await zw.admin.get(`${each}/registration`)).body.registrar.autoRenew).toBe(false);
  for (const each of [path, ...paths]) await zw.admin.post(`${each}/check-expiry`);
  expect(await alarms()).toHaveLength(before);
  for (const each of paths) await zw.admin.delete(each);
});

test.each(["gandi", "ovh", "route53domains"] as const)(
  "a DS record of another digest than %s makes is refused, and what is there stays",
  async (kind) => {
    signZone();
    accounts[kind].domains.set(zoneName, registered({ nameServers: ["ns1.one.tld", "ns2.one.tld"], ds: [ds] }));
    await zw.admin.put(path, { registrarConfigId: configs[kind] });
    const rdata = Buffer.concat([Buffer.from([1, 1, 3, 13]), Buffer.from(publicKey, "base64")]);
    const digest = createHash("sha384").update(writeName(zoneName)).update(rdata).digest("hex");
    const other = `${ds.split(" ")[0]} 13 4 ${digest}`;
    const made = accounts[kind].changes().length;
    expect(await put({ ds: [other], dryRun: true })).toMatchObject({
      status: 400,
      body: { issues: [{ path: ["ds"], message: expect.stringContaining(`Leave out DS ${other}.`) }] },
    });
    expect(accounts[kind].changes().length).toBe(made);
  },
);

test("turning the transfer lock off needs a confirmed session, which no token has", async () => {
  const { body: plan } = await put({ locked: false, dryRun: true });
  const permissions = ["registrations:read", "registrations:write"];
  const { body: made } = await zw.admin.post("/api/auth/me/tokens", { name: "Registrar", permissions });
  const token = new RestClient(zw.url, made.token);
  expect((await put({ locked: false, planHash: plan.planHash }, token)).status).toBe(403);
  clock.advance(11 * minute);
  const late = await put({ locked: false, planHash: plan.planHash });
  expect(late).toMatchObject({ status: 403, body: { code: "REAUTHENTICATION_REQUIRED" } });
  expect(account().locked).toBe(true);
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
  expect((await put({ locked: false, planHash: plan.planHash })).status).toBe(200);
  expect((await changed({ locked: true })).status).toBe(200);
});

test("a domain that requires reviews refuses a change, unless an administrator says why", async () => {
  await zw.admin.put(path, { reviewRequired: "everyone" });
  expect(await put({ autoRenew: false, dryRun: true })).toMatchObject({
    status: 409,
    body: { code: "REVIEW_REQUIRED" },
  });
  const overriding = { autoRenew: false, override: true, message: "The owner asked" };
  const { body: plan } = await put({ ...overriding, dryRun: true });
  expect((await put({ ...overriding, planHash: plan.planHash })).status).toBe(200);
});

test("what a registrar's API cannot change is refused by name", async () => {
  await zw.admin.put(path, { registrarConfigId: configs["porkbun"] });
  const { status, body } = await put({ locked: false, dryRun: true });
  expect({ status, path: body.issues?.[0]?.path }).toEqual({ status: 400, path: ["locked"] });
  expect((await changed({ autoRenew: false })).status).toBe(200);
  expect(accounts.porkbun.domains.get(zoneName)?.autoRenew).toBe(false);
});

test("a change that the registrar refuses halfway says so, and the audit trail has what was made", async () => {
  gandi.failNext(
    { after: false, reply: { status: 400, body: '{"message":"Unknown host."}' } },
    1,
    ({ method }) => method === "PUT",
  );
  const { status, body } = await changed({ autoRenew: false, nameServers: ["ns1.one.tld"] });
  expect({ status, message: body.message }).toEqual({ status: 502, message: expect.stringContaining("Unknown host.") });
  const { body: trail } = await zw.admin.get("/api/audit?action=domain.change_registration&limit=1");
  expect(trail.entries[0].after).toMatchObject({ autoRenew: false, error: expect.stringContaining("Unknown host.") });
  expect(account()).toMatchObject({ autoRenew: false, nameServers: ["ns1.one.tld", "ns2.one.tld"] });
});

test("a domain without a registrar, and one below a registered name, say where the registration is", async () => {
  await zw.admin.put(path, { registrarConfigId: null });
  expect(await put({ autoRenew: false, dryRun: true })).toMatchObject({ status: 409 });
  const { body: below } = await zw.admin.post("/api/domains", { name: `dev.${zoneName}` });
  await zw.admin.put(`/api/domains/${below.id}`, { registrarConfigId: configs["gandi"] });
  const { status, body } = await zw.admin.put(`/api/domains/${below.id}/registration`, {
    autoRenew: false,
    dryRun: true,
  });
  expect({ status, message: body.message }).toEqual({
    status: 409,
    message: expect.stringContaining(`that of ${zoneName}`),
  });
});

test("what a zone says of one below it is not compared with what the registrar has for the name", async () => {
  root.top.zones = {};
  const { body: below } = await zw.admin.post("/api/domains", { name: `apart.${zoneName}` });
  await zw.admin.put(`/api/domains/${below.id}`, { registrarConfigId: configs["gandi"] });
  reset(root);
  const lines = [`apart.${zoneName} NS ns9.apart.${zoneName}`, `ns9.apart.${zoneName} A 127.53.0.4`];
  const served = { [zoneName]: [...content(), ...lines] };
  [root.first.zones, root.second.zones] = [served, served];
  await zw.admin.post(`/api/domains/${below.id}/check-expiry`);
  await zw.admin.post(`/api/domains/${below.id}/delegation/check`);
  const { body } = await zw.admin.get(`/api/domains/${below.id}/registration`);
  expect(body).toMatchObject({ parent: { zone: zoneName, nameServers: [`ns9.apart.${zoneName}`] }, findings: [] });
  const { body: list } = await zw.admin.get("/api/domains/portfolio");
  const listed = list.domains.find(({ name }: Body) => name === `apart.${zoneName}`);
  expect(listed.findings.map(({ code }: Body) => code)).not.toContain("name_servers_differ");
  await zw.admin.delete(`/api/domains/${below.id}`);
});

test("a change that a sleeping machine interrupts sends nothing more, because another instance may have gone on", async () => {
  // The last test: what it stores has ids of an hour later.
  const wake = Date.now() + hour;
  gandi.meanwhile(
    ({ method }) => method !== "GET",
    () => vi.spyOn(Date, "now").mockReturnValue(wake),
  );
  const made = gandi.changes().length;
  const { status, body } = await changed({ autoRenew: false, nameServers: ["ns1.one.tld"] });
  vi.restoreAllMocks();
  expect({ status, message: body.message }).toEqual({
    status: 502,
    message: expect.stringContaining("nothing more was sent"),
  });
  expect(gandi.changes().length - made).toBe(1);
});
