import { beforeAll, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { freshName, lineOf, manualZone, Zone, type Body } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
/** The zone at each revision, as its whole list showed it then. */
const states: Body[][] = [];

const note = async () => {
  states[(await zone.detail()).revision] = await zone.records();
};

beforeAll(async () => {
  zone = await manualZone(zw);
  await note();
  const zonefile = Array.from({ length: 30 }, (_, index) => `h${index} ${60 + (index % 7)} A 192.0.2.${index}\n`);
  await zone.post("/zonefile", {
    zonefile: `${zonefile.join("")}@ MX 10 Mail.Example.NET.\nxn--bcher-kva TXT hello\n`,
  });
  await note();
  const [first, second, third] = await zone.records("&type=A");
  await zone.update(first.id, { value: "198.51.100.1", comment: "Behind the Ünlucky balancer" });
  await note();
  await zone.delete(second.id);
  await note();
  await zone.update(third.id, { name: "moved.h", ttl: 5 });
  await note();
});

const list = async (query: string): Promise<Body> => {
  const { status, body } = await zone.get(`/records?limit=500&${query}`);
  expect({ query, status }).toEqual({ query, status: 200 });
  return body;
};

const found = async (filter: string) => {
  const { records, total } = await list(new URLSearchParams({ filter }).toString());
  expect(total).toBe(records.length);
  return records.map(lineOf);
};

describe("the list of records at a revision", () => {
  test("at each revision, the list shows the records as they were then", async () => {
    for (const [revision, records] of states.entries()) {
      expect(await list(`at=${revision}`)).toMatchObject({ records, total: records.length, revision });
    }
  });

  test("at a revision, windows make up the whole, filters apply, and types are counted", async () => {
    const windows = [];
    for (let page = 1; page <= 5; page++)
      windows.push(...(await zone.get(`/records?at=1&limit=7&page=${page}`)).body.records);
    expect(windows).toEqual(states[1]);
    expect(await list("at=1&type=MX&counts=true")).toMatchObject({ total: 1, typeCounts: { A: 30, MX: 1, TXT: 1 } });
    expect(await list("at=3&counts=true")).toMatchObject({ total: 31, typeCounts: { A: 29, MX: 1, TXT: 1 } });
    expect(await list("at=1&name=h1")).toMatchObject({ total: 1, records: [{ name: "h1", version: 1 }] });
    expect(await list("at=0")).toMatchObject({ records: [], total: 0, revision: 0 });
  });

  test("a revision in the future, and one that is not a number from 0, are refused", async () => {
    for (const at of ["99", "-1", "1.5", "x", "2147483648"]) {
      expect(await zone.get(`/records?at=${at}`)).toMatchObject({ status: 400, body: { issues: [{ path: ["at"] }] } });
    }
  });

  test("a revision whose records retention has removed answers 410, unless a snapshot keeps it", async () => {
    const other = await manualZone(zw);
    for (let index = 0; index < 4; index++) await other.add("A", `h${index}`, "192.0.2.1");
    const db = queries(zw.services.database.fork());
    await db.updateTable("domains").set({ history_from: 3 }).where("id", "=", other.id).execute();
    expect(await other.get("/records?at=3")).toMatchObject({ status: 200, body: { total: 3 } });
    expect(await other.get("/records?at=2")).toMatchObject({ status: 410, body: { code: "HISTORY_GONE" } });
    const { id } = (await other.post("/snapshots")).body;
    await db.updateTable("snapshots").set({ revision: 2 }).where("id", "=", id).execute();
    expect(await other.get("/records?at=2")).toMatchObject({ status: 200, body: { total: 2 } });
  });
});

describe("the order of the list of records", () => {
  const fields: Record<string, (record: Body) => string | number> = {
    name: ({ name }) => name,
    type: ({ recordType }) => recordType,
    value: ({ value }) => value,
    ttl: ({ ttl }) => ttl,
    updatedAt: ({ updatedAt }) => updatedAt,
  };

  test.each(Object.keys(fields))("the list sorts by %s, and backward in exactly the reverse order", async (sort) => {
    const { records } = await list(`sort=${sort}`);
    const values = records.map(fields[sort]);
    expect(values).toEqual(values.toSorted((a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)));
    const backward = await list(`sort=-${sort}`);
    expect(backward.records).toEqual(records.toReversed());
    expect((await list(`sort=${sort}&at=4`)).records).toEqual(records);
    const windows = [];
    for (let page = 1; page <= 5; page++)
      windows.push(...(await zone.get(`/records?sort=${sort}&limit=7&page=${page}`)).body.records);
    expect(windows).toEqual(records);
  });

  test("another order is refused", async () => {
    for (const sort of ["comment", "--name", "name,type", "+ttl", "id;drop"]) {
      const query = new URLSearchParams({ sort }).toString();
      expect(await zone.get(`/records?${query}`)).toMatchObject({
        status: 400,
        body: { issues: [{ path: ["sort"] }] },
      });
    }
  });
});

describe("the filter of the list of records", () => {
  test("the filter finds parts of names, values and comments, in any case", async () => {
    expect(await found("H29")).toEqual(["h29 A 192.0.2.29"]);
    expect(await found("2.29")).toEqual(["h29 A 192.0.2.29"]);
    expect(await found("mail.example")).toEqual(["@ MX 10 Mail.Example.NET"]);
    expect(await found("Balancer")).toEqual(["h0 A 198.51.100.1"]);
    expect(await found("the Ünlucky")).toEqual(["h0 A 198.51.100.1"]);
    expect(await found("nothing has this")).toEqual([]);
  });

  test("the filter finds international names as people write them, and full names", async () => {
    expect(await found("bücher")).toEqual(["xn--bcher-kva TXT hello"]);
    expect(await found("büch")).toEqual(["xn--bcher-kva TXT hello"]);
    expect(await found(`h29.${zone.name}`)).toEqual(["h29 A 192.0.2.29"]);
    expect(await found(`moved.H.${zone.name}.`)).toEqual([expect.stringMatching(/^moved\.h A/)]);
    expect(await found(zone.name)).toEqual(["@ MX 10 Mail.Example.NET"]);
  });

  test("the filter takes every character literally", async () => {
    for (const filter of ["%", "_", "\\", "h_9", "'", '"', "*"]) expect(await found(filter)).toEqual([]);
  });

  test("the filter combines with the others", async () => {
    expect((await list("filter=h2&type=A&search=29")).records.map(lineOf)).toEqual(["h29 A 192.0.2.29"]);
    expect(await list("filter=hello&type=A")).toMatchObject({ total: 0, records: [] });
  });

  test("an overlong or unprintable filter is refused", async () => {
    for (const filter of ["x".repeat(1_001), "a\nb", "a\u202eb"]) {
      const query = new URLSearchParams({ filter }).toString();
      expect(await zone.get(`/records?${query}`)).toMatchObject({
        status: 400,
        body: { issues: [{ path: ["filter"] }] },
      });
    }
  });
});

describe("what the list of records says of the zone", () => {
  test("every page carries the zone's revision, and counts by type only when asked", async () => {
    const { revision } = await zone.detail();
    expect(await list("type=MX")).toMatchObject({ revision, typeCounts: null });
    expect(await list("page=99")).toMatchObject({ records: [], revision });
    expect(await list("type=MX&counts=true")).toMatchObject({ total: 1, typeCounts: { A: 29, MX: 1, TXT: 1 } });
    expect(await zone.get("/records?counts=maybe")).toMatchObject({ status: 400 });
  });

  test("while the zone changes, a page is one state: its records, total and revision fit together", async () => {
    const busy = await manualZone(zw);
    await busy.add("A", "first", "192.0.2.1");
    const writer = { writing: true };
    const writes = (async () => {
      for (let index = 0; index < 15; index++) await busy.add("A", `h${index}`, "192.0.2.1");
      writer.writing = false;
    })();
    while (writer.writing) {
      const { body } = await busy.get("/records?limit=500");
      expect({ total: body.total, records: body.records.length }).toEqual({
        total: body.revision,
        records: body.revision,
      });
    }
    await writes;
  });

  test("a member lists, counts and filters only the hosts of their patterns, also at a revision", async () => {
    const member = await zw.member("patterned");
    const userId = (await member.get("/api/auth/me")).body.id;
    await zw.admin.post("/api/assignments", { userId, domainId: zone.id, subdomainPattern: "h2*", access: "read" });
    const theirs = new Zone(zw, { id: zone.id, name: zone.name }, member);
    const { body } = await theirs.get("/records?limit=500&counts=true&sort=-value");
    expect(body.typeCounts).toEqual({ A: body.total });
    expect(body.records.every(({ name }: Body) => name.startsWith("h2"))).toBe(true);
    expect((await theirs.get("/records?filter=hello")).body).toMatchObject({ total: 0, records: [] });
    const past = (await theirs.get("/records?limit=500&at=1&counts=true")).body;
    expect(past.typeCounts).toEqual({ A: past.total });
    expect(past.records).toEqual(states[1]?.filter(({ name }) => name.startsWith("h2")));
  });

  test("the Open API lists with the same parameters", async () => {
    const { body } = await zw.admin.get(
      `/api/v1/domains/${zone.id}/records?at=1&sort=-ttl&filter=h1&counts=true&limit=3`,
    );
    expect(body).toMatchObject({ revision: 1, typeCounts: { A: 30 } });
    expect(body.records).toHaveLength(3);
  });
});

describe("a page of a snapshot", () => {
  test("the pages of a snapshot make up its records, while the zone moves on", async () => {
    const name = freshName();
    const config = (await zw.admin.get("/api/provider-configs")).body.configs.find(
      ({ kind }: Body) => kind === "manual",
    );
    const { body: domain } = await zw.admin.post("/api/domains", { name, providerConfigId: config.id });
    const one = new Zone(zw, domain);
    await one.post("/zonefile", {
      zonefile: Array.from({ length: 25 }, (_, index) => `h${index} A 192.0.2.1\n`).join(""),
    });
    const { id } = (await one.post("/snapshots")).body;
    const whole = (await one.get(`/snapshots/${id}`)).body;
    await one.delete(whole.records[3].id);
    await one.update(whole.records[9].id, { name: "zz" });
    const pages = [];
    for (let page = 1; page <= 3; page++) pages.push((await one.get(`/snapshots/${id}?page=${page}&limit=10`)).body);
    expect(pages.flatMap(({ records }) => records)).toEqual(whole.records);
    expect(pages[1]).toEqual({ ...whole, records: whole.records.slice(10, 20) });
    expect((await one.get(`/snapshots/${id}?page=9`)).body).toEqual({ ...whole, records: [] });
    expect((await one.get(`/snapshots/${id}`)).body).toEqual(whole);
  });

  test("a page below 1, a limit over 500 and a limit without a page are refused", async () => {
    const { id } = (await zone.post("/snapshots")).body;
    for (const query of ["page=0", "page=x", "page=1&limit=501", "page=1&limit=0", "limit=10"]) {
      expect({ query, ...(await zone.get(`/snapshots/${id}?${query}`)) }).toMatchObject({ query, status: 400 });
    }
  });
});
