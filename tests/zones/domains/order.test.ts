import { beforeAll, describe, expect, test } from "vitest";
import { assign } from "../../accounts/assignments/assigned.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { Clock, minute } from "../../support/clock.ts";
import { adminPassword, memberPassword, useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, type Body, type Zone } from "../../support/zones.ts";

const clock = new Clock();
const zw = useZonewright({ env: { JOBS: "off" }, now: clock.now });
let drifted: Zone;
let agreeing: Zone;
let empty: Zone;
let member: RestClient;

beforeAll(async () => {
  drifted = await fileZone(zw, "www 300 A 192.0.2.1\n");
  agreeing = await fileZone(zw, "a 300 A 192.0.2.1\nb 300 A 192.0.2.2\nc 300 A 192.0.2.3\n");
  empty = await manualZone(zw);
  await zw.admin.put(`/api/domains/${agreeing.id}`, { expiresAt: "2099-01-01T00:00:00Z" });
  await zw.admin.put(`/api/domains/${empty.id}`, { expiresAt: "2050-01-01T00:00:00Z" });
  await drifted.edit((text) => `${text}new 300 A 192.0.2.9\n`);
  member = await zw.member("orders");
  await assign(zw, member, drifted.id, "www", "read");
  await assign(zw, member, agreeing.id, "*", "read");
  await compare();
});

/** Compares all zones, an hour later; access tokens have expired by then. */
async function compare(): Promise<void> {
  clock.advance(61 * minute);
  await zw.services.drift.runOnce();
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
  member.token = (await zw.signIn("orders", memberPassword)).token;
}

async function listed(query: string, client = zw.admin): Promise<string[]> {
  const { status, body } = await client.get(`/api/domains?${query}`);
  expect({ status, body }).toMatchObject({ status: 200, body: { total: body.domains.length } });
  const own = new Map([drifted, agreeing, empty].map((zone, index) => [zone.id, "DAE"[index] ?? ""]));
  return body.domains.map(({ id }: Body) => own.get(id));
}

describe("the list of domains", () => {
  test("the list of domains shows since when a domain has drifted, and null without drift", async () => {
    const { body } = await zw.admin.get("/api/domains");
    const found = new Map(body.domains.map(({ id, driftedAt }: Body) => [id, driftedAt]));
    expect(found.get(drifted.id)).toMatch(/^\d{4}-.*Z$/);
    expect([found.get(agreeing.id), found.get(empty.id)]).toEqual([null, null]);
    expect((await drifted.detail()).driftedAt).toBe(found.get(drifted.id));
  });

  test("the list of domains can be filtered by drift", async () => {
    expect(await listed("drift=true")).toEqual(["D"]);
    expect((await listed("drift=false")).toSorted()).toEqual(["A", "E"]);
    await drifted.post("/sync", { force: true });
    expect(await listed("drift=true")).toEqual([]);
    await drifted.edit((text) => `${text}newer 300 A 192.0.2.9\n`);
    await compare();
  });

  test("the list of domains can be filtered by provider configuration", async () => {
    const { providerConfigId } = await empty.detail();
    expect(await listed(`providerConfigId=${providerConfigId}`)).toEqual(["E"]);
    expect(await listed("providerConfigId=01a1fb0f-6204-7000-abd4-276e976be8b7")).toEqual([]);
  });

  test.each([
    ["expiresAt", ["E", "A", "D"]],
    ["-expiresAt", ["A", "E", "D"]],
    ["recordCount", ["E", "D", "A"]],
    ["-recordCount", ["A", "D", "E"]],
  ])("the list of domains can be sorted by %s, unknown dates last", async (sort, order) => {
    expect(await listed(`sort=${sort}`)).toEqual(order);
  });

  test("the list of domains can be sorted by drift, provider, change and name", async () => {
    const byName = await listed("sort=name");
    expect(await listed("")).toEqual(byName);
    expect(await listed("sort=-name")).toEqual(byName.toReversed());
    expect((await listed("sort=drift"))[0]).toBe("D");
    expect((await listed("sort=-drift"))[0]).toBe("D");
    await empty.add("A", "www", "192.0.2.1");
    expect((await listed("sort=-updatedAt"))[0]).toBe("E");
    expect((await listed("sort=updatedAt")).at(-1)).toBe("E");
    const providers = (await zw.admin.get("/api/provider-configs")).body.configs as Body[];
    const nameOf = new Map(providers.map(({ id, name }) => [id, name]));
    const { body } = await zw.admin.get("/api/domains?sort=provider");
    const names = body.domains.map(({ providerConfigId }: Body) => nameOf.get(providerConfigId));
    expect(names).toEqual(names.toSorted());
  });

  test("members assigned some hosts of a domain cannot infer its drift or size from the list", async () => {
    expect(await listed("drift=true", member)).toEqual([]);
    expect((await listed("drift=false", member)).toSorted()).toEqual(["A", "D"]);
    expect(await listed("sort=recordCount", member)).toEqual(["A", "D"]);
    expect(await listed("sort=-recordCount", member)).toEqual(["A", "D"]);
    const { body } = await member.get("/api/domains?sort=drift");
    expect(body.domains.map(({ driftedAt }: Body) => driftedAt)).toEqual([null, null]);
  });

  test.each(["sort=size", "sort=--name", "drift=maybe", "providerConfigId=x"])(
    "sorting or filtering by %s is refused, naming the parameter",
    async (query) => {
      const { status, body } = await zw.admin.get(`/api/domains?${query}`);
      expect([status, body.issues?.[0]?.path]).toEqual([400, [query.replace(/=.*/, "")]]);
    },
  );
});
