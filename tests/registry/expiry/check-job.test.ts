import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { storeFinding } from "../../../server/registry/expiry/store-finding.ts";
import type { Body } from "../../support/zones.ts";
import { Clock, day, hour, minute } from "../../support/clock.ts";
import type { VendorReply } from "../../support/vendors/loopback-vendor.ts";
import {
  bootstrapFile,
  startRdapServer,
  startWhoisServer,
  type RdapServer,
  type WhoisTestServer,
} from "./registries.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";
import { lastingAdmin, NoticeLog } from "./notice-log.ts";

const clock = new Clock();
const log = new NoticeLog();
let list: RdapServer;
let registries: RdapServer[];
let whois: WhoisTestServer;
let zw: Zonewright & { stop(): Promise<void> };
let admin: RestClient;
let answer: object | VendorReply;

beforeAll(async () => {
  // One for each test: the second half of many queries to one server would have to wait.
  registries = await Promise.all(Array.from({ length: 20 }, () => startRdapServer(() => answer)));
  const suffixes = Object.fromEntries(registries.map(({ url }, index) => [`t${index}`, url]));
  list = await startRdapServer(() => bootstrapFile(suffixes));
  whois = await startWhoisServer(() => "");
  zw = await startZonewright({
    env: {
      RDAP_BOOTSTRAP_URL: `${list.url}/dns.json`,
      WHOIS_SERVER: whois.address,
      EGRESS_ALLOW: "127.0.0.1",
      JOBS: "off",
    },
    now: clock.now,
    logTo: log,
  });
  admin = await lastingAdmin(zw);
});
afterAll(async () => {
  await zw.stop();
  await Promise.all([...registries, list, whois].map((server) => server.stop()));
});

let made = 0;
let name: string;
let domain: Body;
beforeEach(async () => {
  if (domain) await admin.delete(path());
  made += 1;
  name = `name.t${made}`;
  answer = registered("2035-05-01T04:00:00Z");
  domain = (await admin.post("/api/domains", { name })).body;
});

const path = () => `/api/domains/${domain.id}`;
const detail = async () => (await admin.get(path())).body;
const asked = () => registries[made]?.asked.length;
const broken = { status: 404, body: "" };

function registered(expiration: string | null): object {
  const events = expiration === null ? [] : [{ eventAction: "expiration", eventDate: expiration }];
  return { objectClassName: "domain", events };
}

async function run(signal = new AbortController().signal): Promise<void> {
  await zw.services.expiryCheck.work({}, signal);
}

/** Runs the job this much later. @returns the domain's notices. */
async function after(milliseconds: number): Promise<string[]> {
  clock.advance(milliseconds);
  await run();
  return log.next(name);
}

describe("automatic expiry lookups", () => {
  test("a domain is looked up automatically, and again after a day and not before", async () => {
    await run();
    expect(await detail()).toMatchObject({
      expiresAt: "2035-05-01T04:00:00.000Z",
      expirySource: "rdap",
      expiryCheckedAt: expect.any(String),
    });
    await after(22 * hour);
    expect(asked()).toBe(1);
    answer = registered("2036-05-01T04:00:00Z");
    await after(2 * hour);
    expect(asked()).toBe(2);
    expect((await detail()).expiresAt).toBe("2036-05-01T04:00:00.000Z");
  });

  test("a domain is looked up once, whichever of two instances comes first", async () => {
    await Promise.all([run(), run()]);
    expect(asked()).toBe(1);
  });

  test("a domain whose date was set by hand is not looked up until the date is cleared", async () => {
    await admin.put(`${path()}/expiry`, { expiresAt: "2030-01-01T00:00:00Z" });
    await after(2 * day);
    expect([asked(), (await detail()).expiresAt]).toEqual([0, "2030-01-01T00:00:00.000Z"]);
    await admin.post(`${path()}/check-expiry`);
    await admin.put(`${path()}/expiry`, { expiresAt: "2030-01-01T00:00:00Z" });
    await admin.put(`${path()}/expiry`, { expiresAt: null });
    await run();
    expect((await detail()).expiresAt).toBe("2035-05-01T04:00:00.000Z");
  });

  test("a date that is set by hand during a lookup stays", async () => {
    await admin.put(`${path()}/expiry`, { expiresAt: "2030-01-01T00:00:00Z" });
    const registration = {
      registryExpiresAt: null,
      registrarExpiresAt: null,
      registrar: "X",
      statuses: [],
      nameServers: null,
      ds: null,
    };
    const finding = { kind: "found", source: "rdap", expiresAt: new Date(), registration } as const;
    const kept = await zw.services.database
      .fork()
      .transactional((tx) => storeFinding(tx, domain.id, finding, { now: clock.now(), byItself: true }));
    expect(kept).toBeNull();
    expect(await detail()).toMatchObject({ expiresAt: "2030-01-01T00:00:00.000Z", registrar: null });
  });

  test("a domain is not looked up while it is disabled or automatic checks are off", async () => {
    await admin.put(path(), { status: "disabled" });
    await run();
    await admin.put(path(), { status: "active" });
    await admin.put(`${path()}/expiry-remind`, { autoCheckExpiry: false });
    await run();
    expect(asked()).toBe(0);
    await admin.put(`${path()}/expiry-remind`, { autoCheckExpiry: true });
    await run();
    expect(asked()).toBe(1);
  });

  test("a lookup that a shutdown interrupted is repeated within the hour", async () => {
    const stopped = new AbortController();
    const running = run(stopped.signal);
    stopped.abort();
    await running;
    expect((await detail()).expiresAt).toBeNull();
    await after(hour + minute);
    expect((await detail()).expiresAt).toBe("2035-05-01T04:00:00.000Z");
  });
});

