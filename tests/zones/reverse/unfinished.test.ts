import { rename } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { linkedChangeSets, storeFollows } from "../../../server/zones/changes/follows.ts";
import { createOf, leavePending } from "../changes/left-open.ts";
import { Clock, hour, minute } from "../../support/clock.ts";
import { freshNet, pointers, set } from "../../support/reverse-zones.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { addZone, fileZone, manualZone, type Body, type Zone } from "../../support/zones.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });

/** A forward zone that follows, and a reverse zone in a master file. */
async function zones(forward: Zone): Promise<{ zone: Zone; reverse: Zone; at: (host: number) => string }> {
  const { name, at } = freshNet();
  const reverse = await addZone(zw, { name });
  await set(forward, { reverse: "follow" });
  return { zone: forward, reverse, at };
}

/** Takes the zone's file away, so that its provider refuses every change. @returns what brings it back */
async function broken({ file }: Zone): Promise<() => Promise<void>> {
  await rename(file, `${file}.away`);
  return () => rename(`${file}.away`, file);
}

const run = () => zw.services.reverseFollowJob.runOnce();
/** Runs the job so much later. Then the clock is set back, so that the session stays valid. */
const runAfter = (milliseconds: number) => clock.ahead(milliseconds, run);
const notices = async (): Promise<Body[]> => (await zw.admin.get("/api/notifications")).body.notifications;

async function applied(zone: Zone, changes: unknown): Promise<Body> {
  const { planHash } = (await zone.post("/records/plan", { changes })).body;
  return (await zone.post("/records/apply", { changes, planHash })).body;
}

const a = (name: string, value: string) => ({ action: "create", record: { recordType: "A", name, value } });

describe("a reverse zone that cannot be changed", () => {
  test("does not undo the forward change, is reported truly, and is retried", async () => {
    const { zone, reverse, at } = await zones(await manualZone(zw));
    const repair = await broken(reverse);
    const body = await applied(zone, [a("www", at(1))]);
    expect(body).toMatchObject({
      revision: 1,
      reverse: [{ domainId: reverse.id, domainName: reverse.name, revision: null, error: expect.any(String) }],
    });
    expect(await zone.lines()).toEqual([`www A ${at(1)}`]);
    await repair();
    await run();
    expect(await pointers(reverse)).toEqual([]);
    await runAfter(minute);
    expect(await pointers(reverse)).toEqual([`1 www.${zone.name}`]);
    expect((await reverse.history())[0]).toMatchObject({
      state: "applied",
      actor: "admin",
      causedBy: (await zone.history())[0]?.id,
    });
    await runAfter(14 * hour);
    expect((await reverse.detail()).revision).toBe(1);
  });

  test("a retry looks at the addresses as they are by then", async () => {
    const { zone, reverse, at } = await zones(await manualZone(zw));
    const repair = await broken(reverse);
    const one = await zone.add("A", "one", at(1));
    await zone.add("A", "two", at(2));
    await zone.delete(one.id);
    await repair();
    await runAfter(minute);
    expect(await pointers(reverse)).toEqual([`2 two.${zone.name}`]);
  });

  test("is given up after thirteen attempts, and both sides are notified", async () => {
    const { zone, reverse, at } = await zones(await manualZone(zw));
    const repair = await broken(reverse);
    await zone.add("A", "www", at(1));
    for (let attempt = 2; attempt < 13; attempt++) {
      await runAfter(attempt * hour);
    }
    const about = async () =>
      (await notices()).filter(({ event, title }) => event === "record.change_failed" && title.includes(reverse.name));
    expect(await about()).toEqual([]);
    await runAfter(13 * hour);
    expect(await about()).toMatchObject([
      {
        event: "record.change_failed",
        level: "error",
        title: `PTR records in ${reverse.name} could not follow a change`,
        metadata: { domainId: reverse.id, domainName: reverse.name, failed: 1 },
      },
    ]);
    expect(await notices()).toContainEqual(
      expect.objectContaining({ title: `PTR records could not follow a change of ${zone.name}` }),
    );
    await repair();
    await runAfter(14 * hour);
    expect(await pointers(reverse)).toEqual([]);
  });

  test("one that is no longer managed is forgotten", async () => {
    const { zone, reverse, at } = await zones(await manualZone(zw));
    await broken(reverse);
    await zone.add("A", "www", at(1));
    expect((await zw.admin.delete(reverse.path)).status).toBe(200);
    await runAfter(minute);
    expect(await zone.lines()).toEqual([`www A ${at(1)}`]);
  });

  test("changes that its provider refuses are errors, and the others are made", async () => {
    const { zone, reverse, at } = await zones(await manualZone(zw));
    const body = await applied(zone, [a("www", at(1)), a("under_score", at(2))]);
    expect(await pointers(reverse)).toEqual([`1 www.${zone.name}`]);
    expect(body.reverse).toMatchObject([{ revision: 1, error: null }]);
    const { body: planned } = await zone.post("/records/plan", { changes: [a("also_scored", at(3))] });
    expect(planned.reverse).toMatchObject([{ included: false, reason: expect.stringMatching(/also_scored/) }]);
  });
});

describe("a crash between the two zones", () => {
  const host = "crash";

  /** Leaves what a process leaves that is killed before it knows the outcome in the forward zone. */
  async function killed() {
    const { zone, reverse, at } = await zones(await fileZone(zw, "@ NS ns.example.net.\n"));
    const change = createOf(host);
    change.after.value = at(9);
    const changeSetId = await leavePending(zw, zone.id, { changes: [change] });
    const { body: me } = await zw.admin.get("/api/auth/me");
    const item = { address: at(9), owner: "9", gained: [`${host}.${zone.name}`], lost: [] };
    const em = zw.services.database.fork();
    const made = { id: changeSetId, actorId: String(me.id), now: clock.now() };
    await storeFollows(em, made, [{ domainId: reverse.id, items: [item] }]);
    return { zone, reverse, at, changeSetId };
  }

  test("nothing follows a change before its outcome is known, and it does then", async () => {
    const { zone, reverse, at, changeSetId } = await killed();
    await zone.edit((text) => `${text}${host} 60 A ${at(9)}\n`);
    await runAfter(minute);
    expect(await pointers(reverse)).toEqual([]);
    await zw.services.repair.runOnce();
    await runAfter(minute);
    expect(await pointers(reverse)).toEqual([`9 ${host}.${zone.name}`]);
    expect(await linkedChangeSets(zw.services.database.fork(), changeSetId)).toMatchObject([
      { domainId: reverse.id, revision: 1 },
    ]);
  });

  test("nothing follows a change that was not made", async () => {
    const { zone, reverse } = await killed();
    await zw.services.repair.runOnce();
    expect((await zone.history())[0]).toMatchObject({ state: "failed" });
    await runAfter(minute);
    expect(await reverse.history()).toEqual([]);
  });

  test("carrying it out twice changes nothing", async () => {
    const { zone, reverse, at } = await killed();
    await zone.edit((text) => `${text}${host} 60 A ${at(9)}\n`);
    await zw.services.repair.runOnce();
    await clock.ahead(minute, () => Promise.all([run(), run(), run()]));
    expect(await pointers(reverse)).toEqual([`9 ${host}.${zone.name}`]);
    expect((await reverse.history()).filter(({ creates }) => creates > 0)).toHaveLength(1);
  });
});
