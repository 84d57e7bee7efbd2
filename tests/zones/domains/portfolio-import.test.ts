import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { parseAnswer, RawConnection } from "../../support/raw-http.ts";
import type { RestClient } from "../../support/rest-client.ts";
import type { Body } from "../../support/zones.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright();
let config: string;
let ids: Record<string, string>;
let member: RestClient;
let gandi: string;

beforeAll(async () => {
  const { body: open } = await zw.admin.post("/api/provider-configs", {
    kind: "manual",
    name: "Open",
    membersMayUse: true,
  });
  config = open.id;
  ids = {};
  for (const name of ["a.example", "b.example", "bücher.example", "b.example!internal"])
    ids[name] = (await zw.admin.post("/api/domains", { name, providerConfigId: config })).body.id;
  member = await zw.member("member");
  ids["own.example"] = (await member.post("/api/domains", { name: "own.example", providerConfigId: config })).body.id;
  const account = { kind: "gandi", name: "Gandi", config: { token: "pat-0123456789abcdef" } };
  const { body: made } = await zw.admin.post("/api/registrar-configs", account);
  gandi = made.id;
});

const detail = async (name: string) => (await zw.admin.get(`/api/domains/${ids[name]}`)).body;
const post = async (body: object, client = zw.admin) => await client.post("/api/domains/import", body);
const plan = async (csv: string, more: object = {}, client = zw.admin): Promise<Body> => {
  const { status, body } = await post({ csv, dryRun: true, ...more }, client);
  expect({ status, detail: body.detail }).toEqual({ status: 200, detail: undefined });
  return body;
};
/** Plans an import, and carries the plan out. */
const imported = async (csv: string, more: object = {}, client = zw.admin): Promise<Body> => {
  const { planHash } = await plan(csv, more, client);
  const { status, body } = await post({ csv, ...more, planHash }, client);
  expect(status).toBe(200);
  return body;
};
const exported = async () => String((await zw.admin.get("/api/domains/export?format=csv")).body);

const costs = async (csv: string) =>
  ((await plan(csv))["rows"] as Body[]).map(({ changes, refusal }) => changes[0]?.after ?? refusal);
/** Does something in the database once an import has changed a domain. */
const once = async (name: string, statement: string, work: () => Promise<void>) => {
  const db = queries(zw.services.database.fork());
  const body = sql.lit(`begin if new.name = '${name}' then ${statement}; end if; return new; end`);
  await sql`create function meanwhile() returns trigger language plpgsql as ${body}`.execute(db);
  await sql`create trigger meanwhile after update on domains for each row execute function meanwhile()`.execute(db);
  try {
    await work();
  } finally {
    await sql`drop function meanwhile cascade`.execute(db);
  }
};
const notesOf = async () =>
  (await exported()).split("\r\n").filter((line) => /^m\d\d\.example.*,meanwhile,/.test(line)).length;

