import { beforeEach, describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeEach(async () => {
  zone = await fileZone(zw, 'printer._ipp._tcp 300 TXT "txtvers=1" "rp=lp"\nwww 300 A 192.0.2.1\n');
});

const strings = ["txtvers=1", "rp=lp"];
const printed = '"txtvers=1" "rp=lp"';
const text = async () => {
  const [record] = await zone.records("&type=TXT");
  return record;
};

const take = async (): Promise<Body> => (await zone.post("/snapshots")).body;

describe("a TXT record that is split into strings", () => {
  test("a split TXT record is shown with its strings, and one split at 255 octets with null", async () => {
    expect(await text()).toMatchObject({ value: "txtvers=1rp=lp", strings });
    const long = await zone.create({ recordType: "TXT", name: "long", value: "x".repeat(600) });
    expect(long.body).toMatchObject({ strings: null });
    const [address] = await zone.records("&type=A");
    expect(address).toMatchObject({ strings: null });
  });

  test("a TXT record keeps its strings when another record or its own TTL changes", async () => {
    await zone.add("A", "other", "192.0.2.9");
    expect(await zone.readFile()).toContain(printed);
    const { id } = await text();
    expect((await zone.update(id, { ttl: 77 })).body).toMatchObject({ ttl: 77, strings });
    expect(await zone.readFile()).toContain(printed);
  });

  test("a TXT record can be created from strings alone, or from strings with the matching value", async () => {
    for (const [name, value] of [["one"], ["two", "ab"]]) {
      const answer = await zone.create({ recordType: "TXT", name, value, strings: ["a", "b"] });
      expect({ ...answer.body, status: answer.status }).toMatchObject({
        status: 201,
        value: "ab",
        strings: ["a", "b"],
      });
    }
    expect((await zone.readFile()).match(/"a" "b"/g)).toHaveLength(2);
  });

  test("two TXT records with one value but different splits are different records", async () => {
    const create = (given: object) => zone.create({ recordType: "TXT", name: "x", ...given });
    expect((await create({ strings: ["a", "b"] })).status).toBe(201);
    expect((await create({ value: "ab" })).status).toBe(201);
    expect((await create({ strings: ["", "ab"] })).status).toBe(201);
    expect((await create({ strings: ["a", "b"] })).status).toBe(409);
    expect((await create({ strings: ["ab"] })).status).toBe(409);
    expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });

  test("a TXT record is split anew if its strings change, and at 255 octets if its value changes", async () => {
    const { id } = await text();
    expect((await zone.update(id, { strings: ["txtvers=1rp", "=lp"] })).body).toMatchObject({
      value: "txtvers=1rp=lp",
      strings: ["txtvers=1rp", "=lp"],
    });
    expect((await zone.update(id, { value: "txtvers=1rp=lp" })).body).toMatchObject({ strings: null });
    expect(await zone.readFile()).toContain('"txtvers=1rp=lp"');
    await zone.update(id, { strings });
    expect((await zone.update(id, { strings: null })).body).toMatchObject({ value: "txtvers=1rp=lp", strings: null });
  });

  test("split TXT records can be created and changed in plans, in bulk and by the Open API", async () => {
    const record = { recordType: "TXT", name: "p", strings: ["a", "b"] };
    const { id } = await text();
    const changes = [
      { action: "create", record },
      { action: "update", recordId: id, record: { strings: ["txtvers=1rp", "=lp"] } },
    ];
    const { body: plan } = await zone.post("/records/plan", { changes });
    expect(plan.creates).toMatchObject([{ value: "ab", strings: ["a", "b"] }]);
    expect(plan.updates).toMatchObject([{ changes: { strings: [strings, ["txtvers=1rp", "=lp"]] } }]);
    const applied = await zone.post("/records/apply", { changes, planHash: plan.planHash });
    expect(applied.body.results).toMatchObject([{ record: { strings: ["a", "b"] } }, { record: { ttl: 300 } }]);
    const bulk = await zone.post("/records/bulk", {
      records: [
        { ...record, name: "q" },
        { ...record, name: "r", value: "other" },
      ],
    });
    expect(bulk.body.results).toMatchObject([{ success: true }, { success: false, error: /^strings: / }]);
    const open = await zw.admin.post(`/api/v1/domains/${zone.id}/records`, { ...record, name: "s" });
    expect(open.body).toMatchObject({ strings: ["a", "b"] });
  });
});

describe("a changed split", () => {
  const recut = ["txtvers=1rp", "=lp"];

  test("a changed split shows in history, audit trail and snapshot diffs, and a rollback reverts it", async () => {
    const before = await take();
    const { id } = await text();
    await zone.update(id, { strings: recut });
    const after = await take();
    const [change] = await zone.history();
    expect(change.changes).toMatchObject([{ before: { strings }, after: { strings: recut } }]);
    const { body: audit } = await zw.admin.get("/api/audit?limit=5");
    const trail = audit.entries.find(({ action }: Body) => action === "records.edit");
    expect(trail).toMatchObject({ before: { records: [{ strings }] }, after: { records: [{ strings: recut }] } });
    const { body: diff } = await zone.get(`/snapshots/diff?from=${before.id}&to=${after.id}`);
    expect(diff).toMatchObject({ added: [], removed: [], modified: [{ changes: { strings: [strings, recut] } }] });
    expect(Object.keys(diff.modified[0].changes)).toEqual(["strings"]);
    expect((await zone.post(`/snapshots/${before.id}/rollback`)).body).toMatchObject({ success: true, updated: 1 });
    expect(await text()).toMatchObject({ id, strings });
    expect(await zone.readFile()).toContain(printed);
  });

  test("a sync finds and imports a split that was changed by hand", async () => {
    const { id } = await text();
    await zone.edit((file) => file.replace(printed, '"txtvers=1rp" "=lp"'));
    const dry = await zone.post("/sync", { dryRun: true });
    expect(dry.body).toMatchObject({ created: 0, updated: 1, deleted: 0 });
    expect(dry.body.plan.updates).toMatchObject([{ id, changes: { strings: [strings, recut] } }]);
    await zone.post("/sync");
    expect(await text()).toMatchObject({ id, strings: recut });
    expect((await zone.post("/sync")).body).toMatchObject({ updated: 0, unchanged: 2 });
  });

  test("an imported file with a changed split updates the record when replacing, and adds one when merging", async () => {
    const zonefile = String((await zone.get("/zonefile")).body).replace(printed, '"txtvers=1rp" "=lp"');
    const send = async (mode: string, dryRun: boolean) =>
      (await zone.post("/zonefile", { zonefile, mode, dryRun })).body;
    expect(await send("merge", true)).toMatchObject({ created: 1, updated: 0, deleted: 0 });
    const dry = await send("replace", true);
    expect(dry.plan.updates).toMatchObject([{ changes: { strings: [strings, recut] } }]);
    await send("replace", false);
    expect(await text()).toMatchObject({ strings: recut });
    expect((await zone.get("/zonefile")).body).toContain('"txtvers=1rp" "=lp"');
  });
});

/** The SOA and what is said about it depend on the provider. */
const withoutSoa = (text: unknown) => String(text).replace(/^;.*\n|^.* SOA [^)]*\)/gm, "");

