import { describe, expect, test } from "vitest";
import { manualZone } from "../../support/zones.ts";
import { difference, linesAt, none, recordAt, useCloudflare, writes } from "./cloudflare.ts";

const cf = useCloudflare();

const forms: [type: string, value: string, sent: object][] = [
  ["A", "192.0.2.1", { content: "192.0.2.1", proxied: false }],
  ["AAAA", "2001:DB8:0::1", { content: "2001:db8::1", proxied: false }],
  ["CNAME", "Target.Example.net.", { content: "Target.Example.net", proxied: false }],
  ["NS", "ns.example.net", { content: "ns.example.net" }],
  ["MX", "10 mail.example.net", { content: "mail.example.net", priority: 10 }],
  ["MX", "0 .", { content: ".", priority: 0 }],
  ["SRV", "10 60 5060 sip.example.net", { data: { priority: 10, weight: 60, port: 5060, target: "sip.example.net" } }],
  ["CAA", "0 issue ca.example; policy=ev", { data: { flags: 0, tag: "issue", value: "ca.example; policy=ev" } }],
  ["TXT", "v=spf1 -all", { content: '"v=spf1 -all"' }],
  ["TXT", String.raw`say "hi" \ ; bye`, { content: String.raw`"say \"hi\" \\ ; bye"` }],
  ["TXT", "ü".repeat(130), { content: `"${"\\195\\188".repeat(127)}\\195" "\\188${"\\195\\188".repeat(2)}"` }],
  ["TXT", "", { content: '""' }],
  ["PTR", "Host.Example.net.", { content: "Host.Example.net" }],
  ["HTTPS", '1 . alpn="h2,h3" port=8443', { data: { priority: 1, target: ".", value: "alpn=h2,h3 port=8443" } }],
  ["SVCB", "2 svc.example.net alpn=dot", { data: { priority: 2, target: "svc.example.net", value: "alpn=dot" } }],
  [
    "TLSA",
    `3 1 1 ${"AB".repeat(32)}`,
    { data: { usage: 3, selector: 1, matching_type: 1, certificate: "ab".repeat(32) } },
  ],
  ["SSHFP", `4 2 ${"ab".repeat(32)}`, { data: { algorithm: 4, type: 2, fingerprint: "ab".repeat(32) } }],
  [
    "NAPTR",
    '100 10 "s" "SIP+D2U" "" _sip._udp.example.net',
    {
      data: {
        order: 100,
        preference: 10,
        flags: "s",
        service: "SIP+D2U",
        regex: "",
        replacement: "_sip._udp.example.net",
      },
    },
  ],
];

test("a CNAME at the apex is flattened by Cloudflare: it takes the place of addresses only", async () => {
  const zone = await cf.zone();
  await zone.add("MX", "@", "10 mail.example.net", 300);
  const made = await zone.add("CNAME", "@", "shop.example.net", 300);
  expect(made).toMatchObject({ name: "@", value: "shop.example.net" });
  expect(await zone.create({ recordType: "A", name: "@", value: "192.0.2.1" })).toMatchObject({ status: 409 });
  expect(await zone.create({ recordType: "TXT", name: "@", value: "beside it" })).toMatchObject({ status: 201 });
  expect(await zone.create({ recordType: "CNAME", name: "@", value: "b.example.net" })).toMatchObject({ status: 409 });
  // Below the apex, a CNAME is alone as everywhere.
  await zone.add("TXT", "www", "text", 300);
  expect(await zone.create({ recordType: "CNAME", name: "www", value: "b.example.net" })).toMatchObject({
    status: 409,
  });
  expect(await difference(zone)).toEqual(none);
});

test("an ALIAS is refused, and the answer names Cloudflare", async () => {
  const zone = await cf.zone();
  const { status, body } = await zone.create({ recordType: "ALIAS", name: "@", value: "shop.example.net" });
  expect({ status, message: body.issues[0].message }).toEqual({
    status: 400,
    message: expect.stringContaining("Cloudflare"),
  });
});

test.each(forms)(
  "a %s record is sent in the documented form and reads back equal: %s",
  async (recordType, value, sent) => {
    const zone = await cf.zone();
    const made = await zone.add(recordType, "host", value, 300);
    const post = { type: recordType, name: `host.${zone.name}`, ttl: 300, ...sent };
    expect(writes(cf.server)).toEqual([{ deletes: [], patches: [], posts: [post] }]);
    expect(await difference(zone)).toEqual(none);
    expect((await zone.update(made.id, { ttl: 600 })).status).toBe(200);
    expect(recordAt(cf.server, zone, "host").ttl).toBe(600);
    expect((await zone.delete(made.id)).status).toBe(200);
    expect(linesAt(cf.server, zone)).toEqual([]);
  },
);

