import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { writeName } from "../../../server/dns/names/wire-names.ts";
import { hour, minute } from "../../support/clock.ts";
import { json, registered } from "../../support/vendors/registrars/account.ts";
import { registrarKinds, type RegistrarKindName } from "../../support/vendors/registrars/all.ts";
import { adminPassword } from "../../support/zonewright.ts";
import { content, zoneName } from "../delegation/private-root.ts";
import { ds, publicKey, useRegisteredDomain } from "./registered-domain.ts";

/** What each registrar makes of a change, by its own API. */

/** The DS record of the zone's key with a SHA-384 digest. */
function otherDigest(): string {
  const rdata = Buffer.concat([Buffer.from([1, 1, 3, 13]), Buffer.from(publicKey, "base64")]);
  const digest = createHash("sha384").update(writeName(zoneName)).update(rdata).digest("hex");
  return `${ds.split(" ")[0]} 13 4 ${digest}`;
}

const at = useRegisteredDomain();

/** What a kind's API does not say. */
const unsaid: Partial<Record<RegistrarKindName, object>> = { cloudflare: { nameServers: null, ds: null } };

test.each(registrarKinds)("%s changes what its API can, one call for each field, and changes it back", async (kind) => {
  at.signZone();
  const own = at.accounts[kind].domains;
  own.set(zoneName, registered({ nameServers: ["ns1.one.tld", "ns9.example.net"], ds: [ds], autoRenew: false }));
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs[kind] });
  await at.zw.admin.post(`${at.path}/check-expiry`);
  const { body: shown } = await at.zw.admin.get(`${at.path}/registration`);
  const before = { nameServers: ["ns1.one.tld", "ns9.example.net"], ds: [ds], locked: true, autoRenew: false };
  expect(shown.registrar).toMatchObject({ ...before, ...unsaid[kind], error: null });
  const all = { nameServers: ["ns1.one.tld", "ns2.one.tld"], ds: [], locked: false, autoRenew: true };
  const can = (values: object) =>
    Object.fromEntries(Object.entries(values).filter(([field]) => shown.registrar.changes.includes(field)));
  const made = at.accounts[kind].changes().length;
  const { status, body } = await at.changed(can(all), { force: true });
  expect({ status, message: body.message, undo: body.undo }).toEqual({ status: 200, undo: can(before) });
  expect(own.get(zoneName)).toMatchObject(can(all));
  expect(at.accounts[kind].changes().length - made).toBe(Object.keys(can(all)).length);
  expect(await at.changed(body.undo, { force: true })).toMatchObject({ status: 200 });
  expect(own.get(zoneName)).toMatchObject(can(before));
  expect(at.accounts[kind].changes().join(" ")).not.toMatch(/[/.](?:renew|register|transfer|order|create)s?\b/i);
});

/** Expects that a plan is refused for one field with this text, that its request is refused too, and that nothing was sent. */
async function expectRefusedPlan(kind: RegistrarKindName, wanted: object, text: string, field: string): Promise<void> {
  const made = at.accounts[kind].changes().length;
  const refusal = { status: 400, body: { code: "BAD_REQUEST", message: expect.stringContaining(text) } };
  const { status, body } = await at.put({ ...wanted, dryRun: true, force: true });
  expect({ status, body }).toMatchObject({ ...refusal, body: { ...refusal.body, issues: [{ path: [field] }] } });
  expect(await at.put({ ...wanted, planHash: "none", force: true })).toMatchObject(refusal);
  expect(await at.zw.admin.post(`${at.path}/change-requests`, { title: "Try", registration: wanted })).toMatchObject(
    refusal,
  );
  expect(at.accounts[kind].changes().length).toBe(made);
}

test("DNSimple gets keys instead of DS records where the registry wants these, and no DS of another digest", async () => {
  at.signZone();
  const { dnsimple } = at.accounts;
  dnsimple.keySuffixes.add("tld");
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["dnsimple"] });
  const other = otherDigest();
  await expectRefusedPlan("dnsimple", { ds: [ds, other] }, `DNSimple makes the DS record itself`, "ds");
  expect(dnsimple.domains.get(zoneName)?.ds).toEqual([]);
  expect((await at.changed({ ds: [ds] })).status).toBe(200);
  expect(dnsimple.domains.get(zoneName)?.ds).toEqual([ds]);
  expect((await at.zw.admin.get(`${at.path}/registration`)).body.registrar.ds).toEqual([ds]);
  expect((await at.changed({ ds: [] })).status).toBe(200);
  dnsimple.keySuffixes.clear();
});

