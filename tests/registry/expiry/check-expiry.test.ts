import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { unknownId, type Body } from "../../support/zones.ts";
import { day } from "../../support/clock.ts";
import type { VendorReply } from "../../support/vendors/loopback-vendor.ts";
import {
  bootstrapFile,
  startRdapServer,
  startWhoisServer,
  type RdapServer,
  type WhoisTestServer,
} from "./registries.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";

let list: RdapServer;
let registries: RdapServer[];
let whois: WhoisTestServer;
let zw: Zonewright & { stop(): Promise<void> };
/** What the registry says of each name. */
const known = new Map<string, object | VendorReply>();

function answerTo(path: string): object | VendorReply {
  return known.get(path.replace("domain/", "")) ?? { status: 404, body: "" };
}

beforeAll(async () => {
  // One for each test: the second half of many queries to one server would have to wait.
  registries = await Promise.all(Array.from({ length: 25 }, () => startRdapServer(answerTo)));
  whois = await startWhoisServer(() => "% This query returned 0 objects.\n");
  list = await startRdapServer(() =>
    bootstrapFile(Object.fromEntries(registries.map(({ url }, index) => [`t${index}`, url]))),
  );
  zw = await startZonewright({
    env: {
      RDAP_BOOTSTRAP_URL: `${list.url}/dns.json`,
      WHOIS_SERVER: whois.address,
      EGRESS_ALLOW: "127.0.0.1",
      JOBS: "off",
    },
  });
});
afterAll(async () => {
  await zw.stop();
  await Promise.all([...registries, list, whois].map((server) => server.stop()));
});

let made = 0;
let name: string;
let domain: Body;
beforeEach(async () => {
  made += 1;
  name = `name.t${made}`;
  domain = (await zw.admin.post("/api/domains", { name })).body;
});

function register(expiration: string | null, more: object = {}): void {
  known.set(name, {
    objectClassName: "domain",
    ldhName: name,
    status: ["active"],
    events: expiration === null ? [] : [{ eventAction: "expiration", eventDate: expiration }],
    entities: [{ roles: ["registrar"], handle: "Example Registrar" }],
    ...more,
  });
}

const check = () => zw.admin.post(`/api/domains/${domain.id}/check-expiry`);
const detail = async () => (await zw.admin.get(`/api/domains/${domain.id}`)).body;

const preview = (domain: unknown) => zw.admin.post("/api/domains/check-expiry-preview", { domain });
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();

