import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Caller, ZoneScope } from "../../../server/access/caller.ts";
import { clearDeadLeases } from "../../../server/zones/changes/zone-context.ts";
import { queries } from "../../../server/database/database.ts";
import { thisProcess } from "../../../server/database/lock-file.ts";
import { planState } from "../../../server/dns/desired-state.ts";
import { liveZone } from "../../../server/zones/changes/state/live-queries.ts";
import { ChangePipeline } from "../../../server/zones/changes/pipeline.ts";
import { ReviewPolicy } from "../../../server/zones/changes/locks-and-reviews.ts";
import { ReverseFollows } from "../../../server/zones/reverse/follow-up.ts";
import { patience } from "../../support/patience.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, type Zone } from "../../support/zones.ts";
import { createOf, leavePending } from "./left-open.ts";

const zw = useZonewright();

let zone: Zone;
let admin: Caller;
const db = () => queries(zw.services.database.fork());

beforeAll(async () => {
  const { body } = await zw.admin.get("/api/auth/me");
  const nowhere = { sessionId: null, tokenId: null, ip: null, requestId: null };
  admin = {
    ...nowhere,
    userId: body.id,
    username: "admin",
    role: "admin",
    permissions: "all",
    narrowing: null,
    at: new Date(),
  };
});
beforeEach(async () => {
  zone = await fileZone(zw, "www 300 A 192.0.2.1\n");
});

async function setLease(seconds: number, holder?: (token: string) => object): Promise<void> {
  const token = randomUUID();
  await db()
    .updateTable("domains")
    .set({ lease_holder: holder ? JSON.stringify(holder(token)) : null })
    .set({ lease_token: token, lease_until: sql<Date>`now() + make_interval(secs => ${seconds})` })
    .where("id", "=", zone.id)
    .execute();
}

const now = () => new Date();
/** A pipeline that does not wait long. */
function pipeline(waitMilliseconds = 150): ChangePipeline {
  const { database, providerConfigs, notifications, log } = zw.services;
  const { connections } = providerConfigs;
  const review = new ReviewPolicy("off");
  const followers = new ReverseFollows({ database, connections, review, notifications, log, now });
  return new ChangePipeline({ database, connections, notifications, review, followers, now, waitMilliseconds });
}

const edit = (whilePlanning: () => Promise<void> = async () => undefined, changes = pipeline()) =>
  changes.run(zw.services.database.fork(), {
    domainId: zone.id,
    caller: admin,
    need: "write",
    kind: "edit",
    plan: async (em, held) => {
      await whilePlanning();
      const desired = {
        recordType: "A",
        name: "new",
        value: "192.0.2.2",
        ttl: 60,
        strings: null,
        priority: null,
        proxied: false,
      };
      return planState(await liveZone(em, held.id, ZoneScope.all), [desired], "all");
    },
  });

/** A dead process of this machine. */
function deadHolder(token: string): object {
  return { ...thisProcess(), pid: spawnSync(process.execPath, ["--version"]).pid, started: "1", lease: token };
}

describe("a lease", () => {
  test("an expired lease of a dead process does not hold up an edit", async () => {
    await setLease(-1);
    expect((await zone.create({ recordType: "A", name: "new", value: "192.0.2.2" })).status).toBe(201);
  });

  test("the lease of a dead process on this machine is ignored by edits and cleared at startup", async () => {
    await setLease(3_600, deadHolder);
    expect((await edit(undefined, pipeline(patience.timeout))).outcomes).toEqual([{ ok: true }]);
    await setLease(3_600, deadHolder);
    await clearDeadLeases(zw.services.database.fork());
    expect((await edit(undefined, pipeline(500))).planned.changes).toEqual([]);
  });

  test("a start frees every lease of an embedded database, which no other process uses, and in a shared one none whose holder may be alive", async () => {
    await setLease(60);
    const { database, repair } = zw.services;
    await repair.start();
    const ended = edit(undefined, pipeline(1_500)).then(
      ({ outcomes }) => outcomes,
      ({ code }: { code: unknown }) => code,
    );
    expect(await ended).toEqual(database.embedded ? [{ ok: true }] : "UNAVAILABLE");
  });

  test.each([
    ["of another machine", (token: string) => ({ ...deadHolder(token), place: "elsewhere" })],
    ["taken over by another process", () => deadHolder(randomUUID())],
    ["held by a live process", (token: string) => ({ ...thisProcess(), lease: token })],
  ])("a lease whose holder may be alive is respected: %s", async (_, holder) => {
    await setLease(3_600, holder);
    await clearDeadLeases(zw.services.database.fork());
    await expect(edit(undefined, pipeline(1_500))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  test("an edit that waits in vain for a live lease is refused, and can be retried once it expires", async () => {
    await setLease(3_600);
    await expect(edit()).rejects.toMatchObject({ code: "UNAVAILABLE", retryAfterSeconds: expect.any(Number) });
    await leavePending(zw, zone.id, { changes: [createOf("crash")] });
    await zw.services.repair.runOnce();
    expect((await zone.history())[0]).toMatchObject({ state: "pending" });
    await setLease(-1);
    expect((await edit()).outcomes).toEqual([{ ok: true }]);
  });

  test("an edit of a leased zone without a provider is 503 with Retry-After", async () => {
    zone = await manualZone(zw);
    await setLease(3_600);
    const { status, headers, body } = await zone.create({ recordType: "A", name: "x", value: "192.0.2.1" });
    expect([status, body.code]).toEqual([503, "UNAVAILABLE"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await zone.records()).toEqual([]);
  });

  test("an edit whose lease is lost while planning sends nothing and leaves nothing pending", async () => {
    const before = [await zone.readFile(), await zone.history()];
    await expect(edit(() => setLease(-1))).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect([await zone.readFile(), await zone.history()]).toEqual(before);
    expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);
  });

  test("many edits waiting for one lease each wait their own time, not the sum", async () => {
    await setLease(3_600);
    const waiting = pipeline();
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => edit(undefined, waiting)));
    expect(answers.every(({ status }) => status === "rejected")).toBe(true);
  });

  test("an edit stops waiting for the lease of a domain that is deleted", async () => {
    await setLease(3_600);
    const [waited] = await Promise.allSettled([edit(undefined, pipeline(60_000)), zw.admin.delete(zone.path)]);
    expect(waited).toMatchObject({ status: "rejected", reason: { code: "NOT_FOUND" } });
  });

  test("a lease is released after every edit, refused or not", async () => {
    await zone.add("A", "new", "192.0.2.2");
    await zone.create({ recordType: "A", name: "new", value: "192.0.2.2" });
    const row = await db().selectFrom("domains").selectAll().where("id", "=", zone.id).executeTakeFirstOrThrow();
    expect([row.lease_token, row.lease_until]).toEqual([null, null]);
  });
});