const served: [content: string, value: string][] = [
  ["without quotes; and with \\ as it is", "without quotes; and with \\ as it is"],
  ['"one" "two"', "onetwo"],
  ['"with \\"quotes\\" and \\195\\188"', 'with "quotes" and ü'],
];

test.each(served)("the TXT content %j at Cloudflare is read correctly", async (content, value) => {
  const zone = await cf.zone();
  cf.server.addRecord(zone.name, { type: "TXT", name: "text", ttl: 1, content });
  await zone.post("/sync");
  expect(await zone.records()).toMatchObject([{ recordType: "TXT", value, ttl: 1 }]);
});

test("records of all types from Cloudflare are shown in zone-file form, with all their fields", async () => {
  const zone = await cf.zone();
  const add = (type: string, name: string, data: object, more: object = {}) =>
    cf.server.addRecord(zone.name, { type, name, ttl: 300, data, ...more });
  add("HTTPS", "h", { priority: 1, target: ".", value: "alpn=h3,h2 ipv4hint=192.0.2.1" });
  add("NAPTR", "n", { order: 1, preference: 2, flags: "u", service: "E2U", regex: "!^.*$!\\1!", replacement: "." });
  add("TLSA", "t", { usage: 3, selector: 1, matching_type: 1, certificate: "ABcd" });
  add("URI", "u", { weight: 1, target: 'ftp://example.net/"' }, { priority: 10 });
  await zone.post("/sync");
  expect(await zone.lines()).toEqual([
    "h HTTPS 1 . alpn=h3,h2 ipv4hint=192.0.2.1",
    String.raw`n NAPTR 1 2 "u" "E2U" "!^.*$!\\1!" .`,
    "t TLSA 3 1 1 abcd",
    String.raw`u URI 10 1 "ftp://example.net/\""`,
  ]);
});

test("edits preserve comments and tags set at Cloudflare, and settings unless the type changes", async () => {
  const zone = await cf.zone();
  const notes = { comment: "ask the harbour master", tags: ["team:quay"] };
  const settings = { ipv4_only: true };
  cf.server.addRecord(zone.name, { type: "A", name: "crane", ttl: 300, content: "192.0.2.1", ...notes, settings });
  await zone.post("/sync");
  const [record] = await zone.records();
  const served = () => cf.server.records(zone.name);
  for (const edit of [{ value: "192.0.2.2" }, { ttl: 600 }, { name: "winch" }]) {
    expect((await zone.update(record.id, edit)).status).toBe(200);
    expect(served()).toMatchObject([{ ...notes, settings }]);
  }
  await zone.update(record.id, { recordType: "CNAME", value: "crane.example.net" });
  expect(served()).toMatchObject([{ type: "CNAME", name: `winch.${zone.name}`, ttl: 600, ...notes, settings: {} }]);
  expect(await difference(zone)).toEqual(none);
});

test("swapping values, and replacing addresses by a CNAME, takes one batch each", async () => {
  const zone = await cf.zone();
  const first = await zone.add("A", "host", "192.0.2.1", 300);
  const second = await zone.add("A", "host", "192.0.2.2", 300);
  cf.server.forgetCalls();
  const swap = [
    { action: "update", recordId: first.id, record: { value: "192.0.2.2" } },
    { action: "update", recordId: second.id, record: { value: "192.0.2.3" } },
  ];
  expect((await apply(zone, swap)).status).toBe(200);
  expect(linesAt(cf.server, zone)).toEqual([`host.${zone.name} A 192.0.2.2`, `host.${zone.name} A 192.0.2.3`]);
  const replace = [
    { action: "create", record: { recordType: "CNAME", name: "host", value: "cdn.example.net" } },
    { action: "delete", recordId: first.id },
    { action: "delete", recordId: second.id },
  ];
  expect((await apply(zone, replace)).status).toBe(200);
  expect(linesAt(cf.server, zone)).toEqual([`host.${zone.name} CNAME cdn.example.net`]);
  expect(writes(cf.server)).toHaveLength(2);
});

const address = (name: string) => ({ recordType: "A", name, value: "192.0.2.1", ttl: 300 });

