import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Fault, Faults } from "../../support/vendors/faults.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { Clock, hour } from "../../support/clock.ts";
import { lineOf, type Body, type Zone } from "../../support/zones.ts";
import { settleOpen, wait } from "../settling.ts";
import { applySet, configure, expectSettled, lastChange, newZone, recordOf } from "../vendor-zone.ts";

/** A vendor that takes one record at a time, with its own failure modes. */
export interface FaultyVendor {
  kind: string;
  name: string;
  /** A server with an account, and what a configuration needs to reach it. */
  start(now: () => Date): Promise<RunningVendor>;
  /** The actions that make a record and that list them. */
  creates: string;
  lists: string;
  /** Rate limit; internal error; record limit: status and body. */
  throttled: Said;
  broken: Said;
  refused: Said;
  /** A list without records that claims to have seven. */
  shortList: Said;
}

type Said = readonly [status: number, body: object];

interface RunningVendor {
  config: Record<string, string>;
  faults: Faults;
  calls: { action: string }[];
  /** The records of a name as `type value`. */
  served(zone: string, name: string): string[];
  stop(): Promise<void>;
}

const ours = "sturm.example";
const added = (name: string, value = "192.0.2.1") => ({ recordType: "A", name, value, ttl: 600 });

function says([status, body]: Said, headers: Record<string, string> = {}): Fault {
  return { kind: "refuses", status, body, headers };
}

