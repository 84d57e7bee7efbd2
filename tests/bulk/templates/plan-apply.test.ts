import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { builtInTemplates } from "../../../server/bulk/templates/built-in/list.ts";
import { problemOf } from "../../support/problems.ts";
import type { Answer, RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, unknownId, Zone, type Body } from "../../support/zones.ts";
import { published, website } from "./templates.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await fileZone(zw);
});

let count = 0;

/** Adds a template. @returns its id */
async function template(records: object[], more: object = {}): Promise<string> {
  count += 1;
  const { status, body } = await zw.admin.post("/api/templates", website(`plan-${count}`, { records, ...more }));
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

const builtIn = (serviceId: string) =>
  builtInTemplates.find(({ template }) => template.serviceId === serviceId)?.id ?? "";

async function planned(id: string, body: object = {}, at: Zone = zone): Promise<Body> {
  const answer = await at.post(`/templates/${id}/plan`, body);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

/** Plans and applies a template. */
async function applied(id: string, body: object = {}, at: Zone = zone): Promise<Body> {
  const { planHash } = await planned(id, body, at);
  const answer = await at.post(`/templates/${id}/apply`, { ...body, planHash, force: true });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

const list = async (at: Zone = zone): Promise<Body[]> => (await at.get("/templates")).body.templates;

describe("a template", () => {
  test("a plan shows creates, updates, deletes and conflicts, and changes nothing", async () => {
    const old = await zone.add("A", "www", "192.0.2.1");
    await zone.add("TXT", "@", "v=spf1 mx -all");
    const id = await template([
      { type: "CNAME", host: "www", pointsTo: "%target%", ttl: 600 },
      { type: "SPFM", host: "@", spfRules: "include:spf.example.net" },
    ]);
    const before = await zone.readFile();
    const body = await planned(id, { variables: { target: "shop.example.net" } });
    expect(body).toMatchObject({
      creates: [{ recordType: "CNAME", name: "www", value: "shop.example.net", ttl: 600 }],
      updates: [{ after: { value: "v=spf1 mx include:spf.example.net ~all", ttl: 3600 } }],
      deletes: [{ id: old.id }],
      conflicts: [{ id: old.id, recordType: "A", name: "www", value: "192.0.2.1", record: 0 }],
      planHash: expect.any(String),
      revision: 2,
    });
    expect(body.warnings).toContainEqual(expect.stringMatching(/~all instead of -all/));
    expect(await zone.readFile()).toBe(before);
    expect(await list()).toEqual([]);
  });

  test("an applied plan is in the zone, in the history, in the audit trail and in the domain's list", async () => {
    const id = await template([{ type: "CNAME", host: "www", pointsTo: "%target%", essential: "OnApply" }]);
    const body = await applied(id, { host: "shop", variables: { target: "t.example.net" }, linked: undefined });
    expect(body.results).toMatchObject([{ action: "create", record: { name: "www.shop", value: "t.example.net" } }]);
    expect(await zone.lines()).toEqual(["www.shop CNAME t.example.net"]);
    expect(body.applied).toMatchObject({
      templateId: id,
      templateRevision: 1,
      host: "shop",
      variables: { target: "t.example.net" },
      groups: null,
      linked: false,
      records: [{ recordType: "CNAME", name: "www.shop", value: "t.example.net", essential: "OnApply" }],
      revision: body.revision,
    });
    expect(await list()).toEqual([body.applied]);
    expect(await zone.history()).toMatchObject([{ creates: 1, revision: body.revision }]);
    const { body: trail } = await zw.admin.get("/api/audit?limit=2");
    expect(trail.entries.map(({ action }: Body) => action)).toEqual(["template.apply", "records.edit"]);
  });

  test("applying it again changes nothing and keeps one entry", async () => {
    const id = builtIn("no-mail");
    const first = await applied(id);
    expect(first.results).toHaveLength(4);
    const again = await planned(id);
    expect(again).toMatchObject({ creates: [], updates: [], deletes: [], conflicts: [] });
    const second = await applied(id);
    expect(second).toMatchObject({ results: [], revision: first.revision, applied: { id: first.applied.id } });
    expect(await list()).toHaveLength(1);
  });

  test("a plan that the zone or the template has outrun is refused, and nothing changes", async () => {
    const id = await template([{ type: "A", host: "www", pointsTo: "%ip%" }]);
    const body = { variables: { ip: "192.0.2.1" } };
    const { planHash } = await planned(id, body);
    await zone.add("A", "other", "192.0.2.9");
    expect(await zone.post(`/templates/${id}/apply`, { ...body, planHash })).toBeProblem(409, "CONFLICT");
    const second = await planned(id, body);
    const { body: stored } = await zw.admin.get(`/api/templates/${id}`);
    await zw.admin.put(`/api/templates/${id}`, {
      ...stored.template,
      records: [{ type: "A", host: "w2", pointsTo: "%ip%" }],
    });
    expect(await zone.post(`/templates/${id}/apply`, { ...body, planHash: second.planHash })).toBeProblem(
      409,
      "CONFLICT",
    );
    const other = { variables: { ip: "192.0.2.2" } };
    expect(await zone.post(`/templates/${id}/apply`, { ...other, planHash: second.planHash })).toBeProblem(
      409,
      "CONFLICT",
    );
    expect(await zone.lines()).toEqual(["other A 192.0.2.9"]);
    expect(await list()).toEqual([]);
  });

  test("losing many records needs force", async () => {
    for (let index = 0; index < 10; index++) await zone.add("MX", "@", `${index} mx.example.net`);
    const id = builtIn("no-mail");
    const plan = await planned(id);
    expect(plan.warnings).toContainEqual(expect.stringMatching(/force: true/));
    const { planHash } = plan;
    expect(await zone.post(`/templates/${id}/apply`, { planHash })).toBeProblem(409, "CONFIRMATION_REQUIRED");
    expect((await zone.post(`/templates/${id}/apply`, { planHash, force: true })).status).toBe(200);
  });

  test("rules that the result would break are reported at the template's record", async () => {
    const id = await template([
      { type: "A", host: "www", pointsTo: "192.0.2.1" },
      { type: "TXT", host: "@", data: "x" },
      { type: "CNAME", host: "www", pointsTo: "t.example.net" },
    ]);
    const problem = problemOf(await zone.post(`/templates/${id}/plan`), 409, "CONFLICT");
    expect(problem.issues).toContainEqual({ path: ["records", 2, "recordType"], message: expect.any(String) });
    expect(problem.detail).not.toMatch(/changes\./);
  });

  test.each<[promise: string, body: object, path: (string | number)[]]>([
    ["a missing variable", {}, ["variables", "ip"]],
    ["an unknown variable", { variables: { ip: "192.0.2.1", more: "x" } }, ["variables", "more"]],
    ["a value with a line break", { variables: { ip: "a\nb" } }, ["variables", "ip"]],
    ["a value of more than 4096 characters", { variables: { ip: "x".repeat(4_097) } }, ["variables", "ip"]],
    ["a number for a value", { variables: { ip: 7 } }, ["variables", "ip"]],
    [
      "201 variables",
      { variables: Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`v${index}`, ""])) },
      ["variables"],
    ],
    ["a value that its type refuses", { variables: { ip: "%ip%" } }, ["records", 0, "pointsTo"]],
    ["an unknown group", { variables: { ip: "192.0.2.1" }, groups: ["x"] }, ["groups", 0]],
    ["a host outside the zone", { variables: { ip: "192.0.2.1" }, host: "www.example.org." }, ["host"]],
    ["a wildcard host", { variables: { ip: "192.0.2.1" }, host: "*.a" }, ["host"]],
    ["a host that climbs", { variables: { ip: "192.0.2.1" }, host: "../x" }, ["host"]],
  ])("%s is refused at its field", async (_promise, body, path) => {
    const id = await template([{ type: "A", host: "www", pointsTo: "%ip%" }]);
    const problem = problemOf(await zone.post(`/templates/${id}/plan`, body), 400, "BAD_REQUEST");
    expect(problem.issues?.[0]?.path).toEqual(path);
  });

  test("unsupported records refuse the plan, and a choice of groups leaves them out", async () => {
    const id = (await zw.admin.post("/api/templates", published)).body.id;
    const variables = { "verify-token": "t", ttl: "600", prio: "5", port: "443" };
    const problem = problemOf(await zone.post(`/templates/${id}/plan`, { variables }), 400, "BAD_REQUEST");
    expect(problem.issues?.map(({ path }) => path)).toEqual([9, 10, 11].map((index) => ["records", index, "type"]));
    const supported = { ...published, records: published.records.slice(0, 9) };
    await zw.admin.put(`/api/templates/${id}`, supported);
    const body = await applied(id, { variables });
    expect(body.applied.records).toHaveLength(9);
    expect(await zone.lines()).toEqual([
      "@ A 192.0.2.1",
      "@ AAAA 2001:db8::1",
      "@ CAA 0 issue ca.example",
      "@ MX 5 mx.example.net",
      "@ TXT v=spf1 include:spf.example.net ~all",
      "_check TXT check=t",
      `_sip._tls SRV 0 5 443 ${zone.name}`,
      "sub NS ns.example.net",
      `www CNAME ${zone.name}`,
    ]);
  });

  test("too many conflicts below a delegation are refused, not a timeout", async () => {
    const lines = Array.from({ length: 1_001 }, (_, index) => `h${index}.sub A 192.0.2.1\n`).join("");
    zone = await manualZone(zw);
    await zone.post("/zonefile", { zonefile: lines, mode: "merge" });
    const id = await template([{ type: "NS", host: "sub", pointsTo: "ns.example.net" }]);
    expect(await zone.post(`/templates/${id}/plan`)).toBeProblem(409, "CONFLICT");
  });

  test("an alias at the apex needs a provider that has one", async () => {
    const id = await template([{ type: "APEXCNAME", pointsTo: "t.example.net" }]);
    expect(await zone.post(`/templates/${id}/plan`)).toBeProblem(400, "BAD_REQUEST");
    zone = await manualZone(zw);
    await zone.add("A", "@", "192.0.2.1");
    expect(await planned(id)).toMatchObject({
      creates: [{ recordType: "ALIAS", name: "@" }],
      deletes: [{ recordType: "A" }],
    });
  });

  test("an unknown template or domain is 404", async () => {
    expect(await zone.post(`/templates/${unknownId}/plan`)).toBeProblem(404, "NOT_FOUND");
    expect(await zw.admin.post(`/api/domains/${unknownId}/templates/${builtIn("no-mail")}/plan`)).toBeProblem(
      404,
      "NOT_FOUND",
    );
  });
});

