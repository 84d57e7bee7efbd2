import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { problemOf } from "../../support/problems.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { startAlidnsServer } from "../../support/vendors/alidns/server.ts";
import { addZone, bothViews, fileZone, manualZone, type Body, type Zone } from "../../support/zones.ts";
import { LinkedTemplate, proof, target } from "./linked.ts";

const zw = useZonewright({ env: { JOBS: "off", EGRESS_ALLOW: "127.0.0.1" }, pause: () => Promise.resolve() });

let count = 0;
let template: LinkedTemplate;

beforeEach(async () => {
  count += 1;
  template = await LinkedTemplate.of(zw, `linked-${count}`);
});

const link = (zone: Zone, more?: object, linked?: boolean) => template.link(zone, more, linked);
const change = (records: object[], more?: object) => template.change(records, more);
const linkedPlan = () => template.plan();

/** Applies the planned changes to all linked domains. */
async function follow(): Promise<void> {
  expect((await template.follow()).progress).toMatchObject({ failed: 0 });
}

/** Follows, and checks that nothing is left to plan. */
async function followed(zone: Zone): Promise<string[]> {
  await follow();
  expect(await linkedPlan()).toMatchObject({ domains: [], unchanged: 1 });
  return await zone.lines();
}

const instances = { multiInstance: true };
const alias = { type: "CNAME", host: "%s%", pointsTo: "t.example.net" };
const rule = (spfRules: string) => ({ type: "SPFM", host: "@", spfRules });
const values = (s: string) => ({ variables: { s } });
const ttls = async (zone: Zone) => (await zone.records()).map(({ name, ttl }) => `${name} ${ttl}`).toSorted();

async function linkedTwice(records: object[], ...more: [object, object]): Promise<Zone> {
  const zone = await manualZone(zw);
  await change(records, instances);
  for (const one of more) await link(zone, { variables: {}, ...one });
  return zone;
}

