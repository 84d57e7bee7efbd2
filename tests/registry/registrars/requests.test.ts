import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { assign, idOf } from "../../accounts/assignments/assigned.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { Clock, hour, minute } from "../../support/clock.ts";
import { RestClient } from "../../support/rest-client.ts";
import { registered, startGandi, type RegistrarAccount } from "../../support/vendors/registrars/account.ts";
import { adminPassword, memberPassword, startZonewright, type Zonewright } from "../../support/zonewright.ts";
import type { Body } from "../../support/zones.ts";
import { approve, readRequest, verdict } from "../../zones/change-requests/requested.ts";
import { reset, startPrivateRoot, zoneName, type PrivateRoot } from "../delegation/private-root.ts";

const clock = new Clock();
let root: PrivateRoot;
let gandi: RegistrarAccount;
let zw: Zonewright & { stop(): Promise<void> };
let path: string;
let domainId: string;
let configId: string;
let robId: string;
/** Owns the domain. */
let ada: RestClient;
/** Reviews all of the domain's records. */
let rob: RestClient;
/** Reads one host of it. */
let eve: RestClient;

beforeAll(async () => {
  [root, gandi] = await Promise.all([startPrivateRoot(), startGandi()]);
  const env = { RESOLVER_ROOTS: root.roots, EGRESS_ALLOW: "127.0.0.0/8", JOBS: "off" };
  zw = await startZonewright({ env, now: clock.now, pause: () => Promise.resolve() });
  const { config } = gandi;
  const { body: account } = await zw.admin.post("/api/registrar-configs", { kind: "gandi", name: "gandi", config });
  configId = account.id;
  domainId = (await zw.admin.post("/api/domains", { name: zoneName })).body.id;
  path = `/api/domains/${domainId}`;
  [ada, rob, eve] = [await zw.member("ada"), await zw.member("rob"), await zw.member("eve")];
  robId = await idOf(rob);
  await assign(zw, rob, domainId, "*", "write", { review: true });
  await assign(zw, eve, domainId, "www", "read");
});
afterAll(async () => {
  await zw.stop();
  await Promise.all([gandi.stop(), root.internet.stop()]);
});

const account = () => gandi.domains.get(zoneName) ?? registered();
beforeEach(async () => {
  reset(root);
  gandi.domains.set(zoneName, registered({ nameServers: ["ns1.one.tld", "ns2.one.tld"] }));
  ada.token = (await zw.signIn("ada", memberPassword)).token;
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
  await zw.admin.put(path, { reviewRequired: "members", registrarConfigId: configId, ownerId: await idOf(ada) });
});

const ask = (client: RestClient, registration: object, more: object = {}) =>
  client.post(`${path}/change-requests`, { title: "For a test", registration, ...more });
async function asked(registration: object, more: object = {}, client = ada): Promise<Body> {
  const { status, body } = await ask(client, registration, more);
  if (status !== 201) throw new Error(`The request was refused: ${JSON.stringify(body)}`);
  return body;
}
const row = (id: string) => queries(zw.services.database.fork()).updateTable("change_requests").where("id", "=", id);
const run = () => zw.services.requestSchedule.runOnce();
const seen = async (client: RestClient) => (await client.get("/api/change-requests?toReview=true")).body;
const isChange = ({ method }: { method: string }) => method !== "GET";
const noRenewal = { autoRenew: false };

test("a registration is changed by its request once somebody else has approved it, and the trail says who did what", async () => {
  const refused = await ada.put(`${path}/registration`, { ...noRenewal, dryRun: true });
  expect(refused).toMatchObject({ status: 409, body: { code: "REVIEW_REQUIRED" } });
  const made = await asked({ nameServers: ["NS1.one.tld."], autoRenew: false });
  expect(made).toMatchObject({
    state: "open",
    changes: [],
    plan: null,
    registration: { nameServers: ["ns1.one.tld"], autoRenew: false },
    registrationPlan: {
      changes: [
        { field: "autoRenew", before: true, after: false },
        { field: "nameServers", before: ["ns1.one.tld", "ns2.one.tld"], after: ["ns1.one.tld"] },
      ],
      warnings: [expect.stringContaining("is lost unless somebody renews it")],
    },
  });
  const before = gandi.changes().length;
  expect(await verdict(ada, made, "apply")).toMatchObject({ status: 409, body: { code: "REVIEW_REQUIRED" } });
  expect(await approve(zw.admin, made)).toMatchObject({ status: 200, body: { state: "approved" } });
  expect(gandi.changes().length).toBe(before);
  expect(await verdict(ada, made, "apply")).toMatchObject({ status: 200, body: { state: "applied" } });
  expect(account()).toMatchObject({ autoRenew: false, nameServers: ["ns1.one.tld"] });
  const [change] = await entries(zw.admin, { targetId: domainId, action: "domain.change_registration" });
  const adminId = await idOf(zw.admin);
  expect(change?.after).toMatchObject({ autoRenew: false, changeRequestId: made.id, approvedBy: [adminId] });
  const [end] = await entries(zw.admin, { targetId: made.id, action: "change_request.apply" });
  expect(end?.actorId).toBe(await idOf(ada));
  expect(await verdict(ada, made, "apply")).toMatchObject({ status: 409 });
});

