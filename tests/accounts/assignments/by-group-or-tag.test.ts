import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createClient, type WatchedChange } from "../../../client-sdk/src/index.ts";
import { patience } from "../../support/patience.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { Zone, freshName, manualConfig, type Body } from "../../support/zones.ts";
import { idOf } from "./assigned.ts";

const zw = useZonewright();

let owner: RestClient;
let member: RestClient;
let zone: Zone;
let seen: Zone;

/** Gives the member every domain in a group or with a tag. */
async function give(target: object): Promise<Body> {
  const { status, body } = await zw.admin.post("/api/assignments", { userId: await idOf(member), ...target });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

/** The latest audit entry about a change of the zone's fields. */
async function trail(): Promise<Body> {
  const { body } = await zw.admin.get(`/api/audit?targetId=${zone.id}&action=domain.update&limit=1`);
  return body.entries[0];
}

/** A new zone of the owner. */
async function ownZone(): Promise<Zone> {
  const { body } = await owner.post("/api/domains", { name: freshName(), providerConfigId: await manualConfig(zw) });
  return new Zone(zw, body, owner);
}

const set = (client: RestClient, fields: object) => client.put(zone.path, fields);

let count = 0;
/** A tag that no other test has. */
let tag = "";

beforeAll(async () => {
  owner = await zw.member("owner");
  member = await zw.member("tagged");
  await zw.admin.put(`/api/provider-configs/${await manualConfig(zw)}`, { membersMayUse: true });
});
beforeEach(async () => {
  tag = `tag-${count++}`;
  zone = await ownZone();
  seen = new Zone(zw, zone, member);
});

describe("a tag or group that an assignment names", () => {
  test.each(["tag", "groupName"] as const)(
    "an administrator's change of a %s moves rights with the next call",
    async (kind) => {
      const { id } = await give({ [kind]: tag, access: "write" });
      const grouped = (on: boolean) => (kind === "tag" ? { tags: on ? [tag] : [] } : { groupName: on ? tag : null });
      expect((await seen.get("")).status).toBe(404);
      expect((await set(zw.admin, grouped(true))).status).toBe(200);
      expect((await seen.create({ recordType: "A", name: tag, value: "192.0.2.1" })).status).toBe(201);
      expect((await member.get(`/api/domains?search=${zone.name}`)).body.total).toBe(1);
      expect((await member.get(`/api/records?search=${tag}`)).body.total).toBe(1);
      const userId = await idOf(member);
      expect((await trail()).after.assignmentsGained).toEqual([{ assignmentId: id, userId }]);
      expect((await set(zw.admin, grouped(false))).status).toBe(200);
      expect((await seen.get("")).status).toBe(404);
      expect((await member.get(`/api/domains?search=${zone.name}`)).body.total).toBe(0);
      expect((await member.get(`/api/records?search=${tag}`)).body.total).toBe(0);
      expect((await trail()).after.assignmentsLost).toEqual([{ assignmentId: id, userId }]);
      await zw.admin.delete(`/api/assignments/${id}`);
    },
  );

  test("an owner can neither add nor remove it, and changes all other tags", async () => {
    await give({ tag });
    await give({ groupName: tag });
    for (const fields of [{ tags: [tag] }, { groupName: tag }]) {
      const refused = await set(owner, fields);
      expect([refused.status, refused.body.code]).toEqual([403, "FORBIDDEN"]);
      expect(refused.body.issues).toEqual([{ path: Object.keys(fields), message: expect.stringContaining(tag) }]);
      expect((await seen.get("")).status).toBe(404);
    }
    await set(zw.admin, { tags: [tag], groupName: tag });
    expect((await set(owner, { tags: [] })).status).toBe(403);
    expect((await set(owner, { groupName: null })).status).toBe(403);
    expect((await set(owner, { tags: [tag, "mine"] })).body.tags).toEqual([tag, "mine"]);
    expect((await set(owner, { notes: "Unrelated", groupName: tag })).status).toBe(200);
  });

  test("a member cannot add a domain with it, and nothing is stored", async () => {
    await give({ tag });
    const name = freshName();
    const wish = { name, tags: [tag], providerConfigId: await manualConfig(zw) };
    expect((await owner.post("/api/domains", wish)).status).toBe(403);
    expect((await owner.get(`/api/domains?search=${name}`)).body.total).toBe(0);
    const made = await zw.admin.post("/api/domains", wish);
    expect(made.status).toBe(201);
    expect((await member.get(`/api/domains/${made.body.id}`)).status).toBe(200);
  });

  test("once its last assignment is revoked, owners change it again", async () => {
    const { id } = await give({ tag });
    expect((await set(owner, { tags: [tag] })).status).toBe(403);
    await zw.admin.delete(`/api/assignments/${id}`);
    expect((await set(owner, { tags: [tag] })).status).toBe(200);
  });

  test("an open stream of changes follows the tag", async () => {
    await give({ tag });
    const always = await ownZone();
    await give({ domainId: always.id });
    const changes: WatchedChange[] = [];
    const client = createClient({ url: zw.url, token: member.token });
    const ids = [zone.id, always.id];
    const watch = client.domains.watch.subscribe({ ids }, { onData: (change) => changes.push(change) });
    const heard = ({ id }: Zone) => changes.filter(({ domainId }) => domainId === id).length;
    await vi.waitUntil(() => heard(always) > 0, patience);
    expect(heard(zone)).toBe(0);
    await set(zw.admin, { tags: [tag] });
    await zone.add("A", "one", "192.0.2.1");
    await vi.waitUntil(() => heard(zone) > 0, patience);
    await set(zw.admin, { tags: [] });
    const before = [heard(zone), heard(always)];
    await zone.add("A", "two", "192.0.2.2");
    await always.add("A", "two", "192.0.2.2");
    await vi.waitUntil(() => heard(always) > (before[1] ?? 0), patience);
    expect(heard(zone)).toBe(before[0]);
    watch.unsubscribe();
  });
});
