import { describe, expect, test } from "vitest";
import { builtInTemplates } from "../../../server/bulk/templates/built-in/list.ts";
import { problemOf } from "../../support/problems.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { unknownId, type Body } from "../../support/zones.ts";
import { published, website } from "./templates.ts";

const zw = useZonewright();

async function made(template: object): Promise<Body> {
  const { status, body } = await zw.admin.post("/api/templates", template);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}

async function found(search: string): Promise<string[]> {
  const { body } = await zw.admin.get(`/api/templates?search=${encodeURIComponent(search)}`);
  return body.templates.map(({ serviceId }: Body) => serviceId);
}

describe("importing templates", () => {
  test("a template with every field and quirk of published ones is stored as it is", async () => {
    const body = await made(published);
    expect(body).toMatchObject({
      builtIn: false,
      revision: 1,
      version: 3,
      variables: ["ttl", "verify-token", "prio", "port"],
      groups: ["mail", "7"],
      hostRequired: false,
      multiInstance: true,
      recordCount: published.records.length,
      unsupported: [
        { index: 9, type: "REDIR301", reason: expect.any(String) },
        { index: 10, type: "REDIR302" },
        { index: 11, type: "NS1" },
      ],
    });
    const stored = await zw.admin.get(`/api/templates/${body.id}`);
    expect(stored.body).toEqual(body);
    expect(stored.body.template).toEqual(published);
  });

  test("texts that a database refuses are stored, too", async () => {
    const template = website("odd", { extra: { "a\u0000": "\u0000 \ud800" } });
    expect((await made(template)).template).toEqual(template);
  });

  test.each<[promise: string, change: object, path: (string | number)[]]>([
    ["no records", { records: [] }, ["records"]],
    ["10,000 records", { records: Array.from({ length: 3_000 }, () => ({ type: "A", host: "@" })) }, ["records"]],
    ["records that are no objects", { records: ["A"] }, ["records", 0]],
    ["a record without a type", { records: [{ host: "@" }] }, ["records", 0, "type"]],
    ["a text where a number or text belongs", { records: [{ type: "A", ttl: {} }] }, ["records", 0, "ttl"]],
    ["a group that a database refuses", { records: [{ type: "A", groupId: "a\u0000b" }] }, ["records", 0, "groupId"]],
    ["a very long text", { records: [{ type: "TXT", data: "x".repeat(4_097) }] }, ["records", 0, "data"]],
    ["no provider", { providerId: undefined }, ["providerId"]],
    ["an empty service", { serviceId: "" }, ["serviceId"]],
    ["a name with a line break", { serviceName: "a\nb" }, ["serviceName"]],
    ["the provider of built-in templates", { providerId: "Zonewright" }, ["providerId"]],
  ])("a template with %s is refused at its field", async (_promise, change, path) => {
    const problem = problemOf(
      await zw.admin.post("/api/templates", { ...website("bad"), ...change }),
      400,
      "BAD_REQUEST",
    );
    expect(problem.issues?.[0]?.path).toEqual(path);
  });

  test("a template of more than 256 KiB is refused", async () => {
    const answer = await zw.admin.post("/api/templates", website("large", { extra: "x".repeat(262_144) }));
    expect(problemOf(answer, 400, "BAD_REQUEST").detail).toMatch(/262144 characters/);
  });

  test("a service has one template, whatever its capitals", async () => {
    await made(website("once"));
    expect(await zw.admin.post("/api/templates", website("ONCE"))).toBeProblem(409, "CONFLICT");
  });
});

