import { beforeAll, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { newId } from "../../../server/platform/ids.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { Zone, fileZone, freshName, manualZone, type Body } from "../../support/zones.ts";
import { assign, idOf, hosts, readZone } from "./assigned.ts";

const zw = useZonewright();

/** The administrator's zone, and the same zone as members see it. */
let zone: Zone;
let dev: Zone;
let everything: Zone;
let stranger: Zone;
const as = (client: RestClient) => new Zone(zw, zone, client);

const below = ["*.dev", "a.b.dev", "api.dev"];

beforeAll(async () => {
  ({ zone, dev, everything, stranger } = await readZone(zw));
});

const namesOf = (records: Body[]) => records.map(({ name }) => name);
const listed = async ({ client }: Zone, query = "") =>
  (await client.get(`/api/domains?search=${zone.name}${query}`)).body;

describe("what a member sees", () => {
  test("a member sees only assigned domains, in the list and by ID", async () => {
    await manualZone(zw);
    for (const seen of [dev, everything]) {
      const { body } = await seen.client.get("/api/domains?limit=100");
      expect([body.total, body.domains.map(({ id }: Body) => id)]).toEqual([1, [zone.id]]);
      expect(await seen.detail()).toMatchObject({ id: zone.id, name: zone.name, ownerId: null });
      expect((await seen.client.get(`/api/v1/domains/${zone.id}`)).body).toEqual(await seen.detail());
    }
    expect((await listed(stranger)).total).toBe(0);
    expect((await stranger.get("")).status).toBe(404);
  });

  test("a member sees owned and assigned domains in one list, by name, each once, under every filter", async () => {
    const member = await zw.member("reads-both");
    const config = { kind: "manual", name: "For both", membersMayUse: true };
    const { body: open } = await zw.admin.post("/api/provider-configs", config);
    const prefix = freshName().replace(".example", "");
    const make = async (client: RestClient, name: string, tags: string[]) =>
      (await client.post("/api/domains", { name: `${name}-${prefix}.example`, providerConfigId: open.id, tags })).body;
    const [a, c] = [await make(member, "a", ["x"]), await make(member, "c", ["y"])];
    const [b] = [await make(zw.admin, "b", ["x"]), await make(zw.admin, "d", ["x"])];
    for (const id of [a.id, b.id]) await assign(zw, member, id, "*", "read");
    await assign(zw, member, b.id, "www", "write");
    const ids = async (query: string) => {
      const { body } = await member.get(`/api/domains${query}`);
      return [body.total, ...body.domains.map(({ id }: Body) => id)];
    };
    expect(await ids("")).toEqual([3, a.id, b.id, c.id]);
    expect(await ids("?limit=1&page=2")).toEqual([3, b.id]);
    expect(await ids("?tag=x")).toEqual([2, a.id, b.id]);
    expect(await ids(`?search=b-${prefix}`)).toEqual([1, b.id]);
    expect(await ids("?status=disabled")).toEqual([0]);
    expect((await member.get("/api/domains/tags")).body.tags).toEqual([
      { name: "x", count: 2 },
      { name: "y", count: 1 },
    ]);
  });

  test("a member sees only records of matching hosts, and the total counts only those", async () => {
    const { body } = await dev.get("/records");
    expect([body.total, namesOf(body.records)]).toEqual([3, below]);
    expect((await dev.client.get(`/api/v1/domains/${zone.id}/records`)).body).toEqual(body);
    expect((await everything.get("/records")).body).toEqual((await zone.get("/records")).body);
    expect((await stranger.get("/records")).status).toBe(404);
  });

  test("a member sees only records of matching hosts under every filter and on every page", async () => {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => dev.get(`/records?limit=1&page=${page}`)));
    expect(pages.map(({ body }) => [body.total, namesOf(body.records)])).toEqual([
      [3, ["*.dev"]],
      [3, ["a.b.dev"]],
      [3, ["api.dev"]],
      [3, []],
    ]);
    expect((await dev.get("/records?search=a")).body).toMatchObject({ total: 2 });
    expect((await dev.get("/records?search=www")).body).toMatchObject({ total: 0, records: [] });
    expect((await dev.get("/records?type=TXT")).body).toMatchObject({ total: 3 });
    expect((await dev.get("/records?type=MX")).body).toMatchObject({ total: 0 });
  });

  test.each([
    [
      ["*.dev", "www"],
      ["*.dev", "a.b.dev", "api.dev", "www"],
    ],
    [["@"], ["@"]],
    [["a_b"], ["a_b"]],
    [["a*b"], ["a_b", "axb"]],
    [
      ["dev", "*.dev"],
      ["*.dev", "a.b.dev", "api.dev", "dev"],
    ],
    [["app-*", "app-1"], ["app-1"]],
    [["nothing"], []],
    [["nothing", "*"], hosts.toSorted()],
  ])("a member with the patterns %j sees exactly the hosts %j", async (patterns, expected) => {
    const member = as(await zw.member(`reads-${newId()}`));
    for (const pattern of patterns) await assign(zw, member.client, zone.id, pattern, "read");
    expect(namesOf(await member.records())).toEqual(expected);
    expect((await member.detail()).recordCount).toBe(expected.length);
    expect((await listed(member)).domains).toMatchObject([{ recordCount: expected.length }]);
    const { body: file } = await member.get("/zonefile");
    for (const host of hosts) expect([host, file.includes(`"of ${host}"`)]).toEqual([host, expected.includes(host)]);
  });

  test("a member finds international hosts that match by their Unicode form, too", async () => {
    await zone.add("TXT", "bücher.dev", "books");
    await zone.add("TXT", "bücher", "secret books");
    const { body } = await dev.get("/records?search=b%C3%BCch");
    expect(namesOf(body.records)).toEqual(["xn--bcher-kva.dev"]);
    for (const { id } of await zone.records("&search=b%C3%BCch")) await zone.delete(id);
  });

  test("a member sees a zone's drift only with access to all of its hosts", async () => {
    const drifting = await fileZone(zw);
    await assign(zw, dev.client, drifting.id, "*.dev", "read");
    await assign(zw, everything.client, drifting.id, "*", "read");
    await queries(zw.services.database.fork())
      .updateTable("domains")
      .set({ drift_found_at: new Date(), drift_created: 7, drift_updated: 0, drift_deleted: 0 })
      .where("id", "=", drifting.id)
      .execute();
    expect((await new Zone(zw, drifting, everything.client).detail()).drift).toMatchObject({ created: 7 });
    expect((await new Zone(zw, drifting, dev.client).detail()).drift).toBeNull();
    await zw.admin.delete(drifting.path);
  });
});

test("an owner with an assignment on their own domain still sees and changes all of it", async () => {
  const owner = await zw.member("reads-own");
  const config = { kind: "manual", name: "For owners", membersMayUse: true };
  const { body: open } = await zw.admin.post("/api/provider-configs", config);
  const { body } = await owner.post("/api/domains", { name: freshName(), providerConfigId: open.id });
  const own = new Zone(zw, body, owner);
  await own.add("A", "www", "192.0.2.1");
  await assign(zw, owner, own.id, "*.dev", "read");
  expect(namesOf(await own.records())).toEqual(["www"]);
  expect((await owner.put(own.path, { notes: "mine" })).status).toBe(200);
  expect(await idOf(owner)).toBe(body.ownerId);
});
