import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { Clock, day } from "../../support/clock.ts";
import { registered } from "../../support/vendors/registrars/account.ts";
import {
  startRegistrars,
  registrarKinds,
  type RegistrarKindName,
  type Registrars,
} from "../../support/vendors/registrars/all.ts";
import { adminPassword, startZonewright, type Zonewright } from "../../support/zonewright.ts";
import { bootstrapFile, startRdapServer, startWhoisServer } from "../expiry/registries.ts";
import type { RestClient } from "../../support/rest-client.ts";
import type { VendorReply } from "../../support/vendors/loopback-vendor.ts";
import type { Body } from "../../support/zones.ts";

const clock = new Clock();
let accounts: Registrars;
let registries: { stop(): Promise<void> }[];
/** What the registry says the names expire on. */
let registryDate = "2031-03-01T10:00:00Z";
let zw: Zonewright & { stop(): Promise<void> };
let admin: RestClient;

beforeAll(async () => {
  accounts = await startRegistrars();
  const rdap = await startRdapServer(() => ({
    objectClassName: "domain",
    events: [{ eventAction: "expiration", eventDate: registryDate }],
  }));
  const list = await startRdapServer(() => bootstrapFile({ test: rdap.url }));
  const whois = await startWhoisServer(() => "");
  registries = [rdap, list, whois];
  zw = await startZonewright({
    env: {
      RDAP_BOOTSTRAP_URL: `${list.url}/dns.json`,
      WHOIS_SERVER: whois.address,
      EGRESS_ALLOW: "127.0.0.1",
      JOBS: "off",
    },
    now: clock.now,
    pause: () => Promise.resolve(),
  });
  admin = zw.admin;
});
afterAll(async () => {
  await zw.stop();
  await Promise.all([...registries, ...Object.values(accounts)].map((server) => server.stop()));
});

let made = 0;
let name: string;
let domain: Body;
beforeEach(async () => {
  // The next run of the job has only the domain of its test to look up.
  if (domain) await admin.delete(path());
  made += 1;
  name = `name-${made}.test`;
  registryDate = "2031-03-01T10:00:00Z";
  domain = (await admin.post("/api/domains", { name })).body;
});
const path = () => `/api/domains/${domain.id}`;