describe("who may", () => {
  test("only who may change the registration requests that", async () => {
    for (const client of [rob, eve]) expect((await ask(client, noRenewal)).status).toBe(403);
  });

  test("only the owner and administrators review it, and no assignment does", async () => {
    const made = await asked(noRenewal, {}, zw.admin);
    const { changesHash } = await readRequest(zw.admin, made);
    for (const [client, status] of [
      [rob, 403],
      [eve, 404],
      [zw.admin, 403],
    ] as const)
      for (const verb of ["approve", "reject"] as const)
        expect((await verdict(client, made, verb, verb === "approve" ? { changesHash } : {})).status).toBe(status);
    expect((await verdict(rob, made, "apply")).status).toBe(403);
    expect(await seen(rob)).toMatchObject({ requests: [], counts: { toReview: 0, open: expect.any(Number) } });
    expect((await readRequest(rob, made)).mayReview).toBe(false);
    expect((await seen(ada)).requests.map(({ id }: Body) => id)).toContain(made.id);
    const told = async (client: RestClient) =>
      (await client.get("/api/notifications")).body.notifications.filter(
        ({ metadata }: Body) => metadata.changeRequestId === made.id,
      ).length;
    expect([await told(ada), await told(rob)]).toEqual([1, 0]);
    expect((await approve(ada, made)).status).toBe(200);
  });

  test("an approval counts no longer once the reviewer is not the owner any more", async () => {
    const made = await asked(noRenewal, {}, zw.admin);
    await approve(ada, made);
    await zw.admin.put(path, { ownerId: await idOf(rob), reviewRequired: "everyone" });
    expect(await verdict(zw.admin, made, "apply")).toMatchObject({ status: 409, body: { code: "REVIEW_REQUIRED" } });
    await zw.admin.put(path, { ownerId: await idOf(ada) });
    expect((await verdict(zw.admin, made, "apply")).body).toMatchObject({ state: "applied" });
  });

  test("a token that may only request changes requests one, and cannot apply it without an approval", async () => {
    await zw.admin.put(path, { reviewRequired: "off" });
    const permissions = ["domains:read", "requests:read", "requests:write"];
    const { body } = await ada.post("/api/auth/me/tokens", { name: "Requests", permissions });
    const token = new RestClient(zw.url, body.token);
    const made = await asked(noRenewal, {}, token);
    expect((await verdict(token, made, "apply")).status).toBe(403);
    expect((await verdict(ada, made, "apply")).status).toBe(403);
    expect(account().autoRenew).toBe(true);
    await approve(zw.admin, made);
    expect((await verdict(token, made, "apply")).body).toMatchObject({ state: "applied" });
  });
});

