import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { incrementalQueryMessage, queryMessage, readMessage, updateMessage } from "../../server/dns/wire/messages.ts";
import { signRequest, type TsigKey } from "../../server/dns/wire/tsig.ts";
import { ask, askByStream } from "../support/name-servers/transfer-client.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0", JOBS: "off" } });
const key: TsigKey = { name: "xfr", algorithm: "hmac-sha256", secret: Buffer.from("secret of the key") };
const zone = "away.example";
const signed = (message: Buffer, by = key) => signRequest(message, by, Math.floor(Date.now() / 1_000)).message;
let port = 0;

beforeAll(async () => {
  [port = 0] = zw.services.dnsService.ports;
  const config = {
    nameServers: "ns1.example.net",
    contact: "dns@example.net",
    tsigKeys: `xfr:hmac-sha256:${key.secret.toString("base64")}`,
  };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Away", config });
  await zw.admin.post("/api/domains", { name: zone, providerConfigId: body.id });
});
afterEach(() => vi.restoreAllMocks());

const rcodeOf = (answer: Buffer | null) => answer && readMessage(answer).rcode;

test.each([
  ["a signed AXFR", () => signed(queryMessage(7, zone, "AXFR"))],
  ["a signed IXFR", () => signed(incrementalQueryMessage(7, zone, 1))],
  ["a signed query for the SOA", () => signed(queryMessage(7, zone, "SOA"))],
  ["an update with a key", () => signed(updateMessage(7, zone, [], []), { ...key, name: "k.user" })],
])("while the database is away, %s is answered SERVFAIL, not that its key is unknown", async (_, message) => {
  expect(rcodeOf(await ask(port, signed(queryMessage(7, zone, "SOA"))))).toBe(0);
  vi.spyOn(zw.services.database, "fork").mockImplementation(() => {
    throw new Error("The database is away.");
  });
  zw.services.dnsService.refresh();
  expect(rcodeOf(await askByStream(port, message()))).toBe(2);
});
