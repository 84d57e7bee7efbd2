import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { settleOpen } from "../../dns-providers/settling.ts";
import {
  applySet,
  configure,
  expectInSync,
  expectSettled,
  lastChange,
  newZone,
} from "../../dns-providers/vendor-zone.ts";
import { lineOf, type Zone } from "../../support/zones.ts";
import { alidnsRefusal, startAlidnsServer, type AlidnsServer } from "../../support/vendors/alidns/server.ts";
import { Clock } from "../../support/clock.ts";
import type { Fault } from "../../support/vendors/faults.ts";
import { useZonewright } from "../../support/zonewright.ts";

// Atomic sets interrupted at a vendor that takes one record at a time, while another person edits in its console.

const clock = new Clock();
/** What happens while calls wait for the vendor. */
let meanwhile = () => Promise.resolve();
const zw = useZonewright({
  env: { EGRESS_ALLOW: "127.0.0.1" },
  now: clock.now,
  async pause(milliseconds) {
    await meanwhile();
    await clock.pause(milliseconds);
  },
});
const name = "schnitt.example";
let vendor: AlidnsServer;
let zone: Zone;
let host: string;
let count = 0;

beforeAll(async () => {
  vendor = await startAlidnsServer(clock.now);
  const { url, accessKeyId, accessKeySecret } = vendor;
  zone = await newZone(zw, await configure(zw, "alidns", { url, accessKeyId, accessKeySecret }, []), name);
});
afterAll(() => vendor.stop());
beforeEach(() => {
  host = `host${++count}`;
});
afterEach(() => expectSettled(vendor.faults, zone));

/** Not carried out, and not reported as such. */
const lost: Fault = { kind: "refuses", status: 500, body: {} };
const a = (value: string) => ({ recordType: "A", name: host, value, ttl: 600 });
const create = (value: string) => ({ action: "create", record: a(value) });
const served = () =>
  vendor.account
    .records(name)
    .flatMap(({ RR, Type, Value }) => (RR === host ? [`${host} ${Type} ${Value}`] : []))
    .toSorted();
const listed = async () => (await zone.records(`&search=${host}`)).map(lineOf).toSorted();
const inConsole = {
  add: (value: string) => vendor.account.place(name, { RR: host, Type: "A", Value: value }),
  remove(value: string) {
    const found = vendor.account.records(name).find((one) => one.RR === host && one.Value === value);
    vendor.account.displace(found?.RecordId ?? "");
  },
};
const settle = () => settleOpen(zw, clock);

