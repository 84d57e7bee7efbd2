import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { matchesHost } from "../../../server/dns/names/names.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { addZone, manualConfig, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

interface Known {
  domain: string;
  host: string;
  type: string;
  value: string;
}

const zones = new Map<string, Zone>();
/** Every record that was made: the model that answers are compared with. */
const known: Known[] = [];
let member: RestClient;
/** What the member may see, by domain. */
const seen = new Map<string, string[]>([
  ["alpha.example", ["www", "*.dev"]],
  ["gamma.test", ["*"]],
]);

beforeAll(async () => {
  const providerConfigId = await manualConfig(zw);
  for (const [name, extra] of [
    ["alpha.example", { tags: ["production"] }],
    ["alpha.example!internal", { tags: ["production"], groupName: "Office" }],
    ["beta.example", { groupName: "Office" }],
    ["gamma.test", {}],
    ["xn--bcher-kva.example", {}],
  ] as const) {
    zones.set(name, await addZone(zw, { name, providerConfigId, ...extra }));
  }
  await add("alpha.example", "A", "@", "192.0.2.1");
  await add("alpha.example", "A", "www", "192.0.2.1");
  await add("alpha.example", "AAAA", "www", "2001:DB8:0:0::1");
  await add("alpha.example", "TXT", "@", "v=spf1 include:_spf.Mailer.example ~all");
  await add("alpha.example", "CNAME", "api.dev", "www.alpha.example");
  await add("alpha.example", "A", "db_1.dev", "10.0.0.5");
  await add("alpha.example!internal", "A", "www", "10.0.0.1");
  await add("beta.example", "MX", "@", "10 mail.alpha.example");
  await add("beta.example", "A", "www", "192.0.2.1");
  await add("beta.example", "TXT", "percent", "100% of _spf");
  await add("gamma.test", "CAA", "@", "0 issue letsencrypt.org");
  await add("gamma.test", "TLSA", "_443._tcp.www", `3 1 1 ${"ab".repeat(32)}`);
  await add("xn--bcher-kva.example", "A", "xn--bro-hoa", "192.0.2.9");
  const { body: user } = await zw.admin.post("/api/users", {
    username: "searcher",
    password: "another long enough password",
    email: null,
    role: "member",
  });
  for (const [domain, patterns] of seen) {
    for (const subdomainPattern of patterns) {
      await zw.admin.post("/api/assignments", {
        userId: user.id,
        domainId: zones.get(domain)?.id,
        subdomainPattern,
        access: "read",
      });
    }
  }
  member = await zw.signIn("searcher", "another long enough password");
});

async function add(domain: string, type: string, host: string, value: string): Promise<void> {
  const record = await zones.get(domain)?.add(type, host, value);
  known.push({ domain, host, type, value: record?.value });
}

