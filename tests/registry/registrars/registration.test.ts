import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { writeName } from "../../../server/dns/names/wire-names.ts";
import { hour, minute } from "../../support/clock.ts";
import { dsOf, registered } from "../../support/vendors/registrars/account.ts";
import { adminPassword } from "../../support/zonewright.ts";
import { RestClient } from "../../support/rest-client.ts";
import type { Body } from "../../support/zones.ts";
import { content, delegation, reset, topLevel, zoneName } from "../delegation/private-root.ts";
import { ds, publicKey, useRegisteredDomain } from "./registered-domain.ts";

const at = useRegisteredDomain();

test("a registration shows the registrar beside registry and parent, with what to do", async () => {
  at.gandi.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld"], locked: false }));
  await at.zw.admin.post(`${at.path}/check-expiry`);
  await at.zw.admin.post(`${at.path}/delegation/check`);
  const { body } = await at.zw.admin.get(`${at.path}/registration`);
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

test("a parent zone that has not what the registrar has is among what to do first of all domains, until they agree", async () => {
  const todo = async () => {
    const { body } = await at.zw.admin.get("/api/domains/findings");
    return body.findings.filter(({ name }: Body) => name === zoneName).map(({ code }: Body) => code);
  };
  await at.zw.admin.post(`${at.path}/check-expiry`);
  await at.zw.admin.post(`${at.path}/delegation/check`);
  expect(await todo()).toEqual([]);
  // The registrar changes first, and the parent zone follows.
  Object.assign(at.account(), { nameServers: ["ns1.one.tld"], ds: [ds] });
  await at.zw.admin.post(`${at.path}/check-expiry`);
  expect((await todo()).toSorted()).toEqual(["ds_differ", "name_servers_differ"]);
  const served = delegation.filter((line) => line !== "one.tld NS ns2.one.tld");
  at.root.top.zones = topLevel([...served, `one.tld DS ${ds}`]);
  await at.zw.admin.post(`${at.path}/delegation/check`);
  expect(await todo()).not.toContain("name_servers_differ");
  expect(await todo()).not.toContain("ds_differ");
});

test("a plan changes nothing, is carried out exactly, is audited, and says how to take it back", async () => {
  const before = at.gandi.changes().length;
  const { body: plan } = await at.put({ autoRenew: false, dryRun: true });
  expect(plan).toMatchObject({ applied: false, changes: [{ field: "autoRenew", before: true, after: false }] });
  expect(at.gandi.changes().length).toBe(before);
  const { body } = await at.put({ autoRenew: false, planHash: plan.planHash, message: "CHG-1042" });
  expect(body).toMatchObject({ applied: true, undo: { autoRenew: true } });
  expect(at.account().autoRenew).toBe(false);
  const { body: trail } = await at.zw.admin.get("/api/audit?action=domain.change_registration&limit=1");
  expect(trail.entries[0]).toMatchObject({
    before: { autoRenew: true },
    after: { autoRenew: false, message: "CHG-1042" },
  });
  await at.changed(body.undo);
  expect(at.account().autoRenew).toBe(true);
});

test("a plan is refused once the registration is no longer what it was made for", async () => {
  const { body: plan } = await at.put({ autoRenew: false, dryRun: true });
  at.account().autoRenew = false;
  at.account().locked = false;
  const { status } = await at.put({ autoRenew: false, planHash: plan.planHash });
  expect(status).toBe(409);
  const { body, status: without } = await at.put({ autoRenew: true });
  expect({ without, path: body.issues?.[0]?.path }).toEqual({ without: 400, path: ["planHash"] });
});

test("while another instance changes the domain, a change waits and asks the registrar anew, and a plan does not wait", async () => {
  const free = { lease_token: null, lease_until: null, lease_holder: null };
  const held = { lease_token: randomUUID(), lease_until: new Date(Date.now() + hour), lease_holder: null };
  const lease = (columns: typeof held | typeof free) =>
    queries(at.zw.services.database.fork()).updateTable("domains").set(columns).where("name", "=", zoneName).execute();
  await lease(held);
  const { body: plan } = await at.put({ autoRenew: false, dryRun: true });
  const sent = at.put({ autoRenew: false, planHash: plan.planHash });
  const first = await Promise.race([sent, sleep(300, null)]);
  const made = at.gandi.changes().length;
  at.account().autoRenew = false;
  await lease(free);
  expect({ first, status: (await sent).status }).toEqual({ first: null, status: 409 });
  expect(at.gandi.changes().length).toBe(made);
});

test("name servers that do not serve the zone need force, and none at all is refused", async () => {
  at.root.second.zones = {};
  const wanted = { nameServers: ["ns2.one.tld"] };
  const refused = await at.changed(wanted);
  expect(refused).toMatchObject({ status: 409, body: { code: "CONFIRMATION_REQUIRED" } });
  expect(refused.plan.warnings).toEqual([expect.stringContaining("ns2.one.tld does not answer for one.tld.")]);
  expect(at.account().nameServers).toEqual(["ns1.one.tld", "ns2.one.tld"]);
  expect((await at.changed({ nameServers: ["ns1.one.tld"] })).status).toBe(200);
  expect((await at.changed(wanted, { force: true })).status).toBe(200);
  expect(at.account().nameServers).toEqual(["ns2.one.tld"]);
  expect(await at.put({ nameServers: [], dryRun: true, force: true })).toMatchObject({ status: 400 });
});

test("a risk that came up after the plan refuses it, also with force, and a new plan shows it", async () => {
  at.root.second.zones = {};
  const wanted = { nameServers: ["ns1.one.tld"] };
  const { body: plan } = await at.put({ ...wanted, dryRun: true });
  expect(plan.warnings).toEqual([]);
  at.root.first.zones = {};
  const silent = "ns1.one.tld does not answer for one.tld.";
  for (const force of [false, true])
    expect(await at.put({ ...wanted, planHash: plan.planHash, force })).toMatchObject({
      status: 409,
      body: { code: "CONFLICT", message: expect.stringContaining(silent) },
    });
  expect(at.account().nameServers).toEqual(["ns1.one.tld", "ns2.one.tld"]);
  const again = await at.changed(wanted, { force: true });
  expect(again).toMatchObject({ status: 200, plan: { warnings: [expect.stringContaining(silent)] } });
  // A risk that went away asks for nothing more.
  at.account().nameServers = ["ns1.one.tld", "ns2.one.tld"];
  const { body: warned } = await at.put({ ...wanted, dryRun: true });
  reset(at.root);
  expect((await at.put({ ...wanted, planHash: warned.planHash })).status).toBe(200);
});

test("DS records are published if they match a key of the zone, and refused if they do not", async () => {
  at.signZone();
  const wrong = dsOf(zoneName, 13, Buffer.alloc(64, 8).toString("base64"));
  expect(await at.put({ ds: [wrong], dryRun: true, force: true })).toMatchObject({
    status: 400,
    body: { issues: [{ path: ["ds"] }] },
  });
  expect((await at.changed({ ds: [ds.toUpperCase()] })).status).toBe(200);
  expect(at.account().ds).toEqual([ds]);
  expect((await at.changed({ ds: [] })).status).toBe(200);
  expect(at.account().ds).toEqual([]);
});

test("a name server that serves the zone unsigned, or hides its keys, is not added under a DS record without force", async () => {
  at.signZone();
  at.root.second.zones = { [zoneName]: content() };
  at.gandi.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld"], ds: [ds] }));
  const wanted = { nameServers: ["ns1.one.tld", "ns2.one.tld"] };
  const message = expect.stringContaining("ns2.one.tld has no key of one.tld that matches a planned DS record");
  expect(await at.changed(wanted)).toMatchObject({
    plan: { warnings: [message] },
    status: 409,
    body: { code: "CONFIRMATION_REQUIRED", message },
  });
  at.signZone();
  at.root.second.refusedTypes.add("DNSKEY");
  expect((await at.changed(wanted)).plan.warnings).toEqual([
    expect.stringContaining("ns2.one.tld does not say which keys of one.tld it has"),
  ]);
  at.root.second.refusedTypes.clear();
  expect(await at.changed(wanted)).toMatchObject({ plan: { warnings: [] }, status: 200 });
});

const alarms = async () =>
  (await at.zw.admin.get("/api/notifications")).body.notifications.filter(
    ({ event }: Body) => event === "domain.registration_changed",
  );

test("a lookup that read the registration before a change neither takes it back nor reports it", async () => {
  at.gandi.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld", "ns2.one.tld"], locked: false }));
  await at.zw.admin.post(`${at.path}/check-expiry`);
  const before = (await alarms()).length;
  const made: number[] = [];
  at.gandi.meanwhile(
    ({ method, url }) => method === "GET" && url.pathname.endsWith("/dnskeys"),
    async () => made.push((await at.changed({ locked: true })).status),
  );
  const { body } = await at.zw.admin.post(`${at.path}/check-expiry`);
  expect({ made, source: body.source, expiresAt: body.expiresAt }).toEqual({
    made: [200],
    source: "registrar",
    expiresAt: "2031-03-01T10:00:00.000Z",
  });
  const shown = (await at.zw.admin.get(`${at.path}/registration`)).body;
  expect(shown).toMatchObject({ registrar: { locked: true, error: null } });
  await at.zw.admin.post(`${at.path}/check-expiry`);
  expect(await alarms()).toHaveLength(before);
});

test("a change leaves a trace before it is sent, and its outcome before the registrar is asked again", async () => {
  at.signZone();
  at.gandi.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld", "ns2.one.tld"], ds: [ds] }));
  await at.zw.admin.post(`${at.path}/check-expiry`);
  const before = (await alarms()).length;
  const entries = async (): Promise<Body[]> => (await at.zw.admin.get("/api/audit?limit=20")).body.entries;
  const earlier = new Set((await entries()).map(({ id }) => id));
  const trails: string[][] = [];
  const note = async () => {
    const own = (await entries()).filter(({ id, action }) => !earlier.has(id) && action.endsWith("_registration"));
    return trails.push(own.map(({ action }) => action));
  };
  // As if the service ended here: what the next lookup sees was changed by nobody unknown.
  at.gandi.meanwhile(
    ({ method }) => method === "DELETE",
    async () => {
      at.account().autoRenew = false;
      await at.zw.admin.post(`${at.path}/check-expiry`);
    },
  );
  at.gandi.meanwhile(
    ({ method }) => method === "PATCH",
    async () => {
      await note();
      at.gandi.meanwhile(({ method, target }) => method === "GET" && target.endsWith("/dnskeys"), note);
    },
  );
  const { status } = await at.changed({ autoRenew: false, ds: [] });
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
    const { body } = await at.zw.admin.post("/api/domains", other);
    paths.push(`/api/domains/${body.id}`);
    await at.zw.admin.put(`/api/domains/${body.id}`, { registrarConfigId: at.configs["gandi"] });
    await at.zw.admin.post(`/api/domains/${body.id}/check-expiry`);
  }
  await at.zw.admin.post(`${at.path}/check-expiry`);
  const before = (await alarms()).length;
  expect((await at.changed({ autoRenew: false })).status).toBe(200);
  for (const each of [at.path, ...paths])
    expect((await at.zw.admin.get(`${each}/registration`)).body.registrar.autoRenew).toBe(false);
  for (const each of [at.path, ...paths]) await at.zw.admin.post(`${each}/check-expiry`);
  expect(await alarms()).toHaveLength(before);
  for (const each of paths) await at.zw.admin.delete(each);
});

test.each(["gandi", "ovh", "route53domains"] as const)(
  "a DS record of another digest than %s makes is refused, and what is there stays",
  async (kind) => {
    at.signZone();
    at.accounts[kind].domains.set(zoneName, registered({ nameServers: ["ns1.one.tld", "ns2.one.tld"], ds: [ds] }));
    await at.zw.admin.put(at.path, { registrarConfigId: at.configs[kind] });
    const rdata = Buffer.concat([Buffer.from([1, 1, 3, 13]), Buffer.from(publicKey, "base64")]);
    const digest = createHash("sha384").update(writeName(zoneName)).update(rdata).digest("hex");
    const other = `${ds.split(" ")[0]} 13 4 ${digest}`;
    const made = at.accounts[kind].changes().length;
    expect(await at.put({ ds: [other], dryRun: true })).toMatchObject({
      status: 400,
      body: { issues: [{ path: ["ds"], message: expect.stringContaining(`Leave out DS ${other}.`) }] },
    });
    expect(at.accounts[kind].changes().length).toBe(made);
  },
);

test("turning the transfer lock off needs a confirmed session, which no token has", async () => {
  const { body: plan } = await at.put({ locked: false, dryRun: true });
  const permissions = ["registrations:read", "registrations:write"];
  const { body: made } = await at.zw.admin.post("/api/auth/me/tokens", { name: "Registrar", permissions });
  const token = new RestClient(at.zw.url, made.token);
  expect((await at.put({ locked: false, planHash: plan.planHash }, token)).status).toBe(403);
  at.clock.advance(11 * minute);
  const late = await at.put({ locked: false, planHash: plan.planHash });
  expect(late).toMatchObject({ status: 403, body: { code: "REAUTHENTICATION_REQUIRED" } });
  expect(at.account().locked).toBe(true);
  at.zw.admin.token = (await at.zw.signIn("admin", adminPassword)).token;
  expect((await at.put({ locked: false, planHash: plan.planHash })).status).toBe(200);
  expect((await at.changed({ locked: true })).status).toBe(200);
});

test("a domain that requires reviews refuses a change, unless an administrator says why", async () => {
  await at.zw.admin.put(at.path, { reviewRequired: "everyone" });
  expect(await at.put({ autoRenew: false, dryRun: true })).toMatchObject({
    status: 409,
    body: { code: "REVIEW_REQUIRED" },
  });
  const overriding = { autoRenew: false, override: true, message: "The owner asked" };
  const { body: plan } = await at.put({ ...overriding, dryRun: true });
  expect((await at.put({ ...overriding, planHash: plan.planHash })).status).toBe(200);
});

test("what a registrar's API cannot change is refused by name", async () => {
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["porkbun"] });
  const { status, body } = await at.put({ locked: false, dryRun: true });
  expect({ status, path: body.issues?.[0]?.path }).toEqual({ status: 400, path: ["locked"] });
  expect((await at.changed({ autoRenew: false })).status).toBe(200);
  expect(at.accounts.porkbun.domains.get(zoneName)?.autoRenew).toBe(false);
});

