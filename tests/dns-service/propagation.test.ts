import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { serialDistance } from "../../server/dns/wire/serials.ts";
import type { TsigKey } from "../../server/dns/wire/tsig.ts";
import { NoticeLog } from "../registry/expiry/notice-log.ts";
import { Clock, minute } from "../support/clock.ts";
import { StandInSecondary } from "../support/name-servers/stand-in-secondary.ts";
import { serialOfLine, transfer } from "../support/name-servers/transfer-client.ts";
import { patience } from "../support/patience.ts";
import { useZonewright } from "../support/zonewright.ts";
import { wait } from "../dns-providers/settling.ts";
import { untilFollowed } from "./until-followed.ts";

const key: TsigKey = { name: "xfr", algorithm: "hmac-sha256", secret: Buffer.from("secret of the key") };
const clock = new Clock();
const log = new NoticeLog();
const zw = useZonewright({
  env: { DNS_LISTEN: "127.0.0.1:0", JOBS: "off" },
  now: clock.now,
  logTo: log,
});
let secondary: StandInSecondary;
let configId: string;

beforeAll(async () => {
  secondary = await StandInSecondary.start(key, clock.now);
  const config = {
    nameServers: "ns1.example.net",
    contact: "dns@example.net",
    notify: `127.0.0.1:${secondary.port}`,
    // The first key is one that the secondary does not know.
    tsigKeys: `other:hmac-sha256:b3RoZXI=,xfr:hmac-sha256:${key.secret.toString("base64")}`,
  };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Stand-in", config });
  configId = body.id;
});
afterAll(() => secondary.stop());

