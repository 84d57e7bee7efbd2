import { describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { assign } from "../../accounts/assignments/assigned.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { addZone, embeddedConfig, freshName, manualConfig, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

async function healthOf(zone: Zone, client = zw.admin): Promise<Body> {
  const { status, body } = await client.get(`${zone.path}/health`);
  expect({ status, detail: body.detail }).toEqual({ status: 200, detail: undefined });
  return body;
}

/** What is found: `code name`. */
async function found(zone: Zone): Promise<string[]> {
  return (await healthOf(zone)).faults.map(({ code, name }: Body) => `${code} ${name}`);
}

async function only(zone: Zone, code: string): Promise<Body> {
  const faults = (await healthOf(zone)).faults.filter((fault: Body) => fault.code === code);
  expect(faults).toHaveLength(1);
  return faults[0];
}

/** Makes the changes that mend a fault. */
async function mend(zone: Zone, { mend: changes }: Body): Promise<void> {
  expect(changes).not.toEqual([]);
  const { body: plan } = await zone.post("/records/plan", { changes });
  const { status, body } = await zone.post("/records/apply", { changes, planHash: plan.planHash, force: true });
  expect({ status, detail: body.detail }).toEqual({ status: 200, detail: undefined });
}

/** Records that go well together. */
const sound: [string, string, string][] = [
  ["A", "@", "203.0.113.1"],
  ["CNAME", "www", "web.hosting.example"],
  ["A", "mail", "203.0.113.2"],
  ["MX", "@", "10 mail"],
  ["TXT", "@", "v=spf1 mx include:_spf.hosting.example -all"],
  ["TXT", "_dmarc", "v=DMARC1; p=reject; rua=mailto:dmarc@hosting.example"],
  ["A", "*.any", "203.0.113.3"],
  ["CNAME", "alias", "x.any"],
  ["SRV", "_sip._tcp", "0 5 5060 mail"],
];

/** A zone of a public name: those below `example` are not. */
async function zoneWith(records: readonly (readonly [string, string, string, number?])[]): Promise<Zone> {
  const providerConfigId = await manualConfig(zw);
  const zone = await addZone(zw, { name: freshName().replace(".example", ".org"), providerConfigId });
  for (const [type, name, value, ttl] of records) {
    const absolute = ["MX", "SRV", "CNAME", "NS"].includes(type) && !/\.(?:example|$)/.test(value);
    await zone.add(type, name, absolute ? `${value}.${zone.name}` : value, ttl);
  }
  return zone;
}

const includes = (count: number) =>
  Array.from({ length: count }, (_, at) => `include:s${at}.hosting.example`).join(" ");

describe("the health of a zone", () => {
  test("is without faults for records that go together, and says what was looked at", async () => {
    const zone = await zoneWith(sound);
    expect(await healthOf(zone)).toMatchObject({ checked: sound.length, isPart: false, total: 0, faults: [] });
  });

  test.each([
    ["MX", "@", "10 "],
    ["SRV", "_sip._tcp", "0 5 5060 "],
  ])(
    "an %s that points to a CNAME is a fault, which its mending points to the end of the alias",
    async (type, name, before) => {
      const zone = await zoneWith([
        ["A", "host", "203.0.113.1"],
        ["CNAME", "second", "host"],
        ["CNAME", "first", "second"],
        ["TXT", "@", "v=spf1 -all"],
        ["TXT", "_dmarc", "v=DMARC1; p=reject; rua=mailto:d@hosting.example"],
        [type, name, `${before}first`],
      ]);
      const fault = await only(zone, "alias_target");
      expect(fault).toMatchObject({ severity: "warning", name, recordCount: 1 });
      await mend(zone, fault);
      expect(await zone.lines()).toContain(`${name} ${type} ${before}host.${zone.name}`);
      expect(await found(zone)).toEqual([]);
    },
  );

  test("a delegation to a name in the zone needs its address, and must not point to a CNAME", async () => {
    const zone = await zoneWith([
      ["NS", "sub", "ns.sub"],
      ["NS", "good", "ns.good"],
      ["A", "ns.good", "203.0.113.1"],
      ["CNAME", "alias", "web.hosting.example"],
      ["NS", "other", "alias"],
      ["NS", "far", "ns.hosting.example"],
    ]);
    expect(await found(zone)).toEqual(["ns_without_address sub", "alias_target other"]);
  });

  test("a CNAME, MX or SRV that points to nothing in the zone dangles; the CNAME is deleted by its mending", async () => {
    const zone = await zoneWith([
      ["CNAME", "old", "gone"],
      ["CNAME", "_acme-challenge.www", "later"],
      ["CNAME", "below", "host.child"],
      ["NS", "child", "ns.hosting.example"],
      ["CNAME", "between", "empty"],
      ["A", "a.empty", "203.0.113.1"],
      ["SRV", "_sip._tcp", "0 5 5060 nowhere"],
    ]);
    expect((await found(zone)).toSorted()).toEqual(["dangling _sip._tcp", "dangling old"]);
    const fault = (await healthOf(zone)).faults.find(({ name }: Body) => name === "old");
    await mend(zone, fault);
    expect(await found(zone)).toEqual(["dangling _sip._tcp"]);
  });

  test("several SPF records are merged by their mending, and one that lets everybody send ends in ~all", async () => {
    const zone = await zoneWith([
      ["TXT", "lists", "v=spf1 ip4:203.0.113.1 -all"],
      ["TXT", "lists", "v=spf1 include:_spf.hosting.example ~all"],
      ["TXT", "open", "v=spf1 mx +all"],
    ]);
    expect((await found(zone)).toSorted()).toEqual(["spf_allows_all open", "spf_duplicate lists"]);
    await mend(zone, await only(zone, "spf_duplicate"));
    await mend(zone, await only(zone, "spf_allows_all"));
    expect(await found(zone)).toEqual([]);
    const lines = await zone.lines();
    expect(lines).toContain("open TXT v=spf1 mx ~all");
    expect(lines.filter((line) => line.startsWith("lists "))).toHaveLength(1);
    expect(lines.join("\n")).toMatch(/lists TXT v=spf1 (?=.*ip4:203\.0\.113\.1)(?=.*include:_spf\.hosting\.example)/);
  });

  test("the eleventh lookup of an SPF record is a fault, also if it is within an included record of the zone", async () => {
    const zone = await zoneWith([]);
    await zone.add("TXT", "ten", `v=spf1 ${includes(10)} -all`);
    await zone.add("TXT", "part", `v=spf1 ${includes(5)} -all`);
    // A record that includes itself is not followed for ever.
    await zone.add("TXT", "outer", `v=spf1 ${includes(4)} include:part.${zone.name} include:outer.${zone.name} -all`);
    expect(await found(zone)).toEqual(["spf_lookups outer"]);
    expect((await only(zone, "spf_lookups")).message).toContain("at least 11 lookups");
  });

  test("a zone with mail needs SPF and DMARC with a mailbox; below a zone of one's own it has that one's DMARC", async () => {
    const mail: [string, string, string][] = [
      ["A", "mail", "203.0.113.2"],
      ["MX", "@", "10 mail"],
    ];
    const zone = await zoneWith(mail);
    expect(await found(zone)).toEqual(["spf_missing @", "dmarc_missing _dmarc"]);
    await zone.add("TXT", "@", "v=spf1 mx -all");
    const policy = await zone.add("TXT", "_dmarc", "v=DMARC1; p=none");
    expect(await found(zone)).toEqual(["dmarc_without_mailbox _dmarc"]);
    await zone.add("TXT", "_dmarc", "v=DMARC1; p=reject; rua=mailto:a@hosting.example");
    expect(await found(zone)).toEqual(["dmarc_duplicate _dmarc"]);
    await zone.delete(policy.id);
    expect(await found(zone)).toEqual([]);

    const providerConfigId = await manualConfig(zw);
    const below = await addZone(zw, { name: `below.${zone.name}`, providerConfigId });
    await below.add("MX", "@", "10 mx.hosting.example");
    expect(await found(below)).toEqual(["spf_missing @"]);
    const stranger = await zw.member("below-only");
    await assign(zw, stranger, below.id, "*");
    const { faults } = await healthOf(below, stranger);
    expect(faults.map(({ code }: Body) => code)).toEqual(["spf_missing", "dmarc_missing"]);
    const quiet = await zoneWith([
      ["MX", "@", "0 ."],
      ["TXT", "@", "v=spf1 -all"],
    ]);
    expect(await found(quiet)).toEqual([]);
    const internal = await addZone(zw, { name: zone.name, view: "internal", providerConfigId });
    await internal.add("MX", "@", "10 mx.hosting.example");
    expect(await found(internal)).toEqual([]);
  });

  test("private addresses and odd TTLs are one fault each for all records, with a TTL that mends them", async () => {
    const zone = await zoneWith([
      ["A", "in", "192.168.1.1"],
      ["AAAA", "in", "fd00::1"],
      ["A", "out", "203.0.113.1"],
      ["A", "quick", "203.0.113.1", 30],
      ["A", "slow", "203.0.113.1", 1_209_600],
      ["TXT", "_acme-challenge", "short by intent", 1],
    ]);
    expect(await found(zone)).toEqual(["private_address @", "ttl_short quick", "ttl_long slow"]);
    expect(await only(zone, "private_address")).toMatchObject({ recordCount: 2, mend: [] });
    await mend(zone, await only(zone, "ttl_short"));
    await mend(zone, await only(zone, "ttl_long"));
    expect(await found(zone)).toEqual(["private_address @"]);
  });

  test("records that do not go together, as an old import left them, are a fault", async () => {
    const zone = await zoneWith([
      ["CNAME", "www", "web.hosting.example"],
      ["A", "other", "203.0.113.1"],
    ]);
    await queries(zw.services.database.fork())
      .updateTable("records")
      .set({ name: "www" })
      .where("domain_id", "=", zone.id)
      .where("name", "=", "other")
      .execute();
    const fault = await only(zone, "zone_rule");
    expect(fault).toMatchObject({ severity: "error", name: "www", recordCount: 2, mend: [] });
    expect(fault.message).toContain("A CNAME must be the only record of its name");
  });

  test("a CNAME that the provider answers for with addresses is a fine target of an MX", async () => {
    const zone = await zoneWith([
      ["CNAME", "mail", "web.hosting.example"],
      ["MX", "sub", "10 mail"],
    ]);
    expect(await found(zone)).toEqual(["alias_target sub"]);
    await queries(zw.services.database.fork())
      .updateTable("records")
      .set({ proxied: true })
      .where("domain_id", "=", zone.id)
      .where("name", "=", "mail")
      .execute();
    expect(await found(zone)).toEqual([]);
  });

  test("a disabled record is not looked at", async () => {
    const zone = await zoneWith([["CNAME", "old", "gone"]]);
    const [record] = await zone.records();
    await zone.update(record?.id, { status: "disabled" });
    expect(await found(zone)).toEqual([]);
  });

  test("a member sees only the faults of their own hosts, and nothing is reported as missing there", async () => {
    const zone = await zoneWith([
      ["A", "quick", "203.0.113.1", 30],
      ["A", "a.shop", "203.0.113.1", 30],
      ["CNAME", "b.shop", "gone"],
      ["MX", "@", "10 mx.hosting.example"],
    ]);
    const member = await zw.member("shopkeeper");
    await assign(zw, member, zone.id, "*.shop");
    const { faults, isPart, checked } = await healthOf(zone, member);
    expect({ isPart, checked }).toEqual({ isPart: true, checked: 2 });
    expect(faults.map(({ code, name }: Body) => `${code} ${name}`)).toEqual(["ttl_short a.shop"]);
    const stranger = await zw.member("stranger");
    expect((await stranger.get(`${zone.path}/health`)).status).toBe(404);
  });

  test("of many faults of one kind the first 50 are listed, and all are counted", async () => {
    const zone = await zoneWith([]);
    const records = Array.from({ length: 60 }, (_, at) => ({
      recordType: "CNAME",
      name: `old${at}`,
      value: `gone${at}.${zone.name}`,
    }));
    expect((await zone.post("/records/bulk", { records })).status).toBe(200);
    const { total, faults } = await healthOf(zone);
    expect({ total, listed: faults.length }).toEqual({ total: 60, listed: 50 });
  });

  test("a zone at a name server passes its own rules", async () => {
    const zone = await addZone(zw, { name: "served.example", providerConfigId: await embeddedConfig(zw) });
    expect((await healthOf(zone)).faults.filter(({ severity }: Body) => severity === "error")).toEqual([]);
  });
});