test("an exported zone with strings of every kind reads back unchanged, into the same zone and another", async () => {
  const lines = [
    String.raw`a 300 TXT "one" "two" "" "three"`,
    String.raw`a 300 TXT "onetwothree"`,
    String.raw`b 300 TXT "\255\254" "\000" "back\\slash" "say \"hi\""`,
    String.raw`b 300 TXT "\195" "\188"`,
    `c 300 TXT "${"x".repeat(255)}" "${"y".repeat(255)}" "z"`,
    `c 300 TXT "${"x".repeat(254)}" "x${"y".repeat(255)}z"`.replace(/y{255}/, "y".repeat(200)),
    String.raw`d 300 TXT \# 4 01610162`,
  ];
  const zonefile = `${lines.join("\n")}\n`;
  const from = await manualZone(zw);
  expect((await from.post("/zonefile", { zonefile })).body).toMatchObject({ created: 7, warnings: [] });
  const records = await from.records();
  expect(records.map(({ name, value, strings: cut }) => [name, value.slice(0, 12), cut])).toEqual([
    ["a", "onetwothree", ["one", "two", "", "three"]],
    ["a", "onetwothree", null],
    ["b", String.raw`\# 22 15fffe`, [String.raw`\255\254`, String.raw`\000`, String.raw`back\\slash`, 'say "hi"']],
    ["b", "ü", [String.raw`\195`, String.raw`\188`]],
    ["c", "xxxxxxxxxxxx", null],
    ["c", "xxxxxxxxxxxx", ["x".repeat(254), `x${"y".repeat(200)}z`]],
    ["d", "ab", ["a", "b"]],
  ]);
  const { body: exported } = await from.get("/zonefile");
  expect((await from.post("/zonefile", { zonefile: exported, mode: "replace" })).body).toMatchObject({
    created: 0,
    updated: 0,
    deleted: 0,
    unchanged: 7,
  });
  const to = await fileZone(zw);
  await to.post("/zonefile", { zonefile: String(exported).replaceAll(from.name, to.name) });
  expect(withoutSoa((await to.get("/zonefile")).body)).toBe(
    withoutSoa(String(exported).replaceAll(from.name, to.name)),
  );
  expect((await to.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 7 });
});