test("INWX makes no change that it charges for, and no DS records beside keys of its own", async () => {
  at.signZone();
  const { inwx } = at.accounts;
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["inwx"] });
  inwx.prices.set(zoneName, "12.50");
  await expectRefusedPlan("inwx", { autoRenew: false }, "INWX charges 12.5 EUR", "autoRenew");
  inwx.prices.clear();
  inwx.automatic.add(zoneName);
  await expectRefusedPlan("inwx", { ds: [ds] }, "INWX manages the DNSSEC keys of this name itself", "ds");
  inwx.automatic.clear();
  expect((await at.changed({ ds: [ds] })).status).toBe(200);
});

const isTrial = ({ body }: { body: string }) => body.includes('"testing":true');

test("what INWX refuses on trial is refused in the plan, and a trial that fails is reported as such", async () => {
  const { inwx } = at.accounts;
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["inwx"] });
  const refusal = json(200, { code: 2304, msg: "Object status prohibits operation" });
  inwx.failNext({ after: false, reply: refusal }, 3, isTrial);
  await expectRefusedPlan("inwx", { locked: false }, "Object status prohibits operation", "locked");
  inwx.failNext({ after: false, reply: json(200, { code: 2400, msg: "Command failed" }) }, 1, isTrial);
  expect(await at.put({ locked: false, dryRun: true })).toMatchObject({ status: 502 });
});

test.each(["gandi", "ovh", "route53domains", "dnsimple", "inwx"] as const)(
  "a DS record whose key nobody knows is refused at %s, which takes keys, also with force",
  async (kind) => {
    at.signZone();
    at.accounts.dnsimple.keySuffixes.add("tld");
    await at.zw.admin.put(at.path, { registrarConfigId: at.configs[kind] });
    for (const server of [at.root.first, at.root.second]) server.refusedTypes.add("DNSKEY");
    await expectRefusedPlan(kind, { ds: [ds] }, `and the zone has none for DS ${ds}`, "ds");
    expect(at.accounts[kind].domains.get(zoneName)?.ds).toEqual([]);
    for (const server of [at.root.first, at.root.second]) server.refusedTypes.clear();
    at.accounts.dnsimple.keySuffixes.clear();
  },
);

test("a request that the registrar would refuse at its time fails at once, and is not tried again", async () => {
  const { inwx } = at.accounts;
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["inwx"] });
  const applyAt = new Date(at.clock.now().getTime() + hour).toISOString();
  const request = { title: "Let it go", registration: { autoRenew: false }, applyAt };
  const { status, body: made } = await at.zw.admin.post(`${at.path}/change-requests`, request);
  expect(status).toBe(201);
  inwx.prices.set(zoneName, "12.50");
  await at.clock.ahead(hour + minute, () => at.zw.services.requestSchedule.runOnce());
  inwx.prices.clear();
  expect((await at.zw.admin.get(`/api/change-requests/${made.id}`)).body).toMatchObject({
    state: "failed",
    reason: expect.stringContaining("INWX charges 12.5 EUR"),
  });
  expect(inwx.domains.get(zoneName)?.autoRenew).toBe(true);
});

test("OVHcloud's own name servers are given up first, and a right that the consumer key lacks is named", async () => {
  const { ovh } = at.accounts;
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["ovh"] });
  ovh.hosted.add(zoneName);
  expect((await at.changed({ nameServers: ["ns1.one.tld"] })).status).toBe(200);
  expect(ovh.domains.get(zoneName)?.nameServers).toEqual(["ns1.one.tld"]);
  ovh.denied.add(`/1.0/domain/${zoneName}/serviceInfos`);
  const { status, body } = await at.put({ autoRenew: false, dryRun: true });
  const advice = `it lacks GET /domain/${zoneName}/serviceInfos. Request a consumer key with the rights GET /domain,`;
  expect({ status, message: body.message }).toEqual({ status: 502, message: expect.stringContaining(advice) });
  ovh.denied.clear();
});

