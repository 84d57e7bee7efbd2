import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { PowerdnsServer } from "../../support/name-servers/powerdns-api.ts";
import { asPresented, recordLines, type ListedRecord } from "../../support/records/presentation.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { startService, type ServiceProcess } from "../../support/service-process.ts";

interface ShownRecord extends ListedRecord {
  id: string;
}

type Change =
  | { action: "create"; record: Record<string, unknown> }
  | { action: "update"; recordId: string | undefined; record: Record<string, unknown> }
  | { action: "delete"; recordId: string | undefined };

export const zone = "quay.example";

/** What the tests ask of a PowerDNS, or of what stands in for one. */
export type PowerdnsUnderTest = Pick<PowerdnsServer, "url" | "apiKey" | "call" | "transfer" | "lookUp" | "stop">;

/** Defines the tests of the adapter against one server. @param keepsDisabled whether it has disabled records */
export function powerdnsSuite(start: () => Promise<PowerdnsUnderTest>, keepsDisabled: boolean): void {
  let dataDir: string;
  let powerdns: PowerdnsUnderTest;
  let service: ServiceProcess;
  let admin: RestClient;
  let config: string;
  let domain: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "zonewright-powerdns-service-"));
    [powerdns, service] = await Promise.all([start(), startService({ DATA_DIR: dataDir })]);
    admin = await service.signIn();
    config = await configure({ url: powerdns.url, apiKey: powerdns.apiKey });
    const { body } = await admin.post("/api/domains", { name: zone, providerConfigId: config });
    domain = body.id;
  });

  afterAll(async () => {
    await service.close();
    await powerdns.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Expects the list, a transfer and a query to agree, and a sync to find nothing. */
  afterEach(expectAgreement);

  async function expectAgreement(): Promise<void> {
    const listed = recordLines(asPresented(zone, await records()));
    expect(recordLines(await powerdns.transfer(zone))).toEqual(listed);
    const { status, body } = await admin.post(path("sync"), { dryRun: true });
    expect({ status, body }).toMatchObject({ status: 200, body: { created: 0, updated: 0, deleted: 0 } });
  }

  test("a PowerDNS configuration can be tested, and its zones are listed", async () => {
    const { body } = await admin.post(`/api/provider-configs/${config}/test`);
    expect(body).toEqual({ success: true, error: null, zones: 1 });
    const zones = await admin.get(`/api/provider-configs/${config}/zones`);
    expect(zones.body.zones).toEqual([{ name: zone, managed: true }]);
  });

  test("a record at PowerDNS can be created, changed, given another TTL and deleted", async () => {
    const made = await create({ recordType: "A", name: "crane", value: "192.0.2.1", ttl: 300 });
    expect(await served("crane", "A")).toEqual([`crane.${zone}. 300 A 192.0.2.1`]);
    await edit(made.id, { value: "192.0.2.2" });
    expect(await served("crane", "A")).toEqual([`crane.${zone}. 300 A 192.0.2.2`]);
    await edit(made.id, { ttl: 60 });
    expect(await served("crane", "A")).toEqual([`crane.${zone}. 60 A 192.0.2.2`]);
    await edit(made.id, { name: "winch" });
    expect(await served("crane", "A")).toEqual([]);
    expect((await admin.delete(path(`records/${made.id}`))).status).toBe(200);
    expect(await served("winch", "A")).toEqual([]);
  });

  test("several values of one name at PowerDNS change independently and share a TTL", async () => {
    const values = ["192.0.2.10", "192.0.2.11", "192.0.2.12"];
    await apply(
      values.map((value) => ({ action: "create", record: { recordType: "A", name: "many", value, ttl: 300 } })),
    );
    const [first, second] = await records("A", "many");
    await apply([
      { action: "update", recordId: first?.id, record: { value: "192.0.2.20", ttl: 120 } },
      { action: "delete", recordId: second?.id },
    ]);
    expect((await served("many", "A")).map((line) => line.split(" ").slice(1).join(" "))).toEqual([
      "120 A 192.0.2.12",
      "120 A 192.0.2.20",
    ]);
  });

  test("addresses and a CNAME at PowerDNS replace each other in one step, both ways", async () => {
    await apply([
      { action: "create", record: { recordType: "A", name: "swap", value: "192.0.2.30" } },
      { action: "create", record: { recordType: "AAAA", name: "swap", value: "2001:db8::30" } },
    ]);
    const addresses = await records("", "swap");
    await apply([
      { action: "create", record: { recordType: "CNAME", name: "swap", value: "cdn.hoster.example" } },
      ...addresses.map(({ id }) => ({ action: "delete" as const, recordId: id })),
    ]);
    expect(await served("swap", "A")).toEqual([`swap.${zone}. 3600 CNAME cdn.hoster.example.`]);
    const [cname] = await records("CNAME", "swap");
    await apply([{ action: "update", recordId: cname?.id, record: { recordType: "A", value: "192.0.2.31" } }]);
    expect(await served("swap", "A")).toEqual([`swap.${zone}. 3600 A 192.0.2.31`]);
  });

  const texts: [string, string][] = [
    ["quotes", 'say "yes", "no" and ""'],
    ["quotes around it", '"in quotes"'],
    ["one quote", '"'],
    ["backslashes", String.raw`C:\zones\new \\ \" \065 \;`],
    ["a trailing backslash", "end\\"],
    ["semicolons", "v=DKIM1; k=rsa; p=MIG;; "],
    ["parentheses and an at", "( @ ) $TTL $ORIGIN"],
    ["surrounding blanks", "  two before, two after  "],
    ["non-ASCII characters", "Zürich → 東京 🚢"],
    ["no text", ""],
    ["254 octets", "a".repeat(254)],
    ["255 octets", "b".repeat(255)],
    ["256 octets", "c".repeat(256)],
    ["510 octets", "d".repeat(510)],
    ["766 octets", "e".repeat(766)],
    ["2048 characters", `${'"\\'.repeat(512)}${"f".repeat(1024)}`],
    ["a tab", "one\ttwo"],
    ["what looks generic", String.raw`\# 4 c0000201x`],
  ];

  test.each(texts)("PowerDNS serves TXT with %s as it was written", async (_what, value) => {
    await create({ recordType: "TXT", name: "text", value, ttl: 60 });
    expect((await records("TXT", "text")).map((record) => record.value)).toContain(value);
    const [shown] = asPresented(zone, [{ recordType: "TXT", name: "text", value, ttl: 60 }]);
    expect((await powerdns.lookUp(`text.${zone}`, "TXT")).map(({ rdata }) => rdata)).toContain(shown?.rdata);
  });

  test("PowerDNS serves a TXT that is not UTF-8 octet for octet, beside its siblings", async () => {
    const lines = String.raw`latin 60 TXT "caf\233" "\000b"
latin 60 TXT "caf\233"
latin 60 TXT "plain"
latin 60 SPF "caf\233"
`;
    const { status, body } = await admin.post(path("zonefile"), { zonefile: lines, mode: "merge" });
    expect({ status, body }).toMatchObject({ status: 200, body: { created: 4 } });
    const rdatas = (await powerdns.lookUp(`latin.${zone}`, "TXT")).map(({ rdata }) => rdata).toSorted();
    expect(rdatas).toEqual(['"caf\u00e9"', '"caf\u00e9" "\\u0000b"', '"plain"']);
    expect((await records("SPF", "latin")).map(({ value }) => value)).toEqual([String.raw`"caf\233"`]);
  });

  const others: { recordType: string; name: string; value: string }[] = [
    { recordType: "NS", name: "@", value: "ns1.hoster.example" },
    { recordType: "NS", name: "dept", value: "ns.dept.quay.example" },
    { recordType: "A", name: "ns.dept", value: "192.0.2.53" },
    { recordType: "AAAA", name: "@", value: "2001:db8::1" },
    { recordType: "AAAA", name: "mapped", value: "::ffff:192.0.2.1" },
    { recordType: "MX", name: "@", value: "10 mail.quay.example" },
    { recordType: "MX", name: "@", value: "20 backup.hoster.example" },
    { recordType: "MX", name: "noreply", value: "0 ." },
    { recordType: "SRV", name: "_sip._tcp", value: "10 60 5060 sip.quay.example" },
    { recordType: "CAA", name: "@", value: "0 issue letsencrypt.org" },
    { recordType: "CAA", name: "@", value: "128 issuewild ca.example; account=1; policy=ev" },
    { recordType: "CAA", name: "@", value: "0 iodef mailto:ca@quay.example" },
    { recordType: "CNAME", name: "_acme-challenge", value: "_token.acme.example" },
    { recordType: "A", name: "*", value: "192.0.2.99" },
    { recordType: "TXT", name: "*.dev", value: "anything" },
    { recordType: "A", name: "münchen", value: "192.0.2.89" },
    { recordType: "CNAME", name: "stadt", value: "日本語.example" },
    { recordType: "A", name: "UPPER.Case", value: "192.0.2.65" },
  ];

  test.each(others)("PowerDNS creates and serves $recordType $name $value", async (record) => {
    const made = await create(record);
    const [line] = recordLines(asPresented(zone, [made]));
    expect(recordLines(await powerdns.transfer(zone))).toContain(line);
  });

  test("an ALIAS at the apex is stored by PowerDNS, and a sync finds it unchanged", async () => {
    const made = await create({ recordType: "ALIAS", name: "@", value: "shop.example.net" });
    const { rrsets } = (await powerdns.call("GET", `/zones/${zone}.`)) as {
      rrsets: { type: string; records: { content: string }[] }[];
    };
    expect(rrsets.find(({ type }) => type === "ALIAS")?.records).toMatchObject([{ content: "shop.example.net." }]);
    const { body } = await admin.post(path("sync"), {});
    expect(body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    expect((await admin.delete(path(`records/${made.id}`))).status).toBe(200);
  });

  describe("records that already exist at PowerDNS", () => {
    test("existing records of non-editable types at PowerDNS are shown, exported and left alone", async () => {
      await replace([
        ["kept", "PTR", ["host.quay.example."]],
        ["_443._tcp.kept", "TLSA", ["3 1 1 0b9fa5a59eed715c26c1020c711b4f6ec42d58b0015e14337a39dad301c5afc3"]],
        ["kept", "SSHFP", ["4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789"]],
        ["kept", "HTTPS", ["1 . alpn=h2,h3 ipv4hint=192.0.2.1"]],
        ["kept", "NAPTR", ['100 50 "s" "z3950+I2L+I2C" "" _z3950._tcp.quay.example.']],
        ["kept", "TYPE65280", ["\\# 4 c0000201"]],
        ["kept", "LOC", ["51 30 12.748 N 0 7 39.612 W 0.00m 0.00m 0.00m 0.00m"]],
      ]);
      const { body } = await admin.post(path("sync"), { force: true });
      expect(body).toMatchObject({ created: 7, updated: 0, deleted: 0 });
      for (const record of await records("", "kept")) await edit(record.id, { ttl: 120 });
      expect(await served("kept", "HTTPS")).toEqual([`kept.${zone}. 120 HTTPS 1 . alpn=h2,h3 ipv4hint=192.0.2.1`]);
    });

    test.each(keepsDisabled ? ["comments and disabled records"] : [])(
      "%s of an RRset at PowerDNS survive changes to its records",
      async () => {
        const name = `noted.${zone}.`;
        await powerdns.call("PATCH", `/zones/${zone}.`, {
          rrsets: [
            {
              name,
              type: "A",
              ttl: 300,
              changetype: "REPLACE",
              records: [
                { content: "192.0.2.70", disabled: false },
                { content: "192.0.2.71", disabled: true },
              ],
              comments: [{ content: "ask the harbour master", account: "ops" }],
            },
          ],
        });
        await admin.post(path("sync"));
        expect((await records("A", "noted")).map(({ value }) => value)).toEqual(["192.0.2.70"]);
        const [record] = await records("A", "noted");
        await edit(record?.id, { value: "192.0.2.72" });
        await create({ recordType: "A", name: "noted", value: "192.0.2.73", ttl: 300 });
        for (const { id } of await records("A", "noted")) await admin.delete(path(`records/${id}`));
        expect(await rrset(name, "A")).toMatchObject({
          records: [{ content: "192.0.2.71", disabled: true }],
          comments: [{ content: "ask the harbour master", account: "ops" }],
        });
        await create({ recordType: "A", name: "noted", value: "192.0.2.71", ttl: 60 });
        expect(await rrset(name, "A")).toMatchObject({ records: [{ content: "192.0.2.71", disabled: false }] });
      },
    );

    test("an edit made at PowerDNS is found, and one made here is applied to the current records", async () => {
      await create({ recordType: "A", name: "both", value: "192.0.2.80", ttl: 300 });
      await replace([["both", "A", ["192.0.2.80", "192.0.2.81"]]], 300);
      const [record] = await records("A", "both");
      await edit(record?.id, { value: "192.0.2.82" });
      expect((await served("both", "A")).map((line) => line.split(" ").at(-1))).toEqual(["192.0.2.81", "192.0.2.82"]);
      expect((await admin.post(path("sync"))).body).toMatchObject({ created: 1, updated: 0, deleted: 0 });
    });
  });

  test("a refusal by PowerDNS is reported for the record that it names, and the others are made", async () => {
    await replace([["taken", "CNAME", ["elsewhere.example."]]]);
    const { body } = await admin.post(path("records/bulk"), {
      records: [
        { recordType: "A", name: "free", value: "192.0.2.90" },
        { recordType: "A", name: "taken", value: "192.0.2.91" },
      ],
    });
    expect(body).toMatchObject({ succeeded: 1, results: [{ success: true }, { success: false }] });
    expect(body.results[1].error).toMatch(/PowerDNS refused the change: .*taken\.quay\.example/);
    const atomic = await admin.post(path("records/bulk"), {
      mode: "atomic",
      records: [
        { recordType: "A", name: "free-2", value: "192.0.2.92" },
        { recordType: "A", name: "taken", value: "192.0.2.91" },
      ],
    });
    expect(atomic.status).not.toBe(200);
    expect(await records("A", "free-2")).toEqual([]);
    await admin.post(path("sync"));
  });

  test("1,201 records are written to PowerDNS in one call and read back", async () => {
    const lines = Array.from(
      { length: 1_201 },
      (_, index) => `page-${index} 300 IN A 10.0.${index >> 8}.${index & 255}`,
    );
    const { status, body } = await admin.post(path("zonefile"), { zonefile: `${lines.join("\n")}\n`, mode: "merge" });
    expect({ status, body }).toMatchObject({ status: 200, body: { created: 1_201 } });
    expect((await powerdns.transfer(zone)).filter(({ name }) => name.startsWith("page-"))).toHaveLength(1_201);
  });

  test("a wrong PowerDNS key is reported in a sentence without the key", async () => {
    const apiKey = "wrong-key-that-nobody-should-see";
    const wrong = await configure({ url: powerdns.url, apiKey });
    const { body } = await admin.post(`/api/provider-configs/${wrong}/test`);
    expect(body).toMatchObject({ success: false, error: expect.stringContaining("API key") });
    expect(JSON.stringify(body)).not.toContain(apiKey);
    const elsewhere = await configure({ url: powerdns.url, apiKey: powerdns.apiKey, serverId: "nowhere" });
    expect((await admin.post(`/api/provider-configs/${elsewhere}/test`)).body).toMatchObject({
      success: false,
      error: expect.stringContaining("no server with this id"),
    });
  });

  test("no PowerDNS secret is in the service's output", () => {
    expect(service.output()).not.toContain(powerdns.apiKey);
  });

  let configs = 0;
  async function configure(values: Record<string, string>): Promise<string> {
    const input = { kind: "powerdns", name: `PowerDNS ${++configs}`, config: values };
    const { status, body } = await admin.post("/api/provider-configs", input);
    expect({ status, body }).toMatchObject({ status: 201, body: { config: { apiKey: "********" } } });
    return body.id;
  }

  function path(rest: string): string {
    return `/api/domains/${domain}/${rest}`;
  }

  async function records(type = "", search = ""): Promise<ShownRecord[]> {
    const all: ShownRecord[] = [];
    for (let page = 1; ; page++) {
      const query = new URLSearchParams({
        limit: "500",
        page: String(page),
        ...(type && { type }),
        ...(search && { search }),
      });
      const { status, body } = await admin.get(path(`records?${query}`));
      expect({ status, body }).toMatchObject({ status: 200 });
      all.push(...body.records);
      if (body.records.length < 500) return all;
    }
  }

  async function create(record: Record<string, unknown>): Promise<ShownRecord> {
    const { status, body } = await admin.post(path("records"), record);
    expect({ status, body }).toMatchObject({ status: 201 });
    return body;
  }

  async function edit(id: string | undefined, patch: Record<string, unknown>): Promise<void> {
    const { status, body } = await admin.put(path(`records/${id}`), patch);
    expect({ status, body }).toMatchObject({ status: 200 });
  }

  async function apply(changes: Change[]): Promise<void> {
    const { body: plan } = await admin.post(path("records/plan"), { changes });
    const { status, body } = await admin.post(path("records/apply"), { changes, planHash: plan.planHash });
    expect({ status, body }).toMatchObject({ status: 200 });
    expect(body.results.filter(({ success }: { success: boolean }) => !success)).toEqual([]);
  }

  async function served(name: string, type: string): Promise<string[]> {
    return recordLines(await powerdns.lookUp(`${name}.${zone}`, type));
  }

  /** Changes RRsets at the server as another program would. */
  async function replace(sets: [name: string, type: string, contents: string[]][], ttl = 3600): Promise<void> {
    const rrsets = sets.map(([name, type, contents]) => ({
      name: `${name}.${zone}.`,
      type,
      ttl,
      changetype: "REPLACE",
      records: contents.map((content) => ({ content, disabled: false })),
    }));
    await powerdns.call("PATCH", `/zones/${zone}.`, { rrsets });
  }

  async function rrset(name: string, type: string): Promise<unknown> {
    const { rrsets } = (await powerdns.call("GET", `/zones/${zone}.`)) as { rrsets: { name: string; type: string }[] };
    return rrsets.find((one) => one.name === name && one.type === type);
  }
}
