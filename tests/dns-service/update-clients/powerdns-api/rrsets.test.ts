import { beforeAll, describe, expect, test } from "vitest";
import { isBusyAnswer, untilDone } from "../../../support/patience.ts";
import { useZonewright } from "../../../support/zonewright.ts";
import { manualZone } from "../../../support/zones.ts";
import { fullName, powerdnsClient, type PowerdnsClient, powerdnsForms } from "./client.ts";

const zw = useZonewright();
let client: PowerdnsClient;

beforeAll(async () => {
  client = await powerdnsClient(zw.admin);
});

describe("reading", () => {
  test("a zone is listed and shown with its SOA and RRsets", async () => {
    const zone = await manualZone(zw);
    await zone.add("MX", "@", "10 mail.example.net");
    await zone.add("TXT", "note", 'say "yes"', 60);
    const { status, body } = await client.get(`/zones?zone=${zone.name}.`);
    expect([status, body]).toEqual([
      200,
      [expect.objectContaining({ id: `${zone.name}.`, kind: "Native", serial: 2 })],
    ]);
    const shown = (await client.get(`/zones/${zone.name}.`)).body;
    expect(shown.rrsets[0]).toMatchObject({ name: `${zone.name}.`, type: "SOA", ttl: 3600 });
    expect(shown.rrsets.slice(1)).toEqual([
      {
        name: `${zone.name}.`,
        type: "MX",
        ttl: 3600,
        records: [{ content: "10 mail.example.net.", disabled: false }],
        comments: [],
      },
      {
        name: `note.${zone.name}.`,
        type: "TXT",
        ttl: 60,
        records: [{ content: '"say \\"yes\\""', disabled: false }],
        comments: [],
      },
    ]);
  });
});

