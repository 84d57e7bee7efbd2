import { beforeEach, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await fileZone(zw, "www 300 A 192.0.2.1\nmail 300 A 192.0.2.2\n");
});

interface Call {
  path: string;
  body: object;
}

const importOf = (value: string): Call => ({
  path: "/zonefile",
  body: { zonefile: `new A ${value}\nwww 60 A 192.0.2.1\n` },
});

/** Each kind of comparison: a call, and one that makes other changes at the same revision of the zone. */
const kinds: Record<string, () => Promise<{ call: Call; other: () => Promise<Call> }>> = {
  import: () => Promise.resolve({ call: importOf("192.0.2.9"), other: () => Promise.resolve(importOf("192.0.2.10")) }),
  sync: async () => {
    const call = { path: "/sync", body: { force: true } };
    const more = async (name: string) => {
      await zone.edit((text) => `${text}${name} 60 IN A 192.0.2.9\n`);
      return call;
    };
    return { call: await more("new"), other: () => more("other") };
  },
  rollback: async () => {
    const take = async () => ({ path: `/snapshots/${(await zone.post("/snapshots")).body.id}/rollback`, body: {} });
    const older = await take();
    await zone.add("A", "new", "192.0.2.9");
    const newer = await take();
    await zone.add("A", "newest", "192.0.2.9");
    return { call: newer, other: () => Promise.resolve(older) };
  },
};

describe.each(["import", "sync", "rollback"] as const)("the plan hash of a dry run of %s", (name) => {
  let path: string;
  let body: object;
  let other: () => Promise<Call>;
  beforeEach(async () => {
    const prepared = await kinds[name]?.();
    if (!prepared) throw new Error(`${name} is unknown`);
    ({ path, body } = prepared.call);
    other = prepared.other;
  });
  const dry = async (): Promise<Body> => (await zone.post(path, { ...body, dryRun: true })).body;

  test("the call with the hash makes the planned changes", async () => {
    const { plan, planHash } = await dry();
    expect(planHash).toMatch(/^\d+\.[\w-]+$/);
    const { status, body: made } = await zone.post(path, { ...body, planHash });
    expect({ status, made }).toMatchObject({
      status: 200,
      made: { created: plan.creates.length, updated: plan.updates.length, deleted: plan.deletes.length },
    });
    expect(made).toMatchObject({ plan: null, planHash: null });
    expect(plan.creates.length + plan.updates.length + plan.deletes.length).toBeGreaterThan(0);
  });

  test("the same dry run twice has the same hash", async () => {
    expect((await dry()).planHash).toBe((await dry()).planHash);
  });

  test("once the zone has changed, the call is refused with 409 and changes nothing", async () => {
    const { planHash } = await dry();
    await zone.add("A", "between", "192.0.2.44");
    const before = await zone.lines();
    expect(await zone.post(path, { ...body, planHash })).toMatchObject({
      status: 409,
      body: { code: "CONFLICT", detail: expect.stringMatching(/Plan again/) },
    });
    expect(await zone.lines()).toEqual(before);
  });

  test("other changes at the same revision are refused with 409 and change nothing", async () => {
    const { planHash } = await dry();
    const before = await zone.lines();
    const instead = await other();
    expect(await zone.post(instead.path, { ...instead.body, planHash })).toMatchObject({
      status: 409,
      body: { code: "CONFLICT" },
    });
    expect(await zone.lines()).toEqual(before);
  });

  test("a hash with dryRun, an empty, overlong or made-up hash is refused", async () => {
    const { planHash } = await dry();
    const bad = { status: 400, body: { issues: [{ path: ["planHash"] }] } };
    expect(await zone.post(path, { ...body, planHash, dryRun: true })).toMatchObject(bad);
    expect(await zone.post(path, { ...body, planHash: "" })).toMatchObject(bad);
    expect(await zone.post(path, { ...body, planHash: "x".repeat(101) })).toMatchObject(bad);
    expect(await zone.post(path, { ...body, planHash: 7 })).toMatchObject(bad);
    const { revision } = await zone.detail();
    for (const made of ["x", `${revision}.x`, `${revision}.`])
      expect(await zone.post(path, { ...body, planHash: made })).toMatchObject({ status: 409 });
  });
});

describe("a reviewed comparison", () => {
  test("a file in another order is the same plan", async () => {
    const lines = ["a A 192.0.2.1\n", "b A 192.0.2.1\n", "c TXT x\n"];
    const { planHash } = (await zone.post("/zonefile", { zonefile: lines.join(""), dryRun: true })).body;
    const zonefile = lines.toReversed().join("");
    expect(await zone.post("/zonefile", { zonefile, planHash })).toMatchObject({ status: 200, body: { created: 3 } });
  });

  test("the hash does not replace force above the safety threshold", async () => {
    for (let index = 0; index < 10; index++) await zone.add("A", `h${index}`, "192.0.2.1");
    const body = { zonefile: "www A 192.0.2.1\n", mode: "replace" };
    const { planHash } = (await zone.post("/zonefile", { ...body, dryRun: true })).body;
    expect(await zone.post("/zonefile", { ...body, planHash })).toMatchObject({
      status: 409,
      body: { code: "CONFIRMATION_REQUIRED" },
    });
    expect(await zone.post("/zonefile", { ...body, planHash, force: true })).toMatchObject({ status: 200 });
  });

  test("the plan of one zone does not fit another", async () => {
    const other = await fileZone(zw, "www 300 A 192.0.2.1\nmail 300 A 192.0.2.2\n");
    const zonefile = "new A 192.0.2.9\n";
    const { planHash } = (await zone.post("/zonefile", { zonefile, dryRun: true })).body;
    expect(await other.post("/zonefile", { zonefile, planHash })).toMatchObject({ status: 409 });
  });
});