test.each(["removed", "revoked"] as const)(
  "a key that OVHcloud has %s is not taken for a DS record, and can be published again",
  async (state) => {
    at.signZone();
    const { ovh } = at.accounts;
    ovh.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld"], ds: [ds] }));
    ovh.ended.set(ds, state);
    await at.zw.admin.put(at.path, { registrarConfigId: at.configs["ovh"] });
    await at.zw.admin.post(`${at.path}/check-expiry`);
    expect((await at.zw.admin.get(`${at.path}/registration`)).body.registrar.ds).toEqual([]);
    expect(await at.changed({ ds: [ds] })).toMatchObject({ status: 200, plan: { changes: [{ before: [] }] } });
    expect((await at.zw.admin.get(`${at.path}/registration`)).body.registrar.ds).toEqual([ds]);
  },
);

test("a change that the registrar has not carried out yet is not taken for undone, and another one needs force", async () => {
  const { ovh } = at.accounts;
  ovh.slow.add(zoneName);
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["ovh"] });
  const [one, both] = [["ns1.one.tld"], ["ns1.one.tld", "ns2.one.tld"]];
  const { body: sent } = await at.changed({ nameServers: one });
  expect(sent).toMatchObject({ applied: true, undo: { nameServers: both } });
  // Lookups go on showing the old state.
  await at.zw.admin.post(`${at.path}/check-expiry`);
  expect((await at.zw.admin.get(`${at.path}/registration`)).body.registrar.nameServers).toEqual(both);
  const refused = await at.changed(sent.undo);
  const said = expect.stringMatching(
    /^OVHcloud does not show the change of name servers of \d{4}-\d\d-\d\d \d\d:\d\d UTC yet/,
  );
  expect(refused).toMatchObject({
    plan: { changes: [{ field: "nameServers", before: one, after: both }], warnings: [said] },
    status: 409,
    body: { code: "CONFIRMATION_REQUIRED", message: said },
  });
  expect(await at.changed({ autoRenew: false })).toMatchObject({
    status: 200,
    plan: { warnings: [expect.anything()] },
  });
  const made = ovh.changes().length;
  expect(await at.changed(sent.undo, { force: true })).toMatchObject({ status: 200, body: { applied: true } });
  expect(ovh.changes().length).toBe(made + 1);
  // Both are in flight, although it shows what the second one asks for.
  const third = { plan: { changes: [{ before: both, after: one }], warnings: [said] }, status: 409 };
  expect(await at.changed({ nameServers: one })).toMatchObject(third);
  ovh.carryOutNext();
  await at.zw.admin.post(`${at.path}/check-expiry`);
  expect((await at.zw.admin.get(`${at.path}/registration`)).body.registrar.nameServers).toEqual(one);
  expect(await at.changed({ nameServers: ["ns2.one.tld"] })).toMatchObject({ plan: { warnings: [said] }, status: 409 });
  ovh.carryOut();
  expect(ovh.domains.get(zoneName)?.nameServers).toEqual(both);
  expect(await at.changed({ nameServers: both })).toMatchObject({ status: 200, body: { changes: [], applied: false } });
  expect(await at.changed({ nameServers: one })).toMatchObject({ status: 200, plan: { warnings: [] } });
  ovh.carryOut();
  expect(await at.changed({ nameServers: both })).toMatchObject({ status: 200, plan: { warnings: [] } });
  at.clock.advance(25 * hour);
  at.zw.admin.token = (await at.zw.signIn("admin", adminPassword)).token;
  // What is not shown after a day is not waited for.
  expect(await at.changed({ nameServers: both })).toMatchObject({ status: 200, plan: { changes: [{ before: one }] } });
  ovh.carryOut();
  ovh.slow.clear();
});

const pending = (what: string) =>
  expect.stringMatching(new RegExp(`^OVHcloud does not show the change of ${what} of `)) as unknown;

