import { beforeAll, describe, expect, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { primary, settingsOf } from "../../server/dns-providers/primary.ts";
import { soaOf as soaAt } from "../../server/dns-service/zones.ts";
import { readName } from "../../server/dns/names/wire-names.ts";
import { queryMessage, readMessage, typeQueryMessage } from "../../server/dns/wire/messages.ts";
import type { TsigKey } from "../../server/dns/wire/tsig.ts";
import { ask, linesOf, serialOfLine, transfer } from "../support/name-servers/transfer-client.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const zone = "example.com";
let id: string;
let port: number;

/** Makes a configuration of kind `primary`. @returns its id */
async function configure(name: string, config: object): Promise<string> {
  const fields = { nameServers: "ns1.example.net, ns2.example.net", contact: "dns.master@example.net" };
  const made = { kind: "primary", name, config: { ...fields, ...config } };
  const { status, body } = await zw.admin.post("/api/provider-configs", made);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

async function create(name: string, providerConfigId: string): Promise<string> {
  const { status, body } = await zw.admin.post("/api/domains", { name, providerConfigId });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

async function add(name: string, value: string): Promise<string> {
  const { status, body } = await zw.admin.post(`/api/domains/${id}/records`, { recordType: "A", name, value });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

const records = (lines: readonly string[]) => lines.filter((line) => !line.includes(" SOA "));

beforeAll(async () => {
  const [first = 0] = zw.services.dnsService.ports;
  port = first;
  id = await create(zone, await configure("by address", { allowTransfer: "127.0.0.0/8" }));
});

/** The SOA of a zone, read field by field. */
const soaOf = async (name: string) => {
  const { octets, answers } = readMessage((await ask(port, queryMessage(9, name, "SOA"))) ?? Buffer.alloc(0));
  const [record] = answers;
  const mname = readName(octets, record?.rdataStart ?? 0);
  const rname = readName(octets, mname.end);
  const numbers = [0, 1, 2, 3, 4].map((index) => octets.readUInt32BE(rname.end + 4 * index));
  return { mname: mname.name, rname: rname.name, ttl: record?.ttl, serial: numbers[0], times: numbers.slice(1) };
};

describe("whole transfers", () => {
  test("a new zone begins with the configuration's name servers and an SOA made of its fields (RFC 5936 §2.2)", async () => {
    const { lines } = await transfer(port, zone);
    expect(records(lines)).toEqual([`${zone} 3600 NS ns1.example.net`, `${zone} 3600 NS ns2.example.net`]);
    expect(lines.at(0)).toMatch(/ SOA /);
    expect(lines.at(-1)).toBe(lines.at(0));
  });

  test("a copy of a revision has that revision's serial, although the zone has a later one by the time its SOA is read", async () => {
    const em = zw.services.database.fork();
    const domain = await queries(em).selectFrom("domains").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    const settings = settingsOf(
      primary.configSchema.parse({ nameServers: "ns1.example.net", contact: "dns@example.net" }),
    );
    const services = [{ configId: domain.provider_config_id, settings }];
    const before = await soaAt(em, services, domain);
    await add("later", "192.0.2.99");
    expect((await soaAt(em, services, domain)).serial).toBe(before.serial);
    expect((await soaAt(em, services, { ...domain, revision: domain.revision + 1 })).serial).toBe(before.serial + 1);
    expect((await soaOf(zone)).serial).toBe(before.serial + 1);
  });

  test("the SOA has the first name server, the contact as a name, and times of one hour, a quarter, two weeks and five minutes by default (RFC 1035 §3.3.13)", async () => {
    const usual = await soaOf(zone);
    expect(usual).toMatchObject({ mname: "ns1.example.net", rname: "dns\\.master.example.net" });
    expect(usual.times).toEqual([3_600, 900, 1_209_600, 300]);
    const fields = { refreshSeconds: 7_200, retrySeconds: 1_800, expireSeconds: 604_800, negativeTtlSeconds: 60 };
    const config = { allowTransfer: "127.0.0.0/8", primaryName: "hidden.example.net", defaultTtl: 600, ...fields };
    const before = Math.floor(Date.now() / 1_000);
    await create("fields.example", await configure("fields", config));
    const own = await soaOf("fields.example");
    expect(own).toMatchObject({ mname: "hidden.example.net", times: [7_200, 1_800, 604_800, 60] });
    // A new zone begins at the Unix time.
    expect(own.serial).toBeGreaterThanOrEqual(before);
    expect(own.serial).toBeLessThanOrEqual(Math.floor(Date.now() / 1_000) + 1);
  });

  test("administrators change the NS records at the apex, and secondaries get them", async () => {
    const configId = await configure("apex", { allowTransfer: "127.0.0.1" });
    const apex = await create("apex.example", configId);
    const ns = { recordType: "NS", name: "@", value: "ns3.example.org" };
    expect((await zw.admin.post(`/api/domains/${apex}/records`, ns)).status).toBe(201);
    expect(records((await transfer(port, "apex.example")).lines)).toContain("apex.example 3600 NS ns3.example.org");
  });

  test("a zone that fills several messages arrives whole, in order of names", async () => {
    const many = await create("many.example", await configure("many", { allowTransfer: "127.0.0.1" }));
    const names = Array.from({ length: 600 }, (_, index) => `t${String(index).padStart(4, "0")}`);
    const zonefile = names.map((name) => `${name} 300 TXT ${"x".repeat(255)}\n`).join("");
    const { status } = await zw.admin.post(`/api/domains/${many}/zonefile`, { zonefile });
    expect(status).toBe(200);
    const { lines, messages } = await transfer(port, "many.example");
    expect(messages).toBeGreaterThan(2);
    const owners = lines.filter((line) => line.includes(" TXT ")).map((line) => line.split(" ")[0]);
    expect(owners).toEqual(names.map((name) => `${name}.many.example`));
  });
});

describe("differences", () => {
  test("changes since a serial arrive condensed: what came and went in between is left out (RFC 1995 §4)", async () => {
    const serial = serialOfLine((await transfer(port, zone)).lines[0] ?? "");
    const first = await add("a", "192.0.2.1");
    await add("b", "192.0.2.2");
    const gone = await add("c", "192.0.2.3");
    await zw.admin.put(`/api/domains/${id}/records/${first}`, { recordType: "A", name: "a", value: "192.0.2.9" });
    await zw.admin.delete(`/api/domains/${id}/records/${gone}`);
    const { lines } = await transfer(port, zone, { since: serial });
    const [soa = "", old, ...rest] = lines;
    expect(serialOfLine(old ?? "")).toBe(serial);
    expect(serialOfLine(soa)).toBe(serial + 5);
    expect(rest).toEqual([soa, `a.${zone} 3600 A 192.0.2.9`, `b.${zone} 3600 A 192.0.2.2`, soa]);
  });

  test("secondaries do not have disabled records: disabling one deletes it there, enabling it creates it", async () => {
    const record = `/api/domains/${id}/records/${await add("switched", "192.0.2.44")}`;
    const line = `switched.${zone} 3600 A 192.0.2.44`;
    const { lines: all } = await transfer(port, zone);
    expect(all).toContain(line);
    await zw.admin.put(record, { status: "disabled" });
    const less = await transfer(port, zone, { since: serialOfLine(all[0] ?? "") });
    expect(less.lines.slice(1, 3)).toEqual([all[0], line]);
    const { lines: whole } = await transfer(port, zone);
    expect(whole).not.toContain(line);
    await zw.admin.put(record, { status: "active" });
    const more = await transfer(port, zone, { since: serialOfLine(whole[0] ?? "") });
    expect(more.lines.slice(2, 4)).toEqual([more.lines[0], line]);
    await zw.admin.delete(record);
  });

  test("a secondary that is up to date gets the SOA alone", async () => {
    const serial = serialOfLine((await transfer(port, zone)).lines[0] ?? "");
    const { lines } = await transfer(port, zone, { since: serial });
    expect(lines.map(serialOfLine)).toEqual([serial]);
  });

  test.each([
    ["older than the zone", -1_000_000],
    ["newer than the zone", 1_000],
  ])("a serial that is %s leads to the whole zone", async (_, distance) => {
    const whole = await transfer(port, zone);
    const serial = serialOfLine(whole.lines[0] ?? "");
    const { lines } = await transfer(port, zone, { since: serial + distance });
    expect(lines).toEqual(whole.lines);
  });

  test("changed SOA settings raise the serial, and lead to the whole zone", async () => {
    const configId = await configure("settings", { allowTransfer: "127.0.0.1" });
    await create("settings.example", configId);
    const before = serialOfLine((await transfer(port, "settings.example")).lines[0] ?? "");
    const config = { nameServers: "ns1.example.net", contact: "dns@example.net", allowTransfer: "127.0.0.1" };
    const { status } = await zw.admin.put(`/api/provider-configs/${configId}`, { config });
    expect(status).toBe(200);
    const { lines } = await transfer(port, "settings.example", { since: before });
    expect(serialOfLine(lines[0] ?? "")).toBeGreaterThan(before);
    expect(records(lines)).toHaveLength(2);
  });
});

describe("messages by UDP", () => {
  test("the SOA is answered with authority, and the question as it was written", async () => {
    const answer = readMessage((await ask(port, queryMessage(9, "EXAMPLE.com", "SOA"))) ?? Buffer.alloc(0));
    expect(answer).toMatchObject({ id: 9, rcode: 0, isResponse: true, authoritative: true, truncated: false });
    expect(answer.octets.toString("latin1")).toContain("EXAMPLE");
    expect(linesOf(answer)).toHaveLength(1);
  });

  test("a difference by UDP is the SOA alone, so that the secondary tries TCP (RFC 1995 §2)", async () => {
    const query = typeQueryMessage(9, zone, 251);
    const answer = readMessage((await ask(port, query)) ?? Buffer.alloc(0));
    expect(answer.rcode).toBe(0);
    expect(linesOf(answer)).toHaveLength(1);
  });

  test.each([
    ["another type", typeQueryMessage(9, zone, 1)],
    ["another zone", queryMessage(9, "example.org", "SOA")],
    ["a name in the zone", queryMessage(9, `www.${zone}`, "SOA")],
  ])("%s is refused, even for secondaries", async (_, query) => {
    expect(readMessage((await ask(port, query)) ?? Buffer.alloc(0)).rcode).toBe(5);
  });
});

describe("keys", () => {
  const key: TsigKey = { name: "xfr", algorithm: "hmac-sha384", secret: Buffer.from("secret of the key") };
  beforeAll(async () => {
    const tsigKeys = `${key.name}:${key.algorithm}:${key.secret.toString("base64")}`;
    await create("keyed.example", await configure("by key", { tsigKeys }));
  });

  test("a signed request gets an answer in which every message is signed (RFC 8945 §5.3.1)", async () => {
    const { rcode, lines } = await transfer(port, "keyed.example", { key });
    expect(rcode).toBe(0);
    expect(lines).toHaveLength(4);
  });

  test.each(["hmac-sha1", "hmac-sha256", "hmac-sha384", "hmac-sha512"] as const)(
    "a transfer of many messages is signed from the first to the last with %s (RFC 8945 §5.3.1 and §6)",
    async (algorithm) => {
      const one: TsigKey = { name: algorithm, algorithm, secret: Buffer.from(`secret for ${algorithm}`) };
      const name = `${algorithm}.example`;
      const tsigKeys = `${one.name}:${algorithm}:${one.secret.toString("base64")}`;
      const path = `/api/domains/${await create(name, await configure(algorithm, { tsigKeys }))}`;
      const lines = Array.from({ length: 600 }, (_, index) => `t${index} 300 TXT ${"x".repeat(255)}\n`);
      expect((await zw.admin.post(`${path}/zonefile`, { zonefile: lines.join("") })).status).toBe(200);
      const answer = await transfer(port, name, { key: one });
      expect(answer.messages).toBeGreaterThan(2);
      expect(answer.lines).toHaveLength(604);
    },
  );

  test("a request without the key is refused", async () => {
    expect((await transfer(port, "keyed.example")).rcode).toBe(5);
  });

  test.each([
    ["another secret", { ...key, secret: Buffer.from("another") }],
    ["another name", { ...key, name: "other" }],
    ["another algorithm", { ...key, algorithm: "hmac-sha256" as const }],
  ])("a request signed with %s is answered NOTAUTH", async (_, wrong) => {
    expect((await transfer(port, "keyed.example", { key: wrong })).rcode).toBe(9);
  });
});
