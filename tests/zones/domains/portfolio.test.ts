import { beforeAll, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { storeFinding } from "../../registry/delegation/found.ts";
import { RestClient } from "../../support/rest-client.ts";
import type { Body } from "../../support/zones.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright();
let member: RestClient;

beforeAll(async () => {
  const { body: open } = await zw.admin.post("/api/provider-configs", {
    kind: "manual",
    name: "Open",
    membersMayUse: true,
  });
  const add = async (name: string, settings: object) => {
    const { body } = await zw.admin.post("/api/domains", { name, providerConfigId: open.id });
    expect((await zw.admin.put(`/api/domains/${body.id}`, settings)).status).toBe(200);
    return body.id as string;
  };
  const cost = { yearlyCost: 12.5, currency: "EUR" };
  await add("bücher.example", { groupName: "Shops, all", tags: ["a", "b"], notes: '=1+1 "x"', ...cost });
  await add("b.example", { groupName: "Shops, all", expiresAt: "2031-03-01T00:00:00Z", ...cost, yearlyCost: 0.1 });
  const assigned = await add("c.example", { yearlyCost: 7, currency: "USD" });
  member = await zw.member("member");
  await member.post("/api/domains", { name: "own.example", providerConfigId: open.id });
  const { body: me } = await member.get("/api/auth/me");
  await zw.admin.post("/api/assignments", { userId: me.id, domainId: assigned, subdomainPattern: "www" });
});

const exported = async (client: RestClient) => String((await client.get("/api/domains/export?format=csv")).body);

test("a table has each domain by name, its cells quoted, and no formulas", async () => {
  expect((await exported(zw.admin)).split("\r\n")).toEqual([
    "name,view,provider,group,tags,expires,registrar,notes,owner,yearlyCost,currency,reminders,autoRenew,locked",
    'b.example,,Open,"Shops, all",,2031-03-01,,,,0.10,EUR,"30; 7; 1",,',
    'c.example,,Open,,,,,,,7.00,USD,"30; 7; 1",,',
    'own.example,,Open,,,,,,member,,,"30; 7; 1",,',
    `xn--bcher-kva.example,,Open,"Shops, all","a; b",,,"'=1+1 ""x""",,12.50,EUR,"30; 7; 1",,`,
    "",
  ]);
});

test("members export and sum only what they see as a whole, and see no costs of assigned domains", async () => {
  expect(await exported(member)).toContain("own.example");
  expect(await exported(member)).not.toContain("c.example");
  const { body } = await member.get("/api/domains/costs");
  expect(body.groups).toEqual([{ groupName: null, currency: null, domains: 1, yearlyCost: null }]);
  const { body: list } = await member.get("/api/domains?name=c.example");
  const { body: detail } = await member.get(`/api/domains/${list.domains[0].id}`);
  expect(detail).toMatchObject({ yearlyCost: null, currency: null });
});

test("yearly costs are summed by group and currency", async () => {
  const { body } = await zw.admin.get("/api/domains/costs");
  expect(body.groups).toEqual([
    { groupName: "Shops, all", currency: "EUR", domains: 2, yearlyCost: 12.6 },
    { groupName: null, currency: "USD", domains: 1, yearlyCost: 7 },
    { groupName: null, currency: null, domains: 1, yearlyCost: null },
  ]);
});

test.each([
  [{ yearlyCost: 5 }, "currency"],
  [{ yearlyCost: -1, currency: "EUR" }, "yearlyCost"],
  [{ yearlyCost: 1.005, currency: "EUR" }, "yearlyCost"],
  [{ currency: "euro" }, "currency"],
])("a cost such as %o is refused with its field", async (patch, field) => {
  const { body: made } = await zw.admin.post("/api/domains", {
    name: `cost-${JSON.stringify(patch).length}-${field.toLowerCase()}.example`,
  });
  const { status, body } = await zw.admin.put(`/api/domains/${made.id}`, patch);
  expect({ status, path: body.issues?.[0]?.path }).toEqual({ status: 400, path: [field] });
});

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

test("the portfolio lists domains with their registrations, and what is wrong with them by harm", async () => {
  const { body: config } = await zw.admin.post("/api/registrar-configs", {
    kind: "gandi",
    name: "Company account",
    config: { token: "pat-0123456789abcdef" },
  });
  const { body: list } = await zw.admin.get("/api/domains");
  const idOf = (name: string) => list.domains.find((domain: { name: string }) => domain.name === name).id as string;
  const set = async (name: string, expiresAt: string, state: object | null) => {
    await zw.admin.put(`/api/domains/${idOf(name)}`, { expiresAt, registrarConfigId: config.id });
    const said = { expiresAt: null, autoRenew: null, locked: null, nameServers: null, ds: null, ...state };
    const stored = state && { configId: config.id, seenAt: new Date().toISOString(), state: said, error: null };
    await queries(zw.services.database.fork())
      .updateTable("domains")
      .set({ registrar_state: stored && JSON.stringify(stored) })
      .where("id", "=", idOf(name))
      .execute();
  };
  await set("b.example", inDays(-1), { locked: false });
  await set("c.example", inDays(10), { autoRenew: false, locked: true });
  await set("own.example", inDays(20), null);
  await storeFinding(zw, idOf("own.example"));
  const { body: found } = await zw.admin.get("/api/domains/findings");
  expect(found.findings.map(({ name, code }: Body) => [name, code])).toEqual([
    ["b.example", "expired"],
    ["c.example", "expires_without_renewal"],
    ["own.example", "lame"],
    ["own.example", "expires_soon"],
    ["b.example", "unlocked"],
  ]);
  expect(found).toMatchObject({
    more: false,
    findings: [{ message: expect.stringContaining("Renew it") }, {}, {}, {}, {}],
  });
  const within = async (query: string) => {
    const { body } = await zw.admin.get(`/api/domains/portfolio?${query}`);
    return body.domains.map(({ name }: { name: string }) => name);
  };
  const { body: dated } = await zw.admin.get("/api/domains/portfolio?sort=expiresAt&limit=1");
  const [{ name: earliest, expiresAt }] = dated.domains;
  const after = new Date(Date.parse(expiresAt) + 1).toISOString();
  expect(await within(`expiresFrom=${expiresAt}&expiresBefore=${after}`)).toContain(earliest);
  expect(await within(`expiresBefore=${expiresAt}`)).toEqual([]);
  expect(await within(`expiresFrom=${after}`)).not.toContain(earliest);
  expect((await zw.admin.get("/api/domains?expiresFrom=tomorrow")).body.detail).toContain(
    "expiresFrom: This must be a date",
  );
  const { body: page } = await zw.admin.get("/api/domains/portfolio?sort=expiresAt&limit=2");
  expect(page).toMatchObject({
    total: 8,
    domains: [
      {
        name: "b.example",
        status: "expired",
        registration: { account: "Company account", locked: false, autoRenew: null, yearlyCost: 0.1, currency: "EUR" },
        findings: [{ code: "expired" }, { code: "unlocked" }],
      },
      { name: "c.example", findings: [{ code: "expires_without_renewal" }] },
    ],
  });
  const { body: members } = await member.get("/api/domains/portfolio?sort=name");
  expect(members.domains).toMatchObject([
    { name: "c.example", registration: null, findings: [] },
    { name: "own.example", registration: {}, findings: [{ code: "lame" }, { code: "expires_soon" }] },
  ]);
  const { body: theirs } = await member.get("/api/domains/findings");
  expect(theirs.findings.map(({ name }: Body) => name)).toEqual(["own.example", "own.example"]);
});

test("DNSSEC that resolvers refuse, or soon will, is ranked with what harms most, once", async () => {
  const { body: list } = await zw.admin.get("/api/domains?sort=name");
  const [one, other, third] = list.domains as Body[];
  const db = queries(zw.services.database.fork());
  const noFindings = (await zw.admin.get("/api/domains/findings")).body.findings as Body[];
  // What a check stores.
  const say = async (id: string, state: string, ...found: [code: string, severity: string][]) => {
    const findings = found.map(([code, severity]) => ({ code, severity, message: `This is ${code}.` }));
    const dnssec = JSON.stringify({ state, findings });
    await db
      .insertInto("delegations")
      .values({ domain_id: id, next_check_at: new Date(), dnssec })
      .onConflict((conflict) => conflict.column("domain_id").doUpdateSet({ dnssec }))
      .execute();
  };
  const isNew = ({ code }: Body) => !noFindings.some((known) => known["code"] === code);
  const ofDnssec = async (client = zw.admin) => {
    const { body: found } = await client.get("/api/domains/findings");
    const { body: page } = await client.get("/api/domains/portfolio?sort=name");
    const ranked = found.findings.filter(isNew).map(({ name, code, severity }: Body) => [name, code, severity]);
    const listed = page.domains.flatMap(({ name, findings }: Body) =>
      findings.filter(isNew).map(({ code, severity }: Body) => [name, code, severity]),
    );
    expect(listed.toSorted()).toEqual(ranked.toSorted());
    return ranked;
  };
  await say(one.id, "broken", ["broken", "error"], ["ds_extra", "info"]);
  await say(other.id, "signed", ["signatures_expiring", "warning"]);
  await say(third.id, "signed", ["broken", "warning"]);
  const expected = [
    [one.name, "broken", "error"],
    [other.name, "signatures_expiring", "warning"],
  ];
  expect(await ofDnssec()).toEqual(expected);
  expect(await ofDnssec(await tokenOf("domains:read"))).toEqual([]);
  // The check of the delegation says the same.
  await say(one.id, "broken", ["ds_mismatch", "error"]);
  await storeFinding(zw, one.id);
  await db
    .updateTable("delegation_findings")
    .set({ code: "ds_without_dnskey" })
    .where("domain_id", "=", one.id)
    .execute();
  expect(await ofDnssec()).toEqual([[one.name, "ds_without_dnskey", "error"], expected[1]]);
  await db.deleteFrom("delegations").execute();
  await db.deleteFrom("delegation_findings").where("domain_id", "=", one.id).execute();
});

const tokenOf = async (...permissions: string[]) => {
  const { body } = await zw.admin.post("/api/auth/me/tokens", { name: permissions.join(), permissions });
  return new RestClient(zw.url, body.token);
};

const registrarDataOf = async (client: RestClient) => {
  const { body: page } = await client.get("/api/domains/portfolio?name=b.example");
  const { body: found } = await client.get("/api/domains/findings");
  return {
    locked: page.domains[0].registration.locked,
    domain: page.domains[0].findings.map(({ code }: Body) => code),
    all: found.findings.map(({ code }: Body) => code),
    withoutRegistrations: found.withoutRegistrations,
    row: (await exported(client)).split("\r\n").find((line) => line.startsWith("b.example,")),
  };
};

test("tokens without registrations:read see nothing that a registrar said", async () => {
  const [limited, full] = await Promise.all([
    tokenOf("domains:read"),
    tokenOf("domains:read", "registrations:read"),
  ] as const);
  expect(await registrarDataOf(full)).toMatchObject({
    locked: false,
    domain: ["expired", "unlocked"],
    all: ["expired", "expires_without_renewal", "lame", "expires_soon", "unlocked"],
    withoutRegistrations: false,
    row: expect.stringMatching(/,,no$/),
  });
  expect(await registrarDataOf(limited)).toMatchObject({
    locked: null,
    domain: [],
    all: ["lame"],
    withoutRegistrations: true,
    row: expect.stringMatching(/,,$/),
  });
});

test("only owners, administrators and auditors see what a domain costs, in every answer that has it", async () => {
  const { body: config } = await zw.admin.get("/api/provider-configs");
  const { id: providerConfigId } = config.configs.find(({ name }: Body) => name === "Open");
  const owner = await zw.member("owner");
  const reader = await zw.member("reader");
  const { body: domain } = await owner.post("/api/domains", { name: "priced.example", providerConfigId });
  await owner.put(`/api/domains/${domain.id}`, { yearlyCost: 9, currency: "EUR" });
  const { body: me } = await reader.get("/api/auth/me");
  await zw.admin.post("/api/assignments", { userId: me.id, domainId: domain.id, subdomainPattern: "*" });
  const { body: token } = await owner.post("/api/auth/me/tokens", {
    name: "Narrowed",
    permissions: ["domains:read"],
    domainIds: [domain.id],
  });
  const seenBy = async (client: RestClient) => {
    const { body: detail } = await client.get(`/api/domains/${domain.id}`);
    const { body: page } = await client.get("/api/domains/portfolio?name=priced.example");
    const { body: costs } = await client.get("/api/domains/costs");
    const { registration } = page.domains[0];
    return {
      detail: [detail.yearlyCost, detail.currency],
      list: [registration.yearlyCost, registration.currency],
      row: (await exported(client))
        .split("\r\n")
        .find((line) => line.startsWith("priced.example,"))
        ?.includes("9.00,EUR"),
      sums: costs.groups.map(({ yearlyCost }: Body) => yearlyCost),
    };
  };
  const none = { detail: [null, null], list: [null, null], row: false, sums: [] };
  expect(await seenBy(reader)).toEqual(none);
  expect(await seenBy(new RestClient(zw.url, token.token))).toEqual(none);
  expect(await seenBy(owner)).toEqual({ detail: [9, "EUR"], list: [9, "EUR"], row: true, sums: [9] });
});
