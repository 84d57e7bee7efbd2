import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readMessage, typeQueryMessage } from "../../../server/dns/wire/messages.ts";
import type { TsigKey } from "../../../server/dns/wire/tsig.ts";
import { typeName, types } from "../../../server/dns/zone-file/type-names.ts";
import { linesOf, transfer } from "../../support/name-servers/transfer-client.ts";
import { exchangeByTcp, prerequisite, update, type Answered } from "../../support/name-servers/update-client.ts";
import { isBusyRcode, untilDone } from "../../support/patience.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { newKey, newZone } from "./key-clients.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
let zone: Awaited<ReturnType<typeof newZone>>;
let aliases: Awaited<ReturnType<typeof newZone>>;

const alias = (name: string, value: string) => ({ recordType: "CNAME", name, value, ttl: 300 });

beforeAll(async () => {
  zone = await newZone(zw, "read.example");
  await zone.add(
    { recordType: "NS", name: "@", value: "ns1.example.net", ttl: 300 },
    { recordType: "A", name: "www", value: "192.0.2.1", ttl: 300 },
    { recordType: "A", name: "www", value: "192.0.2.2", ttl: 300 },
    { recordType: "TXT", name: "www", value: 'a "quoted" text', ttl: 300 },
    { recordType: "CNAME", name: "alias", value: "www.read.example", ttl: 300 },
    { recordType: "MX", name: "@", value: "10 mail.read.example", ttl: 300 },
    { recordType: "A", name: "a.deep", value: "192.0.2.3", ttl: 300 },
  );
  aliases = await newZone(zw, "alias.example");
  await aliases.add(
    { recordType: "A", name: "www", value: "192.0.2.1", ttl: 300 },
    { recordType: "A", name: "www", value: "192.0.2.2", ttl: 300 },
    { recordType: "A", name: "a.deep", value: "192.0.2.3", ttl: 300 },
    { recordType: "MX", name: "@", value: "10 mail.alias.example", ttl: 300 },
    alias("alias", "www.alias.example"),
    alias("far", "alias.alias.example"),
    alias("lost", "free.alias.example"),
    alias("below", "deep.alias.example"),
    alias("mail", "alias.example"),
    alias("outside", "www.example.net"),
    alias("loop-a", "loop-b.alias.example"),
    alias("loop-b", "loop-a.alias.example"),
    ...Array.from({ length: 20 }, (_, index) => alias(`chain-${index}`, `chain-${index + 1}.alias.example`)),
  );
});

/** A CNAME record of `alias.example`, as it is answered. */
const to = (owner: string, target: string) => `${owner}.alias.example 300 CNAME ${target}`;
const within = (owner: string, target: string) => to(owner, `${target}.alias.example`);
const addresses = ["www.alias.example 300 A 192.0.2.1", "www.alias.example 300 A 192.0.2.2"];

/** An answer as its RCODE, its records, and the type of the record in its authority section. */
const shown = ({ rcode, message }: Answered) => {
  const [authority] = message.authorities;
  return { rcode, lines: linesOf(message).toSorted(), authority: authority ? typeName(authority.type) : null };
};

/** What a transfer by a key has besides the SOA and the apex NS. */
async function transferred({ tsig }: { tsig: TsigKey }, name: string): Promise<string[]> {
  const { rcode, lines } = await transfer(zw.services.dnsService.ports[0] ?? 0, name, { key: tsig });
  expect(rcode).toBe(0);
  return lines.filter((line) => !/ (?:SOA|NS) /.test(line)).toSorted();
}

const soa = async () => `read.example 3600 SOA mname rname ${(await zone.revision()) + 1}`;

