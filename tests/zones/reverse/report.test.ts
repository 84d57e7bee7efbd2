import { describe, expect, test } from "vitest";
import { pointers, reverseNet, type Net } from "../../support/reverse-zones.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { addZone, bothViews, manualConfig, manualZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

/** All pages of the report. */
async function report(client: RestClient = zw.admin, limit = 100): Promise<Body> {
  const findings: Body[] = [];
  const plan: Body[] = [];
  for (let next = ""; ;) {
    const { status, body } = await client.get(`/api/reverse/report?limit=${limit}${next}`);
    expect(status).toBe(200);
    expect(body.findings.length).toBeLessThanOrEqual(limit);
    findings.push(...body.findings);
    plan.push(...body.plan);
    if (body.next === null) return { findings, plan };
    next = `&after=${body.next}`;
  }
}

/** What the report says of a net: `problem address value -> expected`. */
async function said(net: Net, client?: RestClient): Promise<string[]> {
  const { findings } = await report(client);
  return findings
    .filter(({ domainId }: Body) => domainId === net.zone.id)
    .map(({ problem, address, value, expected }: Body) => `${problem} ${address}: ${value} -> ${expected}`)
    .toSorted();
}

async function mend(client: RestClient = zw.admin): Promise<void> {
  const { plan } = await report(client);
  for (const { domainId, changes } of plan) {
    const planned = await client.post(`/api/domains/${domainId}/records/plan`, { changes });
    expect({ changes, planned: planned.body }).toMatchObject({ planned: { planHash: expect.any(String) } });
    const { planHash } = planned.body;
    const applied = await client.post(`/api/domains/${domainId}/records/apply`, { changes, planHash, force: true });
    expect(applied.status).toBe(200);
  }
}

async function zones(): Promise<[Net, Zone]> {
  return [await reverseNet(zw), await manualZone(zw)];
}