test("the records of a template are not written if the domain cannot remember it", async () => {
  const id = await template([{ type: "A", host: "@", pointsTo: "192.0.2.1" }]);
  const manual = await manualZone(zw);
  const { planHash } = await planned(id, { host: "never" }, manual);
  const { database } = zw.services;
  await sql`alter table domain_templates add constraint never check (host <> 'never')`.execute(
    queries(database.fork()),
  );
  const answer = await manual.post(`/templates/${id}/apply`, { host: "never", planHash });
  await sql`alter table domain_templates drop constraint never`.execute(queries(database.fork()));
  expect(answer.status).toBe(500);
  expect([await manual.lines(), await list(manual)]).toEqual([[], []]);
});

describe("applying at the same host again", () => {
  test("other values replace what the template wrote, and other hosts stand by themselves", async () => {
    const id = await template([{ type: "TXT", host: "@", data: "id=%id%" }]);
    await applied(id, { variables: { id: "1" } });
    await applied(id, { variables: { id: "2" }, host: "shop" });
    expect((await planned(id, { variables: { id: "3" } })).conflicts).toMatchObject([{ value: "id=1", record: null }]);
    await applied(id, { variables: { id: "3" } });
    expect(await zone.lines()).toEqual(["@ TXT id=3", "shop TXT id=2"]);
    expect((await list()).map(({ host, variables }) => [host, variables.id])).toEqual([
      ["shop", "2"],
      ["@", "3"],
    ]);
  });

  test("a template for several instances adds to what it wrote", async () => {
    const id = builtIn("txt-verification");
    for (const text of ["one", "two", "one"]) await applied(id, { variables: { text } });
    expect(await zone.lines()).toEqual(["@ TXT one", "@ TXT two"]);
    expect(await list()).toHaveLength(2);
  });

  test("groups can be applied one after the other, and each replaces only its own records", async () => {
    const id = await template([
      { type: "TXT", host: "a", data: "%a%", groupId: "a" },
      { type: "TXT", host: "b", data: "%b%", groupId: "b" },
    ]);
    await applied(id, { variables: { a: "1" }, groups: ["a"] });
    await applied(id, { variables: { b: "1" }, groups: ["b"] });
    await applied(id, { variables: { a: "2" }, groups: ["a"] });
    expect(await zone.lines()).toEqual(["a TXT 2", "b TXT 1"]);
    expect(await list()).toMatchObject([{ groups: ["a", "b"], variables: { a: "2", b: "1" } }]);
  });

  test("groups leave each other's records, and lose those that cannot stand beside their own", async () => {
    const id = await template([
      { type: "MX", host: "@", pointsTo: "one.example.net", priority: 10, groupId: "one" },
      { type: "TXT", host: "@", data: "one", groupId: "one" },
      { type: "SPFM", host: "@", spfRules: "mx", groupId: "one" },
      { type: "A", host: "www", pointsTo: "192.0.2.1", groupId: "one" },
      { type: "MX", host: "@", pointsTo: "two.example.net", priority: 20, groupId: "two" },
      { type: "TXT", host: "@", data: "two", txtConflictMatchingMode: "All", groupId: "two" },
      { type: "CNAME", host: "www", pointsTo: "t.example.net", groupId: "three" },
    ]);
    await applied(id, { groups: ["one"] });
    expect(await planned(id, { groups: ["two"] })).toMatchObject({ deletes: [], conflicts: [] });
    await applied(id, { groups: ["two"] });
    const mail = [
      "@ MX 10 one.example.net",
      "@ MX 20 two.example.net",
      "@ TXT one",
      "@ TXT two",
      "@ TXT v=spf1 mx ~all",
    ];
    expect(await zone.lines()).toEqual([...mail, "www A 192.0.2.1"]);
    await applied(id, { groups: ["three"] });
    expect(await zone.lines()).toEqual([...mail, "www CNAME t.example.net"]);
    const [{ records }] = (await list()) as [Body];
    expect(records.filter(({ name }: Body) => name === "www")).toMatchObject([{ recordType: "CNAME" }]);
    expect(records).toHaveLength(6);
  });

  test("a group's text with a prefix replaces those of other groups, but not their merged SPF record", async () => {
    const text = { type: "TXT", txtConflictMatchingMode: "Prefix" };
    const dmarc = { ...text, host: "_dmarc", txtConflictMatchingPrefix: "v=DMARC1" };
    const id = await template([
      { ...dmarc, data: "v=DMARC1; p=none", groupId: "monitor" },
      { type: "TXT", host: "_dmarc", data: "mine", groupId: "monitor" },
      { type: "SPFM", host: "@", spfRules: "mx", groupId: "monitor" },
      { ...dmarc, data: "v=DMARC1; p=reject", groupId: "enforce" },
      { ...text, host: "@", txtConflictMatchingPrefix: "v=", data: "v=other", groupId: "enforce" },
    ]);
    await applied(id, { groups: ["monitor"] });
    expect((await planned(id, { groups: ["enforce"] })).conflicts).toMatchObject([
      { value: "v=DMARC1; p=none", record: 3 },
    ]);
    await applied(id, { groups: ["enforce"] });
    expect(await zone.lines()).toEqual([
      "@ TXT v=other",
      "@ TXT v=spf1 mx ~all",
      "_dmarc TXT mine",
      "_dmarc TXT v=DMARC1; p=reject",
    ]);
    const [{ records }] = (await list()) as [Body];
    expect(records).toHaveLength(4);
  });

  test("an unlinked template leaves its records, and is gone from the list", async () => {
    const { applied: one } = await applied(builtIn("no-mail"));
    const before = await zone.lines();
    expect((await zone.client.delete(`${zone.path}/templates/${one.id}`)).body).toEqual({ success: true });
    expect(await zone.lines()).toEqual(before);
    expect(await list()).toEqual([]);
    expect(await zone.client.delete(`${zone.path}/templates/${one.id}`)).toBeProblem(404, "NOT_FOUND");
  });
});

