import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serialDistance } from "../../server/dns/wire/serials.ts";
import { serialOfLine, transfer } from "../support/name-servers/transfer-client.ts";
import { useZonewright } from "../support/zonewright.ts";
import { usePrimary } from "./primary.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const primary = usePrimary(zw);

test("a zone that moves here goes on with a higher serial and the configuration's name servers, and is refused once it moves away", async () => {
  const zone = "moving.example";
  const { body: domain } = await zw.admin.post("/api/domains", { name: zone });
  const path = `/api/domains/${domain.id}`;
  await zw.admin.post(`${path}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
  const file = await readFile(join(zw.dataDir, "zones", `${zone}.zone`), "utf8");
  const [, last = ""] = /SOA\s+\S+\s+\S+\s+\(?\s*(\d+)/.exec(file) ?? [];
  expect(Number(last)).toBeGreaterThan(0);
  expect((await transfer(primary.port, zone)).rcode).toBe(5);
  const moved = await zw.admin.put(path, { providerConfigId: primary.configId });
  expect({ status: moved.status, body: moved.body }).toMatchObject({ status: 200 });
  const { lines } = await transfer(primary.port, zone);
  const serial = serialOfLine(lines[0] ?? "");
  expect(serialDistance(Number(last), serial)).toBeGreaterThan(0);
  expect(lines.slice(1, -1)).toEqual([`${zone} 3600 NS ns1.example.net`, `www.${zone} 3600 A 192.0.2.1`]);

  const manual = await zw.admin.post("/api/provider-configs", { kind: "manual", name: "Elsewhere" });
  expect((await zw.admin.put(path, { providerConfigId: manual.body.id })).status).toBe(200);
  expect((await transfer(primary.port, zone)).rcode).toBe(5);

  // Back again, its secondaries are not behind.
  expect((await zw.admin.put(path, { providerConfigId: primary.configId })).status).toBe(200);
  const [soa = ""] = (await transfer(primary.port, zone)).lines;
  expect(serialDistance(serial, serialOfLine(soa))).toBeGreaterThanOrEqual(0);
});

test.each([3_000_000_000, 4_294_967_295])(
  "a zone that moves here with the serial %i, above 2³¹, goes on after it (RFC 1982 §3.1)",
  async (last) => {
    const zone = `serial${last}.example`;
    const soa = `@ SOA ns1 hostmaster ${last} 3600 900 1209600 300`;
    await mkdir(join(zw.dataDir, "zones"), { recursive: true });
    await writeFile(
      join(zw.dataDir, "zones", `${zone}.zone`),
      `$ORIGIN ${zone}.\n$TTL 3600\n${soa}\nwww A 192.0.2.1\n`,
    );
    const { body: domain } = await zw.admin.post("/api/domains", { name: zone });
    const moved = await zw.admin.put(`/api/domains/${domain.id}`, { providerConfigId: primary.configId });
    expect({ status: moved.status, body: moved.body }).toMatchObject({ status: 200 });
    const [soaLine = ""] = (await transfer(primary.port, zone)).lines;
    const risen = serialDistance(last, serialOfLine(soaLine));
    expect(risen).toBeGreaterThan(0);
    expect(risen).toBeLessThan(10);
  },
);

test("a zone moved between primary configurations gets a higher serial and is transferred whole", async () => {
  const zone = "between.example";
  const { body: domain } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: primary.configId });
  const before = serialOfLine((await transfer(primary.port, zone)).lines[0] ?? "");
  const config = { nameServers: "ns1.example.net", contact: "other@example.net", allowTransfer: "127.0.0.1" };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Others", config });
  expect((await zw.admin.put(`/api/domains/${domain.id}`, { providerConfigId: body.id })).status).toBe(200);
  const { lines } = await transfer(primary.port, zone, { since: before });
  expect(serialDistance(before, serialOfLine(lines[0] ?? ""))).toBeGreaterThan(0);
  expect(lines.slice(1, -1)).toEqual([`${zone} 3600 NS ns1.example.net`]);
});

test("a zone that returns from a provider with a lower serial goes on after its own, so that its secondaries take it", async () => {
  const zone = "returning.example";
  const { body: domain } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: primary.configId });
  const path = `/api/domains/${domain.id}`;
  await zw.admin.post(`${path}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
  const before = serialOfLine((await transfer(primary.port, zone)).lines[0] ?? "");
  expect((await zw.admin.put(path, { providerConfigId: await fileConfig() })).status).toBe(200);
  await serveSerial(zone, 1);
  expect((await zw.admin.put(path, { providerConfigId: primary.configId })).status).toBe(200);
  const { lines } = await transfer(primary.port, zone, { since: before });
  expect(serialDistance(before, serialOfLine(lines[0] ?? ""))).toBeGreaterThan(0);
  expect(lines.slice(1, -1)).toEqual([`${zone} 3600 NS ns1.example.net`, `www.${zone} 3600 A 192.0.2.1`]);

  // A serial elsewhere that is ahead of its own: secondaries may have it from there.
  expect((await zw.admin.put(path, { providerConfigId: await fileConfig() })).status).toBe(200);
  const ahead = before + 1_000_000;
  await serveSerial(zone, ahead);
  expect((await zw.admin.put(path, { providerConfigId: primary.configId })).status).toBe(200);
  const risen = serialDistance(ahead, serialOfLine((await transfer(primary.port, zone)).lines[0] ?? ""));
  expect(risen).toBeGreaterThan(0);
  expect(risen).toBeLessThan(10);
});

test("a zone that returns as a mirror has a higher serial, so that its secondaries take another SOA", async () => {
  const zone = "mirrored-again.example";
  const { body: domain } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: primary.configId });
  const path = `/api/domains/${domain.id}`;
  const before = serialOfLine((await transfer(primary.port, zone)).lines[0] ?? "");
  const config = { nameServers: "ns2.example.net", contact: "dns@example.net", allowTransfer: "127.0.0.1" };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Mirrors", config });
  expect((await zw.admin.put(path, { providerConfigId: await fileConfig() })).status).toBe(200);
  expect((await zw.admin.post(`${path}/mirrors`, { providerConfigId: body.id })).status).toBe(200);
  const { lines } = await transfer(primary.port, zone, { since: before });
  expect(serialDistance(before, serialOfLine(lines[0] ?? ""))).toBeGreaterThan(0);
  expect(lines.length).toBeGreaterThan(1);
});