describe("bulk changes", () => {
  test("a bulk of a hundred records is one batch", async () => {
    const zone = await cf.zone();
    const records = Array.from({ length: 100 }, (_, index) => address(`host${index}`));
    expect((await zone.post("/records/bulk", { records })).body.succeeded).toBe(100);
    expect(writes(cf.server)).toHaveLength(1);
    expect(cf.server.records(zone.name)).toHaveLength(100);
  });

  test("a bulk reports the records that Cloudflare refuses, and creates the others", async () => {
    const zone = await cf.zone();
    const names = Array.from({ length: 20 }, (_, index) => `host${index}`);
    // Cloudflare's rule, not ours: an NS allows no other records at its name.
    const records = [
      ...names.map((name) => address(name)),
      { recordType: "NS", name: "host7", value: "ns.example.net" },
    ];
    const { body } = await zone.post("/records/bulk", { records });
    expect(body).toMatchObject({ total: 21, succeeded: 20 });
    expect(body.results[20].error).toContain(
      "Cloudflare refused the change: NS records with that host already exist. (81056)",
    );
    expect(linesAt(cf.server, zone)).toEqual(names.map((name) => `${name}.${zone.name} A 192.0.2.1`).toSorted());
    expect(await difference(zone)).toEqual(none);
  });

  test("an atomic bulk is made whole or not at all", async () => {
    const zone = await cf.zone();
    const records = [address("one"), address("two"), { recordType: "NS", name: "two", value: "ns.example.net" }];
    const { status } = await zone.post("/records/bulk", { mode: "atomic", records });
    expect(status).not.toBe(200);
    expect([linesAt(cf.server, zone), await zone.records()]).toEqual([[], []]);
  });
});

describe("limits of Cloudflare", () => {
  test.each([
    [
      "a TTL of 29",
      { recordType: "A", name: "a", value: "192.0.2.1", ttl: 29 },
      /Cloudflare requires a TTL from 30 to 86400 seconds, or 1/,
    ],
    [
      "a TTL of a week",
      { recordType: "A", name: "a", value: "192.0.2.1", ttl: 604_800 },
      /Cloudflare requires a TTL from 30 to 86400/,
    ],
    [
      "a proxied MX",
      { recordType: "MX", name: "a", value: "1 m.example.net", proxied: true },
      /Cloudflare proxies only A, AAAA and CNAME/,
    ],
    [
      "a text of 6,144 octets",
      { recordType: "TXT", name: "a", value: "漢".repeat(2_048) },
      /Cloudflare stores at most 4096 octets in a TXT/,
    ],
  ])("%s is refused in the plan, before anything is sent to Cloudflare", async (_what, record, words) => {
    const zone = await cf.zone();
    const { status, body } = await zone.create(record);
    expect(status).toBe(400);
    expect(body.detail).toMatch(words);
    expect(writes(cf.server)).toEqual([]);
  });

  test("an exported zone file says that its SOA is not Cloudflare's, and importing it changes nothing", async () => {
    const zone = await cf.zone();
    await zone.add("A", "www", "192.0.2.1", 300);
    const { body: zonefile } = await zone.get("/zonefile");
    expect(zonefile).toMatch(/^; SOA written by Zonewright: the provider does not show its own\.\n@ +3600 +IN SOA /m);
    for (const mode of ["merge", "replace"]) {
      const { body } = await zone.post("/zonefile", { zonefile, mode, dryRun: true });
      expect(body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 1, warnings: [] });
    }
  });

  test("unsupported types in a zone file are refused before anything is sent to Cloudflare", async () => {
    const zone = await cf.zone();
    const zonefile = 'h 300 IN HINFO "PC" "Linux"\n';
    const { status, body } = await zone.post("/zonefile", { zonefile, mode: "merge" });
    expect([status, body.detail]).toEqual([409, expect.stringContaining("Cloudflare cannot store HINFO records")]);
    expect(writes(cf.server)).toEqual([]);
  });
});