describe("changing", () => {
  test("an RRset is created, replaced and deleted, each in one change", async () => {
    const zone = await manualZone(zw);
    expect((await client.replace(zone.name, "www", "A", ["192.0.2.1", "192.0.2.2"])).status).toBe(204);
    expect(await zone.lines()).toEqual(["www A 192.0.2.1", "www A 192.0.2.2"]);
    const [first] = await zone.records();
    expect((await client.replace(zone.name, "www", "A", ["192.0.2.2", "192.0.2.3"], 60)).status).toBe(204);
    expect(await zone.lines()).toEqual(["www A 192.0.2.2", "www A 192.0.2.3"]);
    expect((await zone.records()).map(({ id, ttl }) => [id === first.id, ttl])).toContainEqual([true, 60]);
    const gone = [{ name: `www.${zone.name}.`, type: "A", changetype: "delete" }];
    expect((await client.patch(zone.name, gone)).status).toBe(204);
    expect(await zone.lines()).toEqual([]);
    expect((await zone.history()).length).toBe(3);
  });

  test("an RRset is one of a personal token, which a replacement by a file can leave", async () => {
    const zone = await manualZone(zw);
    expect((await client.replace(zone.name, "by-program", "A", ["192.0.2.1", "192.0.2.2"])).status).toBe(204);
    const file = { zonefile: "www 300 IN A 192.0.2.3\n", mode: "replace", force: true };
    const { body } = await zone.post("/zonefile", { ...file, leave: ["tokens"] });
    expect(body.warnings).toContain("Left 2 records as they are: 2 last written with personal tokens.");
    expect(await zone.lines()).toEqual(["by-program A 192.0.2.1", "by-program A 192.0.2.2", "www A 192.0.2.3"]);
  });

  test("an RRset that is already as wanted costs no change, and an empty list deletes it", async () => {
    const zone = await manualZone(zw);
    for (const again of [1, 2, 3])
      expect([again, (await client.replace(zone.name, "www", "A", ["192.0.2.1"])).status]).toEqual([again, 204]);
    expect((await zone.history()).length).toBe(1);
    const empty = [{ name: fullName("www", zone.name), type: "A", changetype: "REPLACE", records: [] }];
    expect((await client.patch(zone.name, empty)).status).toBe(204);
    expect((await client.patch(zone.name, empty)).status).toBe(204);
    expect([await zone.lines(), (await zone.history()).length]).toEqual([[], 2]);
  });

  test("a CNAME conflict names the conflicting CNAME, not an RRset that the call deletes", async () => {
    const zone = await manualZone(zw);
    await zone.add("A", "www", "192.0.2.1");
    await zone.add("TXT", "www", "kept");
    const name = fullName("www", zone.name);
    const cname = { name, type: "CNAME", ttl: 60, changetype: "REPLACE", records: [{ content: "b.example." }] };
    const { status, body } = await client.patch(zone.name, [{ name, type: "A", changetype: "DELETE" }, cname]);
    expect([status, body.error]).toEqual([422, expect.stringMatching(/^RRset www\..* IN CNAME: .*also has TXT/)]);
    expect(await zone.lines()).toEqual(["www A 192.0.2.1", "www TXT kept"]);
  });

  test("addresses and a CNAME replace each other in one call, in any order", async () => {
    const zone = await manualZone(zw);
    const name = fullName("www", zone.name);
    const cname = { name, type: "CNAME", ttl: 60, changetype: "REPLACE", records: [{ content: "b.example." }] };
    await client.replace(zone.name, "www", "A", ["192.0.2.1"]);
    expect((await client.patch(zone.name, [cname, { name, type: "A", changetype: "DELETE" }])).status).toBe(204);
    expect(await zone.lines()).toEqual(["www CNAME b.example"]);
    const { status, body } = await client.replace(zone.name, "www", "A", ["192.0.2.1"]);
    expect([status, body.error]).toEqual([422, expect.stringMatching(/^RRset www\..* IN A: .*CNAME/)]);
  });

  test("a deletion outside the zone is ignored, and a creation there refused", async () => {
    const zone = await manualZone(zw);
    const elsewhere = { name: "elsewhere.example.", type: "A" };
    expect((await client.patch(zone.name, [{ ...elsewhere, changetype: "DELETE" }])).status).toBe(204);
    const records = [{ content: "192.0.2.1" }];
    expect((await client.patch(zone.name, [{ ...elsewhere, ttl: 60, changetype: "REPLACE", records }])).status).toBe(
      422,
    );
  });

  test("a record is created disabled, enabled and disabled again, and keeps its id; an export leaves it out", async () => {
    const zone = await manualZone(zw);
    const name = fullName("www", zone.name);
    const [on, off] = [false, true];
    const set = async (...switched: boolean[]) => {
      const records = switched.map((disabled, index) => ({ content: `192.0.2.${index + 1}`, disabled }));
      const answer = await client.patch(zone.name, [{ name, type: "A", ttl: 60, changetype: "REPLACE", records }]);
      expect(answer.status).toBe(204);
      return (await client.get(`/zones/${zone.name}.`)).body.rrsets[1].records.map(
        (record: { disabled: boolean }) => record.disabled,
      );
    };
    expect(await set(on, off)).toEqual([on, off]);
    const ids = (await zone.records()).map(({ id }) => id);
    expect(await set(off, on)).toEqual([off, on]);
    expect((await zone.records()).map(({ id }) => id)).toEqual(ids);
    expect((await client.get(`/zones/${zone.name}./export`)).body).not.toContain("192.0.2.1\n");
    expect(await set(off, off)).toEqual([off, off]);
    expect((await zone.history()).length).toBe(3);
  });

  test("comments become those of the records, and stay when they are not sent", async () => {
    const zone = await manualZone(zw);
    const name = fullName("noted", zone.name);
    const records = [{ content: "192.0.2.1" }, { content: "192.0.2.2" }];
    const comments = [{ content: "ask the harbour master", account: "ops", modified_at: 1 }];
    await client.patch(zone.name, [{ name, type: "A", ttl: 60, changetype: "REPLACE", records, comments }]);
    await client.replace(zone.name, "noted", "A", ["192.0.2.3", "192.0.2.4", "192.0.2.5"], 60);
    expect((await zone.records()).map(({ comment }) => comment)).toEqual(Array(3).fill("ask the harbour master"));
    const shown = (await client.get(`/zones/${zone.name}.`)).body.rrsets[1];
    expect(shown.comments).toEqual([expect.objectContaining({ content: "ask the harbour master" })]);
    await client.patch(zone.name, [{ name, type: "A", changetype: "REPLACE", comments: [] }]);
    expect((await zone.records()).map(({ comment }) => comment)).toEqual([null, null, null]);
  });

  test("comments keep account and time, also of the SOA, until somebody changes their text in Zonewright", async () => {
    const zone = await manualZone(zw);
    const name = fullName("noted", zone.name);
    const at = { name, type: "A", changetype: "REPLACE" };
    const comments = [
      { content: "first", account: "ops", modified_at: 1111 },
      { content: "second", account: "dev", modified_at: 2222 },
    ];
    await client.patch(zone.name, [{ ...at, ttl: 60, records: [{ content: "192.0.2.1" }], comments }]);
    const soa = { name: `${zone.name}.`, type: "SOA", changetype: "REPLACE", comments: [{ content: "ours" }] };
    expect((await client.patch(zone.name, [soa])).status).toBe(204);
    const shown = async (host: string) => (await client.get(`/zones/${zone.name}.?rrset_name=${host}`)).body.rrsets[0];
    expect((await shown(name)).comments).toEqual(comments);
    expect((await shown(`${zone.name}.`)).comments).toEqual([
      { content: "ours", account: "", modified_at: expect.any(Number) },
    ]);
    await client.replace(zone.name, "noted", "A", ["192.0.2.2"], 60);
    expect((await shown(name)).comments).toEqual(comments);
    const others = comments.map((one) => ({ ...one, account: "net" }));
    await client.patch(zone.name, [{ ...at, comments: others }]);
    expect((await shown(name)).comments).toEqual(others);
    const [record] = await zone.records();
    await zone.update(record.id, { comment: "first" });
    expect((await shown(name)).comments).toEqual([{ content: "first", account: "", modified_at: expect.any(Number) }]);
    await client.patch(zone.name, [{ ...at, comments }]);
    await client.patch(zone.name, [{ name, type: "A", changetype: "DELETE" }]);
    await zone.add("A", "noted", "192.0.2.1");
    expect((await shown(name)).comments).toEqual([]);
  });

  test("EXTEND adds one record and PRUNE removes one, once or again, and the others keep what they have", async () => {
    const zone = await manualZone(zw);
    const one = async (changetype: string, content: string, ttl = 60) => {
      const records = [{ content }];
      const rrsets = [{ name: fullName("a", zone.name), type: "A", ttl, changetype, records }];
      return (await client.patch(zone.name, rrsets)).status;
    };
    expect(await one("extend", "192.0.2.1")).toBe(204);
    const [first] = await zone.records();
    for (const again of [1, 2]) expect([again, await one("EXTEND", "192.0.2.2")]).toEqual([again, 204]);
    expect(await one("EXTEND", "192.0.2.3", 61)).toBe(422);
    expect(await one("EXTEND", "192.0.2.2", 61)).toBe(204);
    expect(await zone.lines()).toEqual(["a A 192.0.2.1", "a A 192.0.2.2"]);
    for (const again of [1, 2]) expect([again, await one("PRUNE", "192.0.2.2")]).toEqual([again, 204]);
    expect(await zone.lines()).toEqual(["a A 192.0.2.1"]);
    expect((await zone.records())[0]).toMatchObject({ id: first.id, version: first.version });
    expect((await zone.history()).length).toBe(3);
  });

  test("EXTEND enables a record that is disabled, and disables one that is active, each in one change", async () => {
    const zone = await manualZone(zw);
    const { id } = (await zone.create({ recordType: "A", name: "a", value: "192.0.2.1", ttl: 60, status: "disabled" }))
      .body;
    const extend = async (last: number, disabled: boolean) => {
      const records = [{ content: `192.0.2.${last}`, disabled }];
      const item = { name: fullName("a", zone.name), type: "A", ttl: 300, changetype: "EXTEND", records };
      expect((await client.patch(zone.name, [item])).status).toBe(204);
      return (await zone.records()).map((record) => [record.value, record.status, record.ttl]);
    };
    expect(await extend(2, false)).toEqual([
      ["192.0.2.1", "disabled", 60],
      ["192.0.2.2", "active", 300],
    ]);
    const [rrset] = (await client.get(`/zones/${zone.name}.?rrset_name=a.${zone.name}.&rrset_type=A`)).body.rrsets;
    expect((await client.patch(zone.name, [{ ...rrset, changetype: "REPLACE" }])).status).toBe(204);
    for (const again of [1, 2])
      expect([again, await extend(1, false)]).toEqual([
        again,
        [
          ["192.0.2.1", "active", 300],
          ["192.0.2.2", "active", 300],
        ],
      ]);
    expect((await zone.records())[0].id).toBe(id);
    expect(await extend(2, true)).toEqual([
      ["192.0.2.1", "active", 300],
      ["192.0.2.2", "disabled", 300],
    ]);
    expect((await zone.history()).length).toBe(4);
  });

  test("a disabled record beside others of the same data is shown, sent back without a change, and deleted by PRUNE", async () => {
    const zone = await manualZone(zw);
    const twin = { recordType: "A", name: "a", value: "192.0.2.1", ttl: 300 };
    for (const status of ["active", "disabled", "disabled"]) await zone.create({ ...twin, status });
    const at = `/zones/${zone.name}.?rrset_name=a.${zone.name}.&rrset_type=A`;
    const shown = async () => (await client.get(at)).body.rrsets;
    const [rrset] = await shown();
    expect(rrset.records.map(({ disabled }: { disabled: boolean }) => disabled).toSorted()).toEqual([
      false,
      true,
      true,
    ]);
    const before = await zone.records();
    expect((await client.patch(zone.name, [{ ...rrset, changetype: "REPLACE" }])).status).toBe(204);
    expect(await zone.records()).toEqual(before);
    const active = { content: "192.0.2.1", disabled: false };
    const twice = await client.patch(zone.name, [{ ...rrset, changetype: "REPLACE", records: [active, active] }]);
    expect([twice.status, twice.body.error]).toEqual([422, expect.stringContaining("twice")]);
    const one = { ...rrset, changetype: "REPLACE", records: [active] };
    expect((await client.patch(zone.name, [one])).status).toBe(204);
    expect((await zone.records()).map(({ id }) => id)).toEqual([before.find(({ status }) => status === "active")?.id]);
    await zone.create({ ...twin, status: "disabled" });
    expect((await client.patch(zone.name, [{ ...one, changetype: "PRUNE" }])).status).toBe(204);
    expect(await shown()).toEqual([]);
  });

  test("several changes of one RRset in a call take effect one after the other, in one change", async () => {
    const zone = await manualZone(zw);
    await zone.add("A", "a", "192.0.2.9");
    const item = (changetype: string, ...last: number[]) => {
      const records = last.map((number) => ({ content: `192.0.2.${number}` }));
      return { name: fullName("a", zone.name), type: "A", ttl: 60, changetype, records };
    };
    const items = [item("EXTEND", 1), item("DELETE"), item("REPLACE", 3, 4), item("PRUNE", 3), item("EXTEND", 1)];
    expect((await client.patch(zone.name, [...items, item("EXTEND", 2)])).status).toBe(204);
    expect(await zone.lines()).toEqual(["a A 192.0.2.1", "a A 192.0.2.2", "a A 192.0.2.4"]);
    expect((await zone.history()).length).toBe(2);
  });

  test("PUT with RRsets makes the zone just these in one change, and says nothing of other settings", async () => {
    const zone = await manualZone(zw);
    await zone.add("A", "www", "192.0.2.1", 60);
    await zone.add("A", "old", "192.0.2.1", 60);
    const www = (await zone.records()).find(({ name }) => name === "www");
    const soa = { name: `${zone.name}.`, type: "SOA", ttl: 60, records: [{ content: "a. b. 1 2 3 4 5" }] };
    const a = (host: string, content: string) => ({
      name: fullName(host, zone.name),
      type: "A",
      ttl: 60,
      records: [{ content }],
    });
    const put = async (...rrsets: object[]) => {
      const { status, body } = await client.send("PUT", `/zones/${zone.name}.`, { account: "team", rrsets });
      return [status, body.error];
    };
    expect(await put(a("www", "192.0.2.1"))).toEqual([422, expect.stringContaining("must have the SOA")]);
    expect(await put(soa, a("www", "192.0.2.300"))).toEqual([422, expect.stringMatching(/^Record www\./)]);
    expect((await client.get(`/zones/${zone.name}.`)).body.account).toBe("");
    expect((await put(soa, a("www", "192.0.2.1"), a("new", "192.0.2.2")))[0]).toBe(204);
    expect(await zone.lines()).toEqual(["new A 192.0.2.2", "www A 192.0.2.1"]);
    expect((await zone.records()).map(({ id }) => id)).toContain(www?.id);
    expect((await client.get(`/zones/${zone.name}.`)).body.account).toBe("team");
    expect((await zone.history()).length).toBe(3);
    const reading = await powerdnsClient(zw.admin, { permissions: ["records:read", "domains:write"] });
    expect((await reading.send("PUT", `/zones/${zone.name}.`, { rrsets: [soa] })).status).toBe(403);
  });

  test("a name with characters that are rarely meant is shown and taken with escapes", async () => {
    const zone = await manualZone(zw);
    const name = String.raw`http\058.${zone.name}.`;
    const rrset = { name, type: "TXT", ttl: 60, changetype: "REPLACE", records: [{ content: '"x"' }] };
    expect((await client.patch(zone.name, [rrset])).status).toBe(204);
    expect(await client.contents(zone.name)).toEqual([`${name} TXT "x"`]);
    expect((await client.patch(zone.name, [{ name, type: "TXT", changetype: "DELETE" }])).status).toBe(204);
    expect(await zone.lines()).toEqual([]);
  });

  test("what external-dns sends, with fields of whole zones, is taken", async () => {
    const zone = await manualZone(zw);
    const name = fullName("app", zone.name);
    const rrsets = [
      {
        name,
        type: "A",
        ttl: 300,
        changetype: "REPLACE",
        records: [{ content: "192.0.2.1", disabled: false, "set-ptr": false }],
      },
      {
        name,
        type: "TXT",
        ttl: 300,
        changetype: "REPLACE",
        records: [{ content: '"heritage=external-dns,external-dns/owner=a"' }],
      },
    ];
    const body = { id: `${zone.name}.`, name: `${zone.name}.`, type: "Zone", kind: "Native", rrsets };
    expect((await client.send("PATCH", `/zones/${zone.name}.`, body)).status).toBe(204);
    expect(await zone.lines()).toEqual(["app A 192.0.2.1", "app TXT heritage=external-dns,external-dns/owner=a"]);
    expect((await zone.history()).length).toBe(1);
  });

  test("a change can be undone in the history, which names the token", async () => {
    const zone = await manualZone(zw);
    await client.replace(zone.name, "www", "A", ["192.0.2.1"]);
    const [entry] = await zone.history();
    expect((await zone.post(`/history/${entry.id}/revert`, {})).status).toBe(200);
    expect(await client.contents(zone.name)).toEqual([]);
  });

  test("20 parallel calls beside edits in the console lose nothing", async () => {
    const zone = await manualZone(zw);
    await zone.add("A", "shared", "192.0.2.0");
    const hosts = Array.from({ length: 20 }, (_, index) => `h${index}`);
    const calls = hosts.flatMap((host, index) => [
      () => client.replace(zone.name, host, "A", [`192.0.2.${index}`]),
      () => zone.create({ recordType: "TXT", name: host, value: "by hand" }),
      () => zone.create({ recordType: "A", name: "shared", value: `198.51.100.${index}` }),
    ]);
    const answers = await Promise.all(calls.map((call) => untilDone<{ status: number }>(call, isBusyAnswer)));
    expect(answers.map(({ status }) => status)).toEqual(hosts.flatMap(() => [204, 201, 201]));
    expect((await zone.lines()).length).toBe(61);
  });

  test("a body of more than 1 MiB is one change", async () => {
    const zone = await manualZone(zw);
    const text = Array.from({ length: 8 }, () => `"${"x".repeat(240)}"`).join(" ");
    const rrsets = Array.from({ length: 540 }, (_, index) => ({
      name: fullName(`t${index}`, zone.name),
      type: "TXT",
      ttl: 60,
      changetype: "REPLACE",
      records: [{ content: text }],
    }));
    expect(JSON.stringify({ rrsets }).length).toBeGreaterThan(1_048_576);
    expect((await client.patch(zone.name, rrsets)).status).toBe(204);
    expect((await zone.detail()).recordCount).toBe(540);
    expect((await client.get(`/zones/${zone.name}.`)).body.rrsets.length).toBe(541);
  });
});