describe("members with host patterns", () => {
  let member: RestClient;
  let theirs: Zone;
  const id = builtIn("txt-verification");
  const variables = { text: "proof" };

  beforeEach(async () => {
    count += 1;
    member = await zw.member(`member-${count}`);
    theirs = new Zone(zw, zone, member);
  });

  async function assign(subdomainPattern: string, access = "write"): Promise<void> {
    const { body: me } = await member.get("/api/auth/me");
    const answer = await zw.admin.post("/api/assignments", {
      userId: me.id,
      domainId: zone.id,
      subdomainPattern,
      access,
    });
    expect(answer.status).toBe(201);
  }

  test("a member without an assignment gets 404 for the domain", async () => {
    expect(await theirs.post(`/templates/${id}/plan`, { variables })).toBeProblem(404, "NOT_FOUND");
    expect(await theirs.get("/templates")).toBeProblem(404, "NOT_FOUND");
  });

  test("a member with read access applies no template", async () => {
    await assign("*", "read");
    expect(await theirs.post(`/templates/${id}/plan`, { variables })).toBeProblem(403, "FORBIDDEN");
  });

  test("a template is applied within the pattern, and refused beyond it", async () => {
    await assign("shop");
    await applied(id, { variables, host: "shop" }, theirs);
    const problem = problemOf(await theirs.post(`/templates/${id}/plan`, { variables }), 403, "FORBIDDEN");
    expect(problem.issues?.[0]?.path).toEqual(["records", 0, "name"]);
    expect(await zone.lines()).toEqual(["shop TXT proof"]);
  });

  test("a conflict beyond the pattern is neither deleted nor shown", async () => {
    await zone.add("NS", "team", "ns.example.net");
    await assign("a.team");
    const { body } = await theirs.post(`/templates/${id}/plan`, { variables, host: "a.team" });
    expect(JSON.stringify(body)).not.toMatch(/ns\.example\.net/);
    expect(await zone.lines()).toEqual(["team NS ns.example.net"]);
  });

  test("whether a record exists beyond the pattern does not show", async () => {
    await zone.add("TXT", "hidden", "proof");
    await zone.add("TXT", "spf", "v=spf1 a ~all");
    await assign("shop");
    const spf = await template([{ type: "SPFM", host: "spf.%domain%.", spfRules: "a" }]);
    for (const [one, body] of [
      [id, { variables, host: "hidden" }],
      [spf, {}],
    ] as const)
      expect(await theirs.post(`/templates/${one}/plan`, body)).toBeProblem(403, "FORBIDDEN");
  });

  test("a member with a host pattern lists and unlinks only templates within it", async () => {
    await applied(id, { variables });
    await applied(id, { variables, host: "shop" });
    const [shop, apex] = await list();
    await assign("shop");
    expect((await list(theirs)).map(({ host }) => host)).toEqual(["shop"]);
    expect(await member.delete(`${zone.path}/templates/${apex?.id}`)).toBeProblem(404, "NOT_FOUND");
    expect((await member.delete(`${zone.path}/templates/${shop?.id}`)).status).toBe(200);
    await assign("*", "read");
    expect(await member.delete(`${zone.path}/templates/${apex?.id}`)).toBeProblem(403, "FORBIDDEN");
  });

  test("of a template that also wrote beyond the pattern, neither those records nor their values are listed", async () => {
    const wide = await template([
      { type: "A", host: "www", pointsTo: "%address%", groupId: "site" },
      { type: "TXT", host: "_hidden.%domain%.", data: "token=%secret%", groupId: "proof" },
      { type: "SPFM", host: "mail.%domain%.", spfRules: "include:%spf%.example.net", groupId: "proof" },
    ]);
    const values = { address: "192.0.2.1", secret: "s3cret", spf: "private" };
    const seen = {
      host: "shop",
      variables: { address: "192.0.2.1" },
      records: [{ recordType: "A", name: "www.shop", value: "192.0.2.1", essential: "Always" }],
    };
    await applied(wide, { host: "shop", variables: values });
    await assign("shop");
    await assign("*.shop");
    const [listed] = await list(theirs);
    expect(listed).toMatchObject(seen);
    expect(listed?.["variables"]).toEqual(seen.variables);
    const again = { host: "shop", variables: { address: "192.0.2.1" }, groups: ["site"] };
    const answer = await applied(wide, again, theirs);
    expect(answer["applied"]).toMatchObject(seen);
    expect(JSON.stringify([answer, await list(theirs)])).not.toMatch(/s3cret|private|_hidden|"mail[".]/);
    expect((await list())[0]).toMatchObject({ variables: values, records: { length: 3 } });
  });

  test("a template whose host is beyond the pattern is applied, but neither linked nor remembered", async () => {
    await assign("_acme-challenge");
    const acme = builtIn("acme-delegation");
    const body = { variables: { target: "acme.example.net" } };
    const { planHash } = await planned(acme, body, theirs);
    expect(await theirs.post(`/templates/${acme}/apply`, { ...body, planHash, linked: true })).toBeProblem(
      403,
      "FORBIDDEN",
    );
    const answer: Answer = await theirs.post(`/templates/${acme}/apply`, { ...body, planHash });
    expect(answer).toMatchObject({ status: 200, body: { applied: null } });
    expect(await list()).toEqual([]);
    expect(await zone.lines()).toEqual(["_acme-challenge CNAME acme.example.net"]);
  });
});