describe("changing and deleting templates", () => {
  test("a new version raises the revision, and the same one does not", async () => {
    const { id } = await made(website("versions"));
    const changed = website("Versions", { records: [{ type: "A", host: "@", pointsTo: "192.0.2.1" }] });
    expect((await zw.admin.put(`/api/templates/${id}`, changed)).body).toMatchObject({
      revision: 2,
      serviceId: "Versions",
      template: changed,
    });
    expect((await zw.admin.put(`/api/templates/${id}`, changed)).body).toMatchObject({ revision: 2 });
    const other = await zw.admin.put(`/api/templates/${id}`, website("another"));
    expect(problemOf(other, 400, "BAD_REQUEST").issues?.[0]?.path).toEqual(["serviceId"]);
  });

  test("a new version that names the revision it was made from is refused if another was stored meanwhile, unless both are the same", async () => {
    const { id } = await made(website("two-people"));
    const put = (description: string, more: object = {}) =>
      zw.admin.put(`/api/templates/${id}`, { ...website("two-people", { description }), ...more });
    expect((await put("First", { revision: 1 })).body).toMatchObject({ revision: 2 });
    const refused = await put("Second", { revision: 1 });
    expect(problemOf(refused, 409, "CONFLICT").detail).toContain("revision 2, not 1");
    // Repeated after a lost answer.
    expect((await put("First", { revision: 1 })).body).toMatchObject({ revision: 2 });
    expect((await put("Second", { revision: 2 })).body).toMatchObject({
      revision: 3,
      template: website("two-people", { description: "Second" }),
    });
    expect((await put("Third")).body).toMatchObject({ revision: 4 });
    expect(problemOf(await put("Fourth", { revision: 0 }), 400, "BAD_REQUEST").issues).toEqual([
      { path: ["revision"], message: "This must be 1 or more." },
    ]);
    expect(problemOf(await put("Fourth", { revision: "4" }), 400, "BAD_REQUEST").issues?.[0]?.path).toEqual([
      "revision",
    ]);
  });

  test("a deleted template is gone", async () => {
    const { id } = await made(website("deleted"));
    expect((await zw.admin.delete(`/api/templates/${id}`)).body).toEqual({ success: true });
    expect(await zw.admin.get(`/api/templates/${id}`)).toBeProblem(404, "NOT_FOUND");
    expect(await zw.admin.delete(`/api/templates/${id}`)).toBeProblem(404, "NOT_FOUND");
    expect(await zw.admin.put(`/api/templates/${id}`, website("deleted"))).toBeProblem(404, "NOT_FOUND");
    expect(await zw.admin.post(`/api/templates/${unknownId}/linked/plan`)).toBeProblem(404, "NOT_FOUND");
  });

  test("built-in templates cannot be changed or deleted", async () => {
    const [{ id } = { id: "" }] = builtInTemplates;
    expect(await zw.admin.delete(`/api/templates/${id}`)).toBeProblem(400, "BAD_REQUEST");
    expect(await zw.admin.put(`/api/templates/${id}`, website("built-in"))).toBeProblem(400, "BAD_REQUEST");
  });

  test("members read templates and change none", async () => {
    const { id } = await made(website("read"));
    const member = await zw.member("reader");
    expect((await member.get(`/api/templates/${id}`)).status).toBe(200);
    expect((await member.get("/api/templates")).status).toBe(200);
    expect(await member.post("/api/templates", website("member"))).toBeProblem(403, "FORBIDDEN");
    expect(await member.put(`/api/templates/${id}`, website("read"))).toBeProblem(403, "FORBIDDEN");
    expect(await member.delete(`/api/templates/${id}`)).toBeProblem(403, "FORBIDDEN");
    expect(await member.post(`/api/templates/${id}/linked/plan`)).toBeProblem(403, "FORBIDDEN");
  });
});

describe("lists", () => {
  test("built-in templates come first, and pages run across both kinds", async () => {
    for (const name of ["list-b", "list-a", "list-c"]) await made(website(name));
    const { body: all } = await zw.admin.get("/api/templates?limit=100");
    expect(all.templates.slice(0, builtInTemplates.length).every(({ builtIn }: Body) => builtIn)).toBe(true);
    expect(all.total).toBe(all.templates.length);
    const pages: Body[] = [];
    for (let page = 1; page <= Math.ceil(all.total / 3); page++)
      pages.push(...(await zw.admin.get(`/api/templates?limit=3&page=${page}`)).body.templates);
    expect(pages).toEqual(all.templates);
    expect((await zw.admin.get("/api/templates?limit=3&page=999")).body).toMatchObject({
      templates: [],
      total: all.total,
    });
  });

  test("a search finds part of provider and service in any case, and takes wildcards literally", async () => {
    await made(website("Find_Me"));
    expect(await found("IND_m")).toEqual(["Find_Me"]);
    expect(await found("ind%m")).toEqual([]);
    expect(await found("FASTMAIL")).toEqual(["fastmail"]);
  });
});

test("built-in templates have stable ids, one each, and need no unsupported record", () => {
  expect(new Set(builtInTemplates.map(({ id }) => id)).size).toBe(builtInTemplates.length);
  expect(builtInTemplates.map(({ id, template }) => `${id.slice(-2)} ${template.serviceId}`)).toEqual([
    "01 google-workspace",
    "02 microsoft-365",
    "03 fastmail",
    "04 proton-mail",
    "05 no-mail",
    "06 parked",
    "07 dmarc",
    "08 letsencrypt-caa",
    "09 acme-delegation",
    "0a google-verification",
    "0b txt-verification",
    "0c dmarc-1-watch",
    "0d dmarc-2-quarantine",
    "0e dmarc-3-reject",
    "0f dkim-key",
    "10 dkim-cname",
    "11 mta-sts",
    "12 tls-reports",
    "13 caa",
    "14 www",
  ]);
});