describe("the reverse report", () => {
  test("lists missing, stale and mismatched PTR records, and its plan mends them", async () => {
    const [net, zone] = await zones();
    await zone.add("A", "fine", net.at(1));
    await zone.add("A", "missing", net.at(2));
    await zone.add("A", "right", net.at(3));
    await zone.add("A", "ours", net.at(5));
    await net.zone.add("PTR", "1", `fine.${zone.name}`);
    const wrong = await net.zone.add("PTR", "3", `wrong.${zone.name}`);
    await net.zone.add("PTR", "4", `gone.${zone.name}`);
    await net.zone.add("PTR", "5", "host.example.net");
    await net.zone.add("PTR", "6", "other.example.net");
    const { findings, plan } = await report();
    expect(findings).toContainEqual({
      problem: "mismatched",
      address: net.at(3),
      domainId: net.zone.id,
      domainName: net.zone.name,
      name: "3",
      recordId: wrong.id,
      value: `wrong.${zone.name}`,
      expected: `right.${zone.name}`,
      sourceId: zone.id,
    });
    expect(await said(net)).toEqual([
      `mismatched ${net.at(3)}: wrong.${zone.name} -> right.${zone.name}`,
      `mismatched ${net.at(5)}: host.example.net -> ours.${zone.name}`,
      `missing ${net.at(2)}: null -> missing.${zone.name}`,
      `stale ${net.at(4)}: gone.${zone.name} -> null`,
    ]);
    expect(plan).toHaveLength(1);
    expect(plan[0]).toMatchObject({ domainId: net.zone.id, domainName: net.zone.name });
    expect(plan[0].changes).toHaveLength(3);
    await mend();
    expect(await pointers(net.zone)).toEqual([
      `1 fine.${zone.name}`,
      `2 missing.${zone.name}`,
      `3 right.${zone.name}`,
      "5 host.example.net",
      "6 other.example.net",
    ]);
    expect(await said(net)).toEqual([`mismatched ${net.at(5)}: host.example.net -> ours.${zone.name}`]);
  });

  test("asks for one PTR record per address, whatever the number of names, and says nothing of aliases and wildcards", async () => {
    const [net, zone] = await zones();
    for (const host of ["a", "b", "c"]) await zone.add("A", host, net.at(1));
    await zone.add("A", "*.dev", net.at(2));
    await zone.add("CNAME", "alias", `a.${zone.name}`);
    expect(await said(net)).toEqual([`missing ${net.at(1)}: null -> a.${zone.name}`]);
    await net.zone.add("PTR", "1", `alias.${zone.name}`);
    await net.zone.add("PTR", "2", `x.dev.${zone.name}`);
    expect(await said(net)).toEqual([]);
  });

  test("a second PTR record that is stale is listed beside one that holds", async () => {
    const [net, zone] = await zones();
    await zone.add("A", "here", net.at(1));
    await net.zone.add("PTR", "1", `here.${zone.name}`);
    await net.zone.add("PTR", "1", `gone.${zone.name}`);
    expect(await said(net)).toEqual([`stale ${net.at(1)}: gone.${zone.name} -> here.${zone.name}`]);
    await mend();
    expect(await pointers(net.zone)).toEqual([`1 here.${zone.name}`]);
  });

  test("knows IPv6, classless zones and addresses that are delegated elsewhere", async () => {
    const [net, zone] = await zones();
    const providerConfigId = await manualConfig(zw);
    const part = await addZone(zw, { name: `128/26.${net.zone.name}`, providerConfigId });
    const ipv6 = await addZone(zw, { name: "f.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa", providerConfigId });
    await net.zone.add("CNAME", "130", `130.${part.name}`);
    await zone.add("A", "part", net.at(130));
    await zone.add("AAAA", "six", "2001:db8:f::1");
    await net.zone.add("CNAME", "9", "9.elsewhere.example.net");
    await zone.add("A", "nine", net.at(9));
    expect(await said({ ...net, zone: part })).toEqual([`missing ${net.at(130)}: null -> part.${zone.name}`]);
    expect(await said({ ...net, zone: ipv6 })).toEqual([`missing 2001:db8:f::1: null -> six.${zone.name}`]);
    expect(await said(net)).toEqual([]);
    await mend();
    expect(await pointers(part)).toEqual([`130 part.${zone.name}`]);
    expect(await pointers(ipv6)).toEqual([`1.${"0.".repeat(18)}0 six.${zone.name}`]);
  });

  test("PTR records in a classless zone that nobody is led to are unreachable, and the plan has the missing CNAMEs", async () => {
    const [net, zone] = await zones();
    const part = await addZone(zw, { name: `0/26.${net.zone.name}`, providerConfigId: await manualConfig(zw) });
    const inPart = { ...net, zone: part };
    await zone.add("A", "one", net.at(1));
    await zone.add("A", "two", net.at(2));
    await zone.add("A", "three", net.at(3));
    // Nothing above: asking for it is answered with NXDOMAIN.
    await part.add("PTR", "1", `one.${zone.name}`);
    // Above, a stale record is answered with.
    await part.add("PTR", "2", `two.${zone.name}`);
    await net.zone.add("PTR", "2", `gone.${zone.name}`);
    await net.zone.add("CNAME", "3", "3.elsewhere.example.net");
    await part.add("PTR", "3", `three.${zone.name}`);
    expect(await said(inPart)).toEqual([
      `unreachable ${net.at(1)}: one.${zone.name} -> null`,
      `unreachable ${net.at(2)}: two.${zone.name} -> null`,
      `unreachable ${net.at(3)}: three.${zone.name} -> null`,
    ]);
    expect(await said(net)).toEqual([`mismatched ${net.at(2)}: gone.${zone.name} -> two.${zone.name}`]);
    const { plan } = await report();
    expect(plan.find(({ domainId }: Body) => domainId === net.zone.id).changes).toEqual(
      expect.arrayContaining([
        { action: "create", record: { recordType: "CNAME", name: "1", value: `1.${part.name}` } },
        { action: "update", recordId: expect.any(String), record: { value: `two.${zone.name}` } },
      ]),
    );
    await mend();
    expect(await said(inPart)).toEqual([
      `unreachable ${net.at(2)}: two.${zone.name} -> null`,
      `unreachable ${net.at(3)}: three.${zone.name} -> null`,
    ]);
    expect(await said(net)).toEqual([]);
  });

  test("a view without a reverse zone of its own counts for the default one", async () => {
    const providerConfigId = await manualConfig(zw);
    const net = await reverseNet(zw);
    const [open, internal] = await bothViews(zw, providerConfigId);
    await internal.add("A", "inner", net.at(1));
    await internal.add("A", "both", net.at(2));
    await open.add("A", "open", net.at(2));
    expect(await said(net)).toEqual([
      `missing ${net.at(1)}: null -> inner.${open.name}`,
      `missing ${net.at(2)}: null -> open.${open.name}`,
    ]);
  });

  test("shows members only what they see, and plans only what they may change", async () => {
    const [net, zone] = await zones();
    const [closed, secret] = await zones();
    await zone.add("A", "www", net.at(1));
    await zone.add("A", "hidden", net.at(2));
    await zone.add("A", "www2", closed.at(1));
    await secret.add("A", "secret", net.at(3));
    await net.zone.add("PTR", "4", `secret.${secret.name}`);
    const member = await zw.member("reporter");
    expect(await report(member)).toEqual({ findings: [], plan: [] });
    const { body: me } = await member.get("/api/auth/me");
    const assign = async (domain: Zone, subdomainPattern: string, access: string) => {
      const given = { userId: me.id, domainId: domain.id, subdomainPattern, access };
      expect((await zw.admin.post("/api/assignments", given)).status).toBe(201);
    };
    await assign(zone, "www*", "write");
    expect(await report(member)).toEqual({ findings: [], plan: [] });
    await assign(net.zone, "*", "read");
    expect(await said(net, member)).toEqual([
      `missing ${net.at(1)}: null -> www.${zone.name}`,
      `stale ${net.at(4)}: secret.${secret.name} -> null`,
    ]);
    expect((await report(member)).plan).toEqual([]);
    await assign(net.zone, "1", "write");
    await mend(member);
    expect(await pointers(net.zone)).toEqual([`1 www.${zone.name}`, `4 secret.${secret.name}`]);
  });

  test("pages find everything once, in pages of any size", async () => {
    const [net, zone] = await zones();
    const records = Array.from({ length: 40 }, (_, host) => ({
      recordType: "A",
      name: `host${host}`,
      value: net.at(host),
    }));
    await zone.post("/records/bulk", { records });
    await net.zone.add("PTR", "200", `gone.${zone.name}`);
    const addresses = async (limit: number) =>
      (await report(zw.admin, limit)).findings
        .filter(({ domainId }: Body) => domainId === net.zone.id)
        .map(({ address }: Body) => address)
        .toSorted();
    const all = [...records.map(({ value }) => value), net.at(200)].toSorted();
    for (const limit of [100, 41, 7, 1]) expect(await addresses(limit)).toEqual(all);
  });

  test.each([
    ["limit=0"],
    ["limit=101"],
    ["limit=x"],
    ["after=x"],
    ["after=01a1fb0f-6204-7000-abd4-276e976be8b7.x"],
    ["after=01A1FB0F-6204-7000-ABD4-276E976BE8B7"],
    [`after=${"0".repeat(101)}`],
    ["page=1"],
  ])("%s is 400", async (query) => {
    expect((await zw.admin.get(`/api/reverse/report?${query}`)).status).toBe(400);
  });

  test("needs a signed-in caller, and a position in a domain that is gone continues behind it", async () => {
    expect((await zw.nobody.get("/api/reverse/report")).status).toBe(401);
    const last = "ffffffff-ffff-ffff-ffff-ffffffffffff";
    expect((await zw.admin.get(`/api/reverse/report?after=${last}.${last}`)).body).toEqual({
      findings: [],
      plan: [],
      next: null,
    });
  });
});

