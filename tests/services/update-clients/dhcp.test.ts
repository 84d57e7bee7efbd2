import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startBind } from "../../support/name-servers/bind.ts";
import type { UpdateServer } from "../../support/name-servers/update-server.ts";
import { configurationOn } from "../../support/pages/page-configuration.ts";
import { startKea, type Kea } from "../../support/servers/kea.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";

/** A DHCP server that keeps the names of its clients (RFC 4702, RFC 4703), as docs/guide/dhcp.md shows it, against zones that BIND serves. */

const zone = "office.test";
const reverseZone = "2.0.192.in-addr.arpa";
const reverseZone6 = "8.b.d.0.1.0.0.2.ip6.arpa";
/** The keys of the page, by their zones. */
const documentedKeys = {
  [zone]: ["zw-q7m2xk4cha5de", "Zx3l0vVZ0m7Ck1Jp8c2q4mXyT6bWn9dRuEoHfGsKaLQ="],
  [reverseZone]: ["zw-3vd6rmw2kx5fa", "c2VjcmV0IG9mIHRoZSBJUHY0IHJldmVyc2Ugem9uZSE="],
  [reverseZone6]: ["zw-8hn4tqzs6wj2e", "c2VjcmV0IG9mIHRoZSBJUHY2IHJldmVyc2Ugem9uZSE="],
} as const;
const patience = { timeout: 60_000, interval: 100 };
let zw: Zonewright & { stop(): Promise<void> };
let bind: UpdateServer;
let kea: Kea;
let officeId: string;

beforeAll(async () => {
  bind = await startBind(Object.keys(documentedKeys));
  zw = await startZonewright({ env: { EGRESS_ALLOW: "127.0.0.1", DNS_LISTEN: "127.0.0.1:0" } });
  const wish = { kind: "rfc2136", name: "BIND", config: bind.config };
  const { body: config } = await zw.admin.post("/api/provider-configs", wish);
  const [port = 0] = zw.services.dnsService.ports;
  const values: Record<string, string> = {
    "office.example.com": zone,
    '"192.0.2.53", "port": 5353': `"127.0.0.1", "port": ${port}`,
  };
  for (const [name, [keyName, secret]] of Object.entries(documentedKeys)) {
    const { body } = await zw.admin.post("/api/domains", { name, providerConfigId: config.id });
    if (name === zone) officeId = body.id;
    const key = await keyFor({ domainId: body.id, ...(name === zone ? { hostPattern: "*.dhcp" } : {}) });
    Object.assign(values, { [keyName]: key.name, [secret]: key.secret });
  }
  kea = await startKea(await configurationOn("docs/guide/dhcp.md", "DhcpDdns", values));
});
afterAll(async () => {
  await kea.stop();
  await zw.stop();
  await bind.stop();
});

async function keyFor(wish: object) {
  const { status, body } = await zw.admin.post("/api/auth/me/tsig-keys", wish);
  expect({ status, body }).toMatchObject({ status: 201 });
  return { name: body.keyName, secret: body.secret };
}

const served = async (name: string, type: string) => (await bind.lookUp(name, type)).map(({ rdata }) => rdata);

async function refusals(): Promise<(string | null)[]> {
  const { body } = await zw.admin.get("/api/auth/me/tsig-keys");
  return body.keys.map(({ lastError }: { lastError: string | null }) => lastError);
}

test.each([
  ["IPv4", "A", "laptop", "192.0.2.77", `77.${reverseZone}`],
  ["IPv6", "AAAA", "desk", "2001:db8::77", `7.7.${"0.".repeat(22)}${reverseZone6}`],
])(
  "Kea adds the forward and the reverse name of a lease of %s, each with a key for its zone, and deletes both when it ends",
  async (_family, type, label, address, reverseName) => {
    const host = `${label}.dhcp.${zone}`;
    const names = async () => [await served(host, type), await served(host, "DHCID"), await served(reverseName, "PTR")];
    await kea.lease("begins", host, address);
    const begun = [[address], [expect.any(String)], [`${host}.`]];
    await vi.waitFor(async () => expect(await names()).toEqual(begun), patience);
    await kea.lease("ends", host, address);
    await vi.waitFor(async () => expect(await names()).toEqual([[], [], []]), patience);
    expect(await refusals()).toEqual([null, null, null]);
  },
);

test("Kea never takes a name that a person gave to another host", async () => {
  const printer = { recordType: "A", name: "printer.dhcp", value: "192.0.2.20" };
  expect((await zw.admin.post(`/api/domains/${officeId}/records`, printer)).status).toBe(201);
  await kea.lease("begins", `printer.dhcp.${zone}`, "192.0.2.78");
  await vi.waitFor(() => expect(kea.output()).toMatch(/DHCP_DDNS_ADD_FAILED[^]*printer\.dhcp/), patience);
  expect(await served(`printer.dhcp.${zone}`, "A")).toEqual(["192.0.2.20"]);
  expect(await served(`78.${reverseZone}`, "PTR")).toEqual([]);
});