describe("a disabled record", () => {
  test("is not there for queries, transfers, prerequisites and updates, and no update touches it", async () => {
    const off = await newZone(zw, "off.example");
    await off.add(
      { recordType: "A", name: "www", value: "192.0.2.1", ttl: 300 },
      { recordType: "A", name: "www", value: "192.0.2.2", ttl: 900, status: "disabled" },
      { recordType: "CNAME", name: "spare", value: "www.off.example", ttl: 300, status: "disabled" },
      { recordType: "A", name: "a.deep", value: "192.0.2.3", ttl: 300, status: "disabled" },
    );
    expect(shown(await off.client.query("www", "A")).lines).toEqual(["www.off.example 300 A 192.0.2.1"]);
    for (const name of ["spare", "a.deep", "deep"]) expect((await off.client.query(name, "A")).rcode).toBe(3);
    const { lines } = await transfer(zw.services.dnsService.ports[0] ?? 0, "off.example", { key: off.key.tsig });
    expect(lines.filter((line) => !/ (?:SOA|NS) /.test(line))).toEqual(["www.off.example 300 A 192.0.2.1"]);

    const add = [update.add("spare", "A", "192.0.2.9"), update.deleteRrset("www", "A"), update.deleteName("a.deep")];
    expect(await off.client.update(add, [prerequisite.nameUnused("spare")])).toBe(0);
    expect(await off.lines()).toEqual([
      "a.deep 300 A 192.0.2.3",
      "spare 300 A 192.0.2.9",
      "spare 300 CNAME www.off.example",
      "www 900 A 192.0.2.2",
    ]);
  });
});

describe("a record that no DNS message can hold", () => {
  test("an alias of a vendor is left out of a transfer, and all other records are there", async () => {
    const { body: config } = await zw.admin.post("/api/provider-configs", { kind: "manual", name: "Elsewhere" });
    const vendor = await newZone(zw, "vendor.example", { providerConfigId: config.id });
    await vendor.add(
      { recordType: "ALIAS", name: "@", value: "lb.example.net", ttl: 300 },
      { recordType: "ALIAS", name: "shop", value: "lb.example.net", ttl: 300 },
      { recordType: "TXT", name: "shop", value: "open", ttl: 300 },
      { recordType: "A", name: "www", value: "192.0.2.1", ttl: 300 },
    );
    expect(await transferred(vendor.key, "vendor.example")).toEqual([
      "shop.vendor.example 300 TXT open",
      "www.vendor.example 300 A 192.0.2.1",
    ]);
    expect(shown(await vendor.client.query("shop", "ANY")).lines).toEqual(["shop.vendor.example 300 TXT open"]);
    const { body } = await zw.admin.get(`/api/auth/me/tsig-keys`);
    const { lastError } = body.keys.find(({ id }: { id: string }) => id === vendor.key.id);
    expect(lastError).toBeNull();
  });

  test("a malformed record that a provider has is left out of transfers and answers", async () => {
    const long = Array.from({ length: 254 }, () => `"${"x".repeat(255)}"`).join(" ");
    const text = [
      "@ SOA ns1.example.net. dns.example.net. 1 3600 900 1209600 300",
      "@ NS ns1.example.net.",
      "bad DS 1 8 2 zz",
      "bad A 192.0.2.1",
      "bad LOC here and there",
      `long TXT ${long}`,
      "only DS 1 8 2 zz",
      "www A 192.0.2.2",
    ];
    await mkdir(join(zw.dataDir, "zones"), { recursive: true });
    const file = join(zw.dataDir, "zones", "malformed.example.zone");
    await writeFile(file, `$ORIGIN malformed.example.\n$TTL 300\n${text.join("\n")}\n`);
    const malformed = await newZone(zw, "malformed.example");
    expect(await malformed.lines()).toHaveLength(text.length - 1);
    expect(await transferred(malformed.key, "malformed.example")).toEqual([
      "bad.malformed.example 300 A 192.0.2.1",
      "www.malformed.example 300 A 192.0.2.2",
    ]);
    const at = async (name: string) => {
      const { rcode, lines } = shown(await malformed.client.query(name, "ANY"));
      return [rcode, ...lines];
    };
    expect(await at("bad")).toEqual([0, "bad.malformed.example 300 A 192.0.2.1"]);
    expect(await at("long")).toEqual([3]);
    expect(await at("only")).toEqual([3]);
  });
});

