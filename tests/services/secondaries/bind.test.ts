import { afterAll, beforeAll, expect, test } from "vitest";
import { untilServed, type Secondary } from "../../support/name-servers/secondary.ts";
import { startBindSecondary } from "../../support/name-servers/secondary-bind.ts";
import { freshKey } from "../../support/name-servers/update-server.ts";
import { freePorts } from "../../support/programs.ts";
import { asPresented, recordLines } from "../../support/records/presentation.ts";
import { onceStarted, startZonewright, type Zonewright } from "../../support/zonewright.ts";

const key = freshKey();
let running: (Zonewright & { stop(): Promise<void> }) | undefined;
let bind: Secondary;
let unsigned: Secondary;
let ports: number[];
const zw = onceStarted(() => running);

beforeAll(async () => {
  ports = await freePorts(3);
  const [dnsPort = 0, bindPort = 0, unsignedPort = 0] = ports;
  running = await startZonewright({ env: { DNS_LISTEN: `127.0.0.1:${dnsPort}` } });
  bind = await startBindSecondary({ primaryPort: dnsPort, port: bindPort, key, zones: ["signed.test"] });
  unsigned = await startBindSecondary({ primaryPort: dnsPort, port: unsignedPort, key: null, zones: ["plain.test"] });
});

afterAll(async () => {
  await bind?.remove();
  await unsigned?.remove();
  await running?.stop();
});

async function configure(name: string, config: object): Promise<string> {
  const fields = { nameServers: "ns1.example.net, ns2.example.net", contact: "hostmaster@example.net" };
  const { status, body } = await zw.admin.post("/api/provider-configs", {
    kind: "primary",
    name,
    config: { ...fields, ...config },
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

async function apiLines(zone: string, id: string): Promise<string[]> {
  const { body } = await zw.admin.get(`/api/domains/${id}/records?limit=200`);
  return recordLines(asPresented(zone, body.records));
}

test.each([
  ["signed with TSIG", "signed.test"],
  ["by address alone", "plain.test"],
])(
  "BIND as a secondary, %s, serves the API's records after each change, and gets differences by IXFR",
  async (_, zone) => {
    const [secondary, port] = zone === "signed.test" ? [bind, ports[1]] : [unsigned, ports[2]];
    const keys = zone === "signed.test" ? { tsigKeys: `${key.name}:${key.algorithm}:${key.secret}` } : {};
    const configId = await configure(zone, { notify: `127.0.0.1:${port}`, ...keys });
    const created = await zw.admin.post("/api/domains", { name: zone, providerConfigId: configId });
    expect(created).toMatchObject({ status: 201 });
    const { id } = created.body;
    await untilServed(secondary, zone, await apiLines(zone, id));
    for (let index = 0; index < 5; index++) {
      const { status, body } = await zw.admin.post(`/api/domains/${id}/records`, {
        recordType: "A",
        name: `host${index}`,
        value: `192.0.2.${index}`,
      });
      expect({ status, body }).toMatchObject({ status: 201 });
      await untilServed(secondary, zone, await apiLines(zone, id));
      const report = await zw.admin.get(`/api/domains/${id}/secondaries`);
      expect(report.body.secondaries).toMatchObject([{ inSync: true, lastTransferKind: "ixfr" }]);
    }
  },
);