test("name servers and DS records that are still in force count, although the registrar accepted their end", async () => {
  const { ovh } = at.accounts;
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["ovh"] });
  at.signZone();
  ovh.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld"], ds: [ds] }));
  ovh.slow.add(zoneName);
  expect((await at.changed({ ds: [] })).body).toMatchObject({ applied: true });
  at.root.second.zones = { [zoneName]: content() };
  expect(await at.changed({ nameServers: ["ns2.one.tld"] })).toMatchObject({
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
  expect((await at.changed({ nameServers: ["ns2.one.tld"] })).body).toMatchObject({ applied: true, warnings: [] });
  // The unsigned server is on its way out now, and may serve for hours yet.
  at.signZone();
  at.root.first.zones = { [zoneName]: content() };
  expect(await at.changed({ ds: [ds] })).toMatchObject({
    plan: { warnings: [expect.stringContaining("ns1.one.tld has no key"), pending("name servers")] },
    status: 409,
    body: { code: "CONFIRMATION_REQUIRED" },
  });
  ovh.carryOut();
  expect((await at.changed({ ds: [ds] })).body).toMatchObject({ applied: true, warnings: [] });
  ovh.carryOut();
  ovh.slow.clear();
});

test.each([
  ["addition", [], [ds]],
  ["removal", [ds], []],
])(
  "the undo of the %s of DS records that Amazon does not show yet is refused, not called done",
  async (_what, before, after) => {
    at.signZone();
    const { route53domains: amazon } = at.accounts;
    amazon.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld"], ds: [...before] }));
    amazon.slow.add(zoneName);
    await at.zw.admin.put(at.path, { registrarConfigId: at.configs["route53domains"] });
    expect((await at.changed({ ds: after })).body).toMatchObject({ applied: true, undo: { ds: before } });
    const made = amazon.changes().length;
    const undone = await at.changed({ ds: before }, { force: true });
    expect(undone).toMatchObject({
      plan: { changes: [{ field: "ds", before: after, after: before }] },
      status: 502,
      body: { message: expect.stringMatching(/cannot be taken back now\. .* Nothing was changed\.$/) },
    });
    expect(amazon.changes().length).toBe(made);
    // It is still in flight, so the next plan says so too.
    expect((await at.put({ ds: before, dryRun: true })).body.warnings).toContainEqual(
      expect.stringContaining("does not show the change of DS records"),
    );
    amazon.carryOut();
    expect((await at.changed({ ds: before })).body).toMatchObject({ applied: true });
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
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["cloudflare"] });
  at.accounts.cloudflare.outcomes.push(outcome);
  const refused = await at.changed({ autoRenew: false });
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
  at.signZone();
  const { porkbun } = at.accounts;
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["porkbun"] });
  porkbun.failNext({ after: false, reply: json(200, answer) }, 1, porkbunCall(call));
  const { status, body } = await at.changed(wanted);
  expect({ status, message: body.message }).toEqual({
    status: 502,
    message: expect.stringContaining("Porkbun: Unable to update the domain. Nothing was changed."),
  });
  expect(porkbun.domains.get(zoneName)).toMatchObject({
    autoRenew: true,
    nameServers: ["ns1.one.tld", "ns2.one.tld"],
    ds: [],
  });
  const { body: trail } = await at.zw.admin.get("/api/audit?action=domain.change_registration&limit=1");
  expect(trail.entries[0].after).toEqual({ error: expect.stringContaining("Unable to update the domain.") });
});

test("a read that Porkbun refuses with status 200 is not taken for a name without DS records", async () => {
  const { porkbun } = at.accounts;
  porkbun.domains.set(zoneName, registered({ ds: [ds] }));
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["porkbun"] });
  await at.zw.admin.post(`${at.path}/check-expiry`);
  for (const [call, message, error] of [
    ["getDnssecRecords", "Unable to read the domain.", "Porkbun: Unable to read the domain."],
    ["getNs", "Invalid domain.", "Porkbun does not have this name in the account."],
    ["listAll", "Invalid API key. (002)", "Porkbun rejects the credentials of this registrar configuration."],
  ] as const) {
    porkbun.failNext({ after: false, reply: json(200, { status: "ERROR", message }) }, 1, porkbunCall(call));
    await at.zw.admin.post(`${at.path}/check-expiry`);
    const { registrar } = (await at.zw.admin.get(`${at.path}/registration`)).body;
    expect(registrar).toMatchObject({ ds: [ds], error: expect.stringContaining(error) });
  }
});