describe("a signed query", () => {
  test.each([
    ["www", "A", 0, ["www.read.example 300 A 192.0.2.1", "www.read.example 300 A 192.0.2.2"]],
    ["www", "TXT", 0, ['www.read.example 300 TXT a "quoted" text']],
    ["www", "AAAA", 0, []],
    ["deep", "A", 0, []],
    ["free", "A", 3, []],
    ["alias", "CNAME", 0, ["alias.read.example 300 CNAME www.read.example"]],
    ["alias", "ANY", 0, ["alias.read.example 300 CNAME www.read.example"]],
    ["@", "MX", 0, ["read.example 300 MX 10 mail.read.example"]],
    ["@", "NS", 0, ["read.example 300 NS ns1.example.net"]],
  ])("a signed query for %s %s is answered from the stored zone", async (name, type, rcode, lines) => {
    const authority = lines.length === 0 ? "SOA" : null;
    const answer = await zone.client.query(name, type);
    expect(answer.message.authoritative).toBe(true);
    expect(shown(answer)).toEqual({ rcode, lines, authority });
  });

  test.each([
    [0, 1],
    [types.OPT, 1],
    [types.TSIG, 1],
    [249, 4],
    [253, 4],
    [254, 4],
  ])(
    "a signed query of type %i, which no record has, is answered RCODE %i, not that there is no such record",
    async (type, rcode) => {
      const { rcode: answered, message } = await zone.client.send(typeQueryMessage(1, "www.read.example", type));
      expect(answered).toBe(rcode);
      expect(message.authorities).toEqual([]);
    },
  );

  test.each([
    ["alias", "A", 0, [within("alias", "www"), ...addresses], null],
    ["alias", "AAAA", 0, [within("alias", "www")], "SOA"],
    ["far", "A", 0, [within("far", "alias"), within("alias", "www"), ...addresses], null],
    ["lost", "A", 3, [within("lost", "free")], "SOA"],
    ["below", "A", 0, [within("below", "deep")], "SOA"],
    ["mail", "MX", 0, [to("mail", "alias.example"), "alias.example 300 MX 10 mail.alias.example"], null],
    ["outside", "A", 0, [to("outside", "www.example.net")], null],
    ["loop-a", "A", 0, [within("loop-a", "loop-b"), within("loop-b", "loop-a")], null],
    ["chain-0", "A", 0, Array.from({ length: 16 }, (_, index) => within(`chain-${index}`, `chain-${index + 1}`)), null],
  ])("a signed query for %s %s follows CNAME records within the zone", async (name, type, rcode, lines, authority) => {
    const answer = await aliases.client.query(name, type);
    expect(answer.message.authoritative).toBe(true);
    expect(shown(answer)).toEqual({ rcode, lines: lines.toSorted(), authority });
  });

  test("a signed query stops at a CNAME whose target the key does not see, whether the target exists or not", async () => {
    const narrow = await newKey(zw.admin, aliases.id, { hostPattern: "far", access: "read" });
    const client = Object.assign(Object.create(aliases.client) as typeof aliases.client, { key: narrow.tsig });
    expect(shown(await client.query("far", "A"))).toEqual({
      rcode: 0,
      lines: ["far.alias.example 300 CNAME alias.alias.example"],
      authority: null,
    });
  });

  test("a signed query for any type at the apex includes the SOA", async () => {
    expect(shown(await zone.client.query("@", "ANY")).lines).toEqual(
      ["read.example 300 MX 10 mail.read.example", "read.example 300 NS ns1.example.net", await soa()].toSorted(),
    );
  });

  test("a signed query for the SOA gets it as the answer at the apex and in the authority section elsewhere, also by UDP", async () => {
    for (const protocol of ["udp", "tcp"] as const) {
      expect(shown(await zone.client.query("@", "SOA", protocol))).toEqual({
        rcode: 0,
        lines: [await soa()],
        authority: null,
      });
      expect(shown(await zone.client.query("www", "SOA", protocol))).toEqual({ rcode: 0, lines: [], authority: "SOA" });
      expect(shown(await zone.client.query("free", "SOA", protocol))).toEqual({
        rcode: 3,
        lines: [],
        authority: "SOA",
      });
    }
  });

  test("a signed query for records by UDP is truncated, so that no answer is longer than its query", async () => {
    const { rcode, message } = await zone.client.query("www", "A", "udp");
    expect([rcode, message.truncated, message.answers.length]).toEqual([0, true, 0]);
  });

  test("outside the key's zone is refused", async () => {
    const { client } = zone;
    expect((await client.send(typeQueryMessage(1, "www.other.example", 1), "tcp")).rcode).toBe(5);
    expect((await client.send(typeQueryMessage(1, "example", types.SOA), "tcp")).rcode).toBe(5);
  });
});

const add = (from: number) =>
  Array.from({ length: 900 }, (_, index) => update.add(`n${from + index}`, "A", "192.0.2.1"));

