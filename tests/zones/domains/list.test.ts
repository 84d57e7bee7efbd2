import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { manualConfig, type Body } from "../../support/zones.ts";

const zw = useZonewright();

interface Filter {
  status?: string;
  group?: string;
  tag?: string;
  search?: string;
}

const domains: Body[] = [];

beforeAll(async () => {
  const providerConfigId = await manualConfig(zw);
  const dates = [null, "2001-01-01T00:00:00Z", "2099-01-01T00:00:00Z", new Date(Date.now() + 864e5).toISOString()];
  const names = ["bücher.example", "a_b.example", "axb.example", "a-b.example", "例え.test", "shop.example"];
  const specs = Array.from({ length: 24 }, (_, index) => ({
    name: names[index] ?? `n${String(index).padStart(2, "0")}.${index % 2 === 0 ? "example" : "test"}`,
    groupName: [null, "Customers", "100%", "own_"][index % 4] ?? null,
    tags: ["red", "blue", "a,b", '"quoted"'].filter((_, bit) => ((index >> bit) & 1) === 1),
    expiresAt: dates[(index >> 1) % 4] ?? null,
    providerConfigId,
  }));
  for (const spec of specs) {
    const { body } = await zw.admin.post("/api/domains", spec);
    const off = body.name.endsWith("3.test")
      ? await zw.admin.put(`/api/domains/${body.id}`, { status: "disabled" })
      : null;
    domains.push(off?.body ?? body);
  }
  domains.sort((a, b) => (a.name < b.name ? -1 : 1));
});

const query = (parameters: object) =>
  `/api/domains?${new URLSearchParams(Object.entries(parameters).map(([key, value]) => [key, String(value)])).toString()}`;

async function namesFor(parameters: object): Promise<string[]> {
  const { status, body } = await zw.admin.get(query(parameters));
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.domains.map(({ name }: Body) => name);
}

function expected({ status, group, tag, search }: Filter): string[] {
  return domains
    .filter((domain) => status === undefined || domain.status === status)
    .filter((domain) => group === undefined || domain.groupName === group)
    .filter((domain) => tag === undefined || domain.tags.includes(tag))
    .filter((domain) => search === undefined || domain.name.includes(search) || domain.nameUnicode.includes(search))
    .map(({ name }) => name);
}

describe("the list of domains", () => {
  test("the domains under test cover all four states", () => {
    expect(new Set(domains.map(({ status }) => status))).toEqual(
      new Set(["active", "expiring", "expired", "disabled"]),
    );
  });

  test("the list of domains shows twenty on the first page, by name, by default", async () => {
    const { body } = await zw.admin.get("/api/domains");
    expect(body).toMatchObject({ total: 24, page: 1, limit: 20 });
    expect(body.domains.map(({ name }: Body) => name)).toEqual(expected({}).slice(0, 20));
  });

  test("the list of domains shows exactly those that match all filters, on any page", async () => {
    const filter = fc.record(
      {
        status: fc.constantFrom("active", "expiring", "expired", "disabled"),
        group: fc.constantFrom("Customers", "100%", "own_", "customers", "own-"),
        tag: fc.constantFrom("red", "blue", "a,b", '"quoted"', "a"),
        search: fc.constantFrom("example", "n1", "bücher", "xn--bcher", "_", "-", "%", "例え", "test"),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        filter,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 10 }),
        async (by, page, limit) => {
          const wanted = expected(by);
          const { status, body } = await zw.admin.get(query({ ...by, page, limit }));
          expect(status).toBe(200);
          expect(body.domains.map(({ name }: Body) => name)).toEqual(wanted.slice((page - 1) * limit, page * limit));
          expect(body).toMatchObject({ total: wanted.length, page, limit });
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each([
    ["bücher", ["xn--bcher-kva.example"]],
    ["BÜCHER.Ex", ["xn--bcher-kva.example"]],
    ["XN--BCHER", ["xn--bcher-kva.example"]],
    ["üch", ["xn--bcher-kva.example"]],
    ["例", ["xn--r8jz45g.test"]],
    ["_", ["a_b.example"]],
    ["a_b", ["a_b.example"]],
    ["%", []],
    ["a%b", []],
    ["\\", []],
    ["SHOP", ["shop.example"]],
  ])("the list of domains searched for %j finds %j: every character is literal", async (search, names) => {
    expect(await namesFor({ search })).toEqual(names);
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=1e9", "limit"],
    ["limit=x", "limit"],
    ["limit=1.5", "limit"],
    ["page=0", "page"],
    ["page=-1", "page"],
    ["page=99999999999", "page"],
    ["status=gone", "status"],
    ["nonsense=1", "nonsense"],
  ])("the list of domains refuses %s and names the parameter", async (parameters, field) => {
    const { status, body } = await zw.admin.get(`/api/domains?${parameters}`);
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: [field] }]);
  });

  test.each(
    ["name", "expiresAt", "recordCount", "updatedAt", "drift", "provider"].flatMap((field) => [field, `-${field}`]),
  )("the pages of the list of domains sorted by %s fit together, read from either end", async (sort) => {
    const paged: string[] = [];
    for (let page = 1; page <= 5; page++) paged.push(...(await namesFor({ sort, limit: 5, page })));
    expect(paged).toHaveLength(domains.length);
    expect(paged).toEqual(await namesFor({ sort, limit: 100 }));
  });

  test("the list of domains is empty beyond the last page, with the total still reported", async () => {
    const { body } = await zw.admin.get("/api/domains?page=2147483647&limit=100");
    expect(body).toMatchObject({ domains: [], total: 24, page: 2_147_483_647, limit: 100 });
  });
});