test("Amazon keeps the addresses of name servers within the domain, and names the permission that is missing", async () => {
  const { route53domains } = at.accounts;
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["route53domains"] });
  route53domains.glue.set("ns1.one.tld", ["192.0.2.1"]);
  expect((await at.changed({ nameServers: ["ns1.one.tld"] })).status).toBe(200);
  expect(route53domains.domains.get(zoneName)?.nameServers).toEqual(["ns1.one.tld"]);
  route53domains.glue.clear();
  const denied = { __type: "com.amazon#AccessDeniedException", message: "User is not authorized" };
  route53domains.failNext({ after: false, reply: { status: 400, body: JSON.stringify(denied) } });
  const { status, body } = await at.put({ autoRenew: false, dryRun: true });
  const advice = "its user may route53domains:GetDomainDetail. It says: User is not authorized (400)";
  expect({ status, message: body.message }).toEqual({ status: 502, message: expect.stringContaining(advice) });
});

test("an adapter gets one field per change with what was there before, and DS records with their keys", async () => {
  at.signZone();
  const adapter = at.accounts["epp-webhook"];
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["epp-webhook"] });
  expect((await at.changed({ ds: [ds] })).status).toBe(200);
  const key = { ds, flags: 257, algorithm: 13, publicKey };
  expect(adapter.sent.at(-1)).toEqual({ field: "ds", before: [], after: [ds], keys: [key] });
  const message = "The registry is closed until Monday.";
  adapter.failNext(
    { after: false, reply: { status: 422, body: JSON.stringify({ message }) } },
    1,
    ({ method }) => method === "POST",
  );
  const refused = await at.changed({ locked: false });
  expect(refused).toMatchObject({ status: 502, body: { message: expect.stringContaining(message) } });
  expect(adapter.domains.get(zoneName)).toMatchObject({ ds: [ds], locked: true });
});

test("an adapter gets back what it said as it said it, however it writes hosts and digests", async () => {
  at.signZone();
  const adapter = at.accounts["epp-webhook"];
  const said = { nameServers: ["NS2.one.tld.", "ns1.one.tld"], ds: [ds.toUpperCase()] };
  adapter.domains.set(zoneName, registered(said));
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["epp-webhook"] });
  expect(await at.changed({ nameServers: ["ns1.one.tld"], ds: [] }, { force: true })).toMatchObject({ status: 200 });
  expect(adapter.sent.slice(-2)).toEqual([
    { field: "ds", before: said.ds, after: [] },
    { field: "nameServers", before: said.nameServers, after: ["ns1.one.tld"] },
  ]);
});

test("Porkbun's answers to too many calls are waited out, and a name without API access is not taken for a missing one", async () => {
  const { porkbun } = at.accounts;
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["porkbun"] });
  const page = "<html><head><title>503 Service Temporarily Unavailable</title></head></html>";
  porkbun.failNext({ after: false, reply: { status: 503, body: page } }, 1, porkbunCall("updateAutoRenew"));
  porkbun.failNext({ after: false, reply: { status: 202, body: "" } }, 1, porkbunCall("updateAutoRenew"));
  expect(await at.changed({ autoRenew: false })).toMatchObject({ status: 200, body: { applied: true } });
  expect(porkbun.domains.get(zoneName)?.autoRenew).toBe(false);
  for (const status of [400, 200]) {
    const reply = json(status, { status: "ERROR", message: "Domain is not opted in to API access." });
    porkbun.failNext({ after: false, reply }, 1, porkbunCall("getNs"));
    await at.zw.admin.post(`${at.path}/check-expiry`);
    expect((await at.zw.admin.get(`${at.path}/registration`)).body.registrar.error).toBe(
      `Porkbun rejects the credentials of this registrar configuration. Check the API key and its secret key, and that API access is on for the domain. It says: Domain is not opted in to API access. (${status})`,
    );
  }
});