describe("contents", () => {
  test.each([
    ["letters", "x".repeat(600), "x".repeat(600), null],
    ["escapes", '\\226\\130\\172\\"'.repeat(100), '€"'.repeat(100), null],
    ["characters of several octets", "€".repeat(100), "€".repeat(100), null],
    ["a short string before", `${"x".repeat(254)}" "${"y".repeat(256)}`, null, ["x".repeat(254), "y".repeat(255), "y"]],
  ])(
    "a string of a TXT record that is too long is split at every 255 octets: %s",
    async (_what, text, value, strings) => {
      const zone = await manualZone(zw);
      expect((await client.replace(zone.name, "x", "TXT", [`"${text}"`])).status).toBe(204);
      expect((await zone.records())[0]).toMatchObject({ value: value ?? strings?.join(""), strings });
      expect((await client.replace(zone.name, "x", "TXT", [`"${text}"`])).status).toBe(204);
      expect((await zone.history()).length).toBe(1);
    },
  );

  // Clients compare this text with their own.
  test.each(powerdnsForms)("a content in PowerDNS's form is shown as it was sent: %s %s", async (type, content) => {
    const zone = await manualZone(zw);
    expect((await client.replace(zone.name, "x", type, [content])).status).toBe(204);
    expect(await client.contents(zone.name)).toEqual([`x.${zone.name}. ${type} ${content}`]);
    expect((await client.replace(zone.name, "x", type, [content])).status).toBe(204);
    expect((await zone.history()).length).toBe(1);
  });

  test.each([
    ["SPF", "v=spf1 include:spf.example.net ~all", "must be in quotes"],
    ["RESINFO", "qnamemin exterr=15", "must be in quotes"],
    ["PTR", '"host.example.net."', "must not be in quotes"],
    ["CNAME", '"host.example.net."', "must not be in quotes"],
    ["MX", '10 "mail.example.net."', "must not be in quotes"],
    ["A", '"192.0.2.1"', "must not be in quotes"],
  ])("quotes that are missing or too many are refused: %s %s", async (type, content, reason) => {
    const zone = await manualZone(zw);
    const { status, body } = await client.replace(zone.name, "x", type, [content]);
    expect([status, body.error]).toEqual([422, expect.stringContaining(reason)]);
  });

  test.each([
    ["MX", "10 mail.example.net.", "10 mail.example.net"],
    ["MX", "0 .", "0 ."],
    ["SRV", "10 60 5060 sip.example.net.", "10 60 5060 sip.example.net"],
    ["TXT", '"one " "two"', "one two"],
    ["TXT", '"say \\"yes\\" \\226\\130\\172"', 'say "yes" €'],
    ["CAA", '0 issue "letsencrypt.org"', "0 issue letsencrypt.org"],
    ["AAAA", "2001:DB8:0::1", "2001:db8::1"],
    ["TYPE65280", "\\# 4 c0000201", "\\# 4 c0000201"],
    ["SRV", "0 0 0 .", "0 0 0 ."],
    ["CAA", '0 issue ""', '0 issue ""'],
    ["CNAME", "*.example.net.", "*.example.net"],
    ["TXT", String.raw`"a\010b"`, "a\nb"],
    [
      "LOC",
      "51 30 12.748 N 0 7 39.612 W 0.00m 0.00m 0.00m 0.00m",
      "51 30 12.748 N 0 7 39.612 W 0.00m 0.00m 0.00m 0.00m",
    ],
  ])("%s %s is taken", async (type, content, value) => {
    const zone = await manualZone(zw);
    expect((await client.replace(zone.name, "x", type, [content])).status).toBe(204);
    expect((await zone.records())[0]).toMatchObject({ recordType: type, name: "x", value });
    const [shown = ""] = await client.contents(zone.name);
    const again = shown.split(" ").slice(2).join(" ");
    expect((await client.replace(zone.name, "x", type, [again])).status).toBe(204);
    expect((await zone.history()).length).toBe(1);
  });
});

