import { sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { site } from "../../support/identity/external-sign-in.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { Zone, freshName, manualConfig, type Body } from "../../support/zones.ts";

const zw = useZonewright({ env: { SITE_URL: site } });

let member: RestClient;
let memberId: string;
/** A word that no other test has. */
let word = "";
let count = 0;

beforeAll(async () => {
  member = await zw.member("tagger");
  memberId = (await member.get("/api/auth/me")).body.id;
  await zw.admin.put(`/api/provider-configs/${await manualConfig(zw)}`, { membersMayUse: true });
});
beforeEach(() => {
  word = `Label-${count++}-x`;
});

async function added(tags: readonly string[], client = zw.admin): Promise<Zone> {
  const wish = { name: freshName(), providerConfigId: await manualConfig(zw), tags };
  const { status, body } = await client.post("/api/domains", wish);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return new Zone(zw, body, client);
}

/** A domain whose tags are as a table has them. */
async function imported(tags: readonly string[]): Promise<Zone> {
  const zone = await added([]);
  const csv = `name,tags\n${zone.name},${tags.join(";")}\n`;
  const { body: plan } = await zw.admin.post("/api/domains/import", { csv, dryRun: true });
  const { status, body } = await zw.admin.post("/api/domains/import", { csv, planHash: plan.planHash });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return zone;
}

const tagsOf = async (zone: Zone) => (await zw.admin.get(zone.path)).body.tags;

async function counted(client = zw.admin): Promise<Body[]> {
  const { body } = await client.get("/api/domains/tags");
  return body.tags.filter(({ name }: Body) => name.toLowerCase() === word.toLowerCase());
}

describe("tags that differ only in case", () => {
  let zones: Zone[];

  beforeEach(async () => {
    zones = [await imported([word]), await imported([word.toUpperCase()]), await imported([word])];
    for (const zone of zones) await zone.add("A", "www", "192.0.2.77");
  });

  test("a table of domains stores them as they are written", async () => {
    expect(await Promise.all(zones.map(tagsOf))).toEqual([[word], [word.toUpperCase()], [word]]);
  });

  test("a filter by one finds the domains and records with each, and a replacement changes them all", async () => {
    const tag = encodeURIComponent(word.toLowerCase());
    expect((await zw.admin.get(`/api/domains?tag=${tag}`)).body.total).toBe(3);
    expect((await zw.admin.get(`/api/records?value=192.0.2.77&tag=${tag}`)).body.total).toBe(3);
    const wish = { recordType: "A", value: "192.0.2.77", newValue: "192.0.2.78", tag: word.toLowerCase() };
    const { body } = await zw.admin.post("/api/records/replace/plan", wish);
    expect(body.domains.map((one: Body) => one.domainId).toSorted()).toEqual(zones.map(({ id }) => id).toSorted());
  });

  test("they are counted as one, under the spelling of most domains, and a domain with two of them once", async () => {
    expect(await counted()).toEqual([{ name: word, count: 3 }]);
    const em = zw.services.database.fork();
    await sql`update domains set tags = array[${word}, ${word.toUpperCase()}] where id = ${zones[1]?.id}`.execute(
      queries(em),
    );
    expect(await counted()).toEqual([{ name: word, count: 3 }]);
  });
});

describe("a tag that a domain newly gets", () => {
  test("takes the spelling that other domains have, in a new domain and in a change", async () => {
    await added([word]);
    const made = await added([word.toLowerCase()]);
    expect(await tagsOf(made)).toEqual([word]);
    const changed = await added([]);
    await zw.admin.put(changed.path, { tags: ["other", word.toUpperCase()] });
    expect(await tagsOf(changed)).toEqual(["other", word]);
  });

  test("stays as written where another domain has it exactly so", async () => {
    await imported([word]);
    await imported([word.toLowerCase()]);
    expect(await tagsOf(await added([word.toLowerCase()]))).toEqual([word.toLowerCase()]);
    expect(await tagsOf(await added([word]))).toEqual([word]);
  });

  test("does not reveal the spelling of domains that the caller does not see", async () => {
    await added([word]);
    expect(await tagsOf(await added([word.toLowerCase()], member))).toEqual([word.toLowerCase()]);
    expect(await counted(member)).toEqual([{ name: word.toLowerCase(), count: 1 }]);
  });
});

test("the case of a domain's own tag can be changed", async () => {
  await added([word]);
  const zone = await added([word]);
  await zw.admin.put(zone.path, { tags: [word.toUpperCase()] });
  expect(await tagsOf(zone)).toEqual([word.toUpperCase()]);
});

/** Names a tag in a right of the member. */
async function assign(tag: string): Promise<void> {
  const { status } = await zw.admin.post("/api/assignments", { userId: memberId, tag, access: "write" });
  if (status !== 201) throw new Error(`assignment: ${status}`);
}

/** Names a tag in a rule for a group that nobody is in. */
async function addRule(tag: string): Promise<void> {
  const groupRules = [{ group: "web", assignment: { tag, access: "write" } }];
  const config = { providerId: "gitlab", clientId: "c", clientSecret: "s", groupsClaim: "groups", groupRules };
  const { status } = await zw.admin.post("/api/oauth/providers", { ...config, enabled: false });
  if (status !== 201) throw new Error(`sign-in provider: ${status}`);
}

describe.each([
  ["an assignment", assign, true],
  ["a rule for groups of a sign-in provider", addRule, false],
])("a tag that %s names", (_, name, isCovered) => {
  test("gives no rights in another case, and no domain gets it without writing it exactly", async () => {
    const assigned = word.toLowerCase();
    await name(assigned);
    const covered = await added([assigned]);
    const zone = await added([word]);
    expect(await tagsOf(zone)).toEqual([word]);
    await zw.admin.put(zone.path, { tags: [assigned.toUpperCase()] });
    expect(await tagsOf(zone)).toEqual([assigned.toUpperCase()]);
    const own = await added([word], member);
    expect(await tagsOf(own)).toEqual([word]);
    const { domains } = (await member.get("/api/domains?limit=100")).body;
    const seen = new Set(domains.map(({ id }: Body) => id));
    expect([seen.has(covered.id), seen.has(zone.id)]).toEqual([isCovered, false]);
    const { body } = await member.get(`/api/domains?tag=${encodeURIComponent(word.toUpperCase())}`);
    expect(body.total).toBe(isCovered ? 2 : 1);
  });
});