describe("an atomic set that was interrupted", () => {
  test("an interrupted atomic set is undone, and a record that somebody else then added stays and is reported", async () => {
    vendor.faults.next("AddDomainRecord", lost, { after: 1 });
    const { status } = await applySet(zone, [create("192.0.2.1"), create("192.0.2.2"), create("192.0.2.3")]);
    expect([status, served()]).toEqual([502, [`${host} A 192.0.2.1`]]);
    inConsole.add("192.0.2.3");
    await settle();
    expect(served()).toEqual([`${host} A 192.0.2.3`]);
    expect(await listed()).toEqual(served());
    expect(await lastChange(zone)).toMatchObject({
      state: "partial",
      repaired: true,
      creates: 1,
      failures: [
        { value: "192.0.2.1", error: expect.stringContaining("may have been made by somebody else") },
        { value: "192.0.2.2" },
      ],
    });
  });

  test("undoing an interrupted set does not restore a record that somebody else deleted meanwhile", async () => {
    const records = [await zone.add("A", host, "192.0.2.1", 600), await zone.add("A", host, "192.0.2.2", 600)];
    vendor.faults.next("DeleteDomainRecord", lost);
    const deletions = records.map(({ id }) => ({ action: "delete", recordId: id }));
    expect((await applySet(zone, [...deletions, create("192.0.2.3")])).status).toBe(502);
    inConsole.remove("192.0.2.2");
    await settle();
    expect(served()).toEqual([`${host} A 192.0.2.1`]);
    expect(await listed()).toEqual(served());
    expect(await lastChange(zone)).toMatchObject({ state: "partial", creates: 0, deletes: 1 });
  });

  test("undoing an interrupted set does not restore a record to be moved that somebody else deleted", async () => {
    const [gone, mover] = [await zone.add("A", host, "192.0.2.1", 600), await zone.add("A", host, "192.0.2.2", 600)];
    vendor.faults.next("DeleteDomainRecord", lost);
    const move = { action: "update", recordId: mover.id, record: { name: `${host}-moved` } };
    expect((await applySet(zone, [{ action: "delete", recordId: gone.id }, move])).status).toBe(502);
    inConsole.remove("192.0.2.2");
    await settle();
    expect(served()).toEqual([`${host} A 192.0.2.1`]);
    expect(await listed()).toEqual(served());
  });

  test("calls that a process made before it died are known to the next process", async () => {
    vendor.faults.next("AddDomainRecord", { kind: "cuts after" }, { after: 1 });
    await applySet(zone, [create("192.0.2.1"), create("192.0.2.2"), create("192.0.2.3")]);
    const noted = await queries(zw.services.database.fork()).selectFrom("change_set_calls").selectAll().execute();
    expect(noted.map(({ does }) => does)).toMatchObject([
      [{ action: "create", after: { value: "192.0.2.1" } }],
      [{ action: "create", after: { value: "192.0.2.2" } }],
    ]);
    await settle();
    expect([served(), await listed()]).toEqual([[], []]);
    expect(await queries(zw.services.database.fork()).selectFrom("change_set_calls").selectAll().execute()).toEqual([]);
  });
});

test("a process that loses the zone's lease while it waits makes no further call", async () => {
  const throttled = { kind: "refuses" as const, status: 400, body: alidnsRefusal("Throttling.User", "Too fast.") };
  vendor.faults.next("AddDomainRecord", { ...throttled, headers: { "retry-after": "1" } }, { after: 1 });
  meanwhile = async () => {
    meanwhile = () => Promise.resolve();
    const lease = { lease_token: randomUUID(), lease_until: new Date(Date.now() + 3_600_000) };
    await queries(zw.services.database.fork()).updateTable("domains").set(lease).where("id", "=", zone.id).execute();
  };
  vendor.calls.length = 0;
  const records = ["1", "2", "3", "4"].map((last) => a(`192.0.2.${last}`));
  const { status } = await zone.post("/records/bulk", { records });
  expect(status).toBe(503);
  // The call that was asked to wait had already been approved.
  expect(served()).toEqual([`${host} A 192.0.2.1`, `${host} A 192.0.2.2`]);
  const freed = { lease_token: null, lease_until: null };
  await queries(zw.services.database.fork()).updateTable("domains").set(freed).where("id", "=", zone.id).execute();
  await settle();
  expect(await listed()).toEqual(served());
});

describe("a change that can never be settled", () => {
  test("a change that cannot be undone is closed by an administrator's forced sync, as the vendor has it", async () => {
    vendor.faults.next("AddDomainRecord", lost, { after: 1 });
    await applySet(zone, [create("192.0.2.1"), create("192.0.2.2")]);
    // The vendor still shows the zone but no longer changes it.
    vendor.faults.next("DeleteDomainRecord", lost);
    await settle();
    expect((await zone.create(a("192.0.2.7"))).status).toBe(503);
    expect((await zone.post("/sync")).status).toBe(503);
    expect(await lastChange(zone)).toMatchObject({ state: "pending" });
    const { status, body } = await zone.post("/sync", { force: true });
    expect({ status, body }).toMatchObject({ status: 200 });
    expect(await listed()).toEqual(served());
    const ended = (await zone.history()).find(({ kind }) => kind !== "sync");
    expect(ended).toMatchObject({ state: "partial", unknown: 1, creates: 1, failures: [{ value: "192.0.2.2" }] });
    await expectInSync(zone);
  });
});