async function search(query: Record<string, string>, client = zw.admin): Promise<Body> {
  const { status, body } = await client.get(`/api/records?${new URLSearchParams(query).toString()}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

async function found(query: Record<string, string>, client = zw.admin): Promise<string[]> {
  const { records, total, totalIsExact } = await search({ limit: "100", ...query }, client);
  expect([total, totalIsExact]).toEqual([records.length, true]);
  return records.map(({ domainName, name, recordType, value }: Body) => `${domainName} ${name} ${recordType} ${value}`);
}

function visibleToMember(): Known[] {
  return known.filter(({ domain, host }) => seen.get(domain)?.some((pattern) => matchesHost(pattern, host)));
}

const lineOf = ({ domain, host, type, value }: Known) => `${domain} ${host} ${type} ${value}`;

/** What a search must find, straight from its description. */
function expected(text: string, among: readonly Known[] = known): string[] {
  const part = text.toLowerCase();
  return among
    .filter(({ domain, host, value }) => {
      const zone = domain.replace(/!.*/, "");
      const name = host === "@" ? zone : `${host}.${zone}`;
      return host.includes(part) || name.includes(part) || value.toLowerCase().includes(part);
    })
    .map(lineOf);
}

test("a found record names the kind of its domain's provider", async () => {
  const { records } = await search({ search: "100% of" });
  const { providerId } = (await zones.get("beta.example")?.detail()) ?? {};
  expect(records).toMatchObject([{ domainName: "beta.example", providerId }]);
});

describe("a search for a text", () => {
  test.each([
    "www",
    "192.0.2",
    "_spf",
    "MAILER",
    "100%",
    "db_1",
    "www.alpha",
    "dev.alpha.exam",
    "alpha.example",
    "spf1 include",
    "lets",
    "_tcp.www.gamma.test",
    "a.example",
    "nothing like it",
    "...",
    "%%%",
    "___",
    String.raw`\\\ `,
  ])("finds %j in hosts, full names and values, and nothing else", async (text) => {
    expect((await found({ search: text })).toSorted()).toEqual(expected(text).toSorted());
  });

  test("any part of any record's name or value finds that record and what else has it", async () => {
    const parts = fc.constantFrom(...known).chain(({ domain, host, value }) => {
      const text = fc.constantFrom(value, host === "@" ? domain : `${host}.${domain.replace(/!.*/, "")}`);
      return text
        .filter((one) => one.length >= 3)
        .chain((one) =>
          fc
            .tuple(fc.nat(one.length - 3), fc.integer({ min: 3, max: 12 }))
            .map(([start, size]) => one.slice(start, start + size)),
        );
    });
    await fc.assert(
      fc.asyncProperty(parts, async (text) => {
        // A trailing dot ends a full name, and lines have no blanks around them.
        fc.pre(!text.endsWith(".") && text.trim() === text && !text.includes("!"));
        expect((await found({ search: text })).toSorted()).toEqual(expected(text).toSorted());
      }),
      { numRuns: 60 },
    );
  });

  test("a Unicode name finds its A-labels, and a trailing dot is ignored", async () => {
    expect(await found({ search: "büro.bücher" })).toEqual(["xn--bcher-kva.example xn--bro-hoa A 192.0.2.9"]);
    expect(await found({ search: "www.gamma.test." })).toEqual(await found({ search: "www.gamma.test" }));
    expect(await found({ search: "mail.alpha.example." })).toEqual(["beta.example @ MX 10 mail.alpha.example"]);
    expect(await found({ search: " gamma。test " })).toEqual(await found({ search: "gamma.test" }));
    expect(await found({ search: "www.alpha.example!internal" })).toEqual(["alpha.example!internal www A 10.0.0.1"]);
    expect(await found({ search: "www.alpha.example!default" })).toEqual(
      (await found({ search: "www.alpha.example" })).filter((line) => !line.includes("!")),
    );
  });

  test.each([
    "search=ab",
    "search=%20%20ab",
    "search=%20%20%20",
    "search=%20%20.",
    "comment=%20%20a",
    "",
    "type=A",
    "search=abc&limit=101",
    "search=abc&view=a%20b",
  ])("the query %j is refused with advice", async (query) => {
    const { status, body } = await zw.admin.get(`/api/records?${query}`);
    expect({ status, issues: body.issues.length }).toEqual({ status: 400, issues: 1 });
  });
});

describe("a search for a value", () => {
  test.each([
    ["192.0.2.1", undefined, 3],
    ["2001:db8::1", undefined, 1],
    ["2001:0DB8::0001", "AAAA", 1],
    ["010 MAIL.alpha.example.", "MX", 1],
    ["www.Alpha.example.", undefined, 1],
    ['0 issue "letsencrypt.org"', undefined, 1],
    [`3 1 1 ${"AB".repeat(32)}`, "TLSA", 1],
    ["192.0.2.1", "TXT", 0],
    ["192.0.2", undefined, 0],
  ])("finds %j as type %s in any spelling", async (value, type, count) => {
    expect(await found({ value, ...(type === undefined ? {} : { type }) })).toHaveLength(count);
  });

  test("is combined with a text, a type, a tag, a group and a view", async () => {
    expect(await found({ value: "192.0.2.1", search: "www" })).toEqual([
      "alpha.example www A 192.0.2.1",
      "beta.example www A 192.0.2.1",
    ]);
    expect(await found({ value: "192.0.2.1", tag: "production" })).toHaveLength(2);
    expect(await found({ search: "www", group: "Office", type: "a" })).toEqual([
      "alpha.example!internal www A 10.0.0.1",
      "beta.example www A 192.0.2.1",
    ]);
    expect(await found({ search: "www", view: "internal" })).toEqual(["alpha.example!internal www A 10.0.0.1"]);
    expect(await found({ search: "10.0.0", view: "default" })).toEqual(["alpha.example db_1.dev A 10.0.0.5"]);
  });
});

describe("a search by host or comment", () => {
  test.each([
    ["www", ["alpha.example www A", "alpha.example www AAAA", "alpha.example!internal www A", "beta.example www A"]],
    ["*.dev", ["alpha.example api.dev CNAME", "alpha.example db_1.dev A"]],
    ["DB_*", ["alpha.example db_1.dev A"]],
    ["büro", ["xn--bcher-kva.example xn--bro-hoa A"]],
    ["ww", []],
  ])("the host %j finds exactly those that match it", async (host, lines) => {
    const all = await found({ host });
    expect(all.map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual(lines);
  });

  test("finds the records of the apex of every domain, by type", async () => {
    expect(await found({ host: "@", type: "TXT" })).toEqual([
      "alpha.example @ TXT v=spf1 include:_spf.Mailer.example ~all",
    ]);
  });

  test("finds part of a comment in any case, and only that", async () => {
    const zone = zones.get("gamma.test");
    const record = await zone?.add("A", "noted", "192.0.2.50");
    await zone?.update(record?.id, { comment: "Ticket 4711_a" });
    expect(await found({ comment: "ticket 4711_" })).toEqual(["gamma.test noted A 192.0.2.50"]);
    expect(await found({ comment: "ticket 4711%" })).toEqual([]);
    expect(await found({ comment: "4711", host: "www" })).toEqual([]);
    await zone?.delete(record?.id);
  });

  test.each(["host=a..b", "host=a%20b", "comment=ab"])("the query %j is refused at its field", async (query) => {
    const { status, body } = await zw.admin.get(`/api/records?${query}`);
    expect({ status, path: body.issues[0].path }).toEqual({ status: 400, path: [query.split("=")[0]] });
  });
});

test("a search for an IPv6 address in full notation finds it as it is stored", async () => {
  expect(await found({ search: "2001:0db8:0000:0000:0000:0000:0000:0001" })).toEqual([
    "alpha.example www AAAA 2001:db8::1",
  ]);
});

describe("rights", () => {
  test.each(["www", "alpha", "192.0.2", "example", "10.0.0", "test"])(
    "a member finds %j only at hosts assigned to them",
    async (text) => {
      expect((await found({ search: text }, member)).toSorted()).toEqual(expected(text, visibleToMember()).toSorted());
    },
  );

  test("a member finds values only at hosts assigned to them, and an owner in the whole domain", async () => {
    expect(await found({ value: "192.0.2.1" }, member)).toEqual(["alpha.example www A 192.0.2.1"]);
    const owner = await zw.member("owner");
    expect(await found({ search: "alpha" }, owner)).toEqual([]);
    const { body: me } = await owner.get("/api/auth/me");
    await zw.services.database
      .fork()
      .getConnection()
      .execute(`update domains set owner_id = '${me.id}' where name = 'beta.example'`);
    expect(await found({ search: "beta" }, owner)).toHaveLength(3);
  });

  test("what was changed or deleted is found no longer", async () => {
    const zone = zones.get("gamma.test");
    const record = await zone?.add("TXT", "gone", "a passing text");
    expect(await found({ search: "passing" })).toHaveLength(1);
    await zone?.update(record?.id, { value: "another text" });
    expect(await found({ search: "passing" })).toEqual([]);
    await zone?.delete(record?.id);
    expect(await found({ search: "another text" })).toEqual([]);
  });
});

test("pages are sorted by domain and name, and do not overlap", async () => {
  const all = await found({ search: "example" });
  const pages = await Promise.all(
    [1, 2, 3, 4, 5, 6, 7].map(async (page) => {
      const { records, total } = await search({ search: "example", page: String(page), limit: "2" });
      expect(total).toBe(all.length);
      return records.map(
        ({ domainName, name, recordType, value }: Body) => `${domainName} ${name} ${recordType} ${value}`,
      );
    }),
  );
  expect(pages.flat()).toEqual(all.slice(0, 14));
  expect((await search({ search: "example", page: "100000" })).records).toEqual([]);
});

test("more than 10,000 matches are counted as 10,000, inexactly", async () => {
  const zone = await addZone(zw, { name: "many.example", providerConfigId: await manualConfig(zw) });
  const zonefile = Array.from({ length: 10_001 }, (_, index) => `h${index} 60 A 198.51.100.7`).join("\n");
  expect((await zone.post("/zonefile", { zonefile, mode: "merge" })).status).toBe(200);
  const { total, totalIsExact, records } = await search({ value: "198.51.100.7" });
  expect([total, totalIsExact, records.length]).toEqual([10_000, false, 50]);
  const all = zone.id;
  const { records: last } = await search({ value: "198.51.100.7", page: "200" });
  expect(last.map(({ domainId }: Body) => domainId)).toEqual(Array.from({ length: 50 }, () => all));
  expect((await search({ value: "198.51.100.7", page: "201" })).records).toEqual([]);
  expect(await search({ search: "h1000", type: "A" })).toMatchObject({ total: 2, totalIsExact: true });
});