function rrset(zone: string, other: object = {}) {
  const whole = {
    name: `a.${zone}.`,
    type: "A",
    ttl: 60,
    changetype: "REPLACE",
    records: [{ content: "192.0.2.1" }],
  };
  return { ...whole, ...other };
}

describe("refusals", () => {
  const refused: [string, (zone: string) => unknown, RegExp][] = [
    ["no list", () => "x", /`rrsets`/],
    ["an item that is no object", () => [1], /object/],
    ["no name", () => [{ type: "A", changetype: "DELETE" }], /`name`/],
    ["a name without a dot", (zone) => [{ name: `www.${zone}`, type: "A", changetype: "DELETE" }], /not canonical/],
    ["a name elsewhere", (zone) => [rrset(zone, { name: "www.elsewhere.test." })], /out of zone/],
    ["an unknown type", (zone) => [{ name: `a.${zone}.`, type: "BOGUS", changetype: "DELETE" }], /type is unknown/],
    ["no changetype", (zone) => [rrset(zone, { changetype: undefined })], /`changetype`/],
    ["another changetype", (zone) => [rrset(zone, { changetype: "MERGE" })], /`changetype`/],
    ["to extend by nothing", (zone) => [rrset(zone, { changetype: "EXTEND", records: undefined })], /exactly one/],
    [
      "to prune two records",
      (zone) => [rrset(zone, { changetype: "PRUNE", records: [{ content: "192.0.2.1" }, { content: "192.0.2.2" }] })],
      /exactly one/,
    ],
    [
      "to extend with another TTL",
      (zone) => [
        rrset(zone, { changetype: "EXTEND" }),
        rrset(zone, { changetype: "EXTEND", ttl: 61, records: [{ content: "192.0.2.2" }] }),
      ],
      /different TTL/,
    ],
    ["a name with a colon", (zone) => [rrset(zone, { name: `http:.${zone}.` })], /unsupported characters.*\\DDD/],
    ["a parenthesis", (zone) => [rrset(zone, { records: [{ content: "(192.0.2.1)" }] })], /outside quotes/],
    ["a comment in a record", (zone) => [rrset(zone, { records: [{ content: "192.0.2.1 ; x" }] })], /outside quotes/],
    ["an empty content", (zone) => [rrset(zone, { records: [{ content: "" }] })], /one line of data/],
    [
      "a DNSKEY below the apex",
      (zone) => [rrset(zone, { type: "DNSKEY", records: [{ content: "257 3 8 AwEAAQ==" }] })],
      /only allowed at the apex/,
    ],
    ["no TTL", (zone) => [rrset(zone, { ttl: undefined })], /`ttl`/],
    ["a TTL that is a text", (zone) => [rrset(zone, { ttl: "60" })], /`ttl`/],
    ["a TTL beyond 31 bits", (zone) => [rrset(zone, { ttl: 2 ** 31 })], /`ttl`/],
    ["a fraction", (zone) => [rrset(zone, { ttl: 1.5 })], /`ttl`/],
    ["neither records nor comments", (zone) => [rrset(zone, { records: undefined })], /`records`/],
    ["records that are no list", (zone) => [rrset(zone, { records: {} })], /`records`/],
    ["no content", (zone) => [rrset(zone, { records: [{}] })], /`content`/],
    [
      "a wrong address",
      (zone) => [rrset(zone, { records: [{ content: "192.0.2" }] })],
      /^Record a\..*\/A '192\.0\.2': /,
    ],
    ["two lines", (zone) => [rrset(zone, { records: [{ content: "192.0.2.1\n192.0.2.2" }] })], /one line/],
    [
      "a status that is neither true nor false",
      (zone) => [rrset(zone, { records: [{ content: "192.0.2.1", disabled: "yes" }] })],
      /disabled/,
    ],
    [
      "a record twice",
      (zone) => [rrset(zone, { records: ["192.0.2.1", "192.0.2.1"].map((content) => ({ content })) })],
      /twice/,
    ],
    ["an RRset twice", (zone) => [rrset(zone), rrset(zone)], /twice/],
    ["text without quotes", (zone) => [rrset(zone, { type: "TXT", records: [{ content: "plain" }] })], /quotes/],
    [
      "a relative name",
      (zone) => [rrset(zone, { type: "CNAME", records: [{ content: "b.example" }] })],
      /end with a dot/,
    ],
    [
      "an MX without a dot",
      (zone) => [rrset(zone, { type: "MX", records: [{ content: "10 mail" }] })],
      /end with a dot/,
    ],
    ["a comment with a line break", (zone) => [rrset(zone, { comments: [{ content: "a\nb" }] })], /comments/],
    ["comments that are no list", (zone) => [rrset(zone, { comments: "x" })], /`comments`/],
    [
      "too many comments",
      (zone) => [rrset(zone, { comments: Array.from({ length: 101 }, () => ({ content: "" })) })],
      /at most 100/,
    ],
    ["an account that is no text", (zone) => [rrset(zone, { comments: [{ content: "a", account: 1 }] })], /`account`/],
    [
      "a comment after the year 2106",
      (zone) => [rrset(zone, { comments: [{ content: "a", modified_at: "4294967297" }] })],
      /modified_at/,
    ],
    [
      "a CNAME at the apex",
      (zone) => [rrset(zone, { name: `${zone}.`, type: "CNAME", records: [{ content: "b.example." }] })],
      /IN CNAME: /,
    ],
    ["the SOA", (zone) => [{ name: `${zone}.`, type: "SOA", changetype: "DELETE" }], /IN SOA: .*itself/],
  ];
  test.each(refused)("%s is refused with 422 and changes nothing", async (_what, given, reason) => {
    const zone = await manualZone(zw);
    const { status, body } = await client.patch(zone.name, given(zone.name));
    expect([status, body]).toEqual([422, { error: expect.stringMatching(reason) }]);
    expect(await zone.lines()).toEqual([]);
  });

  test.each([
    ["no JSON", "{", 400],
    ["a list", "[]", 400],
    ["a number", "1", 400],
    ["deep nesting", `{"rrsets":${"[".repeat(100)}${"]".repeat(100)}}`, 400],
    ["an own prototype", '{"__proto__":{"rrsets":[]}}', 400],
    ["nothing", "", 400],
    ["an empty object", "{}", 422],
    ["17 MiB", `{"rrsets":"${"x".repeat(17 * 1_048_576)}"}`, 413],
  ])("a body of %s is refused", async (_what, text, status) => {
    const zone = await manualZone(zw);
    const answer = await client.send("PATCH", `/zones/${zone.name}.`, text);
    expect([answer.status, answer.body]).toEqual([status, { error: expect.any(String) }]);
  });

  test("a body of any content type is read as JSON", async () => {
    const zone = await manualZone(zw);
    const text = JSON.stringify({ rrsets: [rrset(zone.name)] });
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-8"])
      expect((await client.send("PATCH", `/zones/${zone.name}.`, text, { "content-type": type })).status).toBe(204);
    expect(await zone.lines()).toEqual(["a A 192.0.2.1"]);
  });
});
