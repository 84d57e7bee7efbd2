import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assign } from "../../accounts/assignments/assigned.ts";
import { startCloudflare, type CloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import { useZonewright } from "../../support/zonewright.ts";
import {
  addZone,
  fileZone,
  freshName,
  manualConfig,
  manualZone,
  unknownId,
  type Body,
  type Zone,
} from "../../support/zones.ts";
import { jobOf, planned, planOf, started } from "./replaced.ts";

/** Jobs run when a test says so. */
const zw = useZonewright({ env: { JOBS: "off", EGRESS_ALLOW: "127.0.0.1" } });

let cloudflare: CloudflareServer;
beforeAll(async () => {
  cloudflare = await startCloudflare();
});
afterAll(() => cloudflare.stop());

let addresses = 0;
/** An address that no other test has. */
function freshAddress(): string {
  addresses += 1;
  return `10.77.${addresses >> 8}.${addresses & 255}`;
}

/** Three zones with an address that no other test has at two names each. */
async function zonesWithOne(): Promise<{ old: string; zones: [Zone, Zone, Zone] }> {
  const old = freshAddress();
  const zones: [Zone, Zone, Zone] = [await manualZone(zw), await fileZone(zw), await manualZone(zw)];
  const zonefile = `@ 300 A ${old}\nwww 300 A ${old}\nother A 192.0.2.99\n`;
  for (const zone of zones) expect((await zone.post("/zonefile", { zonefile })).body).toMatchObject({ created: 3 });
  return { old, zones };
}

/** Replaces, and returns the job once it has ended. */
async function replaced(request: object): Promise<Body> {
  const jobId = await started(zw.admin, request);
  await zw.services.batches.run();
  return await jobOf(zw.admin, jobId);
}

const byName = (one: Body, other: Body) => (one.domainName < other.domainName ? -1 : 1);

describe("a plan of a replacement", () => {
  test("a disabled record gets the new value too, and stays disabled", async () => {
    const [old, now] = [freshAddress(), freshAddress()];
    const zone = await manualZone(zw);
    await zone.add("A", "www", now);
    await zone.create({ recordType: "A", name: "www", value: old, status: "disabled" });
    const job = await replaced({ recordType: "A", value: old, newValue: now });
    expect(job).toMatchObject({ state: "done" });
    expect((await zone.records()).map(({ value, status }) => `${value} ${status}`).toSorted()).toEqual([
      `${now} active`,
      `${now} disabled`,
    ]);
  });

  test("the new value is kept as written, in disabled records, too", async () => {
    const zone = await manualZone(zw);
    const old = `${zone.name}.invalid`;
    await zone.add("CNAME", "on", old);
    await zone.create({ recordType: "CNAME", name: "off", value: old, status: "disabled" });
    await replaced({ recordType: "CNAME", value: old, newValue: "Shop.Example.ORG" });
    expect(await zone.records("&type=CNAME")).toMatchObject([
      { name: "off", value: "Shop.Example.ORG" },
      { name: "on", value: "Shop.Example.ORG" },
    ]);
  });

  test("a plan lists the updates of every domain with the value under one hash, and changes nothing", async () => {
    const { old, zones } = await zonesWithOne();
    const before = await Promise.all(zones.map((zone) => zone.records()));
    const plan = await planned(zw.admin, { recordType: "A", value: old, newValue: "192.0.2.7", newTtl: 60 });
    expect(plan.domains.map(({ domainName }: Body) => domainName)).toEqual(zones.map(({ name }) => name).toSorted());
    for (const domain of plan.domains) {
      const { providerId } = await (zones.find(({ name }) => name === domain.domainName) as Zone).detail();
      expect(domain).toMatchObject({ providerId, creates: [], deletes: [], error: null });
      expect(domain.updates.map(({ changes }: Body) => changes)).toEqual([
        { value: [old, "192.0.2.7"], ttl: [300, 60] },
        { value: [old, "192.0.2.7"], ttl: [300, 60] },
      ]);
    }
    expect(plan.planHash).toEqual(expect.any(String));
    expect(await Promise.all(zones.map((zone) => zone.records()))).toEqual(before);
    expect(await planned(zw.admin, { recordType: "A", value: old, newValue: "192.0.2.7", newTtl: 60 })).toEqual(plan);
  });

  test("`domainIds` and `tag` narrow a plan, and an unknown domain is 404", async () => {
    const { old, zones } = await zonesWithOne();
    const [one, two] = zones;
    await zw.admin.put(two.path, { tags: [old] });
    const request = { recordType: "A", value: old, newValue: "192.0.2.7" };
    const named = await planned(zw.admin, { ...request, domainIds: [one.id] });
    expect(named.domains).toMatchObject([{ domainId: one.id }]);
    const tagged = await planned(zw.admin, { ...request, tag: old });
    expect(tagged.domains).toMatchObject([{ domainId: two.id }]);
    const unknown = await planOf(zw.admin, { ...request, domainIds: [one.id, unknownId] });
    expect([unknown.status, unknown.body.issues[0].path]).toEqual([404, ["domainIds", 1]]);
  });

  test("where a name already has the new value, the old record is deleted with a warning", async () => {
    const {
      old,
      zones: [zone],
    } = await zonesWithOne();
    await zone.add("A", "www", "192.0.2.7");
    const { domains } = await planned(zw.admin, {
      recordType: "A",
      value: old,
      newValue: "192.0.2.7",
      domainIds: [zone.id],
    });
    expect(domains[0].updates).toMatchObject([{ after: { name: "@" } }]);
    expect(domains[0].deletes).toMatchObject([{ name: "www", value: old }]);
    expect(domains[0].warnings.join(" ")).toMatch(/www already has A 192\.0\.2\.7/);
  });

  test("a domain in which a rule forbids the change is listed with the reason, beside the others", async () => {
    const host = freshName();
    const [good, bad] = [await manualZone(zw), await manualZone(zw)];
    await good.add("NS", "sub", host);
    await bad.add("NS", "@", host);
    const files = await fileZone(zw);
    await files.add("NS", "@", host);
    // A name server within the zone needs an address there.
    const { domains } = await planned(zw.admin, { recordType: "NS", value: host, newValue: `ns9.${files.name}` });
    const errors = new Map(domains.map(({ domainId, error }: Body) => [domainId, error]));
    expect([errors.get(good.id), errors.get(bad.id)]).toEqual([null, null]);
    expect(errors.get(files.id)).toMatch(/no A or AAAA record/);
  });

  test("a plan warns of private addresses and of losses that need force, domain by domain", async () => {
    const zone = await manualZone(zw);
    const zonefile = Array.from({ length: 10 }, (_, index) => `h${index} A ${freshAddress()}\n`).join("");
    await zone.post("/zonefile", { zonefile });
    for (let index = 0; index < 6; index++) await zone.add("A", `same${index}`, "203.0.113.200");
    const { domains } = await planned(zw.admin, { recordType: "A", value: "203.0.113.200", newValue: "10.0.0.1" });
    expect(domains).toHaveLength(1);
    expect(domains[0].warnings.join(" ")).toMatch(/Private addresses.*more than 30 %/s);
  });
});

describe("values", () => {
  test.each([
    ["AAAA", "2001:db8::1", "2001:DB8:0:0:0:0:0:1", "2001:db8::0:2", "2001:db8::2"],
    ["CNAME", "old.example.net", "OLD.Example.Net.", "New.example.NET.", "New.example.NET"],
    ["TXT", "v=spf1 a -all", "v=spf1 a -all", "v=spf1 -all", "v=spf1 -all"],
    ["CAA", "0 issue old.example", '0 issue "old.example"', "0 issue new.example", "0 issue new.example"],
    ["MX", "10 old.example.net", "10 OLD.example.net.", "20 new.example.net", "20 new.example.net"],
    ["MX", "10 old.example.net", "old.example.net", "new.example.net", "10 new.example.net"],
    ["MX", "10 old.example.net", "10 old.example.net", "new.example.net", "10 new.example.net"],
    ["MX", "10 old.example.net", "old.example.net", "5 new.example.net", "5 new.example.net"],
    [
      "SRV",
      "1 2 5060 old.example.net",
      "1 2 5060 old.example.net",
      "3 4 5061 new.example.net",
      "3 4 5061 new.example.net",
    ],
    ["SRV", "1 2 5060 old.example.net", "2 5060 OLD.example.net", "9 5060 new.example.net", "1 9 5060 new.example.net"],
    ["SRV", "1 2 5060 old.example.net", "old.example.net", "new.example.net", "1 2 5060 new.example.net"],
  ])("%s %s is found as %s and becomes, by %s, %s", async (recordType, stored, value, newValue, expected) => {
    const zone = await manualZone(zw);
    await zone.add(recordType, "_sip._tcp", stored);
    const job = await replaced({ recordType, value, newValue, domainIds: [zone.id] });
    expect(job.progress).toMatchObject({ domains: 1, done: 1 });
    expect(await zone.lines()).toEqual([`_sip._tcp ${recordType} ${expected}`]);
  });

  test.each([
    [{ recordType: "A", value: "192.0.2.999", newValue: "192.0.2.1" }, "value"],
    [{ recordType: "A", value: "192.0.2.1", newValue: "nonsense" }, "newValue"],
    [{ recordType: "A", value: "192.0.2.1", newValue: "192.0.2.1" }, "newValue"],
    [{ recordType: "A", value: "", newValue: "192.0.2.1" }, "value"],
    [{ recordType: "SOA", value: "a", newValue: "b" }, "recordType"],
    [{ recordType: "A", value: "192.0.2.1", newValue: "192.0.2.2", newTtl: -1 }, "newTtl"],
    [{ recordType: "A", value: "192.0.2.1", newValue: "192.0.2.2", domainIds: [] }, "domainIds"],
    [
      { recordType: "A", value: "192.0.2.1", newValue: "192.0.2.2", domainIds: Array(10_001).fill(unknownId) },
      "domainIds",
    ],
  ])("a request that means nothing is 400 and names the field (case %#)", async (request, field) => {
    const { status, body } = await planOf(zw.admin, request);
    expect([status, body.issues[0].path[0]]).toEqual([400, field]);
  });

  test("the same value with `newTtl` changes the TTLs only", async () => {
    const { old, zones } = await zonesWithOne();
    const job = await replaced({ recordType: "A", value: old, newValue: old, newTtl: 60 });
    expect(job.progress).toMatchObject({ domains: 3, done: 3 });
    for (const zone of zones) {
      const ttls = (await zone.records()).filter(({ value }) => value === old).map(({ ttl }) => ttl);
      expect(ttls).toEqual([60, 60]);
    }
  });

  test("`automaticTtl` gives records the automatic TTL of their provider, and names domains whose provider has none", async () => {
    const old = freshAddress();
    const { token: apiToken, accountId, url: endpoint } = cloudflare;
    const zones: Zone[] = [];
    for (const settings of [
      { kind: "cloudflare", config: { apiToken, accountId, endpoint } },
      { kind: "manual", config: {} },
    ]) {
      const name = freshName();
      if (settings.kind === "cloudflare") cloudflare.addZone(name, "free");
      const config = await zw.admin.post("/api/provider-configs", { ...settings, name });
      const zone = await addZone(zw, { name, providerConfigId: config.body.id });
      await zone.create({ recordType: "A", name: "www", value: old, ttl: 300 });
      zones.push(zone);
    }
    const request = { recordType: "A", value: old, newValue: old, automaticTtl: true };
    const both = await planOf(zw.admin, { ...request, newTtl: 60 });
    expect([both.status, both.body.issues[0].path]).toEqual([400, ["automaticTtl"]]);
    const job = await replaced(request);
    expect(job).toMatchObject({ automaticTtl: true, newTtl: null, progress: { domains: 2, done: 1, failed: 1 } });
    expect(job.domains.find(({ state }: Body) => state === "failed").error).toMatch(/has no automatic TTL/);
    const ttls = [];
    for (const zone of zones) ttls.push((await zone.records()).map(({ ttl }) => ttl));
    expect(ttls).toEqual([[1], [300]]);
  });
});

describe("rights", () => {
  test("a member's plan has only domains that they may change, and only their hosts", async () => {
    const {
      old,
      zones: [assigned, readOnly, foreign],
    } = await zonesWithOne();
    const member = await zw.member("planning");
    await assign(zw, member, assigned.id, "www", "write");
    await assign(zw, member, assigned.id, "@", "read");
    await assign(zw, member, readOnly.id, "*", "read");
    const { domains } = await planned(member, { recordType: "A", value: old, newValue: "192.0.2.7" });
    const byId = new Map<string, Body>(domains.map((domain: Body) => [domain.domainId, domain]));
    expect([...byId.keys()].toSorted()).toEqual([assigned.id, readOnly.id].toSorted());
    expect(byId.get(assigned.id)).toMatchObject({ updates: [{ after: { name: "www" } }], error: null });
    expect(byId.get(assigned.id).warnings.join(" ")).toMatch(/@ A .* stays unchanged: Your assignments/);
    expect(byId.get(readOnly.id)).toMatchObject({
      updates: [],
      error: expect.stringMatching(/read-only access/),
    });
    const request = { recordType: "A", value: old, newValue: "192.0.2.7", domainIds: [foreign.id] };
    expect((await planOf(member, request)).status).toBe(404);
  });

  test("a bad value is refused by the part that is wrong, with a priority and without", async () => {
    for (const value of ["10 %.example", "%.example"]) {
      const { status, body } = await planOf(zw.admin, { recordType: "MX", value, newValue: "mail.example" });
      expect({ status, path: body.issues[0].path }).toEqual({ status: 400, path: ["value"] });
      expect(body.message).not.toContain("no priority");
    }
  });

  test("a plan without a match is empty, and applying it is 400", async () => {
    const request = { recordType: "A", value: freshAddress(), newValue: "192.0.2.7" };
    const plan = await planned(zw.admin, request);
    expect(plan.domains).toEqual([]);
    const { status } = await zw.admin.post("/api/records/replace/apply", { ...request, planHash: plan.planHash });
    expect(status).toBe(400);
  });
});

test("domains are listed by name and view", async () => {
  const name = freshName();
  const value = freshAddress();
  const config = await manualConfig(zw);
  for (const qualified of [`${name}!internal`, name]) {
    const zone = await addZone(zw, { name: qualified, providerConfigId: config });
    await zone.add("A", "www", value);
  }
  const { domains } = await planned(zw.admin, { recordType: "A", value, newValue: "192.0.2.7" });
  expect(domains.map(({ domainName }: Body) => domainName)).toEqual([name, `${name}!internal`]);
  expect(domains.toSorted(byName)).toEqual(domains);
});