test("a change that the registrar refuses halfway says so, and the audit trail has what was made", async () => {
  at.gandi.failNext(
    { after: false, reply: { status: 400, body: '{"message":"Unknown host."}' } },
    1,
    ({ method }) => method === "PUT",
  );
  const { status, body } = await at.changed({ autoRenew: false, nameServers: ["ns1.one.tld"] });
  expect({ status, message: body.message }).toEqual({ status: 502, message: expect.stringContaining("Unknown host.") });
  const { body: trail } = await at.zw.admin.get("/api/audit?action=domain.change_registration&limit=1");
  expect(trail.entries[0].after).toMatchObject({ autoRenew: false, error: expect.stringContaining("Unknown host.") });
  expect(at.account()).toMatchObject({ autoRenew: false, nameServers: ["ns1.one.tld", "ns2.one.tld"] });
});

test("a domain without a registrar, and one below a registered name, say where the registration is", async () => {
  await at.zw.admin.put(at.path, { registrarConfigId: null });
  expect(await at.put({ autoRenew: false, dryRun: true })).toMatchObject({ status: 409 });
  const { body: below } = await at.zw.admin.post("/api/domains", { name: `dev.${zoneName}` });
  await at.zw.admin.put(`/api/domains/${below.id}`, { registrarConfigId: at.configs["gandi"] });
  const { status, body } = await at.zw.admin.put(`/api/domains/${below.id}/registration`, {
    autoRenew: false,
    dryRun: true,
  });
  expect({ status, message: body.message }).toEqual({
    status: 409,
    message: expect.stringContaining(`that of ${zoneName}`),
  });
});