test("a zone whose domain was deleted goes on with a higher serial if it is made again, here or by a detour, so that its secondaries take it", async () => {
  const zone = "again.example";
  const made = await zw.admin.post("/api/domains", { name: zone });
  expect(made.status).toBe(201);
  // A date, later than the seconds that a new zone begins with.
  const dated = 2_026_113_001;
  await serveSerial(zone, dated);
  expect((await zw.admin.put(`/api/domains/${made.body.id}`, { providerConfigId: primary.configId })).status).toBe(200);
  const serial = async () => serialOfLine((await transfer(primary.port, zone)).lines[0] ?? "");
  let before = await serial();
  expect(serialDistance(dated, before)).toBeGreaterThan(0);
  let { id } = made.body;
  const makeAgain = async (providerConfigId: string) => {
    expect((await zw.admin.delete(`/api/domains/${id}`)).status).toBe(200);
    const { status, body } = await zw.admin.post("/api/domains", { name: zone, providerConfigId });
    expect(status).toBe(201);
    ({ id } = body);
  };
  await makeAgain(primary.configId);
  expect(serialDistance(before, await serial())).toBeGreaterThanOrEqual(1_000);
  // A difference since the serial of another life would be between other contents.
  expect(
    (await transfer(primary.port, zone, { since: before })).lines.filter((line) => line.includes(" SOA ")),
  ).toHaveLength(2);
  before = await serial();
  await makeAgain(await fileConfig());
  await serveSerial(zone, 1);
  expect((await zw.admin.put(`/api/domains/${id}`, { providerConfigId: primary.configId })).status).toBe(200);
  expect(serialDistance(before, await serial())).toBeGreaterThan(0);
});

test("a zone whose serial ran ahead of the clock goes on after it if its domain is made again", async () => {
  const zone = "raised.example";
  const create = async () =>
    (await zw.admin.post("/api/domains", { name: zone, providerConfigId: primary.configId })).body.id;
  const id = await create();
  for (let times = 0; times < 3; times++)
    expect((await zw.admin.post(`/api/domains/${id}/secondaries/raise-serial`)).status).toBe(200);
  const serial = async () => serialOfLine((await transfer(primary.port, zone)).lines[0] ?? "");
  const before = await serial();
  expect((await zw.admin.delete(`/api/domains/${id}`)).status).toBe(200);
  await create();
  expect(serialDistance(before, await serial())).toBeGreaterThan(0);
});

async function fileConfig(): Promise<string> {
  const { body } = await zw.admin.get("/api/provider-configs");
  return body.configs.find(({ kind }: { kind: string }) => kind === "zonefile").id;
}

/** Has the zone file's SOA a serial that somebody else wrote. */
async function serveSerial(zone: string, serial: number): Promise<void> {
  const file = join(zw.dataDir, "zones", `${zone}.zone`);
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/(SOA\s+\S+\s+\S+\s+\(?\s*)\d+/, `$1${serial}`));
}
