import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { useZonewright } from "../support/zonewright.ts";
import {
  embeddedConfig,
  fileZone,
  freshName,
  manualConfig,
  manualZone,
  writeZoneFile,
  type Body,
} from "../support/zones.ts";

const zw = useZonewright();

let config: string;
beforeAll(async () => {
  config = await embeddedConfig(zw);
});

const failed = (name: string, error: RegExp) => ({
  name,
  success: false,
  domainId: null,
  records: 0,
  error: expect.stringMatching(error),
});
const bring = (zones: unknown) => zw.admin.post(`/api/provider-configs/${config}/import`, { zones });

describe("importing named zones", () => {
  test("an import creates a domain with the records of each zone and starts its history", async () => {
    const [one, two] = [freshName(), freshName()];
    await writeZoneFile(zw, one, "www 300 A 192.0.2.1\n@ MX 10 mail\nptr PTR x.example.\n");
    await writeZoneFile(zw, two, "");
    const { status, body } = await bring([one, `${two.toUpperCase()}.`]);
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      { name: one, success: true, records: 3, error: null },
      { name: `${two.toUpperCase()}.`, success: true, records: 0, error: null },
    ]);
    const path = `/api/domains/${body.results[0].domainId}`;
    expect((await zw.admin.get(path)).body).toMatchObject({
      name: one,
      providerConfigId: config,
      recordCount: 3,
      revision: 1,
    });
    const { records } = (await zw.admin.get(`${path}/records`)).body;
    expect(records.map(({ recordType }: Body) => recordType)).toEqual(["MX", "PTR", "A"]);
    const { entries } = (await zw.admin.get(`${path}/history`)).body;
    expect(entries).toMatchObject([{ kind: "import", creates: 3, actor: "admin" }]);
    expect((await zw.admin.post(`${path}/sync`)).body).toMatchObject({ unchanged: 3, created: 0 });
  });

  test("an import reports why a zone failed, and imports the others", async () => {
    const [broken, good] = [freshName(), freshName()];
    await writeZoneFile(zw, broken, "www A 192.0.2.1\nbad A 999.1.1.1\n");
    await writeZoneFile(zw, good, "www A 192.0.2.1\n");
    const { status, body } = await bring(["unknown.example", broken, "not a name", good]);
    expect(status).toBe(200);
    expect(body.results).toEqual([
      failed("unknown.example", /zone at this provider does not exist/),
      failed(broken, new RegExp(`^${broken}\\.zone, line 5: `)),
      failed("not a name", /domain name/),
      { name: good, success: true, domainId: expect.any(String), records: 1, error: null },
    ]);
    expect((await zw.admin.get(`/api/domains?search=${broken}`)).body.total).toBe(0);
  });

  test("importing a managed zone returns its domain and changes nothing", async () => {
    const managed = await fileZone(zw, "www A 192.0.2.1\n");
    await managed.add("A", "here", "192.0.2.2");
    const { revision } = await managed.detail();
    const { body } = await bring([managed.name, managed.name]);
    const there = { name: managed.name, success: true, domainId: managed.id, records: 2, error: null };
    expect(body.results).toEqual([there, there]);
    expect(await managed.detail()).toMatchObject({ revision });
  });

  test("importing a zone managed through another configuration names its domain and leaves it there", async () => {
    const elsewhere = await manualZone(zw);
    await writeZoneFile(zw, elsewhere.name, "www A 192.0.2.1\n");
    const { body } = await bring([elsewhere.name]);
    expect(body.results).toEqual([{ ...failed(elsewhere.name, /already/), domainId: elsewhere.id }]);
    expect(await elsewhere.records()).toEqual([]);
  });

  test("an internal error in one zone does not stop an import, and every zone is reported", async () => {
    const names = [freshName(), freshName(), freshName()];
    for (const name of names) await writeZoneFile(zw, name, "www A 192.0.2.1\n");
    const db = queries(zw.services.database.fork());
    await sql`alter table domains add constraint test_fault check (name <> ${sql.lit(names[1])})`.execute(db);
    try {
      const { status, body } = await bring(names);
      expect(status).toBe(200);
      expect(body.results).toEqual([
        { name: names[0], success: true, domainId: expect.any(String), records: 1, error: null },
        failed(names[1] ?? "", /An internal error occurred/),
        { name: names[2], success: true, domainId: expect.any(String), records: 1, error: null },
      ]);
    } finally {
      await sql`alter table domains drop constraint test_fault`.execute(db);
    }
  });

  test("an import from a provider without zones is refused", async () => {
    const manual = await manualConfig(zw);
    const { status, body } = await zw.admin.post(`/api/provider-configs/${manual}/import`, { zones: ["x.example"] });
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: ["id"] }]);
  });

  test.each([
    [[]],
    [["a.example", 7]],
    [Array.from({ length: 101 }, (_, index) => `z${index}.example`)],
    ["a.example"],
    [[""]],
  ])("an import without a list of 1 to 100 names is refused (case %#)", async (zones) => {
    const { status, body } = await bring(zones);
    expect(status).toBe(400);
    expect(body.issues[0].path[0]).toBe("zones");
  });

  test("adding a domain whose zone file is broken is 502 with file and line, and adds nothing", async () => {
    const name = freshName();
    await writeZoneFile(zw, name, "www A nonsense\n");
    const { status, body } = await zw.admin.post("/api/domains", { name });
    expect([status, body.code]).toEqual([502, "PROVIDER_ERROR"]);
    expect(body.detail).toContain(`${name}.zone, line 4: `);
    expect((await zw.admin.get(`/api/domains?search=${name}`)).body.total).toBe(0);
  });
});