describe("TTLs below 60 seconds", () => {
  const short = { recordType: "A", name: "short", value: "192.0.2.1", ttl: 30 };

  test("a TTL below 60 seconds is stored in a zone on the Enterprise plan", async () => {
    const zone = await cf.zone("enterprise");
    expect((await zone.create(short)).status).toBe(201);
    expect(recordAt(cf.server, zone, "short").ttl).toBe(30);
    expect(await difference(zone)).toEqual(none);
  });

  test.each(["free", "pro", "business"])(
    "a TTL below 60 seconds on the %s plan is refused before anything is sent",
    async (plan) => {
      const zone = await cf.zone(plan);
      const refused = [400, expect.stringContaining("Cloudflare requires a TTL from 60 to 86400 seconds, or 1")];
      const { status, body } = await zone.create(short);
      expect([status, body.detail]).toEqual(refused);
      const planned = await zone.post("/records/plan", { changes: [{ action: "create", record: short }] });
      expect([planned.status, planned.body.detail]).toEqual(refused);
      expect(writes(cf.server)).toEqual([]);
      expect((await zone.create({ ...short, ttl: 1 })).status).toBe(201);
    },
  );

  test("a zone file with a TTL below 60 seconds is refused if the plan does not allow it", async () => {
    const zone = await cf.zone();
    const input = { zonefile: "short 30 IN A 192.0.2.1\n", mode: "merge" };
    const { status, body } = await zone.post("/zonefile", input);
    expect([status, body.detail]).toEqual([409, expect.stringContaining("Cloudflare requires a TTL from 60")]);
    expect(writes(cf.server)).toEqual([]);
  });

  test("a domain with a TTL below 60 seconds moves only to a zone on the Enterprise plan", async () => {
    const ends: unknown[] = [];
    for (const plan of ["enterprise", "free"]) {
      const zone = await manualZone(cf.zw);
      await zone.add("A", "www", "192.0.2.1", 30);
      cf.server.addZone(zone.name, plan);
      const { status, body } = await cf.zw.admin.put(zone.path, { providerConfigId: await cf.configure() });
      ends.push([status, body.issues ?? []]);
    }
    const message = expect.stringContaining("Cloudflare requires a TTL from 60 to 86400 seconds");
    expect(ends).toEqual([
      [200, []],
      [400, [{ path: ["providerConfigId"], message }]],
    ]);
  });
});

const text = (letter: string) => ({ recordType: "TXT", name: "long", value: letter.repeat(2_000), ttl: 300 });

describe("RRsets of more than 8,192 characters", () => {
  test("an RRset of more than 8,192 characters is refused before anything is sent, even if others added its records", async () => {
    const zone = await cf.zone();
    for (const letter of ["a", "b", "c"]) expect((await zone.create(text(letter))).status).toBe(201);
    cf.server.addRecord(zone.name, { type: "TXT", name: "long", ttl: 300, content: `"${"d".repeat(250)}"` });
    const { status, body } = await zone.create(text("e"));
    const words =
      "Cloudflare stores at most 8192 characters in all records of one name and type; long TXT would have more.";
    expect([status, body.detail]).toEqual([502, expect.stringContaining(words)]);
    await zone.post("/sync");
    const planned = await zone.post("/records/plan", { changes: [{ action: "create", record: text("e") }] });
    const zonefile = `long 300 IN TXT "${"e".repeat(250)}" ${`"${"e".repeat(250)}" `.repeat(7)}\n`;
    const imported = await zone.post("/zonefile", { zonefile, mode: "merge" });
    expect([planned, imported].map((answer) => [answer.status, answer.body.detail])).toEqual([
      [400, expect.stringContaining(words)],
      [409, expect.stringContaining(words)],
    ]);
    const { body: bulk } = await zone.post("/records/bulk", { records: [text("e"), { ...text("e"), name: "apart" }] });
    expect(bulk.results).toMatchObject([{ success: false, error: expect.stringContaining(words) }, { success: true }]);
    expect(writes(cf.server)).toHaveLength(4);
    expect((await zone.create({ ...text("e"), name: "other" })).status).toBe(201);
  });

  test("a record of a full RRset can be replaced by another", async () => {
    const zone = await cf.zone();
    const records = await Promise.all(
      ["a", "b", "c"].map((letter) => zone.add("TXT", "long", letter.repeat(2_000), 300)),
    );
    const changes = records.flatMap(({ id }, index) => [
      { action: "delete", recordId: id },
      { action: "create", record: text("def"[index] ?? "") },
    ]);
    expect((await apply(zone, changes)).status).toBe(200);
    expect(await difference(zone)).toEqual(none);
  });
});

test("a rollback restores a snapshot at Cloudflare and appears in the history", async () => {
  const zone = await cf.zone();
  const record = await zone.add("A", "www", "192.0.2.1", 300);
  await zone.add("TXT", "@", "v=spf1 -all");
  const snapshot = (await zone.post("/snapshots")).body;
  await zone.update(record.id, { value: "192.0.2.2" });
  await zone.add("MX", "@", "10 mail.example.net");
  const { body } = await zone.post(`/snapshots/${snapshot.id}/rollback`, {});
  expect(body).toMatchObject({ success: true, created: 0, updated: 1, deleted: 1, failed: [] });
  expect(linesAt(cf.server, zone)).toEqual([`www.${zone.name} A 192.0.2.1`, `${zone.name} TXT "v=spf1 -all"`]);
  expect(await difference(zone)).toEqual(none);
  expect((await zone.history())[0]).toMatchObject({ kind: "rollback", state: "applied" });
});

async function apply(zone: Awaited<ReturnType<typeof cf.zone>>, changes: object[]) {
  const { body } = await zone.post("/records/plan", { changes });
  return await zone.post("/records/apply", { changes, planHash: body.planHash });
}