/** The names that the report of one domain expects. */
async function expectedIn(domainId: string): Promise<string[]> {
  const found: string[] = [];
  for (let next = ""; ;) {
    const { status, body } = await zw.admin.get(`/api/reverse/report?domainId=${domainId}&limit=1${next}`);
    expect(status).toBe(200);
    found.push(...body.findings.map(({ expected }: Body) => expected));
    if (body.next === null) return found.toSorted();
    next = `&after=${body.next}`;
  }
}

test("the report of one domain has only what its own addresses or PTR records miss, page by page", async () => {
  const [net, zone] = await zones();
  const [other] = await zones();
  await zone.add("A", "a", net.at(1));
  await zone.add("A", "b", net.at(2));
  await zone.add("A", "c", other.at(3));
  expect(await expectedIn(zone.id)).toEqual(["a", "b", "c"].map((name) => `${name}.${zone.name}`));
  expect(await expectedIn(net.zone.id)).toEqual([]);
});

test("a report goes on behind its last record, although that was renamed or deleted since", async () => {
  const [net, zone] = await zones();
  const ids: string[] = [];
  for (const [index, name] of ["a", "b", "c", "d"].entries())
    ids.push((await zone.add("A", name, net.at(index + 1)))["id"]);
  const [first = "", second = ""] = ids;
  const afterPage = [() => zone.update(first, { name: "z" }), () => zone.delete(second)];
  const found: string[] = [];
  for (let next = ""; ;) {
    const { body } = await zw.admin.get(`/api/reverse/report?domainId=${zone.id}&limit=1${next}`);
    found.push(...body.findings.map(({ expected }: Body) => expected));
    if (body.next === null) break;
    expect((await afterPage.shift()?.())?.status ?? 200).toBe(200);
    next = `&after=${body.next}`;
  }
  expect(found).toEqual(["a", "b", "c", "d", "z"].map((name) => `${name}.${zone.name}`));
});