describe("check-expiry", () => {
  test("a check stores the expiry date, its source, the registrar and the time of the check", async () => {
    register("2030-05-01T04:00:00Z");
    const { status, body } = await check();
    expect([status, body]).toEqual([
      200,
      { success: true, expiresAt: "2030-05-01T04:00:00.000Z", source: "rdap", error: null },
    ]);
    expect(await detail()).toMatchObject({
      expiresAt: "2030-05-01T04:00:00.000Z",
      expirySource: "rdap",
      expiryCheckedAt: expect.any(String),
      registrar: "Example Registrar",
      status: "active",
    });
  });

  test("a check sets the status to expiring or expired by the date, and to active after a renewal", async () => {
    const statuses: string[] = [];
    for (const date of [inDays(10), inDays(-1), inDays(365)]) {
      register(date);
      await check();
      statuses.push((await detail()).status);
    }
    expect(statuses).toEqual(["expiring", "expired", "active"]);
    const { body } = await zw.admin.get("/api/domains?status=expired");
    expect(body.total).toBe(0);
  });

  test("a successful check replaces a date that was set by hand", async () => {
    await zw.admin.put(`/api/domains/${domain.id}/expiry`, { expiresAt: "2029-01-01T00:00:00Z" });
    register("2030-05-01T04:00:00Z");
    await check();
    expect(await detail()).toMatchObject({ expiresAt: "2030-05-01T04:00:00.000Z", expirySource: "rdap" });
  });

  test.each([
    ["the registry is broken", () => known.set(name, { status: 500, body: "" }), /500/],
    ["the registry publishes no date", () => register(null), /publishes no expiry date/],
    ["nobody has registered the name", () => known.delete(name), /not registered/],
  ])("a check leaves a date that was set by hand when %s", async (_what, given, says) => {
    await zw.admin.put(`/api/domains/${domain.id}/expiry`, { expiresAt: "2029-01-01T00:00:00Z" });
    given();
    const { status, body } = await check();
    expect(status).toBe(200);
    expect(body).toEqual({ success: false, expiresAt: null, source: null, error: expect.stringMatching(says) });
    expect(await detail()).toMatchObject({
      expiresAt: "2029-01-01T00:00:00.000Z",
      expirySource: "manual",
      expiryCheckedAt: expect.any(String),
    });
  });

  test("a check without a date preserves the known registrar", async () => {
    register(null);
    await check();
    expect(await detail()).toMatchObject({ expiresAt: null, expirySource: null, registrar: "Example Registrar" });
  });

  test("a check is in the audit trail with what it changed", async () => {
    register("2030-05-01T04:00:00Z");
    await check();
    const { body } = await zw.admin.get("/api/audit?action=domain.check_expiry&limit=1");
    expect(body.entries[0]).toMatchObject({
      targetId: domain.id,
      before: { expiresAt: null, expirySource: null },
      after: { expiresAt: "2030-05-01T04:00:00.000Z", expirySource: "rdap", success: true },
    });
  });

  test("a check sanitizes what a registry sends", async () => {
    register("2030-05-01T04:00:00Z", {
      entities: [{ roles: ["registrar"], handle: `a\u0000b\ud800\n${"x".repeat(1_000)}` }],
    });
    expect((await check()).body.success).toBe(true);
    expect((await detail()).registrar).toMatch(/^a b\ufffd x{100,}$/);
  });

  test("a check of another user's domain, or of an unknown one, is 404", async () => {
    const member = await zw.member(`member-${made}`);
    expect((await member.post(`/api/domains/${domain.id}/check-expiry`)).status).toBe(404);
    expect((await zw.admin.post(`/api/domains/${unknownId}/check-expiry`)).status).toBe(404);
    expect((await zw.nobody.post(`/api/domains/${domain.id}/check-expiry`)).status).toBe(401);
    expect((await zw.admin.post("/api/domains/none/check-expiry")).status).toBe(400);
  });
});

describe("the expiry preview", () => {
  test("the preview shows what a lookup finds and stores nothing", async () => {
    register("2030-05-01T04:00:00Z");
    const before = await detail();
    const { status, body } = await preview(name.toUpperCase());
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        domain: name,
        expiresAt: "2030-05-01T04:00:00.000Z",
        source: "rdap",
        registrar: "Example Registrar",
        statuses: ["active"],
        nameServers: null,
        ds: null,
        error: null,
      },
    ]);
    expect(await detail()).toEqual(before);
  });

  test("the preview distinguishes an unpublished date, an unregistered name and a failure", async () => {
    register(null);
    expect((await preview(name)).body).toMatchObject({
      success: false,
      expiresAt: null,
      source: "rdap",
      registrar: "Example Registrar",
      error: expect.stringContaining("publishes no expiry date"),
    });
    const nothing = {
      success: false,
      expiresAt: null,
      source: null,
      registrar: null,
      statuses: [],
      nameServers: null,
      ds: null,
    };
    expect((await preview(`free.t${made}`)).body).toEqual({
      ...nothing,
      domain: `free.t${made}`,
      error: expect.stringContaining("not registered"),
    });
    known.set(name, { status: 500, body: "" });
    expect((await preview(name)).body).toMatchObject({ ...nothing, error: expect.stringContaining("500") });
  });

  test("the preview accepts a Unicode name", async () => {
    expect((await preview("B\u00dccher.t24")).body.domain).toBe("xn--bcher-kva.t24");
  });

  test.each(["", "nodots", "a b.t1", "192.0.2.1", "x".repeat(2_000), 7, null])(
    "the preview of %j is 400",
    async (domain) => {
      const { status, body } = await preview(domain);
      expect(status).toBe(400);
      expect(body.issues[0].path).toEqual(["domain"]);
    },
  );
});