describe("a signed transfer", () => {
  test("a signed transfer has the whole zone, also if changes since a serial were requested", async () => {
    const all = [
      "a.deep.read.example 300 A 192.0.2.3",
      "alias.read.example 300 CNAME www.read.example",
      "read.example 300 MX 10 mail.read.example",
      "read.example 300 NS ns1.example.net",
      'www.read.example 300 TXT a "quoted" text',
      "www.read.example 300 A 192.0.2.1",
      "www.read.example 300 A 192.0.2.2",
    ];
    for (const since of [null, 1]) {
      const { lines } = await transfer(zone.client.port, "read.example", { key: zone.key.tsig, since });
      expect(lines.slice(1, -1).toSorted()).toEqual(all.toSorted());
      expect([lines[0], lines.at(-1)]).toEqual([await soa(), await soa()]);
    }
  });

  test("a signed transfer has only what the key may see, plus the SOA and the apex NS records", async () => {
    const narrow = await newKey(zw.admin, zone.id, { hostPattern: "www", recordTypes: ["A"], access: "read" });
    const { lines } = await transfer(zone.client.port, "read.example", { key: narrow.tsig });
    expect(lines.slice(1, -1)).toEqual([
      "read.example 300 NS ns1.example.net",
      "www.read.example 300 A 192.0.2.1",
      "www.read.example 300 A 192.0.2.2",
    ]);
  });

  test("a signed transfer and a query of a zone without name servers have the placeholder that its file has", async () => {
    const bare = await newZone(zw, "bare.example");
    const ns = "bare.example 3600 NS placeholder.invalid";
    const lines = async () => (await transfer(bare.client.port, "bare.example", { key: bare.key.tsig })).lines;
    expect((await lines()).slice(1, -1)).toEqual([ns]);
    const { body: file } = await zw.admin.get(`/api/domains/${bare.id}/zonefile`);
    expect(file).toMatch(/^@ +3600 +IN NS +placeholder\.invalid\.$/m);
    expect(shown(await bare.client.query("@", "NS"))).toEqual({ rcode: 0, lines: [ns], authority: null });
    expect(shown(await bare.client.query("@", "ANY")).lines).toContain(ns);
    await bare.add({ recordType: "NS", name: "@", value: "ns1.example.net", ttl: 300 });
    expect((await lines()).slice(1, -1)).toEqual(["bare.example 300 NS ns1.example.net"]);
    expect(shown(await bare.client.query("@", "NS")).lines).toEqual(["bare.example 300 NS ns1.example.net"]);
  });

  test("a signed transfer during changes has every record of one revision", async () => {
    const large = await newZone(zw, "large.example");
    for (const from of [0, 900, 1_800]) expect(await large.client.update(add(from), [], "tcp")).toBe(0);
    const transfers = Array.from({ length: 3 }, () =>
      transfer(large.client.port, "large.example", { key: large.key.tsig }),
    );
    const changes = Array.from({ length: 10 }, (_, index) => {
      const replaced = [update.deleteName(`n${index}`), update.add(`m${index}`, "A", "192.0.2.1")];
      return untilDone(() => large.client.update(replaced), isBusyRcode);
    });
    for (const { lines } of await Promise.all(transfers)) expect(lines).toHaveLength(2_703);
    expect(await Promise.all(changes)).toEqual(changes.map(() => 0));
  });
});

test("a key that may only update gets no records, only the SOA", async () => {
  const client = await zone.clientWith(zw.admin, { access: "update" });
  expect((await client.query("www", "A")).rcode).toBe(5);
  expect((await transfer(client.port, "read.example", { key: client.key })).rcode).toBe(5);
  expect(shown(await client.query("@", "SOA")).rcode).toBe(0);
  expect(shown(await client.query("www", "SOA"))).toEqual({ rcode: 0, lines: [], authority: "SOA" });
});

test("a key that may only read changes nothing", async () => {
  const client = await zone.clientWith(zw.admin, { access: "read" });
  const before = await zone.lines();
  expect(await client.update([update.add("x", "A", "192.0.2.1")])).toBe(5);
  expect(await zone.lines()).toEqual(before);
});

test("without a signature nothing is answered, the SOA included", async () => {
  for (const type of [types.SOA, types.AXFR, types.ANY]) {
    const answer = readMessage(await exchangeByTcp(zone.client.port, typeQueryMessage(1, "read.example", type)));
    expect(answer.rcode).toBe(5);
  }
});

test("a transfer by UDP is FORMERR (RFC 5936 §4.2)", async () => {
  expect((await zone.client.query("@", "AXFR", "udp")).rcode).toBe(1);
});