test("a plan names each row's changes by line and changes nothing; its hash carries out exactly that", async () => {
  const csv = [
    "Domain;Expiry date;Price;Currency;Tags;Colour",
    "a.example;2031-03-01;12,50;eur;prod, web;red",
    '"bücher.example";3 Apr 2031;€ 1.234,50;;"one\r\ntwo";',
    "nowhere.example;2031-03-01;;;;",
    "b.example;;;;;",
    "",
  ].join("\r\n");
  const shown = await plan(`\uFEFF${csv}`);
  expect(shown).toMatchObject({
    ignoredColumns: ["Colour"],
    changed: 2,
    unchanged: 1,
    refused: 1,
    applied: false,
    undo: null,
    rows: [
      {
        line: 2,
        name: "a.example",
        changes: [
          { field: "tags", before: "", after: "prod; web" },
          { field: "expires", before: "", after: "2031-03-01" },
          { field: "yearlyCost", before: "", after: "12.50" },
          { field: "currency", before: "", after: "EUR" },
        ],
      },
      {
        line: 3,
        name: "xn--bcher-kva.example",
        changes: [
          { field: "tags", after: "one; two" },
          { field: "expires", after: "2031-04-03" },
          { field: "yearlyCost", after: "1234.50" },
          { field: "currency", after: "EUR" },
        ],
      },
      { line: 5, domainId: null, refusal: expect.stringContaining("nowhere.example") },
    ],
  });
  expect((await detail("a.example")).tags).toEqual([]);
  expect((await post({ csv })).body.issues[0].path).toEqual(["planHash"]);
  const { body } = await post({ csv, planHash: shown["planHash"], message: "CHG-7" });
  expect(body).toMatchObject({ applied: true, changed: 2, refused: 1 });
  expect(await detail("a.example")).toMatchObject({
    expiresAt: "2031-03-01T00:00:00.000Z",
    expirySource: "manual",
    tags: ["prod", "web"],
    yearlyCost: 12.5,
    currency: "EUR",
  });
  const { body: trail } = await zw.admin.get(`/api/audit?targetId=${ids["a.example"]}&action=domain.update`);
  expect(trail.entries[0]).toMatchObject({ before: { tags: [] }, after: { tags: ["prod", "web"], message: "CHG-7" } });
  expect((await post({ csv, planHash: shown["planHash"] })).status).toBe(409);
});

