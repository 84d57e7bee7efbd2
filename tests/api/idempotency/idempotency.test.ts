import { randomBytes, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Caller } from "../../../server/access/caller.ts";
import { Idempotency } from "../../../server/api/idempotency.ts";
import { deleteExpired } from "../../../server/composition/job-list.ts";
import { queries } from "../../../server/database/database.ts";
import type { HttpPort } from "../../../server/platform/http-port.ts";
import { Clock, minute } from "../../support/clock.ts";
import { patience } from "../../support/patience.ts";
import { adminPassword, useZonewright } from "../../support/zonewright.ts";
import { manualZone, type Zone } from "../../support/zones.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });
let zone: Zone;
let key: string;

beforeEach(async () => {
  zone = await manualZone(zw);
  key = randomUUID();
});

const record = { recordType: "A", name: "www", value: "192.0.2.1" };
const keyed = (headers: Record<string, string> = {}): Record<string, string> => ({
  "Idempotency-Key": key,
  ...headers,
});
const create = (body: object = record, headers = keyed(), client = zw.admin) =>
  client.post(`/api/domains/${zone.id}/records`, body, headers);

const creating = (count: number, valueOf: (at: number) => object) =>
  Array.from({ length: count }, (_, at) => ({ action: "create", record: { name: `h${at}`, ...valueOf(at) } }));
const address = () => ({ recordType: "A", value: "192.0.2.1" });

const ended = () => Promise.withResolvers<string>();
const fails = () => Promise.reject(new Error("The plan is outdated."));

/** Begins a call that runs until it is ended. Its renewals come only when the test moves the timers on. */
async function longCall() {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const time = new Clock();
  time.standStill();
  const idempotency = new Idempotency(zw.services.database, time.now, zw.services.log);
  const http = { header: () => undefined, setHeader: () => undefined } as unknown as HttpPort;
  const call = { caller: { userId: key, tokenId: null } as unknown as Caller, procedure: "p", key, input: {}, http };
  const executed: string[] = [];
  const once = (name: string, answer: () => Promise<string>) =>
    idempotency.once(call, async () => {
      executed.push(name);
      return await answer();
    });
  const [began, end] = [ended(), ended()];
  const first = once("first", () => {
    began.resolve("");
    return end.promise;
  });
  await began.promise;
  return { time, once, executed, first, end };
}

describe("a call that runs for long", () => {
  test("a call that runs for an hour holds its Idempotency-Key, and its repetition gets its response", async () => {
    const { time, once, executed, first, end } = await longCall();
    for (let minutes = 0; minutes < 60; minutes++) {
      time.advance(minute);
      vi.advanceTimersByTime(minute);
      await vi.waitFor(async () => {
        const rows = queries(zw.services.database.fork()).selectFrom("idempotent_calls").select("runs_until");
        const latest = await rows.orderBy("runs_until", (order) => order.desc().nullsLast()).executeTakeFirst();
        expect(latest?.runs_until?.getTime()).toBeGreaterThan(time.now().getTime() + minute);
      }, patience);
      await expect(once("repetition", fails)).rejects.toThrow(/is still in progress/);
    }
    end.resolve("revision 3");
    expect([await first, await once("later", fails)]).toEqual(["revision 3", "revision 3"]);
    expect(executed).toEqual(["first"]);
  });

  test("a call that lost its Idempotency-Key to a repetition that failed still has its response repeated", async () => {
    const { time, once, executed, first, end } = await longCall();
    time.advance(11 * minute);
    await expect(once("repetition", fails)).rejects.toThrow("The plan is outdated.");
    end.resolve("revision 3");
    expect([await first, await once("later", fails)]).toEqual(["revision 3", "revision 3"]);
    expect(executed).toEqual(["first", "repetition"]);
  });

  test("a call that lost its Idempotency-Key does not free it for others while a repetition runs", async () => {
    const { time, once, first, end } = await longCall();
    time.advance(11 * minute);
    const [began, repeated] = [ended(), ended()];
    const repetition = once("repetition", () => {
      began.resolve("");
      return repeated.promise;
    });
    await began.promise;
    end.reject(new Error("The first failed."));
    await expect(first).rejects.toThrow("The first failed.");
    await expect(once("later", fails)).rejects.toThrow(/is still in progress/);
    repeated.resolve("revision 4");
    expect([await repetition, await once("last", fails)]).toEqual(["revision 4", "revision 4"]);
  });
});

