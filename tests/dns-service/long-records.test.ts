import { expect, test } from "vitest";
import type { TsigKey } from "../../server/dns/wire/tsig.ts";
import { serialOfLine, transfer } from "../support/name-servers/transfer-client.ts";
import { useZonewright } from "../support/zonewright.ts";
import { fileZone } from "../support/zones.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const longest = `${"a.".repeat(120)}key`;
const key: TsigKey = { name: longest, algorithm: "hmac-sha512", secret: Buffer.from("secret of the key") };

async function configure(name: string, access: object): Promise<string> {
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", ...access };
  const { status, body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name, config });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

const lineOf = (octets: number) => `n${octets} 300 IN TYPE65400 \\# ${octets} ${"00".repeat(octets)}\n`;

test("a record that leaves no room in a message is refused, and the longest is transferred, whole and as a difference (RFC 1035 §4.2.2)", async () => {
  const providerConfigId = await configure("Long", {
    tsigKeys: `${longest}:hmac-sha512:${key.secret.toString("base64")}`,
  });
  const { body } = await zw.admin.post("/api/domains", { name: "long.example", providerConfigId });
  const merge = async (octets: number) =>
    await zw.admin.post(`/api/domains/${body.id}/zonefile`, { zonefile: lineOf(octets) });
  const [port = 0] = zw.services.dnsService.ports;
  const since = serialOfLine((await transfer(port, "long.example", { key })).lines[0] ?? "");
  expect((await merge(65_400)).body.message).toContain("at most 64000 octets");
  expect((await merge(64_000)).status).toBe(200);
  expect((await transfer(port, "long.example", { key })).lines).toHaveLength(4);
  expect((await transfer(port, "long.example", { key, since })).lines).toHaveLength(5);
});

test("a mirror from which secondaries transfer leaves out a record that leaves no room in a message", async () => {
  const zone = await fileZone(zw);
  const providerConfigId = await configure("Mirror", { allowTransfer: "127.0.0.1" });
  expect((await zone.post("/mirrors", { providerConfigId })).status).toBe(200);
  expect((await zone.post("/zonefile", { zonefile: lineOf(65_400) + lineOf(100) })).status).toBe(200);
  const [port = 0] = zw.services.dnsService.ports;
  const { lines } = await transfer(port, zone.name);
  expect(lines.filter((line) => line.startsWith("n"))).toHaveLength(1);
});