describe("a changed template", () => {
  test("the plan covers linked domains only, by name, and changes nothing", async () => {
    const [one, two, other] = [await fileZone(zw), await manualZone(zw), await fileZone(zw)];
    await link(one);
    await link(two, { host: "shop" });
    await link(other, {}, false);
    expect(await linkedPlan()).toMatchObject({ domains: [], unchanged: 2 });
    await change([{ ...target, ttl: 300 }, proof, { type: "A", host: "new", pointsTo: "192.0.2.1" }]);
    const plan = await linkedPlan();
    expect(plan).toMatchObject({
      unchanged: 0,
      domains: [
        {
          domainId: one.id,
          domainName: one.name,
          creates: [{ recordType: "A", name: "new", value: "192.0.2.1" }],
          updates: [{ changes: { ttl: [600, 300] } }],
          deletes: [],
          error: null,
        },
        { domainId: two.id, creates: [{ name: "new.shop" }], updates: [{ after: { name: "www.shop" } }] },
      ],
    });
    expect(await one.lines()).toEqual(["@ TXT proof=t.example.net", "www CNAME t.example.net"]);
    expect((await linkedPlan()).planHash).toBe(plan.planHash);
    await two.add("A", "mine", "192.0.2.9");
    expect((await linkedPlan()).planHash).toBe(plan.planHash);
    await two.add("A", "new.shop", "192.0.2.9");
    expect((await linkedPlan()).planHash).not.toBe(plan.planHash);
  });

  test("records that it no longer has go, records that replace them come, and others stay", async () => {
    const zone = await fileZone(zw);
    await link(zone);
    await zone.add("A", "mine", "192.0.2.9");
    await zone.add("MX", "@", "10 old.example.net");
    await change([{ type: "MX", host: "@", pointsTo: "%target%", priority: 5 }]);
    const { domains } = await linkedPlan();
    expect(domains[0].providerId).toBe((await zone.detail()).providerId);
    expect(domains[0].deletes.map(({ name, recordType }: Body) => `${name} ${recordType}`).toSorted()).toEqual([
      "@ MX",
      "@ TXT",
      "www CNAME",
    ]);
    await follow();
    expect(await zone.lines()).toEqual(["@ MX 5 t.example.net", "mine A 192.0.2.9"]);
    expect(await linkedPlan()).toMatchObject({ domains: [], unchanged: 1 });
    expect((await zone.get("/templates")).body.templates).toMatchObject([
      { templateRevision: 2, records: [{ recordType: "MX" }] },
    ]);
  });

  test("a record and SPF terms that were there before it stay when it gives them up", async () => {
    const zone = await fileZone(zw);
    await zone.add("TXT", "@", "mine=1", 3600);
    await zone.add("TXT", "@", "v=spf1 include:mine.example.net ~all", 3600);
    const own = { type: "TXT", host: "@", data: "mine=1" };
    await change([target, own, rule("include:mine.example.net include:theirs.example.net")]);
    await link(zone);
    await link(zone);
    await change([target, own, rule("include:mine.example.net mx")]);
    await follow();
    expect(await zone.lines()).toContain("@ TXT v=spf1 include:mine.example.net mx ~all");
    await change([target]);
    await follow();
    expect(await zone.lines()).toEqual([
      "@ TXT mine=1",
      "@ TXT v=spf1 include:mine.example.net ~all",
      "www CNAME t.example.net",
    ]);
  });

  test("a record that somebody removed and adds again stays when the template gives it up", async () => {
    const zone = await fileZone(zw);
    await link(zone);
    const proofs = async () => (await zone.records()).filter(({ recordType }) => recordType === "TXT");
    for (const { id } of await proofs()) await zone.delete(id);
    await change([{ ...target, ttl: 300 }, proof]);
    await follow();
    await zone.add("TXT", "@", "proof=t.example.net", 3600);
    await change([{ ...target, ttl: 300 }]);
    expect(await linkedPlan()).toMatchObject({ domains: [], unchanged: 1 });
  });

  test("a record that somebody adds after the template gave it up stays, although the domain was not updated between", async () => {
    const zone = await fileZone(zw);
    await link(zone);
    for (const { id, recordType } of await zone.records()) if (recordType === "TXT") await zone.delete(id);
    await change([target]);
    expect(await linkedPlan()).toMatchObject({ domains: [], unchanged: 1 });
    await zone.add("TXT", "@", "proof=t.example.net", 3600);
    await change([{ ...target, ttl: 300 }]);
    expect((await linkedPlan()).domains).toMatchObject([{ deletes: [], updates: [{ after: { name: "www" } }] }]);
  });

  test("an OnApply record that was removed is not written again, an essential one is", async () => {
    const zone = await fileZone(zw);
    await link(zone);
    for (const { id: record } of await zone.records()) await zone.delete(record);
    const { domains } = await linkedPlan();
    expect(domains).toMatchObject([{ creates: [{ recordType: "CNAME" }], deletes: [] }]);
    await follow();
    expect(await zone.lines()).toEqual(["www CNAME t.example.net"]);
    expect(await linkedPlan()).toMatchObject({ domains: [], unchanged: 1 });
  });

  test("what somebody put in the place of an OnApply record that was removed stays", async () => {
    const zone = await fileZone(zw);
    const www = { ...target, essential: "OnApply" };
    await change([www]);
    await link(zone);
    for (const { id } of await zone.records()) await zone.delete(id);
    await zone.add("A", "www", "192.0.2.9");
    await change([{ ...www, ttl: 300 }]);
    expect(await linkedPlan()).toMatchObject({ domains: [], unchanged: 1 });
    await change([
      { ...www, ttl: 300 },
      { type: "TXT", host: "new", data: "x" },
    ]);
    expect(await followed(zone)).toEqual(["new TXT x", "www A 192.0.2.9"]);
  });

  test("a domain whose groups displaced each other follows those that are left", async () => {
    const zone = await fileZone(zw);
    const records = [
      { type: "A", host: "www", pointsTo: "%ip%", groupId: "address" },
      { type: "CNAME", host: "www", pointsTo: "%target%", groupId: "alias" },
    ];
    await change(records);
    await link(zone, { variables: { ip: "192.0.2.1" }, groups: ["address"] });
    expect(await link(zone, { groups: ["alias"] })).toMatchObject({ groups: ["alias"] });
    await change([...records, { type: "TXT", host: "new", data: "x", groupId: "alias" }]);
    expect((await linkedPlan()).domains).toMatchObject([{ error: null, creates: [{ name: "new" }], deletes: [] }]);
    expect(await followed(zone)).toEqual(["new TXT x", "www CNAME t.example.net"]);
  });

  test("a domain that it cannot be applied to has an error, and the others have their plans", async () => {
    const [fine, broken] = [await fileZone(zw), await fileZone(zw)];
    await link(fine);
    await link(broken);
    await broken.add("CNAME", "x", "elsewhere.example.net");
    await change([
      target,
      { type: "TXT", host: "new", data: "x" },
      { type: "REDIR301", host: "@", target: "https://example.net" },
    ]);
    expect((await linkedPlan()).domains).toMatchObject([
      { error: expect.stringMatching(/REDIR301/) },
      { error: expect.any(String) },
    ]);
    await change([target, { type: "TXT", host: "new", data: "%another%" }]);
    expect((await linkedPlan()).domains[0].error).toMatch(/needs a value for another/);
    await change([target, { type: "A", host: "www", pointsTo: "192.0.2.1" }]);
    expect((await linkedPlan()).domains[1]).toMatchObject({ error: expect.stringMatching(/CNAME/), creates: [] });
  });

  test("a variable and a group that it dropped do not matter, and all hosts of a domain are planned together", async () => {
    const zone = await fileZone(zw);
    await link(zone);
    await link(zone, { host: "shop" });
    await change([{ type: "TXT", host: "@", data: "fixed" }]);
    const { domains } = await linkedPlan();
    expect(domains).toHaveLength(1);
    expect(domains[0].creates.map(({ name }: Body) => name).toSorted()).toEqual(["@", "shop"]);
    await follow();
    expect(await zone.lines()).toEqual(["@ TXT fixed", "shop TXT fixed"]);
  });

  test("a delegation replaces what is below it, domain by domain", async () => {
    const zone = await fileZone(zw);
    await link(zone);
    await zone.add("A", "a.sub", "192.0.2.1");
    await change([target, proof, { type: "NS", host: "sub", pointsTo: "ns.example.net" }]);
    expect((await linkedPlan()).domains).toMatchObject([
      { creates: [{ recordType: "NS" }], deletes: [{ name: "a.sub" }] },
    ]);
  });

  describe("that is linked several times in a domain", () => {
    test("SPF rules that are new come into one record", async () => {
      const zone = await linkedTwice([alias], values("a"), values("b"));
      await change([alias, rule("include:%s%.example.net")], instances);
      expect(await followed(zone)).toEqual([
        "@ TXT v=spf1 include:a.example.net include:b.example.net ~all",
        "a CNAME t.example.net",
        "b CNAME t.example.net",
      ]);
    });

    test("SPF rules that change take the places of all old ones", async () => {
      const zone = await linkedTwice([rule("include:%s%.example.net")], values("a"), values("b"));
      await change([rule("include:spf.%s%.example.net")], instances);
      expect(await followed(zone)).toEqual(["@ TXT v=spf1 include:spf.a.example.net include:spf.b.example.net ~all"]);
    });

    test("a record that all of them wrote goes with the last that has it", async () => {
      const shared = { type: "TXT", host: "_shared", data: "constant" };
      const zone = await linkedTwice([alias, shared, rule("mx")], values("a"), values("b"));
      await change([alias], instances);
      expect(await followed(zone)).toEqual(["a CNAME t.example.net", "b CNAME t.example.net"]);
    });

    test("a record with a full name goes, too, if several hosts wrote it", async () => {
      const [www, vendor] = [
        { type: "CNAME", host: "www", pointsTo: "t.example.net" },
        { type: "TXT", host: "_vendor.%domain%.", data: "v=1" },
      ];
      const zone = await linkedTwice([www, vendor], { host: "a" }, { host: "b" });
      await change([www], instances);
      expect(await followed(zone)).toEqual(["www.a CNAME t.example.net", "www.b CNAME t.example.net"]);
    });

    test("records that replace each other are planned once, and the last application has its own", async () => {
      const mail = { type: "MX", host: "@", pointsTo: "%s%.example.net", priority: 10, ttl: 600 };
      const zone = await linkedTwice([mail], values("a"), values("b"));
      await change([{ ...mail, ttl: 300 }], instances);
      expect(await followed(zone)).toEqual(["@ MX 10 b.example.net"]);
    });

    test("records that replace each other stay with the last application, also if they may be removed", async () => {
      const mail = { type: "MX", host: "@", pointsTo: "%s%.example.net", priority: 10, essential: "OnApply" };
      const zone = await linkedTwice([mail], values("a"), values("b"));
      await change([{ ...mail, ttl: 300 }], instances);
      expect(await followed(zone)).toEqual(["@ MX 10 b.example.net"]);
      expect(await ttls(zone)).toEqual(["@ 300"]);
    });

    test("an RRset that they share gets the shortest of their TTLs", async () => {
      const text = { type: "TXT", host: "@", data: "text=%s%", ttl: "%ttl%" };
      const zone = await linkedTwice(
        [text],
        { variables: { s: "a", ttl: "300" } },
        { variables: { s: "b", ttl: "600" } },
      );
      await change([{ ...text, essential: "OnApply" }], instances);
      await followed(zone);
      expect((await zone.records()).map(({ ttl }) => ttl)).toEqual([300, 300]);
    });
  });

  describe("at a provider whose zones differ in their lowest TTL", () => {
    let alidns: Awaited<ReturnType<typeof startAlidnsServer>>;
    let providerConfigId: string;
    const www = { ...target, ttl: 300 };

    beforeAll(async () => {
      alidns = await startAlidnsServer();
      const { url, accessKeyId, accessKeySecret } = alidns;
      const body = { kind: "alidns", name: "Vendor", config: { url, accessKeyId, accessKeySecret } };
      providerConfigId = (await zw.admin.post("/api/provider-configs", body)).body.id;
    });
    afterAll(() => alidns.stop());

    async function zoneWithFloor(name: string, seconds: number): Promise<Zone> {
      alidns.account.addDomain(name, seconds);
      return await addZone(zw, { name, providerConfigId });
    }

    test("a TTL that was raised when the template was applied stays, and new records get the zone's lowest", async () => {
      await change([www]);
      const zone = await zoneWithFloor("floor.example", 600);
      await link(zone);
      expect(await linkedPlan()).toMatchObject({ domains: [], unchanged: 1 });
      await change([www, { type: "A", host: "new", pointsTo: "192.0.2.1", ttl: 200 }]);
      expect((await linkedPlan()).domains).toMatchObject([
        { updates: [], creates: [{ name: "new" }], warnings: [expect.stringMatching(/TTL below 600/)] },
      ]);
      await follow();
      expect(await ttls(zone)).toEqual(["new 600", "www 600"]);
      expect(await linkedPlan()).toMatchObject({ domains: [], unchanged: 1 });
    });

    test("a changed TTL goes as low as each zone lets it, and is planned once", async () => {
      await change([{ ...target, ttl: 900 }]);
      const [low, high] = [await zoneWithFloor("low.example", 10), await zoneWithFloor("high.example", 600)];
      await link(low);
      await link(high);
      for (const ttl of [300, 200]) {
        await change([{ ...target, ttl }]);
        await follow();
        expect([await ttls(low), await ttls(high)]).toEqual([[`www ${ttl}`], ["www 600"]]);
        expect(await linkedPlan()).toMatchObject({ domains: [], unchanged: 2 });
      }
    });

    test("a TTL that is stated for the first time goes as low as each zone lets it", async () => {
      await change([{ ...target, ttl: undefined }]);
      const [low, high] = [
        await zoneWithFloor("first-low.example", 10),
        await zoneWithFloor("first-high.example", 600),
      ];
      for (const zone of [low, high]) {
        await link(zone);
        for (const { id } of await zone.records())
          expect(await zone.update(id, { ttl: 600 })).toMatchObject({ status: 200 });
      }
      await change([www]);
      await follow();
      expect([await ttls(low), await ttls(high)]).toEqual([["www 300"], ["www 600"]]);
      expect(await linkedPlan()).toMatchObject({ domains: [], unchanged: 2 });
    });

    test("a TTL that one record of an RRset states is not planned again where the zone raised it", async () => {
      const texts = [
        { type: "TXT", host: "@", data: "one", ttl: 300 },
        { type: "TXT", host: "@", data: "two" },
      ];
      await change(texts);
      const zone = await zoneWithFloor("shared.example", 600);
      await link(zone, { variables: {} });
      expect(await ttls(zone)).toEqual(["@ 600", "@ 600"]);
      expect(await linkedPlan()).toMatchObject({ domains: [], unchanged: 1 });
    });
  });

  test("each view follows by itself", async () => {
    const [outside, inside] = await bothViews(zw);
    await link(inside);
    await change([{ ...target, ttl: 60 }, proof]);
    expect((await linkedPlan()).domains).toMatchObject([
      { domainId: inside.id, domainName: `${outside.name}!internal` },
    ]);
  });
});

