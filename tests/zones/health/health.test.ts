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

const includes = (count: number, prefix = "s") =>
  Array.from({ length: count }, (_, at) => `include:${prefix}${at}.hosting.example`).join(" ");

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

  test("of two MX records with one CNAME at their end, one is deleted by the mending of both", async () => {
    const zone = await zoneWith([
      ["A", "h", "203.0.113.1"],
      ["CNAME", "a", "h"],
      ["CNAME", "b", "h"],
      ["MX", "sub", "10 a"],
      ["MX", "sub", "10 b"],
    ]);
    const { faults } = await healthOf(zone);
    await mend(zone, { mend: faults.flatMap((fault: Body) => fault.mend) });
    expect((await zone.lines()).filter((line) => line.includes(" MX "))).toEqual([`sub MX 10 h.${zone.name}`]);
  });

  test.each([
    ["DANE", "TLSA", "_25._tcp.a", `3 1 1 ${"ab".repeat(32)}`],
    ["MTA-STS", "TXT", "_mta-sts.sub", "v=STSv1; id=1"],
  ])("an MX whose host %s names is not pointed elsewhere by a mending", async (_, type, name, value) => {
    const zone = await zoneWith([
      ["CNAME", "a", "h.hosting.example"],
      ["MX", "sub", "10 a"],
      [type, name, value],
    ]);
    const fault = await only(zone, "alias_target");
    expect(fault).toMatchObject({ mend: [] });
    expect(fault.message).toContain("DANE or MTA-STS names a.");
  });

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

  test.each([
    [
      "-all",
      "v=spf1 ip4:203.0.113.1 -all",
      "v=spf1 ip4:203.0.113.2 -all",
      "v=spf1 ip4:203.0.113.1 ip4:203.0.113.2 -all",
    ],
    ["no all", "v=spf1 ip4:203.0.113.1 -all", "v=spf1 mx", "v=spf1 ip4:203.0.113.1 mx ?all"],
  ])("two SPF records with %s become one that passes the same hosts", async (_, one, other, merged) => {
    const zone = await zoneWith([
      ["TXT", "lists", one],
      ["TXT", "lists", other],
    ]);
    await mend(zone, await only(zone, "spf_duplicate"));
    expect(await zone.lines()).toEqual([`lists TXT ${merged}`]);
  });

  test.each([
    ["+all", "v=spf1 ip4:203.0.113.1 +all", "v=spf1 include:b.net -all"],
    ["redirect=", "v=spf1 redirect=_spf.b.net", "v=spf1 include:b.net -all"],
    ["exp=", "v=spf1 mx -all exp=a.net", "v=spf1 a -all exp=b.net"],
    ["a refused host", "v=spf1 -ip4:203.0.113.1 mx -all", "v=spf1 ip4:203.0.113.0/24 -all"],
    ["terms after all", "v=spf1 mx -all include:b.net", "v=spf1 a -all"],
    ["no SPF term", "v=spf1 mx ip4=203.0.113.1 ipv4:203.0.113.1 -all", "v=spf1 a -all"],
    ["12 lookups", `v=spf1 ${includes(6)} -all`, `v=spf1 ${includes(6, "t")} -all`],
  ])("two SPF records are left to a person if one has %s", async (_, one, other) => {
    const zone = await zoneWith([
      ["TXT", "lists", one],
      ["TXT", "lists", other],
    ]);
    const { faults } = await healthOf(zone);
    expect(faults).toMatchObject([{ code: "spf_duplicate", mend: [] }]);
    expect(faults[0].message).toContain("Decide which terms count");
  });

  test("a long chain of SPF records that include each other is counted until there are too many", async () => {
    const zone = await zoneWith([]);
    const changes = Array.from({ length: 6000 }, (_, at) => ({
      action: "create",
      record: { recordType: "TXT", name: `s${at}`, value: `v=spf1 include:s${at + 1}.${zone.name} -all` },
    }));
    await mend(zone, { mend: changes });
    const { total, faults } = await healthOf(zone);
    // The last ten need ten or fewer.
    expect(total).toBe(5990);
    expect(faults[0].message).toContain("at least 11 lookups");
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

  test("a zone with mail needs SPF, and that of a registered name DMARC with a mailbox", async () => {
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

    // The policy of the registered name, which may be managed elsewhere, covers those below.
    const providerConfigId = await manualConfig(zw);
    const below = await addZone(zw, { name: `lab.corp.${freshName().replace(".example", ".org")}`, providerConfigId });
    await below.add("MX", "@", "10 mx.hosting.example");
    expect(await found(below)).toEqual(["spf_missing @"]);
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

  test("a disabled record is not looked at, and one that needs it is not deleted by a mending", async () => {
    const zone = await zoneWith([["CNAME", "old", "gone"]]);
    const [record] = await zone.records();
    await zone.update(record?.id, { status: "disabled" });
    expect(await healthOf(zone)).toMatchObject({ faults: [], checked: 0 });
    const app = await zone.add("A", "app", "203.0.113.1");
    await zone.add("CNAME", "www", `app.${zone.name}`);
    await zone.add("MX", "sub", `10 app.${zone.name}`);
    await zone.update(app.id, { status: "disabled" });
    const { faults } = await healthOf(zone);
    expect(faults.map(({ code, name, mend: changes }: Body) => [code, name, changes])).toEqual([
      ["dangling", "sub", []],
      ["dangling", "www", []],
    ]);
    for (const { message } of faults) expect(message).toContain("disabled. Enable them, or delete this record.");
  });

  test("names of a domain that Zonewright has below the zone exist, also without a delegation, whoever sees it", async () => {
    const zone = await zoneWith([
      ["CNAME", "www", "app.sub"],
      ["MX", "lists", "10 mail.sub"],
      ["SRV", "_sip._tcp", "0 5 5060 sub"],
      ["CNAME", "old", "app.other"],
    ]);
    await addZone(zw, { name: `sub.${zone.name}`, view: "internal", providerConfigId: await manualConfig(zw) });
    expect(await found(zone)).toEqual(["dangling old"]);
    const member = await zw.member("parent-only");
    await assign(zw, member, zone.id, "*");
    const { faults } = await healthOf(zone, member);
    expect(faults.map(({ name }: Body) => name)).toEqual(["old"]);
    const providerConfigId = await manualConfig(zw);
    const reverse = await addZone(zw, { name: "2.0.192.in-addr.arpa", providerConfigId });
    await addZone(zw, { name: "0-25.2.0.192.in-addr.arpa", providerConfigId });
    await reverse.add("CNAME", "1", "1.0-25.2.0.192.in-addr.arpa");
    expect(await found(reverse)).toEqual([]);
  });

  test("CNAME records in a loop are faults, and so are those that lead into one", async () => {
    const zone = await zoneWith([
      ["CNAME", "a", "b"],
      ["CNAME", "b", "a"],
      ["CNAME", "into", "a"],
    ]);
    expect(await found(zone)).toEqual(["dangling a", "dangling b", "dangling into"]);
    expect((await healthOf(zone)).faults.flatMap((fault: Body) => fault.mend)).toEqual([]);
  });

  test("a delegated name, and one whose wildcard the provider answers for, are fine targets of MX and SRV", async () => {
    const zone = await zoneWith([
      ["NS", "sub", "ns.hosting.example"],
      ["MX", "lists", "10 sub"],
      ["ALIAS", "*.w", "web.hosting.example"],
      ["SRV", "_sip._tcp", "0 5 5060 a.w"],
    ]);
    expect(await found(zone)).toEqual([]);
  });

  test("what a member may not change has no mending for them", async () => {
    const zone = await zoneWith([
      ["CNAME", "old.shop", "gone.shop", 30],
      ["A", "a.shop", "203.0.113.1", 30],
    ]);
    const reader = await zw.member("reader");
    await assign(zw, reader, zone.id, "*.shop", "read");
    const { faults } = await healthOf(zone, reader);
    expect(faults).toMatchObject([{ code: "ttl_short", recordCount: 2, mend: [] }]);
    const writer = await zw.member("writer");
    await assign(zw, writer, zone.id, "*", "read");
    await assign(zw, writer, zone.id, "a.shop");
    const { faults: theirs } = await healthOf(zone, writer);
    expect(theirs).toMatchObject([
      { code: "dangling", mend: [] },
      { code: "ttl_short", recordCount: 2, mend: [{ action: "update", record: { ttl: 300 } }] },
    ]);
  });

  test("what somebody locked is not mended", async () => {
    const zone = await zoneWith([["CNAME", "old", "gone", 30]]);
    const [record] = await zone.records();
    await zone.update(record?.id, { locked: true });
    expect((await healthOf(zone)).faults).toMatchObject([
      { code: "dangling", mend: [] },
      { code: "ttl_short", mend: [] },
    ]);
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