test("what a zone says of one below it is not compared with what the registrar has for the name", async () => {
  at.root.top.zones = {};
  const { body: below } = await at.zw.admin.post("/api/domains", { name: `apart.${zoneName}` });
  await at.zw.admin.put(`/api/domains/${below.id}`, { registrarConfigId: at.configs["gandi"] });
  reset(at.root);
  const lines = [`apart.${zoneName} NS ns9.apart.${zoneName}`, `ns9.apart.${zoneName} A 127.53.0.4`];
  const served = { [zoneName]: [...content(), ...lines] };
  [at.root.first.zones, at.root.second.zones] = [served, served];
  await at.zw.admin.post(`/api/domains/${below.id}/check-expiry`);
  await at.zw.admin.post(`/api/domains/${below.id}/delegation/check`);
  const { body } = await at.zw.admin.get(`/api/domains/${below.id}/registration`);
  expect(body).toMatchObject({ parent: { zone: zoneName, nameServers: [`ns9.apart.${zoneName}`] }, findings: [] });
  const { body: list } = await at.zw.admin.get("/api/domains/portfolio");
  const listed = list.domains.find(({ name }: Body) => name === `apart.${zoneName}`);
  expect(listed.findings.map(({ code }: Body) => code)).not.toContain("name_servers_differ");
  await at.zw.admin.delete(`/api/domains/${below.id}`);
});

test("a change that a sleeping machine interrupts sends nothing more, because another instance may have gone on", async () => {
  // The last test: what it stores has ids of an hour later.
  const wake = Date.now() + hour;
  at.gandi.meanwhile(
    ({ method }) => method !== "GET",
    () => vi.spyOn(Date, "now").mockReturnValue(wake),
  );
  const made = at.gandi.changes().length;
  const { status, body } = await at.changed({ autoRenew: false, nameServers: ["ns1.one.tld"] });
  vi.restoreAllMocks();
  expect({ status, message: body.message }).toEqual({
    status: 502,
    message: expect.stringContaining("nothing more was sent"),
  });
  expect(at.gandi.changes().length - made).toBe(1);
});