describe("failed lookups", () => {
  test("the third failed lookup in a row is reported once, and the stored date stays", async () => {
    await run();
    answer = broken;
    expect(await after(day)).toEqual([]);
    expect(await after(2 * hour)).toEqual([]);
    expect(await after(5 * hour)).toEqual(["domain.expiry_check_failed"]);
    expect(await after(day)).toEqual([]);
    expect(await after(day)).toEqual([]);
    expect(asked()).toBe(6);
    expect(await detail()).toMatchObject({ expiresAt: "2035-05-01T04:00:00.000Z", expirySource: "rdap" });
  });

  test("failed lookups are reported again after one that succeeded", async () => {
    answer = broken;
    const reported = [...(await after(0)), ...(await after(2 * hour)), ...(await after(5 * hour))];
    answer = registered("2035-05-01T04:00:00Z");
    reported.push(...(await after(day)));
    answer = broken;
    reported.push(...(await after(day)), ...(await after(2 * hour)), ...(await after(5 * hour)));
    expect(reported).toEqual(["domain.expiry_check_failed", "domain.expiry_check_failed"]);
  });

  test("a lookup without a published date is not a failure", async () => {
    answer = registered(null);
    for (let days = 0; days < 5; days++) expect(await after(day)).toEqual([]);
    expect(asked()).toBe(5);
  });

  test("rate-limited lookups do not count as failures of the domain", async () => {
    answer = { status: 429, headers: { "retry-after": "60" }, body: "" };
    for (let times = 0; times < 5; times++) expect(await after(3 * hour)).toEqual([]);
    answer = registered("2035-05-01T04:00:00Z");
    await after(3 * hour);
    expect((await detail()).expiresAt).toBe("2035-05-01T04:00:00.000Z");
  });

  test("a lookup without a server to ask is retried after a week, and not reported", async () => {
    const { body } = await admin.post("/api/domains", { name: "co.uk" });
    expect(body.autoCheckExpiry).toBe(false);
    await admin.put(`/api/domains/${body.id}/expiry-remind`, { autoCheckExpiry: true });
    for (let days = 0; days < 6; days++) await after(day);
    expect(log.next("co.uk")).toEqual([]);
    const checked = async () => (await admin.get(`/api/domains/${body.id}`)).body.expiryCheckedAt;
    const first = await checked();
    await after(2 * day);
    expect(await checked()).not.toBe(first);
    await admin.delete(`/api/domains/${body.id}`);
  });

  test("failures of a whole registry are reported one by one up to a limit, and then together", async () => {
    answer = broken;
    const names = Array.from({ length: 24 }, (_, index) => `many-${index}.t${index % registries.length}`);
    const ids: string[] = [];
    for (const one of names) ids.push((await admin.post("/api/domains", { name: one })).body.id);
    const { database } = zw.services;
    const reported: string[] = [];
    // Two failures each, so the next is the third.
    await queries(database.fork()).updateTable("domains").set({ expiry_check_failures: 2 }).execute();
    clock.advance(2 * day);
    await run();
    for (const one of names) reported.push(...log.next(one));
    reported.push(...log.next(name));
    expect(reported).toHaveLength(21);
    for (const id of ids) await admin.delete(`/api/domains/${id}`);
  });
});