describe("what was approved", () => {
  test("is what is sent: what the registrar says meanwhile makes an approval count no longer", async () => {
    const made = await asked({ nameServers: ["ns1.one.tld"] });
    await approve(zw.admin, made);
    account().nameServers = ["ns9.one.tld"];
    expect(await verdict(ada, made, "apply")).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
    expect(account().nameServers).toEqual(["ns9.one.tld"]);
    const { changesHash } = await readRequest(zw.admin, made);
    const again = await verdict(zw.admin, made, "approve", { changesHash });
    expect(again).toMatchObject({ status: 409, body: { message: expect.stringContaining("Read it again") } });
    expect((await readRequest(zw.admin, made)).registrationPlan.changes[0].before).toEqual(["ns9.one.tld"]);
    expect((await approve(zw.admin, made)).status).toBe(200);
    expect((await verdict(ada, made, "apply")).body).toMatchObject({ state: "applied" });
  });

  test("accepts the risks that its plan named, and no others", async () => {
    const made = await asked({ nameServers: ["ns1.one.tld"] });
    await approve(zw.admin, made);
    root.first.zones = {};
    expect(await verdict(ada, made, "apply")).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
    const { registrationPlan, reviews } = await readRequest(zw.admin, made);
    expect(reviews).toMatchObject([{ user: "admin", counts: false }]);
    expect(registrationPlan.warnings).toEqual([expect.stringContaining("ns1.one.tld does not answer for one.tld.")]);
    expect((await approve(zw.admin, made)).status).toBe(200);
    reset(root);
    expect((await verdict(ada, made, "apply")).body).toMatchObject({ state: "applied" });
    expect(account().nameServers).toEqual(["ns1.one.tld"]);
  });

  test("stays approved while a new risk stands in the way, and is applied once that is gone", async () => {
    const made = await asked({ nameServers: ["ns1.one.tld"] });
    await approve(zw.admin, made);
    root.first.zones = {};
    expect(await verdict(ada, made, "apply")).toMatchObject({ status: 409, body: { code: "CONFLICT" } });
    expect(await readRequest(ada, made)).toMatchObject({ state: "approved", applying: false });
    expect(await entries(zw.admin, { targetId: made.id, action: "change_request.reopen" })).toEqual([]);
    reset(root);
    expect((await verdict(ada, made, "apply")).body).toMatchObject({ state: "applied" });
  });

  test("is refused where nothing would change, or a key is missing, or the registrar cannot", async () => {
    const refusals = await Promise.all(
      [{}, { autoRenew: true }, { ds: ["1 13 2 00"] }, { nameServers: ["not a host"] }, { nameServers: [] }].map(
        async (registration) => await ask(ada, registration),
      ),
    );
    for (const { status, body } of refusals) {
      expect(status).toBe(400);
      expect(body.issues[0].path[0]).toBe("registration");
    }
    const neither = await ada.post(`${path}/change-requests`, { title: "Neither" });
    const both = await ask(ada, noRenewal, { changes: [{ action: "delete", recordId: domainId }] });
    expect([neither.status, both.status]).toEqual([400, 400]);
    expect((await ask(ada, noRenewal, { unlock: true })).body.issues[0].path).toEqual(["unlock"]);
  });
});

describe("the transfer lock", () => {
  const unlocked = { locked: false };

  test("is turned off only if whoever approves it has confirmed their session", async () => {
    const made = await asked(unlocked);
    clock.advance(11 * minute);
    const late = await approve(zw.admin, made);
    expect(late).toMatchObject({ status: 403, body: { code: "REAUTHENTICATION_REQUIRED" } });
    const permissions = ["requests:read", "requests:write", "registrations:write"];
    zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
    const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Approver", permissions });
    expect((await approve(new RestClient(zw.url, body.token), made)).status).toBe(403);
    expect((await readRequest(new RestClient(zw.url, body.token), made)).registrationPlan).toBeNull();
    expect((await approve(zw.admin, made)).status).toBe(200);
    expect((await verdict(ada, made, "apply")).body).toMatchObject({ state: "applied" });
    expect(account().locked).toBe(false);
  });

  test("needs a confirmed session to be turned off without an approval, and an approval at a set time", async () => {
    await zw.admin.put(path, { reviewRequired: "off" });
    const made = await asked(unlocked);
    clock.advance(11 * minute);
    expect((await verdict(ada, made, "apply")).body.code).toBe("REAUTHENTICATION_REQUIRED");
    expect((await readRequest(ada, made)).state).toBe("open");
    ada.token = (await zw.signIn("ada", memberPassword)).token;
    expect((await verdict(ada, made, "apply")).body).toMatchObject({ state: "applied" });
    account().locked = true;
    const applyAt = new Date(clock.now().getTime() + hour).toISOString();
    const later = await asked(unlocked, { applyAt });
    await clock.ahead(hour + minute, () => zw.services.requestSchedule.runOnce());
    expect(await readRequest(zw.admin, later)).toMatchObject({ state: "open" });
    expect(account().locked).toBe(true);
    await verdict(zw.admin, later, "reject");
  });
});

test("without a rule, its author applies it directly, and accepts its risks by force", async () => {
  await zw.admin.put(path, { reviewRequired: "off" });
  root.first.zones = {};
  const made = await asked({ nameServers: ["ns1.one.tld"] });
  expect(await verdict(ada, made, "apply")).toMatchObject({ status: 409, body: { code: "CONFIRMATION_REQUIRED" } });
  expect((await verdict(ada, made, "apply", { force: true })).body).toMatchObject({ state: "applied" });
});

test("at its time it is applied by the service, and once only", async () => {
  const applyAt = new Date(clock.now().getTime() + hour).toISOString();
  const made = await asked(noRenewal, { applyAt });
  await approve(zw.admin, made);
  await run();
  expect(account().autoRenew).toBe(true);
  const before = gandi.changes().length;
  await clock.ahead(hour + minute, () => Promise.all([run(), run()]));
  expect(gandi.changes().length).toBe(before + 1);
  expect(account().autoRenew).toBe(false);
  expect(await readRequest(zw.admin, made)).toMatchObject({ state: "applied" });
  expect(await entries(zw.admin, { targetId: made.id, action: "change_request.apply" })).toHaveLength(1);
});