/** Tests what is shown after a vendor fails. Call it at the top of a test file. */
export function testFaults(kind: FaultyVendor): void {
  const clock = new Clock();
  const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" }, now: clock.now, pause: clock.pause });
  let vendor: RunningVendor;
  let zone: Zone;
  beforeAll(async () => {
    vendor = await kind.start(clock.now);
    zone = await newZone(zw, await configure(zw, kind.kind, vendor.config, []), ours);
  });
  afterAll(() => vendor.stop());
  beforeEach(() => {
    vendor.calls.length = 0;
  });
  afterEach(() => expectSettled(vendor.faults, zone));

  const served = (name: string) => vendor.served(ours, name);
  /** Settles the changes that unanswered calls left pending, once they can no longer be carried out. */
  const settle = () => settleOpen(zw, clock);
  const creations = () => vendor.calls.filter(({ action }) => action === kind.creates);

  test("a rate-limited call is retried after the requested pause, and nothing is created twice", async () => {
    vendor.faults.next(kind.creates, says(kind.throttled, { "retry-after": "0" }), { times: 2 });
    vendor.faults.next(kind.lists, says([429, kind.throttled[1]], { "retry-after": "0" }));
    expect((await zone.create(added("patient"))).status).toBe(201);
    expect(creations()).toHaveLength(3);
    expect(served("patient")).toEqual(["A 192.0.2.1"]);
  });

  test("a rate limit too long to wait out is reported, and nothing was created", async () => {
    vendor.faults.next(kind.creates, says(kind.throttled, { "retry-after": "3600" }));
    const { status, body } = await zone.create(added("later"));
    expect({ status, body }).toMatchObject({ status: 502 });
    expect(body.message).toContain("accepts no more calls for now. Try again in 60 minutes.");
    expect(served("later")).toEqual([]);
    // No connection calls the vendor until then.
    const calls = vendor.calls.length;
    expect((await zone.post("/sync")).body.message).toContain("accepts no more calls for now");
    expect(vendor.calls).toHaveLength(calls);
    await wait(zw, clock, hour);
    expect((await zone.create(added("later"))).status).toBe(201);
  });

  test("a failed read is retried", async () => {
    vendor.faults.next(kind.lists, says([503, kind.broken[1]]));
    vendor.faults.next(kind.lists, { kind: "cuts after" });
    expect((await zone.create(added("again"))).status).toBe(201);
    expect(served("again")).toEqual(["A 192.0.2.1"]);
  });

  test.each([
    ["answers with a failure", { kind: "fails after" as const, status: 500, body: kind.broken[1] }],
    ["is cut off", { kind: "cuts after" as const }],
  ])("a record created by a call that %s is found and not created twice", async (what, fault) => {
    const name = what.replaceAll(" ", "-");
    vendor.faults.next(kind.creates, fault);
    const { status } = await zone.create(added(name));
    expect(status).toBe(201);
    expect(served(name)).toEqual(["A 192.0.2.1"]);
    expect(creations()).toHaveLength(1);
  });

  test("a record that a failed call did not create is reported as not created", async () => {
    vendor.faults.next(kind.creates, says([500, kind.broken[1]]));
    const { status, body } = await zone.create(added("never"));
    expect(status).toBe(502);
    expect(body.message).toContain(`${kind.name} failed (500)`);
    expect(await zone.records("&search=never")).toEqual([]);
    expect((await zone.create(added("not-yet"))).status).toBe(503);
    await settle();
    expect(await zone.records("&search=never")).toEqual([]);
    expect(await lastChange(zone)).toMatchObject({ state: "failed", repaired: true });
  });

  test("a record created after the call timed out is found and not created twice", async () => {
    vendor.faults.next(kind.creates, { kind: "does later", status: 504, body: {} });
    // Retry-After is what is left once the calls were made, which may take a while on a busy machine.
    clock.standStill();
    expect((await zone.create(added("tardy"))).status).toBe(502);
    expect(served("tardy")).toEqual([]);
    const again = await zone.create(added("tardy"));
    expect([again.status, again.headers.get("retry-after")]).toEqual([503, expect.stringMatching(/^[36]0$/)]);
    clock.advance(20_000);
    vendor.faults.catchUp();
    await settle();
    expect(served("tardy")).toEqual(["A 192.0.2.1"]);
    expect((await zone.records("&search=tardy")).map(lineOf)).toEqual(["tardy A 192.0.2.1"]);
  });

  test("of many records the refused one is reported, and the others are created", async () => {
    vendor.faults.next(kind.creates, says(kind.refused), { after: 1 });
    const records = ["one", "two", "three", "four"].map((name) => added(`many-${name}`));
    const { body } = await zone.post("/records/bulk", { records });
    expect(body).toMatchObject({ succeeded: 3 });
    const refused = body.results.find(({ success }: Body) => !success);
    expect(refused.error).toContain(`${kind.name} refused the change`);
  });

  test("an atomic set leaves nothing behind when a change in the middle is refused", async () => {
    const old = await zone.add("A", "set", "192.0.2.50", 600);
    const kept = await zone.add("TXT", "set", "kept", 600);
    vendor.faults.next(kind.creates, says(kind.refused), { after: 1 });
    const { status, body } = await applySet(zone, [
      { action: "delete", recordId: old.id },
      { action: "update", recordId: kept.id, record: { value: "changed" } },
      { action: "create", record: added("set", "192.0.2.51") },
      { action: "create", record: added("set", "192.0.2.52") },
    ]);
    expect(status).toBe(409);
    expect(JSON.stringify(body)).toContain(`${kind.name} refused the change`);
    expect(served("set").toSorted()).toEqual(["A 192.0.2.50", "TXT kept"]);
    expect((await zone.records("&search=set")).map(lineOf).toSorted()).toEqual(["set A 192.0.2.50", "set TXT kept"]);
  });

  test("an atomic set that cannot be undone is shown as it is at the vendor", async () => {
    const old = await zone.add("A", "half", "192.0.2.60", 600);
    // The first creates the new record, the other two try to restore the old one.
    vendor.faults.next(kind.creates, says(kind.refused), { times: 3 });
    await applySet(zone, [
      { action: "delete", recordId: old.id },
      { action: "create", record: added("half", "192.0.2.61") },
    ]);
    expect(served("half")).toEqual([]);
    await settle();
    await zone.create(added("half", "192.0.2.62"));
    expect((await zone.records("&search=half")).map(lineOf)).toEqual(["half A 192.0.2.62"]);
  });

  test("an atomic set leaves nothing behind when the connection is cut in the middle", async () => {
    vendor.faults.next(kind.creates, { kind: "cuts after" }, { after: 1 });
    const values = ["192.0.2.70", "192.0.2.71", "192.0.2.72"];
    await applySet(
      zone,
      values.map((value) => ({ action: "create", record: added("middle", value) })),
    );
    await settle();
    expect([served("middle"), await zone.records("&search=middle")]).toEqual([[], []]);
  });

  test("a record whose move is refused returns to its old name", async () => {
    const { id } = await zone.add("A", "mover", "192.0.2.80", 600);
    vendor.faults.next(kind.creates, says(kind.refused));
    const { status } = await zone.update(id, { name: "moved" });
    expect(status).toBe(502);
    expect([served("mover"), served("moved")]).toEqual([["A 192.0.2.80"], []]);
    expect((await recordOf(zone, "mover", "192.0.2.80")).id).toBe(id);
  });

  test("a record whose move gets no answer returns to its old name", async () => {
    const { id } = await zone.add("A", "wanderer", "192.0.2.81", 600);
    vendor.faults.next(kind.creates, { kind: "refuses", status: 500, body: {} });
    const { status } = await zone.update(id, { name: "wandered" });
    expect(status).toBe(502);
    await settle();
    expect([served("wanderer"), served("wandered")]).toEqual([["A 192.0.2.81"], []]);
    expect((await recordOf(zone, "wanderer", "192.0.2.81")).id).toBe(id);
  });

  test("a record lost in a move that cannot be restored is no longer shown", async () => {
    const { id } = await zone.add("A", "loser", "192.0.2.82", 600);
    vendor.faults.next(kind.creates, { kind: "refuses", status: 500, body: {} });
    vendor.faults.next(kind.creates, says(kind.refused));
    expect((await zone.update(id, { name: "lost" })).status).toBe(502);
    await settle();
    expect([served("loser"), served("lost")]).toEqual([[], []]);
    expect((await zone.records("&search=los")).map(lineOf)).toEqual([]);
  });

  test("a zone that changes while it is read fails to sync", async () => {
    vendor.faults.next(kind.lists, says(kind.shortList));
    const { status, body } = await zone.post("/sync");
    expect(status).toBe(502);
    expect(body.message).toContain("changed while being read. Try again.");
  });

  test("an answer that is not the vendor's API is reported as such", async () => {
    vendor.faults.next(kind.lists, { kind: "refuses", status: 200, body: "<html>Welcome</html>" });
    const { status, body } = await zone.create(added("html"));
    expect(status).toBe(502);
    expect(body.message).toContain(`${kind.name}: the answer does not look like its API`);
  });
}