/** Adds a configuration. */
async function configOf(kind: RegistrarKindName): Promise<Body> {
  made += 1;
  const answer = await admin.post("/api/registrar-configs", {
    kind,
    name: `Account ${made}`,
    config: accounts[kind].config,
  });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

/** Names the registrar of the test's domain, whose account has it. */
async function connected(kind: RegistrarKindName, over = {}): Promise<Body> {
  const config = await configOf(kind);
  accounts[kind].domains.set(name, registered(over));
  const { status } = await admin.put(path(), { registrarConfigId: config.id });
  expect(status).toBe(200);
  return config;
}

describe.each(registrarKinds)("a registrar configuration of kind %s", (kind) => {
  test("lists the names of its account with the domains that they belong to", async () => {
    const { id } = await connected(kind);
    accounts[kind].domains.set("elsewhere.test", registered());
    const { body } = await admin.get(`/api/registrar-configs/${id}/domains`);
    expect(body.domains).toContainEqual({ name, domainId: domain.id, connected: true });
    expect(body.domains).toContainEqual({ name: "elsewhere.test", domainId: null, connected: false });
    const { body: outcome } = await admin.post(`/api/registrar-configs/${id}/test`);
    expect(outcome).toEqual({ success: true, error: null, domains: body.domains.length });
  });

  test("lists and reads the names of an account with more than a page of them", async () => {
    const { domains } = accounts[kind];
    // The pages of adapters are the tests' own, and small.
    const others = Array.from({ length: kind === "epp-webhook" ? 20 : 1_100 }, (_, index) => `many-${index}.test`);
    for (const other of others) domains.set(other, registered());
    const { id } = await connected(kind, { expires: "2031-05-05T00:00:00Z" });
    const { body } = await admin.get(`/api/registrar-configs/${id}/domains`);
    expect(body.domains.map((each: Body) => each.name)).toEqual([...domains.keys()].toSorted());
    expect((await admin.post(`${path()}/check-expiry`)).body.expiresAt).toBe("2031-05-05T00:00:00.000Z");
    for (const other of others) domains.delete(other);
  });

  test("shows no secret, and says what to do if the registrar rejects it", async () => {
    const { config } = accounts[kind];
    const { body: before } = await admin.get("/api/registrar-configs");
    const fields: Body[] = before.kinds.find((each: Body) => each.kind === kind).configFields;
    const secrets = fields.filter(({ name, secret }) => secret && name in config);
    const wrong = Object.fromEntries(secrets.map((field) => [field.name, `wrong-${field.name}-0123456789`]));
    const { body } = await admin.post("/api/registrar-configs", {
      kind,
      name: `Wrong ${made}`,
      config: { ...config, ...wrong },
    });
    expect(body.config).toEqual({
      ...config,
      ...Object.fromEntries(secrets.map((field) => [field.name, "********"])),
    });
    const { body: listed } = await admin.get("/api/registrar-configs");
    expect(listed.configs).toContainEqual(body);
    expect(JSON.stringify(listed)).not.toContain("wrong-");
    const { body: outcome } = await admin.post(`/api/registrar-configs/${body.id}/test`);
    expect(outcome).toMatchObject({
      success: false,
      error: expect.stringMatching(/of this registrar configuration\. Check .* It says: /),
    });
    expect(JSON.stringify(outcome)).not.toContain("wrong-");
  });

  test("gives the domain its expiry date, which counts over the registry's", async () => {
    registryDate = "2032-03-01T10:00:00Z";
    await connected(kind, { expires: "2031-05-05T00:00:00Z" });
    await zw.services.expiryCheck.work({}, new AbortController().signal);
    const { body } = await admin.get(path());
    expect(body).toMatchObject({ expiresAt: "2031-05-05T00:00:00.000Z", expirySource: "registrar" });
  });

  test("leaves the registry's date if the account does not have the name, or its answer breaks off or leads elsewhere", async () => {
    await connected(kind);
    const broken = { status: 200, headers: { "content-type": "application/json" }, body: '{"data":[{"na' };
    const elsewhere = { status: 302, headers: { location: `${accounts[kind].url}/elsewhere` }, body: "" };
    for (const reply of [broken, elsewhere]) {
      accounts[kind].failNext({ after: false, reply });
      expect((await admin.post(`${path()}/check-expiry`)).body).toMatchObject({ success: true, source: "rdap" });
      accounts[kind].forgetFaults();
    }
    expect(accounts[kind].calls.every(({ target }) => target !== "/elsewhere")).toBe(true);
    accounts[kind].domains.delete(name);
    expect((await admin.post(`${path()}/check-expiry`)).body).toMatchObject({ success: true, source: "rdap" });
    const { body } = await admin.get(`${path()}/registration`);
    expect(body.registrar.error).toBe(`The registrar does not have ${name} in this account.`);
  });

  test("is not asked while the secret may go to another address, until it is sent again", async () => {
    const { id } = await configOf(kind);
    const { status, body } = await admin.put(`/api/registrar-configs/${id}`, {
      config: { endpoint: "https://registrar.example/api" },
    });
    expect({ status, issues: body.issues.length > 0 }).toEqual({ status: 400, issues: true });
  });
});

// Porkbun's list is searched by name, and the protocol of adapters has none in its answers.
const naming = registrarKinds.filter((kind) => kind !== "porkbun" && kind !== "epp-webhook");

test.each(naming)("what %s answers for another domain is neither stored nor changed", async (kind) => {
  await connected(kind, { expires: "2031-05-05T00:00:00Z" });
  await admin.post(`${path()}/check-expiry`);
  const { body: before } = await admin.get(`${path()}/registration`);
  accounts[kind].domains.set(name, registered({ expires: "2032-06-06T00:00:00Z", autoRenew: false, locked: false }));
  const reply = (own: VendorReply) => ({ ...own, body: own.body.replaceAll(name, "OTHER.test") });
  accounts[kind].failNext({ after: true, reply }, 100);
  await admin.post(`${path()}/check-expiry`);
  const { body: after } = await admin.get(`${path()}/registration`);
  const error = expect.stringMatching(
    new RegExp(`^.+ answered for other\\.test when asked for ${name.replace(".", "\\.")}, so nothing of it was used`),
  );
  expect(after.registrar).toEqual({ ...before.registrar, error });
  const made = accounts[kind].changes().length;
  const refused = await admin.put(`${path()}/registration`, { autoRenew: true, dryRun: true });
  expect(refused).toMatchObject({ status: 502, body: { message: error } });
  expect(accounts[kind].changes().length).toBe(made);
  accounts[kind].forgetFaults();
});

test("DNSimple lists and reads only names that are registered there", async () => {
  const { id } = await connected("dnsimple");
  const hosted = "zone-only.hosted";
  accounts.dnsimple.domains.set(hosted, registered());
  const { body } = await admin.get(`/api/registrar-configs/${id}/domains`);
  expect(body.domains.map((each: Body) => each.name)).not.toContain(hosted);
  const { body: made } = await admin.post("/api/domains", { name: hosted });
  await admin.put(`/api/domains/${made.id}`, { registrarConfigId: id });
  await admin.post(`/api/domains/${made.id}/check-expiry`);
  expect((await admin.get(`/api/domains/${made.id}/registration`)).body.registrar).toMatchObject({
    seenAt: null,
    error: `The registrar does not have ${hosted} in this account.`,
  });
  await admin.delete(`/api/domains/${made.id}`);
});

test("without renewal at INWX, a name expires, and only one below .at is deleted", async () => {
  const { id } = await configOf("inwx");
  const { domains, modes } = accounts.inwx;
  for (const [ending, mode] of [
    ["de", "AUTOEXPIRE"],
    ["at", "AUTODELETE"],
    ["co.at", "AUTODELETE"],
  ] as const) {
    const own = `ends.${ending}`;
    domains.set(own, registered());
    const { body: made } = await admin.post("/api/domains", { name: own });
    await admin.put(`/api/domains/${made.id}`, { registrarConfigId: id });
    for (const autoRenew of [false, true]) {
      const { body: plan } = await admin.put(`/api/domains/${made.id}/registration`, { autoRenew, dryRun: true });
      const sent = { autoRenew, planHash: plan.planHash };
      expect((await admin.put(`/api/domains/${made.id}/registration`, sent)).body).toMatchObject({ applied: true });
      expect([own, modes.get(own)]).toEqual([own, autoRenew ? "AUTORENEW" : mode]);
    }
    domains.delete(own);
    await admin.delete(`/api/domains/${made.id}`);
  }
});

test("a name that OVHcloud deletes when it expires does not renew itself, and is kept by turning renewal on", async () => {
  await connected("ovh");
  const { deleted } = accounts.ovh;
  deleted.add(name);
  await admin.post(`${path()}/check-expiry`);
  expect((await admin.get(`${path()}/registration`)).body.registrar.autoRenew).toBe(false);
  const { body: plan } = await admin.put(`${path()}/registration`, { autoRenew: true, dryRun: true });
  expect(plan.changes).toEqual([{ field: "autoRenew", before: false, after: true }]);
  await admin.put(`${path()}/registration`, { autoRenew: true, planHash: plan.planHash });
  expect(deleted.has(name)).toBe(false);
  expect((await admin.get(`${path()}/registration`)).body.registrar.autoRenew).toBe(true);
});

describe("a domain that names its registrar", () => {
  test("is reminded of with both dates if registry and registrar differ", async () => {
    const soon = new Date(clock.now().getTime() + 20 * day).toISOString().slice(0, 10);
    registryDate = "2035-01-01T00:00:00Z";
    await connected("gandi", { expires: `${soon}T00:00:00Z` });
    await admin.post(`${path()}/check-expiry`);
    await zw.services.expiryReminders.work({}, new AbortController().signal);
    const { body } = await admin.get("/api/notifications");
    const notice = body.notifications.find(({ title }: Body) => title.startsWith(name));
    expect(notice?.content).toContain(`the registry says 2035-01-01, the registrar ${soon}`);
  });

  test("keeps a date of the registry while the registrar does not answer, and its owner hears of it", async () => {
    await connected("gandi");
    accounts.gandi.domains.delete(name);
    const { body } = await admin.post(`${path()}/check-expiry`);
    expect(body).toMatchObject({ success: true, source: "rdap" });
    for (let runs = 0; runs < 3; runs++) {
      clock.advance(day);
      await zw.services.expiryCheck.work({}, new AbortController().signal);
    }
    admin = await zw.signIn("admin", adminPassword);
    const { body: list } = await admin.get("/api/notifications");
    const contents = list.notifications.map(({ content }: Body) => content);
    expect(contents).toContainEqual(expect.stringContaining(`The registrar does not have ${name} in this account.`));
  });

  test("is not reported by a list of the account that was read before a change", async () => {
    await connected("porkbun");
    const lookUp = async () => {
      await queries(zw.services.database.fork())
        .updateTable("domains")
        .set({ expiry_next_check_at: clock.now() })
        .where("id", "=", domain.id)
        .execute();
      await zw.services.expiryCheck.work({}, new AbortController().signal);
    };
    admin = await zw.signIn("admin", adminPassword);
    await lookUp();
    const wanted = { autoRenew: false };
    const { planHash } = (await admin.put(`${path()}/registration`, { ...wanted, dryRun: true })).body;
    expect((await admin.put(`${path()}/registration`, { ...wanted, planHash })).status).toBe(200);
    await lookUp();
    expect((await admin.get(`${path()}/registration`)).body.registrar.autoRenew).toBe(false);
    const { body } = await admin.get("/api/notifications");
    const events = body.notifications.filter(({ title }: Body) => title.includes(name)).map(({ event }: Body) => event);
    expect(events).not.toContain("domain.registration_changed");
  });

  test("is reminded of on the earlier date after its account fails, until that date is long past", async () => {
    const ends = new Date(clock.now().getTime() + 40 * day).toISOString().slice(0, 10);
    registryDate = "2035-01-01T00:00:00Z";
    await connected("gandi", { expires: `${ends}T00:00:00Z`, autoRenew: false });
    await admin.post(`${path()}/check-expiry`);
    accounts.gandi.domains.delete(name);
    const lookUp = async (days: number) => {
      clock.advance(days * day);
      admin = await zw.signIn("admin", adminPassword);
      await zw.services.expiryCheck.work({}, new AbortController().signal);
      await zw.services.expiryReminders.work({}, new AbortController().signal);
    };
    const notice = async (event: string) =>
      (await admin.get("/api/notifications")).body.notifications.find(
        (one: Body) => one.event === event && one.metadata.domainName === name,
      )?.content;
    await lookUp(32);
    const registrar = { expiresAt: `${ends}T00:00:00.000Z`, expirySource: "registrar" };
    expect((await admin.get(path())).body).toMatchObject({ ...registrar, status: "expiring" });
    const { findings } = (await admin.get(`${path()}/registration`)).body;
    expect(findings.map(({ code }: Body) => code)).toEqual([
      "expires_without_renewal",
      "registrar_failed",
      "dates_differ",
    ]);
    expect(findings[2].message).toContain(`the registrar said ${ends}. The registrar's date counts.`);
    expect(await notice("domain.expiring")).toContain(`the registry says 2035-01-01, the registrar ${ends}`);
    await lookUp(9);
    expect(await notice("domain.expired")).toContain(`the registry says 2035-01-01, the registrar ${ends}`);
    await lookUp(45);
    expect((await admin.get(path())).body).toMatchObject({ expirySource: "rdap", status: "active" });
    const [hint] = (await admin.get(`${path()}/registration`)).body.findings.slice(-1);
    expect(hint).toMatchObject({
      code: "dates_differ",
      message: expect.stringMatching(/The registry's date counts\.$/),
    });
  });

  test("is taken from no account that does not exist, and only administrators name one", async () => {
    const { status, body } = await admin.put(path(), { registrarConfigId: domain.id });
    expect({ status, path: body.issues?.[0]?.path }).toEqual({ status: 400, path: ["registrarConfigId"] });
    const config = await configOf("gandi");
    const member = await zw.member(`owner-${made}`);
    const { body: manual } = await admin.post("/api/provider-configs", { kind: "manual", name, membersMayUse: true });
    const own = await member.post("/api/domains", { name: `own-${name}`, providerConfigId: manual.id });
    const refused = await member.put(`/api/domains/${own.body.id}`, { registrarConfigId: config.id });
    expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining("registrarConfigId") } });
  });

  test("is reported once when somebody turns its lock or renewal off there, but not for what is changed here", async () => {
    await connected("gandi");
    const entry = accounts.gandi.domains.get(name) ?? registered();
    await admin.post(`${path()}/check-expiry`);
    const lookUp = async () => {
      clock.advance(2 * day);
      await zw.services.expiryCheck.work({}, new AbortController().signal);
      admin = await zw.signIn("admin", adminPassword);
      const { body } = await admin.get("/api/notifications");
      return body.notifications.filter(
        ({ event, title }: Body) => event === "domain.registration_changed" && title.includes(name),
      );
    };
    entry.locked = false;
    entry.autoRenew = false;
    // A request that is planned meanwhile reads the registration, too, and hides nothing.
    const request = { title: "Renew it", registration: { autoRenew: true } };
    expect((await admin.post(`${path()}/change-requests`, request)).status).toBe(201);
    const [notice, ...others] = await lookUp();
    expect(others).toEqual([]);
    expect(notice.metadata.changes).toEqual([
      { fact: "locked", before: ["on"], after: ["off"] },
      { fact: "autoRenew", before: ["on"], after: ["off"] },
    ]);
    expect(notice.content).toContain(
      "Transfer lock: off, before on. Automatic renewal: off, before on. The registrar does not say who",
    );
    const [audited] = (await admin.get(`/api/audit?action=domain.registration_changed&limit=1`)).body.entries;
    expect(audited).toMatchObject({ targetId: domain.id, before: { locked: ["on"] }, after: { locked: ["off"] } });
    const wanted = { autoRenew: true };
    const { body: plan } = await admin.put(`${path()}/registration`, { ...wanted, dryRun: true });
    const applied = await admin.put(`${path()}/registration`, { ...wanted, planHash: plan.planHash });
    expect(applied).toMatchObject({ status: 200, body: { applied: true } });
    expect(await lookUp()).toHaveLength(1);
  });

  test("keeps its configuration from being deleted", async () => {
    const { id } = await connected("gandi");
    const answer = await admin.delete(`/api/registrar-configs/${id}`);
    expect(answer).toMatchObject({ status: 409, body: { message: expect.stringContaining(name) } });
    await admin.put(path(), { registrarConfigId: null });
    expect((await admin.delete(`/api/registrar-configs/${id}`)).status).toBe(200);
  });

  test("has a date without a time zone read as UTC", async () => {
    await connected("porkbun", { expires: "2031-05-05T23:30:00Z" });
    await admin.post(`${path()}/check-expiry`);
    expect((await admin.get(path())).body).toMatchObject({ expiresAt: "2031-05-05T23:30:00.000Z" });
  });
});

test("a kind that does not exist is refused with those that do", async () => {
  const { status, body } = await admin.post("/api/registrar-configs", { kind: "nowhere", name: "Nowhere", config: {} });
  expect({ status, message: body.message }).toEqual({
    status: 400,
    message: expect.stringContaining(registrarKinds.join(", ")),
  });
});