test("what was exported imports without a change, also after a spreadsheet wrote it", async () => {
  await zw.admin.put(`/api/domains/${ids["b.example"]}`, {
    notes: '=HYPERLINK("x")\nsecond line; "quoted"',
    groupName: "'=odd",
    expiresAt: "2031-03-01T17:30:00Z",
    tags: ["-x"],
  });
  const csv = await exported();
  expect(csv).toContain(`"'=HYPERLINK(""x"")`);
  const semicolons = csv.split(/(?<=^(?:[^"]*"[^"]*")*[^"]*)\r\n/).map((line) =>
    line
      .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
      .map((cell) => (cell.startsWith('"') ? cell : `"${cell}"`))
      .join(";"),
  );
  const saved = `sep=;\n${semicolons.join("\n")}`;
  for (const [text, emptyCells] of [
    [csv, "keep"],
    [csv, "clear"],
    [saved, "clear"],
    [csv.replaceAll("\r\n", "\n"), "clear"],
  ] as const)
    expect(await plan(text, { emptyCells })).toMatchObject({
      ignoredColumns: ["provider", "autoRenew", "locked"],
      changed: 0,
      refused: 0,
      rows: [],
    });
});

test("the undo of an import restores what was before", async () => {
  const before = await exported();
  const csv =
    "name\tgroup\tnotes\texpires\treminders\towner\tregistrar\na.example\tNew\tSeen\t2033-01-01\t60 ; 5\tmember\tgandi\n";
  const { undo, rows } = await imported(csv);
  expect(rows).toMatchObject([{ refusal: null, warnings: [] }]);
  expect(await detail("a.example")).toMatchObject({
    groupName: "New",
    expiryRemindDays: [60, 5],
    registrarConfigId: gandi,
  });
  expect(await exported()).not.toBe(before);
  expect(await imported(undo, { emptyCells: "clear" })).toMatchObject({ changed: 1, refused: 0 });
  expect(await exported()).toBe(before);
});

test("the undo of an import leaves what it did not change, row by row", async () => {
  await imported("name,notes\na.example,Old a\nb.example,Old b\n");
  const { undo } = await imported("name,group,notes\na.example,Shops,\nb.example,,New b\n");
  await zw.admin.put(`/api/domains/${ids["a.example"]}`, { notes: "Important" });
  await zw.admin.put(`/api/domains/${ids["b.example"]}`, { groupName: "Blogs" });
  expect(await imported(undo, { emptyCells: "clear" })).toMatchObject({ changed: 2, refused: 0 });
  expect(await detail("a.example")).toMatchObject({ groupName: null, notes: "Important" });
  expect(await detail("b.example")).toMatchObject({ groupName: "Blogs", notes: "Old b" });
  await imported("name,group,notes\na.example,(keep),\nb.example,,\n", { emptyCells: "clear" });
});

test("a date set by hand that a registrar's account replaces is warned of, and the undo sets it again", async () => {
  const date = "2035-01-01T00:00:00.000Z";
  const byHand = { expirySource: "manual", expiresAt: date, registrarConfigId: null };
  await zw.admin.put(`/api/domains/${ids["a.example"]}/expiry`, { expiresAt: date });
  const csv = "name,registrar\na.example,Gandi\n";
  const warnings = ["The date was set by hand. From now on it is looked up at the registrar."];
  expect((await plan(csv)).rows).toMatchObject([{ changes: [{ field: "registrar" }], warnings }]);
  const { undo } = await imported(csv);
  expect(await detail("a.example")).toMatchObject({ expirySource: null, registrarConfigId: gandi });
  await imported(undo, { emptyCells: "clear" });
  expect(await detail("a.example")).toMatchObject(byHand);
  // Also if the registrar was asked meanwhile, whatever it said.
  const db = queries(zw.services.database.fork()).updateTable("domains").where("name", "=", "a.example");
  for (const expires_at of [new Date(date), new Date("2034-06-01")]) {
    const { undo: again } = await imported(csv);
    await db.set({ expires_at, expiry_source: "registrar" }).execute();
    await imported(again, { emptyCells: "clear" });
    expect(await detail("a.example")).toMatchObject(byHand);
  }
  // A date of the table stays one.
  const both = await imported("name,registrar,expires\na.example,Gandi,2036-02-03\n");
  expect(both.rows[0].warnings).toEqual([]);
  expect(await detail("a.example")).toMatchObject({ expirySource: "manual", registrarConfigId: gandi });
  await imported(both.undo, { emptyCells: "clear" });
  expect(await detail("a.example")).toMatchObject(byHand);
  await zw.admin.put(`/api/domains/${ids["a.example"]}/expiry`, { expiresAt: null });
});

test("a date set by hand stays one if the row has it, as exported or written otherwise, also when it is taken back", async () => {
  const path = `/api/domains/${ids["a.example"]}`;
  const date = "2035-01-02T15:30:00.000Z";
  const byHand = { expirySource: "manual", expiresAt: date };
  await zw.admin.put(`${path}/expiry`, { expiresAt: date });
  for (const cell of ["2035-01-02", "2 January 2035", date]) {
    const { rows, undo } = await imported(`name,registrar,expires\na.example,Gandi,${cell}\n`);
    expect(rows).toMatchObject([{ changes: [{ field: "registrar" }], warnings: [] }]);
    expect(await detail("a.example")).toMatchObject({ ...byHand, registrarConfigId: gandi });
    await imported(undo, { emptyCells: "clear" });
    expect(await detail("a.example")).toMatchObject({ ...byHand, registrarConfigId: null });
  }
  // Nor is it looked up when an account comes back that an import took away.
  await imported("name,registrar,expires\na.example,Gandi,2035-01-02\n");
  const { undo } = await imported("name,registrar\na.example,\n", { emptyCells: "clear" });
  expect(await detail("a.example")).toMatchObject({ ...byHand, registrarConfigId: null });
  await imported(undo, { emptyCells: "clear" });
  expect(await detail("a.example")).toMatchObject({ ...byHand, registrarConfigId: gandi });
  // The account that the domain has, in other letters, is no change.
  expect((await plan("name,registrar\na.example,GANDI\n")).rows).toEqual([]);
  await zw.admin.put(path, { registrarConfigId: null });
  await zw.admin.put(`${path}/expiry`, { expiresAt: null });
});

test("a date that can be several days is asked for, not guessed", async () => {
  const csv = "name,expires\na.example,03/04/34\nbücher.example,03/04/2034\nown.example,31/12/2034\n";
  const asked = await plan(csv);
  expect(asked).toMatchObject({ needsDateOrder: true, changed: 1, refused: 2 });
  const dates = async (dateOrder: string) =>
    ((await plan(csv, { dateOrder }))["rows"] as Body[]).map((row) => row.changes[0]?.after ?? row.refusal);
  expect(await dates("dmy")).toEqual(["2034-04-03", "2034-04-03", "2034-12-31"]);
  expect(await dates("mdy")).toEqual(["2034-03-04", "2034-03-04", expect.stringContaining("not a date")]);
});

test.each([
  ["expires", "2034-02-30", /not a date/],
  ["expires", "48913", /Format the column as dates/],
  ["expires", "soon", /not a date/],
  ["expires", "3 marraskuu 2034", /not a date/],
  ["yearlyCost", "constructor 5", /not a cost/],
  ["yearlyCost", "1,234", /thousands/],
  ["yearlyCost", "twelve", /not a cost/],
  ["yearlyCost", "-3", /negative/],
  ["yearlyCost", "$ 9", /currency/],
  ["currency", "Euro", /three letters/],
  ["tags", "x".repeat(51), /at most 50/],
  ["reminders", "30; often", /whole number/],
  ["owner", "nobody", /No user/],
  ["group", "a\u202eb", /direction/],
])("a cell %s of %j is refused with a reason", async (column, cell, reason) => {
  const { rows } = await plan(`name,${column}\nown.example,"${cell}"\n`);
  expect(rows).toMatchObject([{ line: 2, changes: [], refusal: expect.stringMatching(reason) }]);
});

test.each([
  ["2034/4/3", "2034-04-03"],
  ["2034-04-03T23:30:00+02:00", "2034-04-03"],
  ["3-Apr-2034", "2034-04-03"],
  ["3 Sept 2034", "2034-09-03"],
  ["September 3, 2034", "2034-09-03"],
  ["April 3rd, 2034", "2034-04-03"],
  ["13.04.2034", "2034-04-13"],
  ["4/13/2034 12:00 AM", "2034-04-13"],
])("a date such as %s needs no order", async (written, day) => {
  const { rows } = await plan(`name,expires\nown.example,"${written}"\n`);
  expect(rows).toMatchObject([{ changes: [{ field: "expires", after: day }] }]);
});

test.each([
  ["blanks within a date", "expires", `x${" ".repeat(500_000)}x`, /at most 20000/],
  ["blanks within a cost", "yearlyCost", `x${" ".repeat(500_000)}x`, /at most 20000/],
  ["fewer blanks within a cost", "yearlyCost", `x${" ".repeat(19_000)}x`, /not a cost/],
  ["a cost of many digits", "yearlyCost", "1".repeat(101), /not a cost/],
  ["51 tags", "tags", Array.from({ length: 51 }, (_, index) => index).join(";"), /at most 50 tags/],
  ["250,000 tags", "tags", ",x".repeat(250_000), /at most 20000/],
])("a cell with %s is refused before it is looked into", async (_what, column, cell, reason) => {
  const { rows } = await plan(`name,${column}\nown.example,"${cell}"\n`);
  expect(rows).toMatchObject([{ line: 2, changes: [], refusal: expect.stringMatching(reason) }]);
});

test("a sign of several currencies is a cost only where the row or the domain says which one it is", async () => {
  for (const [name, currency] of [
    ["own.example", "EUR"],
    ["b.example", "USD"],
  ] as const)
    await zw.admin.put(`/api/domains/${ids[name]}`, { yearlyCost: 5, currency });
  expect(await costs("name,cost\nown.example,$12\nb.example,$12\n")).toEqual([
    expect.stringContaining("several currencies"),
    "12.00",
  ]);
  expect(await costs("name,cost,currency\nown.example,$12,EUR\nb.example,$12,aud\n")).toEqual([
    expect.stringContaining("not in"),
    "12.00",
  ]);
  expect(await costs("name,cost,currency\nown.example,¥ 12,CNY\nb.example,€ 12,USD\n")).toEqual([
    "12.00",
    expect.stringContaining("not in"),
  ]);
});

test("a row or a header that begins with # is a row or a header", async () => {
  const csv = '#;domain;expires\n1;own.example;2035-01-01\n"#2";b.example;2035-01-01\n#3;nowhere.example;\n';
  expect(await plan(csv)).toMatchObject({ ignoredColumns: ["#"], changed: 2, refused: 1 });
});

test("tags with separators come back as they were", async () => {
  const tags = ["New York, NY", "a;b", '"quoted" so', '5" disk', "plain"];
  await zw.admin.put(`/api/domains/${ids["a.example"]}`, { tags });
  expect(await plan(await exported(), { emptyCells: "clear" })).toMatchObject({ changed: 0, refused: 0 });
  const { undo } = await imported('name,tags\na.example,"""one, two""; three"\n');
  expect((await detail("a.example")).tags).toEqual(["one, two", "three"]);
  await imported(undo, { emptyCells: "clear" });
  expect((await detail("a.example")).tags).toEqual(tags);
});

test("rows about one domain, of views, and with too many cells are refused or told apart", async () => {
  const csv = "name,view,group\nb.example,internal,In\nb.example,,Out\nb.example!internal,,Again\na.example,,x,y\n";
  const { rows } = await plan(csv);
  expect(rows).toMatchObject([
    { name: "b.example!internal", changes: [{ after: "In" }] },
    { name: "b.example", changes: [{ after: "Out" }] },
    { line: 4, refusal: expect.stringContaining("Line 2") },
    { line: 5, refusal: expect.stringContaining("4 cells") },
  ]);
});

test("members import only domains of their own, and no owners, accounts, or groups that give rights", async () => {
  const { body: me } = await member.get("/api/auth/me");
  await zw.admin.post("/api/assignments", { userId: me.id, groupName: "Rights", subdomainPattern: "*" });
  await zw.admin.post("/api/assignments", { userId: me.id, domainId: ids["a.example"], subdomainPattern: "*" });
  const reasons = async (csv: string) =>
    ((await plan(csv, {}, member))["rows"] as Body[]).map(({ refusal }) => refusal);
  expect(await reasons("name,group\nown.example,Mine\na.example,x\nbücher.example,x\n")).toEqual([
    null,
    expect.stringContaining("Only the owner"),
    expect.stringContaining("No domain"),
  ]);
  expect(await reasons("name,owner\nown.example,admin\n")).toEqual([expect.stringContaining("administrators")]);
  expect(await reasons("name,registrar\nown.example,Gandi\n")).toEqual([expect.stringContaining("administrators")]);
  expect(await reasons("name,group\nown.example,Rights\n")).toEqual([expect.stringContaining("gives people rights")]);
  expect(await plan("name,group\nown.example,Rights\n")).toMatchObject({
    rows: [{ refusal: null, warnings: [expect.stringContaining("who has rights")] }],
  });
});

test.each([
  ["", ["csv"]],
  ["\r\n \r\n", ["csv"]],
  ["expires,cost\n2031-01-01,3\n", ["csv"]],
  ["name,expiry,expires\na.example,2031-01-01,2032-01-01\n", ["csv"]],
  ['name,notes\na.example,"never closed\n', ["csv"]],
  [`name\n${"a.example\n".repeat(20_001)}`, ["csv"]],
  [`name${",x".repeat(100)}\na.example\n`, ["csv"]],
])("a table such as %j is refused as a whole", async (csv, path) => {
  const { status, body } = await post({ csv: csv.slice(0, 300_000), dryRun: true });
  expect({ status, path: body.issues?.[0]?.path }).toEqual({ status: 400, path });
});

test("a table of 100 MB is refused before any of it is sent", async () => {
  const connection = new RawConnection(zw.url);
  const head = [
    "POST /api/domains/import HTTP/1.1",
    "Host: a",
    `Authorization: Bearer ${zw.admin.token}`,
    "Content-Type: application/json",
    `Content-Length: ${100 * 1024 * 1024}`,
  ];
  connection.write([...head, "", ""].join("\r\n"));
  expect(parseAnswer(await connection.receive(/"requestId"/)).status).toBe(413);
});

test("thousands of rows about one domain are refused, whatever tags they name", async () => {
  const rows = Array.from({ length: 5_000 }, (_, row) =>
    Array.from({ length: 50 }, (_tag, index) => `${row}-${index}`).join(";"),
  );
  const { changed, refused } = await plan(
    `name,tags\n${rows.map((tags) => `own.example,${tags}\n`).join("")}`,
    {},
    member,
  );
  expect({ changed, refused }).toEqual({ changed: 1, refused: 4_999 });
});

test("members learn of each row whether its tags give rights", async () => {
  const { body: me } = await member.get("/api/auth/me");
  await zw.admin.post("/api/assignments", { userId: me.id, tag: "vip", subdomainPattern: "*" });
  for (const name of ["tag1.example", "tag2.example", "tag3.example"])
    await member.post("/api/domains", { name, providerConfigId: config });
  const { rows } = await plan("name,tags\ntag1.example,x;y\ntag2.example,x;vip\ntag3.example,y\n", {}, member);
  expect((rows as Body[]).map(({ refusal }) => refusal)).toEqual([
    null,
    expect.stringContaining("The tag vip gives people rights"),
    null,
  ]);
});

describe("what happens while an import is carried out", () => {
  const names = Array.from({ length: 25 }, (_, index) => `m${String(index).padStart(2, "0")}.example`);
  beforeAll(async () => {
    for (const name of names) await member.post("/api/domains", { name, providerConfigId: config });
  });

  test.each([
    ["an owner is disabled", "m00.example", "update users set disabled_at = now() where username = 'leaving'", 1],
    ["an account is deleted", "m00.example", "delete from registrar_configs where name = 'Leaving'", 1],
    ["the database ends one transaction", "m21.example", "raise exception 'deadlock' using errcode = '40P01'", 5],
  ])("%s: its rows are refused, the others have an undo", async (_what, name, statement, lost) => {
    await zw.member(`leaving`).catch(() => null);
    await zw.admin.post("/api/registrar-configs", {
      kind: "gandi",
      name: "Leaving",
      config: { token: "pat-0123456789abcdef" },
    });
    const column = statement.includes("users") ? "owner" : "registrar";
    const csv = `name,notes,${column}\n${names.map((one) => `${one},meanwhile,${one === "m22.example" ? "leaving" : ""}\n`).join("")}`;
    await once(name, statement, async () => {
      const { changed, refused, rows, undo } = await imported(csv);
      expect({ changed, refused }).toEqual({ changed: 25 - lost, refused: lost });
      expect(rows).toContainEqual(
        expect.objectContaining({
          name: "m22.example",
          changes: [],
          refusal: expect.stringMatching(/meanwhile|again/),
        }),
      );
      expect(await notesOf()).toBe(25 - lost);
      await sql`drop trigger meanwhile on domains`.execute(queries(zw.services.database.fork()));
      expect(await imported(undo, { emptyCells: "clear" })).toMatchObject({ changed: 25 - lost, refused: 0 });
      expect(await notesOf()).toBe(0);
    });
  });

  test("an import that the database refuses as a whole fails", async () => {
    await once("m00.example", "raise exception 'deadlock' using errcode = '40P01'", async () => {
      const csv = "name,notes\nm00.example,meanwhile\n";
      const { planHash } = await plan(csv);
      expect((await post({ csv, planHash })).status).toBe(503);
    });
  });

  test("a tag that gives rights by now is no longer a member's to add", async () => {
    const { body: me } = await member.get("/api/auth/me");
    await zw.admin.post("/api/assignments", { userId: me.id, tag: "idle", subdomainPattern: "*" });
    const csv = `name,tags\n${names.map((name) => `${name},later\n`).join("")}`;
    await once("m00.example", "update assignments set tag = 'later' where tag = 'idle'", async () => {
      expect(await imported(csv, {}, member)).toMatchObject({ changed: 20, refused: 5 });
    });
  });
});