describe("invalid strings", () => {
  const longest = "é".repeat(127);
  test.each<[string, object, string | RegExp]>([
    ["with a value that differs", { value: "abc", strings: ["a", "b"] }, "differ"],
    ["with a generic value that is split elsewhere", { value: "\\# 4 01610162", strings: ["", "ab"] }, "differ"],
    ["of more than 255 octets", { strings: ["a", `${longest}éé`] }, "String 2 has 258 octets"],
    [
      "of more than 2048 characters in all",
      { strings: Array.from({ length: 9 }, () => "x".repeat(250)) },
      "at most 2048",
    ],
    ["in an empty list", { strings: [] }, "at least one string"],
    ["in too large a number", { strings: Array.from({ length: 2049 }, () => "") }, "at most 2048 strings"],
    ["that are not a list", { strings: "a" }, "list"],
    ["of numbers", { strings: [1] }, "text"],
    ["with a lone backslash", { strings: ["a\\b", "c"] }, "backslash"],
    ["with an octet beyond 255", { strings: [String.raw`\256`, "c"] }, "backslash"],
    ["with half of a character", { strings: ["\ud800", "c"] }, "well-formed"],
    ["with a NUL", { strings: ["\u0000", "c"] }, String.raw`String 1 has a control character; write it as \000.`],
    ["with a line break", { strings: ["c", "a\nb"] }, String.raw`String 2 has a control character; write it as \010.`],
    ["on another type", { recordType: "A", value: "192.0.2.1", strings: ["a"] }, "A records have no strings"],
  ])("strings are refused, and the answer names them: %s", async (_, given, reason) => {
    const answer = await zone.create({ recordType: "TXT", name: "bad", ...given });
    expect(answer.status).toBe(400);
    expect(answer.body.issues).toMatchObject([{ path: expect.arrayContaining(["strings"]) }]);
    expect(answer.body.issues[0].path[0]).toBe("strings");
    expect(answer.body.message).toMatch(reason);
  });

  test("a TXT record without value and strings is refused, naming the value", async () => {
    for (const given of [{}, { strings: null }]) {
      const answer = await zone.create({ recordType: "TXT", name: "bad", ...given });
      expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: ["value"] }] } });
    }
  });
});

test("strings of octets that are not text are accepted in the form in which they are shown", async () => {
  const given = { recordType: "TXT", name: "octets", strings: [String.raw`\255a\\b`, String.raw`\000`, "ü"] };
  const { status, body } = await zone.create(given);
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { value: "\\# 8 07ff615c6200c3bc", strings: given.strings },
  });
  expect((await zone.create({ ...given, value: body.value })).status).toBe(409);
  expect((await zone.update(body.id, { value: body.value })).body).toMatchObject({
    strings: [String.raw`\255a\\b\000ü`],
  });
  expect((await zone.post("/sync")).body).toMatchObject({ updated: 0 });
});

describe("control octets of a text", () => {
  const strings = [String.raw`a\010b\127\001`];

  test("control octets are accepted in strings, shown there as octets, and kept by other changes", async () => {
    const { status, body } = await zone.create({ recordType: "TXT", name: "control", strings });
    expect({ status, body }).toMatchObject({ status: 201, body: { value: "a\nb\u007f\u0001", strings } });
    expect(await zone.readFile()).toContain(String.raw`"a\010b\127\001"`);
    expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    const { value, ttl } = body;
    const again = await zone.update(body.id, { recordType: "TXT", name: "control", value, strings, ttl });
    expect(again).toMatchObject({ status: 200, body: { version: 1 } });
    for (const patch of [{ value }, { strings: null }])
      expect((await zone.update(body.id, patch)).body).toMatchObject({ strings, version: 1 });
    expect((await zone.delete(body.id)).status).toBe(200);
  });

  test("a control character in a value is refused, and the answer says how to write it", async () => {
    const { status, body } = await zone.create({ recordType: "TXT", name: "control", value: "a\nb" });
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: ["value"] }]);
    expect(body.message).toContain("send `strings` with \\010 in its place");
  });
});