/** Each label with how often it occurs, by name. */
function countBy(labels: readonly (string | null)[]) {
  return [...new Set(labels)]
    .filter((label) => label !== null)
    .toSorted()
    .map((name) => ({ name, count: labels.filter((label) => label === name).length }));
}

test("an empty group name is none, and domains without a group can be listed", async () => {
  const [first] = domains;
  for (const groupName of ["", "  "]) {
    const { body } = await zw.admin.put(`/api/domains/${first?.["id"]}`, { groupName });
    expect(body.groupName).toBeNull();
  }
  await zw.admin.put(`/api/domains/${first?.["id"]}`, { groupName: first?.["groupName"] });
  const without = domains.filter(({ groupName }) => groupName === null).map(({ name }) => name);
  expect(await namesFor({ ungrouped: "true", limit: 100 })).toEqual(without);
  expect(await namesFor({ ungrouped: "false", limit: 100 })).toHaveLength(domains.length - without.length);
  expect(await namesFor({ ungrouped: "true", group: "Customers" })).toEqual([]);
});

test.each([
  ["/api/domains/tags", "tags"],
  ["/api/notifications", "notifications"],
  ["/api/notifications/configs", "configs"],
  ["/api/auth/me/tokens", "tokens"],
  ["/api/auth/oauth/bindings", "bindings"],
  ["/api/auth/oauth/providers", "providers"],
  ["/api/oauth/providers", "providers"],
  ["/api/providers", "providers"],
  ["/api/provider-configs", "configs"],
  ["/api/registrar-configs", "configs"],
  ["/api/auth/me/sessions", "sessions"],
  ["/api/auth/me/tsig-keys", "keys"],
  ["/api/domains/findings", "findings"],
  ["/api/domains/costs", "groups"],
])("%s returns all items, or the page that is asked for", async (path, field) => {
  const { body: all } = await zw.admin.get(path);
  const items = async (parameters: string) => (await zw.admin.get(`${path}?${parameters}`)).body[field];
  expect(await items("page=1&limit=100")).toEqual(all[field]);
  expect(await items("page=2&limit=1")).toEqual(all[field].slice(1, 2));
  expect(await items("limit=2")).toEqual(all[field].slice(0, 2));
  expect(await items("page=1")).toEqual(all[field].slice(0, 20));
  for (const wrong of ["page=0", "limit=0", "limit=101", "page=x"])
    expect(await zw.admin.get(`${path}?${wrong}`)).toBeProblem(400, "BAD_REQUEST");
  const unknown = await zw.admin.get(`${path}?pages=1`);
  expect(unknown.body.issues).toEqual([
    { path: ["pages"], message: "This parameter is unknown. Check its spelling or remove it." },
  ]);
});

test("a record type may be written in lower case, in filters and in records", async () => {
  const [first] = domains;
  const path = `/api/domains/${first?.["id"]}/records`;
  const { status, body } = await zw.admin.post(path, { recordType: "a", name: "folded", value: "192.0.2.1" });
  expect({ status, type: body.recordType }).toEqual({ status: 201, type: "A" });
  expect((await zw.admin.get(`${path}?type=a`)).body.records).toMatchObject([{ name: "folded", recordType: "A" }]);
  await zw.admin.delete(`${path}/${body.id}`);
});

test("groups and views are counted over all domains, by name", async () => {
  const { body } = await zw.admin.get("/api/domains/tags");
  const { body: page } = await zw.admin.get("/api/domains?limit=100");
  expect(body.groups).toEqual(countBy(page.domains.map(({ groupName }: Body) => groupName)));
  expect(body.views).toEqual(countBy(page.domains.map(({ view }: Body) => view)));
});

test("tags are counted over all domains, by name", async () => {
  const { body } = await zw.admin.get("/api/domains/tags");
  const counts = ['"quoted"', "a,b", "blue", "red"].map((name) => ({
    name,
    count: domains.filter(({ tags }) => tags.includes(name)).length,
  }));
  expect(body.tags.toSorted((a: Body, b: Body) => (a.name < b.name ? -1 : 1))).toEqual(counts);
});
