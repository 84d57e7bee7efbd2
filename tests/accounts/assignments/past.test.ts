import { beforeAll, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { newId } from "../../../server/platform/ids.ts";
import { useZonewright } from "../../support/zonewright.ts";
import type { Body, Zone } from "../../support/zones.ts";
import { readZone } from "./assigned.ts";

const zw = useZonewright();

/** The administrator's zone, and the same zone as members see it. */
let zone: Zone;
let dev: Zone;
let everything: Zone;
let stranger: Zone;

beforeAll(async () => {
  ({ zone, dev, everything, stranger } = await readZone(zw));
});

const namesOf = (records: Body[]) => records.map(({ name }) => name);

const failure = (name: string) => ({
  action: "create",
  recordType: "A",
  name,
  value: "192.0.2.1",
  error: "refused",
});
const set = (state: "failed" | "pending", failures: object[] | null) => ({
  id: newId(),
  domain_id: zone.id,
  kind: "bulk" as const,
  state,
  actor_id: null,
  revision: null,
  creates: 2,
  updates: 0,
  deletes: 0,
  failures: failures && JSON.stringify(failures),
  repaired: false,
  created_at: new Date(),
});

describe("a zone's past for members with assignments", () => {
  /** Snapshots before and after changes to matching hosts, to other hosts, and from one to the other. */
  let from: string;
  let to: string;
  let moved: string;

  beforeAll(async () => {
    from = (await zone.post("/snapshots")).body.id;
    moved = (await zone.add("TXT", "moved", "moves")).id;
    const added = await zone.add("TXT", "new.dev", "first");
    await zone.update(added.id, { value: "second" });
    const [www] = await zone.records("&search=www");
    await zone.update(www.id, { value: "another" });
    await zone.update(moved, { name: "moved.dev" });
    await zone.post("/records/bulk", {
      records: ["x.dev", "y", "z"].map((name) => ({ recordType: "TXT", name, value: "bulk" })),
    });
    to = (await zone.post("/snapshots")).body.id;
  });

  test("snapshots contain and count only the records that match a member's patterns", async () => {
    const { body } = await dev.get("/snapshots");
    expect(body).toMatchObject({ total: 2, snapshots: [{ recordCount: 6 }, { recordCount: 3 }] });
    for (const { id, records } of body.snapshots) {
      const { body: one } = await dev.get(`/snapshots/${id}`);
      expect(one.records).toEqual(records);
      expect(namesOf(one.records).filter((name) => !name.endsWith(".dev"))).toEqual([]);
      expect(one.recordCount).toBe(one.records.length);
    }
    expect((await dev.get("/snapshots?records=false")).body.snapshots).toMatchObject([
      { recordCount: 6, records: null },
      { recordCount: 3, records: null },
    ]);
    expect((await everything.get("/snapshots")).body).toEqual((await zone.get("/snapshots")).body);
    expect((await stranger.get(`/snapshots/${from}`)).status).toBe(404);
  });

  test("the snapshot diff contains only changes to hosts that match a member's patterns", async () => {
    const { body } = await dev.get(`/snapshots/diff?from=${from}&to=${to}`);
    expect(new Set(namesOf(body.added))).toEqual(new Set(["moved.dev", "new.dev", "x.dev"]));
    expect([body.removed, body.modified]).toEqual([[], []]);
    const { body: back } = await dev.get(`/snapshots/diff?from=${to}&to=${from}`);
    expect(new Set(namesOf(back.removed))).toEqual(new Set(["moved.dev", "new.dev", "x.dev"]));
    expect((await everything.get(`/snapshots/diff?from=${from}&to=${to}`)).body.modified).toHaveLength(1);
  });

  test("the history contains only changes to hosts that match a member's patterns", async () => {
    const { body } = await dev.get("/history?limit=3");
    const reported = body.entries.map(({ kind, creates, updates, deletes, changes }: Body) => [
      kind,
      creates,
      updates,
      deletes,
      changes.map(({ before, after }: Body) => [before?.name ?? null, after?.name ?? null]),
    ]);
    expect(reported).toEqual([
      ["bulk", 1, 0, 0, [[null, "x.dev"]]],
      ["edit", 1, 0, 0, [[null, "moved.dev"]]],
      ["edit", 0, 1, 0, [["new.dev", "new.dev"]]],
    ]);
    // Three hosts at the start, one short-lived, one created, one changed, one moved in, one from a bulk call.
    const all = (await dev.get("/history?limit=100")).body;
    expect(all.total).toBe(all.entries.length);
    expect(JSON.stringify(all)).not.toMatch(/"(?:www|moved|y|z|@)"|another/);
    const { body: second } = await dev.get("/history?limit=1&page=2");
    expect([second.total, second.entries]).toEqual([all.total, [body.entries[1]]]);
    expect((await everything.get("/history")).body).toEqual((await zone.get("/history")).body);
  });

  test("a record renamed out of a member's patterns appears as deleted to that member", async () => {
    await zone.update(moved, { name: "away" });
    const { entries } = (await dev.get("/history?limit=1")).body;
    expect(entries).toMatchObject([{ deletes: 1, updates: 0, changes: [{ action: "delete", after: null }] }]);
    await zone.update(moved, { name: "moved.dev" });
  });

  test("failed and pending changes to other hosts are hidden from a member", async () => {
    const before = (await dev.get("/history")).body.total;
    const sets = [
      set("failed", [failure("db")]),
      set("failed", [failure("q.dev"), failure("db")]),
      set("pending", null),
    ];
    await queries(zw.services.database.fork()).insertInto("change_sets").values(sets).execute();
    const { body } = await dev.get("/history");
    expect(body.total).toBe(before + 1);
    expect(body.entries[0]).toMatchObject({ id: sets[1]?.id, creates: 0, failures: [failure("q.dev")] });
    expect((await everything.get("/history")).body.entries.slice(0, 3)).toMatchObject([
      { state: "pending" },
      { failures: [failure("q.dev"), failure("db")] },
      { failures: [failure("db")] },
    ]);
    await queries(zw.services.database.fork())
      .deleteFrom("change_sets")
      .where(
        "id",
        "in",
        sets.map(({ id }) => id),
      )
      .execute();
  });
});
