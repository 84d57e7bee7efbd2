import { sql } from "kysely";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { queries } from "../../server/database/database.ts";
import { queryMessage, readMessage } from "../../server/dns/wire/messages.ts";
import { lastingAdmin, NoticeLog } from "../registry/expiry/notice-log.ts";
import { Clock, day, minute } from "../support/clock.ts";
import { StandInSecondary } from "../support/name-servers/stand-in-secondary.ts";
import { ask, askByStream, transfer } from "../support/name-servers/transfer-client.ts";
import { patience } from "../support/patience.ts";
import type { RestClient } from "../support/rest-client.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";
import type { Body } from "../support/zones.ts";
import { untilFollowed } from "./until-followed.ts";

const clock = new Clock();
const log = new NoticeLog();
const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0", JOBS: "off" }, now: clock.now, logTo: log });
let secondary: StandInSecondary;
let admin: RestClient;
let configId: string;
/** A configuration that lets a network transfer, and lists no secondary. */
let networkId: string;

/** Secondaries for one test each, with their configurations. */
const owns: { own: StandInSecondary; configId: string }[] = [];

beforeAll(async () => {
  secondary = await StandInSecondary.start(null, clock.now);
  admin = await lastingAdmin(zw, "records:read", "records:write");
  const notify = `127.0.0.1:${secondary.port}`;
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", notify };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Stand-in", config });
  configId = body.id;
  for (let count = 0; count < 3; count++) {
    const own = await StandInSecondary.start(null, clock.now);
    const made = { ...config, notify: `127.0.0.1:${own.port}` };
    const one = await zw.admin.post("/api/provider-configs", { kind: "primary", name: `Own ${count}`, config: made });
    owns.push({ own, configId: one.body.id });
  }
  const peers = { nameServers: "ns1.example.net", contact: "dns@example.net", allowTransfer: "127.0.0.0/8" };
  const network = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Network", config: peers });
  networkId = network.body.id;
});
afterAll(() => secondary.stop());