describe("a call with an Idempotency-Key", () => {
  test("a call repeated with its Idempotency-Key executes once and returns the same response, including its ETag", async () => {
    const first = await create();
    const again = await create();
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("etag")).toBe('"1"');
    expect([first, again].map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"]);
    expect(await zone.records()).toHaveLength(1);
    expect((await zone.detail()).revision).toBe(1);
  });

  test("of fifty concurrent calls with one Idempotency-Key, one executes; the others replay its response or get 503", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create()));
    const others = answers.filter(({ status }) => status !== 201);
    for (const { status, headers } of others) expect([status, headers.get("retry-after")]).toEqual([503, "2"]);
    const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
    expect(new Set(ids).size).toBe(1);
    expect(await zone.records()).toHaveLength(1);
  });

  test("an Idempotency-Key reused with another body, path or precondition is refused", async () => {
    const { body } = await create();
    const refused = await create({ ...record, value: "192.0.2.2" });
    expect([refused.status, refused.body.code]).toEqual([409, "CONFLICT"]);
    expect(refused.body.detail).toMatch(/Use a new key/);
    expect((await zw.admin.post(`/api/domains/${zone.id}/snapshots`, {}, keyed())).status).toBe(409);
    key = randomUUID();
    const path = `/api/domains/${zone.id}/records/${body.id}`;
    expect((await zw.admin.put(path, { ttl: 300 }, keyed({ "If-Match": '"1"' }))).status).toBe(200);
    expect((await zw.admin.put(path, { ttl: 300 }, keyed({ "If-Match": '"1"' }))).body.version).toBe(2);
    expect((await zw.admin.put(path, { ttl: 300 }, keyed({ "If-Match": '"2"' }))).status).toBe(409);
  });

  test("a refused call is executed again when repeated with its Idempotency-Key, and can then succeed", async () => {
    await create({ ...record, recordType: "CNAME", value: "shop.example.net" }, {});
    expect((await create()).status).toBe(409);
    const [present] = await zone.records();
    await zone.delete(present?.id);
    expect((await create()).status).toBe(201);
  });

  test("an Idempotency-Key is separate for each user and token", async () => {
    const member = await zw.member(`keys-${key.slice(0, 8)}`);
    await create();
    expect((await create(record, keyed(), member)).status).toBe(404);
    const permissions = ["records:write"];
    const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Script", permissions });
    const script = await create(record, keyed({ authorization: `Bearer ${body.token}` }), zw.nobody);
    expect(script.status).toBe(409);
    expect(script.body.detail).toMatch(/has this A record already/);
  });

  test("a stored response is not replayed without access to the domain, but is after the domain's deletion", async () => {
    const member = await zw.member("former");
    const { body: user } = await member.get("/api/auth/me");
    const assignment = await zw.admin.post("/api/assignments", { userId: user.id, domainId: zone.id, access: "write" });
    expect((await create(record, keyed(), member)).status).toBe(201);
    expect((await create(record, keyed(), member)).headers.get("idempotency-replayed")).toBe("true");
    expect((await zw.admin.delete(`/api/assignments/${assignment.body.id}`)).status).toBe(200);
    expect(await create(record, keyed(), member)).toBeProblem(404, "NOT_FOUND");
    const gone = () => zw.admin.send("DELETE", `/api/domains/${zone.id}`, undefined, keyed());
    expect([(await gone()).status, (await gone()).status]).toEqual([200, 200]);
  });

  test("an Idempotency-Key matches a body with its fields in another order", async () => {
    const { body } = await create({ recordType: "A", name: "www", value: "192.0.2.1" });
    const again = await create({ value: "192.0.2.1", name: "www", recordType: "A" });
    expect([again.status, again.body.id]).toEqual([201, body.id]);
  });

  test.each([300, 450, 600])("a change of %i records is replayed whole, by REST and over tRPC", async (count) => {
    const apply = async (changes: object[]) => {
      const { planHash } = (await zone.post("/records/plan", { changes })).body;
      const input = { changes, planHash };
      return {
        rest: () => zw.admin.post(`${zone.path}/records/apply`, input, keyed()),
        trpc: () => zw.admin.post("/trpc/records.applyPlan", { json: { id: zone.id, ...input } }, keyed()),
      };
    };
    const { rest } = await apply(creating(count, address));
    const [first, again] = [await rest(), await rest()];
    expect([first.status, again.status, again.headers.get("idempotency-replayed")]).toEqual([200, 200, "true"]);
    expect(first.body.results).toHaveLength(count);
    expect(again.body).toEqual(first.body);
    key = randomUUID();
    const { trpc } = await apply(creating(count, (at) => ({ recordType: "TXT", value: `"\u{1F30D}ü\\\\${at}"` })));
    const [made, replayed] = [await trpc(), await trpc()];
    expect([made.status, replayed.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
    expect(replayed.body).toEqual(made.body);
    expect((await zone.detail()).revision).toBe(2);
  });

  test("a long response is replayed with its characters whole, wherever it is cut", async () => {
    const changes = creating(600, (at) => ({ recordType: "TXT", value: `"${"\u{1F30D}".repeat(250)}${at}"` }));
    const { planHash } = (await zone.post("/records/plan", { changes })).body;
    const apply = () => zw.admin.post(`${zone.path}/records/apply`, { changes, planHash }, keyed());
    const [first, again] = [await apply(), await apply()];
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
  });

  test("a call whose response is too large to store executes once, and its repetition says that it succeeded", async () => {
    let executed = 0;
    const http = { header: () => undefined, setHeader: () => undefined } as object as HttpPort;
    const caller = { tokenId: null, userId: randomUUID() } as Caller;
    const call = (answer: unknown) => async () =>
      await zw.services.idempotency.once({ caller, procedure: "test", key, input: {}, http }, async () => {
        executed++;
        return answer;
      });
    const large = call({ text: "a".repeat(17 * 1024 * 1024) });
    await large();
    const message = expect.stringMatching(/^The call with this `Idempotency-Key` succeeded/);
    await expect(large()).rejects.toMatchObject({
      code: "CONFLICT",
      message,
      issues: [{ path: ["Idempotency-Key"], message }],
    });
    expect(executed).toBe(1);
    key = randomUUID();
    const incompressible = call(randomBytes(1_000_000).toString("base64"));
    await incompressible();
    await expect(incompressible()).rejects.toMatchObject({ message });
    expect(executed).toBe(2);
  });

  test("a call whose response cannot be stored at once succeeds, and its repetition gets that response later", async () => {
    const db = queries(zw.services.database.fork());
    await sql`
      create function away() returns trigger language plpgsql as $$ begin raise 'away' using errcode = '57P01'; end $$
    `.execute(db);
    await sql`create trigger away before update on idempotent_calls for each row execute function away()`.execute(db);
    const call = () => zw.admin.post(`${zone.path}/snapshots`, { name: "before the release" }, keyed());
    const first = await call();
    expect((await call()).status).toBe(503);
    await sql`drop trigger away on idempotent_calls`.execute(db);
    expect(first.status).toBe(201);
    await vi.waitFor(async () => {
      const again = await call();
      expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
      expect(again.body).toEqual(first.body);
    }, patience);
    expect((await zone.get("/snapshots")).body.snapshots).toHaveLength(1);
  });

  test.each(["", "short", "with a space in it", "x".repeat(256), "ümlaut-ümlaut"])(
    "the Idempotency-Key %j is refused with an explanation",
    async (bad) => {
      const { status, body } = await create(record, {
        "Idempotency-Key": encodeURI(bad) === bad ? bad : "\u00fcmlaut",
      });
      expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
      expect(body.detail).toMatch(/^`Idempotency-Key` must have 8 to 255/);
    },
  );

  test("an Idempotency-Key works over tRPC and in the v1 API", async () => {
    const path = `/api/v1/domains/${zone.id}/records`;
    const [first, again] = [await zw.admin.post(path, record, keyed()), await zw.admin.post(path, record, keyed())];
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    key = randomUUID();
    const input = { json: { id: zone.id, ...record, value: "192.0.2.9" } };
    const call = () => zw.admin.post("/trpc/records.create", input, keyed());
    const made = await call();
    expect((await call()).body).toEqual(made.body);
    expect(await zone.records()).toHaveLength(2);
  });

  test("an Idempotency-Key is forgotten after a day, and the call then executes again", async () => {
    await create();
    clock.advance(24 * 60 * minute + 1);
    await deleteExpired(zw.services.database, clock.now());
    const admin = await zw.signIn("admin", adminPassword);
    expect((await create(record, keyed(), admin)).body.detail).toMatch(/has this A record already/);
  });
});