test.each([
  ["goes away within an hour is waited out", hour + 10 * minute, true, "applied", null],
  [
    "stays ends the request",
    2 * hour + minute,
    false,
    "failed",
    expect.stringContaining("ns1.one.tld does not answer"),
  ],
])("a risk that comes up at the set time and %s", async (_, later, isMended, state, reason) => {
  const applyAt = new Date(clock.now().getTime() + hour).toISOString();
  const made = await asked({ nameServers: ["ns1.one.tld"] }, { applyAt });
  await approve(zw.admin, made);
  root.first.zones = {};
  await clock.ahead(hour + minute, run);
  expect(await readRequest(ada, made)).toMatchObject({ state: "approved", applying: false });
  if (isMended) reset(root);
  await clock.ahead(later, run);
  expect(await readRequest(ada, made)).toMatchObject({ state, reason });
});

test("a request is marked as being sent before the registrar hears of it", async () => {
  const made = await asked(noRenewal);
  await approve(zw.admin, made);
  const marks: unknown[] = [];
  gandi.meanwhile(isChange, async () => {
    const found = queries(zw.services.database.fork()).selectFrom("change_requests").where("id", "=", made.id);
    marks.push((await found.select("sent_at").executeTakeFirst())?.sent_at);
  });
  expect((await verdict(ada, made, "apply")).status).toBe(200);
  expect(marks).toEqual([expect.any(Date)]);
});

test.each([
  ["owner", async () => await zw.admin.put(path, { ownerId: robId })],
  ["account at the registrar", async () => await zw.admin.put(path, { registrarConfigId: null })],
])("an approved change is not sent if the domain's %s changes while the registrar is asked", async (_, act) => {
  const made = await asked(noRenewal);
  await approve(zw.admin, made);
  const before = gandi.changes().length;
  gandi.meanwhile(({ method }) => method === "GET", act);
  const { status } = await verdict(zw.admin, made, "apply");
  expect([status >= 400 && status < 500, gandi.changes().length]).toEqual([true, before]);
});

describe("a registrar that refuses", () => {
  const refusal = { after: false, reply: { status: 400, body: '{"message":"Unknown host."}' } };

  test("at once leaves the request as it was", async () => {
    const made = await asked(noRenewal);
    await approve(zw.admin, made);
    gandi.failNext(refusal, 1, isChange);
    const { status, body } = await verdict(ada, made, "apply");
    expect({ status, message: body.message }).toEqual({
      status: 502,
      message: expect.stringContaining("Unknown host."),
    });
    expect(await readRequest(ada, made)).toMatchObject({ state: "approved", applying: false });
    expect((await verdict(ada, made, "apply")).body).toMatchObject({ state: "applied" });
  });

  test("halfway ends it as failed, with what to do", async () => {
    const made = await asked({ autoRenew: false, nameServers: ["ns1.one.tld"] });
    await approve(zw.admin, made);
    gandi.failNext(refusal, 1, ({ method }) => method === "PUT");
    expect((await verdict(ada, made, "apply")).status).toBe(502);
    const reason = expect.stringMatching(/Unknown host\..*Read the registration/);
    expect(await readRequest(ada, made)).toMatchObject({ state: "failed", reason });
    expect(account().autoRenew).toBe(false);
  });
});

test("an attempt that died while it was sent ends as failed and is not repeated; one that died before can be", async () => {
  const token = "01a1fb0f-6204-7000-abd4-276e976be8b7";
  const died = async (sent: boolean) => {
    const made = await asked(noRenewal);
    await approve(zw.admin, made);
    const at = clock.now();
    await row(made.id)
      .set({ applying_token: token, applying_at: at, sent_at: sent ? at : null })
      .execute();
    return made;
  };
  const [sent, unsent] = [await died(true), await died(false)];
  await clock.ahead(3 * minute, run);
  expect((await readRequest(ada, sent)).applying).toBe(true);
  expect(await readRequest(ada, unsent)).toMatchObject({ state: "approved", applying: false });
  await clock.ahead(31 * minute, run);
  const reason = expect.stringContaining("asks the registrar what it has");
  expect(await readRequest(ada, sent)).toMatchObject({ state: "failed", applying: false, reason });
  expect(account().autoRenew).toBe(true);
  expect((await verdict(ada, unsent, "apply")).body).toMatchObject({ state: "applied" });
});