describe("built-in templates", () => {
  const values: Record<string, Record<string, string>> = {
    "microsoft-365": { mxHost: "example-com", tenant: "example", dkimDomain: "example-com" },
    "proton-mail": {
      verification: "abc",
      dkim1: "a.domains.proton.ch",
      dkim2: "b.domains.proton.ch",
      dkim3: "c.domains.proton.ch",
    },
    parked: { ip: "192.0.2.80" },
    dmarc: { policy: "none", mailbox: "dmarc@example.net" },
    "letsencrypt-caa": { mailbox: "caa@example.net" },
    "acme-delegation": { target: "acme.example.net" },
    "google-verification": { token: "abc" },
    "txt-verification": { text: "abc" },
    "dmarc-1-watch": { mailbox: "dmarc@example.net" },
    "dmarc-2-quarantine": { mailbox: "dmarc@example.net" },
    "dmarc-3-reject": { mailbox: "dmarc@example.net" },
    "dkim-key": { selector: "s1", record: "v=DKIM1; k=rsa; p=abc" },
    "dkim-cname": { selector: "s1", target: "s1.dkim.example.net" },
    "mta-sts": { policyHost: "sts.example.net", id: "20261201" },
    "tls-reports": { mailbox: "tls@example.net" },
    caa: { authority: "pki.goog", mailbox: "caa@example.net" },
  };

  test.each(builtInTemplates.map(({ id, template }) => [template.serviceId, id] as const))(
    "%s applies to an empty zone and changes nothing the second time",
    async (serviceId, id) => {
      const body = { variables: values[serviceId] ?? {} };
      await applied(id, body);
      expect(await planned(id, body)).toMatchObject({ creates: [], updates: [], deletes: [] });
      expect((await zone.lines()).length).toBeGreaterThan(0);
    },
  );

  test("the steps of DMARC replace each other", async () => {
    for (const step of ["dmarc-1-watch", "dmarc-2-quarantine", "dmarc-3-reject"])
      await applied(builtIn(step), { variables: values[step] });
    expect(await zone.lines()).toEqual(["_dmarc TXT v=DMARC1; p=reject; rua=mailto:dmarc@example.net"]);
  });

  test("keys of several selectors and authorities of several names stand beside each other", async () => {
    // Longer than a character-string, as keys of 2,048 bits are.
    const record = `v=DKIM1; k=rsa; p=${"A".repeat(392)}`;
    for (const selector of ["s1", "s2"]) await applied(builtIn("dkim-key"), { variables: { selector, record } });
    const mailbox = "caa@example.net";
    for (const authority of ["pki.goog", "sectigo.com"])
      await applied(builtIn("caa"), { variables: { authority, mailbox }, groups: [] });
    expect(await zone.lines()).toEqual([
      "@ CAA 0 issue pki.goog",
      "@ CAA 0 issue sectigo.com",
      `s1._domainkey TXT ${record}`,
      `s2._domainkey TXT ${record}`,
    ]);
  });

  test("a domain with mail sends and receives none afterwards", async () => {
    await zone.add("MX", "@", "10 mx.example.net");
    await zone.add("TXT", "@", "v=spf1 include:spf.example.net ~all");
    await zone.add("TXT", "@", "google-site-verification=x");
    await applied(builtIn("no-mail"));
    expect(await zone.lines()).toEqual([
      "*._domainkey TXT v=DKIM1; p=",
      "@ MX 0 .",
      "@ TXT google-site-verification=x",
      "@ TXT v=spf1 -all",
      "_dmarc TXT v=DMARC1; p=reject; sp=reject; adkim=s; aspf=s",
    ]);
  });
});