async function create(name: string): Promise<string> {
  const { status, body } = await zw.admin.post("/api/domains", { name, providerConfigId: configId });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

async function add(id: string, name: string): Promise<void> {
  const { status } = await zw.admin.post(`/api/domains/${id}/records`, { recordType: "A", name, value: "192.0.2.1" });
  expect(status).toBe(201);
}

const report = async (id: string) => (await zw.admin.get(`/api/domains/${id}/secondaries`)).body;

/** How many transfers of each kind the metrics count. */
async function transferCounts(): Promise<Map<string, number>> {
  const text = await (await fetch(`${zw.url}/metrics`)).text();
  const lines = text.matchAll(/^zonewright_zone_transfers_total\{kind="(\w+)"\} (\d+)$/gm);
  return new Map([...lines].map(([, kind = "", count]) => [kind, Number(count)]));
}

async function untilInSync(id: string): Promise<void> {
  const check = async () => expect(await report(id)).toMatchObject({ secondaries: [{ inSync: true }] });
  await vi.waitFor(check, patience);
}

describe("notifications of secondaries", () => {
  test("a change is announced to each secondary with a key that it knows, and the report shows when it is served", async () => {
    const id = await create("notified.example");
    await untilFollowed(zw, zw.admin, id);
    await add(id, "www");
    await untilInSync(id);
    const { serial, changedAt, secondaries } = await report(id);
    expect(secondaries).toEqual([
      expect.objectContaining({
        address: `127.0.0.1:${secondary.port}`,
        keyName: "xfr",
        notified: true,
        serial,
        inSync: true,
        error: null,
      }),
    ]);
    expect(secondary.notified("notified.example")).toContain(serial);
    expect(Date.parse(secondaries[0].inSyncSince)).toBeGreaterThanOrEqual(Date.parse(changedAt));
  });

  test("the secondaries of all domains are listed, to those who may see them, with both serials and what went wrong", async () => {
    const [id, other] = [await create("listed.example"), await create("listed-other.example")];
    await Promise.all([untilFollowed(zw, zw.admin, id), untilFollowed(zw, zw.admin, other)]);
    const { serial } = await report(id);
    const listed = {
      domainId: id,
      domainName: "listed.example",
      address: `127.0.0.1:${secondary.port}`,
      keyName: "xfr",
    };
    const all = async (query = "limit=100") => (await zw.admin.get(`/api/secondaries?${query}`)).body;
    expect((await all()).secondaries).toContainEqual(
      expect.objectContaining({ ...listed, serial, zoneSerial: serial, inSync: true, notified: true, error: null }),
    );
    expect((await all("behind=true")).total).toBe(0);
    expect((await all("behind=false")).total).toBe((await all()).total);
    const member = await zw.member("secondary-lister");
    expect((await member.get("/api/secondaries")).body).toMatchObject({ secondaries: [], total: 0 });
    const { id: userId } = (await member.get("/api/auth/me")).body;
    await zw.admin.put(`/api/domains/${other}`, { ownerId: userId });
    expect((await member.get("/api/secondaries")).body).toMatchObject({ secondaries: [{ domainId: other }], total: 1 });
    // It says that it has an older zone, whatever it is sent.
    secondary.serves.set("listed.example", serial);
    await add(id, "www");
    await vi.waitFor(async () => expect((await report(id)).secondaries).toMatchObject([{ inSync: false }]), patience);
    const { secondaries } = await all("limit=100");
    expect(secondaries.find(({ domainId }: { domainId: string }) => domainId === id)).toMatchObject({
      serial,
      zoneSerial: (serial + 1) % 2 ** 32,
      inSync: false,
    });
    secondary.serves.clear();
    await untilInSync(id);
  });

  test("after many changes in a moment the last one is announced, no more than once in 100 ms, and serials never fall", async () => {
    const id = await create("many.example");
    await untilFollowed(zw, zw.admin, id);
    const before = secondary.notified("many.example").length;
    const start = performance.now();
    await Promise.all(Array.from({ length: 40 }, (_, index) => add(id, `host${index}`)));
    const announcements = 2 + Math.floor((performance.now() - start) / 100);
    await untilInSync(id);
    const serials = secondary.notified("many.example").slice(before);
    expect(serials.at(-1)).toBe((await report(id)).serial);
    expect(serials).toEqual(serials.toSorted((one, other) => one - other));
    expect(serials.length).toBeLessThanOrEqual(announcements);
  });

  test("a transfer is reported with its kind, records and serial, and counted by its kind", async () => {
    const before = await transferCounts();
    const id = await create("transferred.example");
    const [port = 0] = zw.services.dnsService.ports;
    const { lines } = await transfer(port, "transferred.example", { key });
    const serial = serialOfLine(lines[0] ?? "");
    await add(id, "www");
    await transfer(port, "transferred.example", { key, since: serial });
    // The client may have the last message before the service knows that it was sent.
    const last = { serial: serial + 1, lastTransferKind: "ixfr", lastTransferRecords: 5 };
    await vi.waitFor(async () => expect(await report(id)).toMatchObject({ secondaries: [last] }), patience);
    const after = await transferCounts();
    for (const kind of ["axfr", "ixfr"]) expect([kind, after.get(kind)]).toEqual([kind, (before.get(kind) ?? 0) + 1]);
  });
});

const history = async (id: string) => (await zw.admin.get(`/api/domains/${id}/history`)).body.entries;

describe("the history of a zone that secondaries transfer", () => {
  test("shows for each change how many of its secondaries have it, and after how long", async () => {
    const id = await create("history.example");
    await untilFollowed(zw, zw.admin, id);
    await add(id, "www");
    await untilInSync(id);
    // It is stored a moment after what the report says.
    const entry = await vi.waitFor(async () => {
      const [last] = await history(id);
      expect(last).toMatchObject({
        propagation: { secondaries: 1, inSync: 1, seconds: expect.any(Number) },
        mirrors: null,
      });
      return last;
    }, patience);
    // A newer change says nothing about when this one arrived.
    clock.advance(minute);
    await add(id, "later");
    await untilInSync(id);
    expect((await history(id))[1]).toEqual(entry);
  });

  test("the history counts a secondary without a change, and shows how long it took once it has it", async () => {
    const id = await create("late.example");
    await untilFollowed(zw, zw.admin, id);
    secondary.serves.set("late.example", (await report(id)).serial);
    await add(id, "www");
    const announced = async () =>
      expect((await history(id))[0]).toMatchObject({ propagation: { secondaries: 1, inSync: 0, seconds: null } });
    await vi.waitFor(announced, patience);
    clock.advance(2 * minute);
    secondary.serves.clear();
    await untilInSync(id);
    const propagation = await vi.waitFor(async () => {
      const [last] = await history(id);
      expect(last.propagation).toMatchObject({ secondaries: 1, inSync: 1 });
      return last.propagation;
    }, patience);
    expect(propagation.seconds).toBeGreaterThanOrEqual(120);
  });

  test("the history of a zone at another provider shows no propagation", async () => {
    const { body } = await zw.admin.post("/api/domains", { name: "no-secondaries.example" });
    await add(body.id, "www");
    expect((await history(body.id))[0]).toMatchObject({ propagation: null, mirrors: null });
  });
});

describe("secondaries out of step", () => {
  test("a secondary with serials that a restore has lost is in sync only after it got the whole zone", async () => {
    const name = "lost.example";
    const id = await create(name);
    await untilFollowed(zw, zw.admin, id);
    const { serial } = await report(id);
    const [port = 0] = zw.services.dnsService.ports;
    const known = async () => expect(await report(id)).toMatchObject({ secondaries: [{ serial: serial + 2 }] });
    // It has two changes that are gone.
    secondary.serves.set(name, serial + 2);
    await add(id, "new1");
    await vi.waitFor(known, patience);
    await zw.services.secondaryCheck.runOnce();
    expect(log.next(name)).toEqual(["zone.secondary_ahead"]);
    await add(id, "new2");
    expect(await report(id)).toMatchObject({ serial: serial + 2, secondaries: [{ inSync: false }] });
    await zw.services.secondaryCheck.runOnce();
    expect(log.next(name)).toEqual([]);
    await add(id, "new3");
    const { lines } = await transfer(port, name, { key, since: serial + 2 });
    expect(lines.filter((line) => line.includes(" SOA "))).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith("new"))).toHaveLength(3);
    secondary.serves.clear();
    await untilInSync(id);
    await zw.services.secondaryCheck.runOnce();
    expect(log.next(name)).toEqual(["zone.secondary_recovered"]);
  });

  test("a secondary that has a change before whoever asks it knows of it is not ahead: the next one is a difference", async () => {
    const name = "quick.example";
    const id = await create(name);
    await untilFollowed(zw, zw.admin, id);
    const { dnsService, database } = zw.services;
    const [stale] = await dnsService.zones(database.fork(), id);
    const [endpoint] = stale?.service.settings.notify ?? [];
    if (!stale || !endpoint) throw new Error("The zone has no secondary.");
    await add(id, "new1");
    const { serial } = await report(id);
    expect(serial).toBe(stale.soa.serial + 1);
    dnsService.secondaries.serves(stale, endpoint, key.name, serial);
    await dnsService.secondaries.written();
    await add(id, "new2");
    const [port = 0] = dnsService.ports;
    const { lines } = await transfer(port, name, { key, since: serial });
    expect(lines.filter((line) => line.includes(" SOA "))).toHaveLength(4);
  });

  test("a question for what changed since a serial ahead makes the serials up to it unknown, until the serial is raised", async () => {
    const name = "asked.example";
    const id = await create(name);
    const { serial } = await report(id);
    const [port = 0] = zw.services.dnsService.ports;
    const soas = async (since: number) => {
      const { lines } = await transfer(port, name, { key, since });
      return lines.filter((line) => line.includes(" SOA ")).length;
    };
    expect(await soas(serial + 1)).toBe(2);
    await zw.services.dnsService.secondaries.written();
    await add(id, "new1");
    await add(id, "new2");
    expect(await soas(serial + 1)).toBe(2);
    const raised = await zw.admin.post(`/api/domains/${id}/secondaries/raise-serial`);
    await add(id, "new3");
    expect(await soas(serial + 1)).toBe(2);
    // One difference, between the four of a transfer that has one.
    expect(await soas(raised.body.serial)).toBe(4);
  });

  test("serials that were asked for are unknown also if they are stored before the transfer has ended", async () => {
    const id = await create("slow.example");
    await untilFollowed(zw, zw.admin, id);
    const { dnsService, database } = zw.services;
    const [zone] = await dnsService.zones(database.fork(), id);
    if (!zone) throw new Error("The zone is not served.");
    await dnsService.secondaries.written();
    const since = zone.soa.serial + 1;
    dnsService.secondaries.hasSerial(zone, since);
    await dnsService.secondaries.written();
    await add(id, "new1");
    await add(id, "new2");
    const [port = 0] = dnsService.ports;
    const { lines } = await transfer(port, "slow.example", { key, since });
    expect(lines.filter((line) => line.includes(" SOA "))).toHaveLength(2);
  });

  test("a secondary that stays behind for ten minutes is reported once, and once when it has recovered", async () => {
    const id = await create("behind.example");
    await untilFollowed(zw, zw.admin, id);
    secondary.serves.set("behind.example", (await report(id)).serial);
    await add(id, "www");
    await zw.services.secondaryCheck.runOnce();
    expect(await report(id)).toMatchObject({ secondaries: [{ inSync: false }] });
    expect(log.next("behind.example")).toEqual([]);
    // With the minutes of the tests before, a session would soon end.
    await wait(zw, clock, 11 * minute);
    await zw.services.secondaryCheck.runOnce();
    await zw.services.secondaryCheck.runOnce();
    expect(log.next("behind.example")).toEqual(["zone.secondary_behind"]);
    secondary.serves.clear();
    await untilInSync(id);
    await zw.services.secondaryCheck.runOnce();
    await zw.services.secondaryCheck.runOnce();
    expect(log.next("behind.example")).toEqual(["zone.secondary_recovered"]);
  });

  test("a secondary that is ahead is reported, and a raised serial is newer than its own", async () => {
    const id = await create("ahead.example");
    await untilFollowed(zw, zw.admin, id);
    const { serial } = await report(id);
    const ahead = serial + 5_000_000;
    secondary.serves.set("ahead.example", ahead);
    await add(id, "www");
    const known = async () => expect(await report(id)).toMatchObject({ secondaries: [{ serial: ahead }] });
    await vi.waitFor(known, patience);
    await zw.services.secondaryCheck.runOnce();
    expect(log.next("ahead.example")).toEqual(["zone.secondary_ahead"]);
    const raised = await zw.admin.post(`/api/domains/${id}/secondaries/raise-serial`);
    expect(raised.status).toBe(200);
    expect(serialDistance(ahead, raised.body.serial)).toBeGreaterThan(0);
    secondary.serves.clear();
    await untilInSync(id);
  });

  test("a zone of another provider has no secondaries, and no serial to raise", async () => {
    const { body } = await zw.admin.post("/api/domains", { name: "elsewhere.example" });
    expect(await report(body.id)).toEqual({ serial: null, changedAt: null, secondaries: [] });
    expect((await zw.admin.post(`/api/domains/${body.id}/secondaries/raise-serial`)).status).toBe(409);
  });
});