describe("links", () => {
  test("a linked template cannot be deleted until it is unlinked or its domain is gone", async () => {
    const [one, two] = [await fileZone(zw), await fileZone(zw)];
    const applied = await link(one);
    await link(two);
    expect(problemOf(await zw.admin.delete(`/api/templates/${template.id}`), 409, "CONFLICT").detail).toMatch(
      /2 domains/,
    );
    await one.client.delete(`${one.path}/templates/${applied.id}`);
    await two.client.delete(two.path);
    expect((await zw.admin.delete(`/api/templates/${template.id}`)).status).toBe(200);
  });

  test("a plan says whether the domain is linked at this host, and applying without `linked` ends the link", async () => {
    const zone = await fileZone(zw);
    const isLinked = async (host: string) => {
      const body = { host, variables: { target: "t.example.net" } };
      return (await zone.post(`/templates/${template.id}/plan`, body)).body.linked;
    };
    expect(await isLinked("@")).toBe(false);
    await link(zone);
    expect(await Promise.all(["@", "shop"].map(isLinked))).toEqual([true, false]);
    await link(zone, {}, false);
    expect(await isLinked("@")).toBe(false);
    await change([{ ...target, ttl: 60 }]);
    expect(await linkedPlan()).toMatchObject({ domains: [], unchanged: 0 });
    expect((await zw.admin.delete(`/api/templates/${template.id}`)).status).toBe(200);
    expect((await zone.get("/templates")).body.templates).toMatchObject([
      { templateId: template.id, serviceId: template.serviceId },
    ]);
  });
});
