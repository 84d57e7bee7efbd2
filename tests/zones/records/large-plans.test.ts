import { stringify } from "superjson";
import { beforeAll, describe, expect, test } from "vitest";
import { planInput } from "../../../server/zones/records/change-schemas.ts";
import { slicedWork } from "../../../server/platform/slices.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { manualZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeAll(async () => {
  zone = await manualZone(zw);
});

const creates = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    action: "create",
    record: { recordType: "A", name: `h${index}`, value: "192.0.2.1", ttl: 300, priority: null, comment: "planned" },
  }));

/** Parses as tRPC does, which waits for a `parse` that returns a promise. */
async function parse(input: unknown): Promise<unknown> {
  const parsed: unknown = planInput.parse(input);
  return await parsed;
}

describe("a plan of 10,000 changes", () => {
  test("a plan of 10,000 changes is made over REST and applied over tRPC, and the next deletes them all", async () => {
    const changes = creates(10_000);
    const plan = await zone.post("/records/plan", { changes });
    expect({ status: plan.status, creates: plan.body.creates?.length }).toEqual({ status: 200, creates: 10_000 });
    const input = { id: zone.id, changes, planHash: plan.body.planHash, message: "All hosts" };
    const applied = await zw.admin.post("/trpc/records.applyPlan", stringify(input));
    expect({ status: applied.status, results: applied.body.result.data.json.results.length }).toEqual({
      status: 200,
      results: 10_000,
    });
    expect(await zone.detail()).toMatchObject({ recordCount: 10_000, revision: 1 });
    const deletes = applied.body.result.data.json.results.map(({ recordId }: Body) => ({ action: "delete", recordId }));
    const second = (await zone.post("/records/plan", { changes: deletes })).body;
    expect(second.deletes).toHaveLength(10_000);
    const gone = await zone.post("/records/apply", { changes: deletes, planHash: second.planHash, force: true });
    expect({ status: gone.status, revision: gone.body.revision }).toEqual({ status: 200, revision: 2 });
  });

  test("10,001 changes are refused, and so is one bad change among 10,000, by its index", async () => {
    const many = await zone.post("/records/plan", { changes: creates(10_001) });
    expect(many).toMatchObject({ status: 400, body: { detail: expect.stringMatching(/at most 10000/) } });
    const changes: unknown[] = creates(10_000);
    changes[9_998] = { action: "create", record: { recordType: "A", name: "x", value: 7 } };
    const bad = await zone.post("/records/plan", { changes });
    expect(bad).toMatchObject({ status: 400, body: { issues: [{ path: ["changes", 9_998, "record", "value"] }] } });
  });
});

describe("the input of a large plan", () => {
  const id = "01a1fb0f-6204-7000-abd4-276e976be8b7";

  test("a long list is validated in slices, with the same result as in one go", async () => {
    const input = { id: id.toUpperCase(), changes: creates(2_000) };
    const before = slicedWork.steps;
    const parsed = await parse(input);
    expect(slicedWork.steps - before).toBeGreaterThanOrEqual(2_000);
    expect(parsed).toEqual(planInput.safeParse(input).data);
  });

  test.each([
    ["an invalid item", { id, changes: [...creates(600), { action: "make" }] }],
    ["an invalid field beside the list", { id: "x", changes: creates(600) }],
    ["an unknown field", { id, changes: creates(600), more: 1 }],
    ["too many items", { id, changes: creates(10_001) }],
  ])("a long list with %s is refused with the same issues as in one go", async (_what, input) => {
    await expect(parse(input)).rejects.toMatchObject({ issues: planInput.safeParse(input).error?.issues });
  });
});