async function create(name: string): Promise<string> {
  const { status, body } = await admin.post("/api/domains", { name, providerConfigId: configId });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

async function add(id: string, name: string): Promise<void> {
  const { status } = await admin.post(`/api/domains/${id}/records`, { recordType: "A", name, value: "192.0.2.1" });
  expect(status).toBe(201);
}

const report = async (id: string) => (await admin.get(`/api/domains/${id}/secondaries`)).body;
const newest = async (id: string) => (await admin.get(`/api/domains/${id}/history`)).body.entries[0];
/** What is stored of the secondary of a zone. */
async function rowOf(id: string) {
  const found = queries(zw.services.database.fork()).selectFrom("primary_secondaries");
  const columns = found.select(["behind_since", sql<number>`serial::float8`.as("serial")]);
  return await columns.where("zone_id", "=", id).executeTakeFirst();
}

async function untilInSync(id: string): Promise<void> {
  await vi.waitFor(async () => expect(await report(id)).toMatchObject({ secondaries: [{ inSync: true }] }), patience);
}

test("a secondary that transfers a zone but goes on answering with an older serial is not in sync, and is reported", async () => {
  const name = "unloaded.example";
  const id = await create(name);
  await untilFollowed(zw, admin, id);
  const { serial: old } = await report(id);
  secondary.serves.set(name, old);
  await add(id, "www");
  const [port = 0] = zw.services.dnsService.ports;
  await transfer(port, name);
  const found = async () => {
    const { secondaries } = await report(id);
    expect(secondaries).toMatchObject([{ serial: old, inSync: false, lastTransferKind: "axfr" }]);
    expect(await newest(id)).toMatchObject({ propagation: { secondaries: 1, inSync: 0, seconds: null } });
  };
  await vi.waitFor(found, patience);
  await zw.services.secondaryCheck.runOnce();
  clock.advance(11 * minute);
  await zw.services.secondaryCheck.runOnce();
  expect(log.next(name)).toEqual(["zone.secondary_behind"]);
  secondary.serves.clear();
  await untilInSync(id);
  expect(await newest(id)).toMatchObject({ propagation: { secondaries: 1, inSync: 1 } });
});

test("a secondary that stays behind is reported by the next run if the notification could not be stored", async () => {
  const name = "unreported.example";
  const id = await create(name);
  await untilFollowed(zw, admin, id);
  const session = await zw.signIn("admin", adminPassword);
  const { status } = await session.post("/api/notifications", {
    channel: "webhook",
    name: "Secondaries",
    config: {
      url: "https://hooks.example.com/zones",
      secret: `whsec_${Buffer.from("a key of thirty-two bytes, exact").toString("base64")}`,
    },
    events: ["zone.secondary_behind"],
    enabled: true,
  });
  expect(status).toBe(201);
  secondary.serves.set(name, (await report(id)).serial - 1);
  clock.advance(2 * minute);
  await zw.services.secondaryCheck.runOnce();
  clock.advance(11 * minute);
  const em = zw.services.database.fork();
  await sql`alter table deliveries add constraint none check (false) not valid`.execute(queries(em));
  await expect(zw.services.secondaryCheck.runOnce()).rejects.toThrow("none");
  await sql`alter table deliveries drop constraint none`.execute(queries(em));
  expect(log.next(name)).toEqual([]);
  await zw.services.secondaryCheck.runOnce();
  expect(log.next(name)).toEqual(["zone.secondary_behind"]);
  await queries(em).deleteFrom("notification_channels").execute();
  secondary.serves.clear();
  await untilInSync(id);
});

test("what is known of a secondary is kept if it could not be stored because of a deadlock", async () => {
  const name = "deadlocked.example";
  const id = await create(name);
  await untilFollowed(zw, admin, id);
  const { serial } = await report(id);
  secondary.serves.set(name, serial - 1);
  clock.advance(2 * minute);
  const em = queries(zw.services.database.fork());
  await sql`create function lose() returns trigger language plpgsql as $$
    begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`.execute(em);
  await sql`create trigger lose before insert on primary_secondaries execute function lose()`.execute(em);
  await zw.services.secondaryCheck.runOnce();
  expect(await rowOf(id)).toMatchObject({ serial });
  // From now on, what is learned of another zone has it written, too.
  await sql`drop function lose cascade`.execute(em);
  await zw.services.dnsService.secondaries.written();
  expect(await rowOf(id)).toMatchObject({ serial: serial - 1 });
  secondary.serves.clear();
  await untilInSync(id);
});

test("a secondary in sync is asked again after a minute, by the job and by the report, so that one that lost the zone is found", async () => {
  const name = "restored.example";
  const id = await create(name);
  await untilFollowed(zw, admin, id);
  const { serial } = await report(id);
  // As after a restore from a backup of its own.
  secondary.serves.set(name, serial - 1);
  await zw.services.secondaryCheck.runOnce();
  expect(await report(id)).toMatchObject({ secondaries: [{ serial, inSync: true }] });
  clock.advance(2 * minute);
  await zw.services.secondaryCheck.runOnce();
  expect(await rowOf(id)).toMatchObject({ serial: serial - 1, behind_since: expect.any(Date) });
  secondary.serves.clear();
  await untilInSync(id);
  secondary.serves.set(name, serial - 1);
  clock.advance(2 * minute);
  expect(await report(id)).toMatchObject({ secondaries: [{ serial: serial - 1, inSync: false }] });
  secondary.serves.clear();
  await untilInSync(id);
});

/** Creates a domain at a secondary for one test: one notice is about all zones of a secondary. */
async function createAtOwn(name: string): Promise<{ id: string; own: StandInSecondary }> {
  const found = owns.shift();
  if (!found) throw new Error("Each test has used one.");
  const { body } = await admin.post("/api/domains", { name, providerConfigId: found.configId });
  onTestFinished(async () => {
    await admin.delete(`/api/domains/${body.id}`);
    found.own.stop();
  });
  return { id: body.id, own: found.own };
}

test.each([
  ["refuses a zone that it had", 5, "refuses: REFUSED"],
  ["no longer answers for a zone that expired there", 2, "refuses: SERVFAIL"],
])(
  "a secondary that %s is not in sync, and is reported after ten minutes although nobody edits the zone",
  async (_, rcode, reason) => {
    const name = `lost-${rcode}.example`;
    const { id, own } = await createAtOwn(name);
    await untilFollowed(zw, admin, id);
    const { serial } = await report(id);
    own.rcode = rcode;
    clock.advance(2 * minute);
    await zw.services.secondaryCheck.runOnce();
    const error = expect.stringContaining(reason);
    expect(await report(id)).toMatchObject({
      secondaries: [{ serial: null, inSync: false, inSyncSince: null, error }],
    });
    expect(log.next(name)).toEqual([]);
    clock.advance(11 * minute);
    await zw.services.secondaryCheck.runOnce();
    await zw.services.secondaryCheck.runOnce();
    expect(log.next(name)).toEqual(["zone.secondary_behind"]);
    own.rcode = 0;
    clock.advance(2 * minute);
    await zw.services.secondaryCheck.runOnce();
    expect(await report(id)).toMatchObject({ secondaries: [{ serial, inSync: true, error: null }] });
    expect(log.next(name)).toEqual(["zone.secondary_recovered"]);
  },
);

test("a secondary that is gone is reported after ten minutes although nobody edits the zone, and one that missed a question is not", async () => {
  const name = "silent.example";
  const { id, own } = await createAtOwn(name);
  await untilFollowed(zw, admin, id);
  own.answers = false;
  clock.advance(2 * minute);
  await zw.services.secondaryCheck.runOnce();
  const answered = async () => {
    await zw.services.secondaryCheck.runOnce();
    expect(await rowOf(id)).toMatchObject({ behind_since: null });
    expect(await report(id)).toMatchObject({ secondaries: [{ inSync: true, error: null }] });
  };
  own.answers = true;
  clock.advance(2 * minute);
  // A NOTIFY that was sent before may still fail.
  await vi.waitFor(answered, patience);
  clock.advance(11 * minute);
  own.answers = false;
  await zw.services.secondaryCheck.runOnce();
  expect(log.next(name)).toEqual([]);
  clock.advance(11 * minute);
  await zw.services.secondaryCheck.runOnce();
  expect(log.next(name)).toEqual(["zone.secondary_behind"]);
  const listed = (await admin.get("/api/secondaries?behind=true&limit=100")).body.secondaries;
  const lost = { inSync: false, error: expect.any(String), behindSince: expect.any(String) };
  expect(listed).toContainEqual(expect.objectContaining({ domainName: name, ...lost }));
  own.answers = true;
  clock.advance(2 * minute);
  await vi.waitFor(answered, patience);
  expect(log.next(name)).toEqual(["zone.secondary_recovered"]);
});

test("the report says why a secondary in sync no longer answers", async () => {
  const id = await create("gone.example");
  await untilFollowed(zw, admin, id);
  secondary.answers = false;
  clock.advance(2 * minute);
  expect(await report(id)).toMatchObject({ secondaries: [{ error: expect.any(String) }] });
  secondary.answers = true;
  clock.advance(2 * minute);
  expect(await report(id)).toMatchObject({ secondaries: [{ error: null }] });
});

test("a query from the address of a secondary that cannot be reached, which anybody can forge, keeps the error", async () => {
  const name = "forged.example";
  const id = await create(name);
  await untilFollowed(zw, admin, id);
  secondary.answers = false;
  clock.advance(2 * minute);
  const [{ error }] = (await report(id)).secondaries;
  expect(error).toEqual(expect.any(String));
  const [port = 0] = zw.services.dnsService.ports;
  await ask(port, queryMessage(7, name, "SOA"));
  await zw.services.dnsService.secondaries.written();
  expect(await report(id)).toMatchObject({ secondaries: [{ error, lastQueryAt: expect.any(String) }] });
  secondary.answers = true;
  clock.advance(2 * minute);
  expect(await report(id)).toMatchObject({ secondaries: [{ error: null }] });
});

test("a secondary that stays behind is written once, not at each look", async () => {
  const name = "away.example";
  const id = await create(name);
  await untilFollowed(zw, admin, id);
  await countWrites();
  secondary.serves.set(name, (await report(id)).serial - 1);
  clock.advance(2 * minute);
  await zw.services.secondaryCheck.runOnce();
  expect(await rowOf(id)).toMatchObject({ behind_since: expect.any(Date) });
  expect(await writes(id)).toBe(1);
  await zw.services.secondaryCheck.runOnce();
  expect(await writes(id)).toBe(1);
  secondary.serves.clear();
  await untilInSync(id);
  await zw.services.secondaryCheck.runOnce();
  expect(await rowOf(id)).toMatchObject({ behind_since: null });
  expect(await writes(id)).toBe(2);
});

/** Has the database count statements that write whether a secondary is behind. */
async function countWrites(): Promise<void> {
  const run = queries(zw.services.database.fork());
  await sql`create table writes (zone_id uuid)`.execute(run);
  await sql`create function count_write() returns trigger language plpgsql as $$
    begin insert into writes values (new.zone_id); return null; end $$`.execute(run);
  await sql`create trigger count_writes after update of behind_since on primary_secondaries
    for each row execute function count_write()`.execute(run);
  // Other files of tests use the same database.
  onTestFinished(async () => {
    await sql`drop function count_write cascade`.execute(run);
    await sql`drop table writes`.execute(run);
  });
}

async function writes(id: string): Promise<number> {
  const { rows } = await sql`select 1 from writes where zone_id = ${id}::uuid`.execute(
    queries(zw.services.database.fork()),
  );
  return rows.length;
}

/** Lets a zone change right before each of some checks, a minute apart, so that the secondary never has the newest change. */
async function busy(name: string, id: string, minutes: number): Promise<void> {
  for (let count = 0; count < minutes; count++) {
    secondary.serves.set(name, (await report(id)).serial);
    await untilInSync(id);
    await add(id, `host-${clock.now().getTime()}`);
    await zw.services.secondaryCheck.runOnce();
    expect(await rowOf(id)).toMatchObject({ behind_since: expect.any(Date) });
    clock.advance(minute);
  }
}

test("a secondary of a busy zone that always lacks its newest change, but none for long, is not reported", async () => {
  const name = "busy.example";
  const id = await create(name);
  await untilFollowed(zw, admin, id);
  await busy(name, id, 12);
  secondary.serves.clear();
  await untilInSync(id);
  await zw.services.secondaryCheck.runOnce();
  expect(log.next(name)).toEqual([]);
});

test("a secondary that was reported has recovered once it has the change that it lacked, however busy the zone is", async () => {
  const name = "busy-again.example";
  const id = await create(name);
  await untilFollowed(zw, admin, id);
  secondary.serves.set(name, (await report(id)).serial);
  await add(id, "lacked");
  await zw.services.secondaryCheck.runOnce();
  clock.advance(11 * minute);
  await zw.services.secondaryCheck.runOnce();
  expect(log.next(name)).toEqual(["zone.secondary_behind"]);
  await busy(name, id, 3);
  expect(log.next(name)).toEqual(["zone.secondary_recovered"]);
});

test("peers that are not listed are stored only if they ask by TCP or with a key, and are forgotten after 30 days", async () => {
  const name = "many-peers.example";
  const { body: domain } = await admin.post("/api/domains", { name, providerConfigId: networkId });
  const [port = 0] = zw.services.dnsService.ports;
  const query = queryMessage(1, name, "SOA");
  for (let last = 1; last <= 20; last++) {
    const answer = await ask(port, query, { from: `127.0.7.${last}` });
    expect(answer && readMessage(answer).rcode).toBe(0);
  }
  await askByStream(port, query, { from: "127.0.7.99" });
  await zw.services.dnsService.secondaries.written();
  const addresses = async () => (await report(domain.id)).secondaries.map(({ address }: Body) => address);
  expect(await addresses()).toEqual(["127.0.7.99"]);
  clock.advance(29 * day);
  await zw.services.secondaryCheck.runOnce();
  expect(await addresses()).toEqual(["127.0.7.99"]);
  clock.advance(2 * day);
  await zw.services.secondaryCheck.runOnce();
  expect(await addresses()).toEqual([]);
});
