import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient, type Client } from "../../client-sdk/src/index.ts";
import { failure } from "../client-sdk/failure.ts";
import { startNsd, type Authoritative } from "../support/name-servers/authoritative.ts";
import { startBind } from "../support/name-servers/bind.ts";
import type { UpdateServer } from "../support/name-servers/update-server.ts";
import { startZonewright, type Zonewright } from "../support/zonewright.ts";
import { narrowedToken } from "../dns-service/update-clients/narrowed.ts";

/** Waits for real name servers: BIND has every change at once, and NSD, which serves a copy of one zone, none. */

const [zone, copied] = ["alone.lab", "copied.lab"];
const addresses = { root: "127.61.0.1", bind: "127.0.0.1", nsd: "127.61.0.4" };
const value = "LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0";
let bind: UpdateServer;
const others: Authoritative[] = [];
let zw: Zonewright & { stop(): Promise<void> };
let client: Client;

const servers = (name: string) => [
  `${name}. NS ns1.${name}.`,
  `ns1.${name}. A ${addresses.bind}`,
  ...(name === copied ? [`${name}. NS ns2.${name}.`, `ns2.${name}. A ${addresses.nsd}`] : []),
];
const content = (name: string) =>
  [`$TTL 300`, `${name}. SOA ns1.${name}. hostmaster.${name}. 1 3600 600 86400 300`, ...servers(name), ""].join("\n");

beforeAll(async () => {
  bind = await startBind([zone, copied], { contentOf: content });
  const root = ["$TTL 300", ". SOA a.root. h.root. 1 1 1 1 1", ". NS a.root.", `a.root. A ${addresses.root}`];
  const zones = new Map([[".", [...root, ...servers(zone), ...servers(copied), ""].join("\n")]]);
  others.push(
    await startNsd({ address: addresses.root, port: bind.port, zones }),
    await startNsd({ address: addresses.nsd, port: bind.port, zones: new Map([[copied, content(copied)]]) }),
  );
  zw = await startZonewright({
    env: { RESOLVER_ROOTS: `${addresses.root}:${bind.port}`, EGRESS_ALLOW: "127.0.0.0/8" },
  });
  const wish = { kind: "rfc2136", name: "BIND", config: bind.config };
  const { body: config } = await zw.admin.post("/api/provider-configs", wish);
  for (const name of [zone, copied]) {
    const { status, body } = await zw.admin.post("/api/domains", { name, providerConfigId: config.id });
    if (status !== 201) throw new Error(`${name} was not added: ${JSON.stringify(body)}`);
  }
  const permissions = ["records:read", "records:write"];
  const narrowing = { permissions, hostPattern: "_acme-challenge*", recordTypes: ["TXT"] };
  client = createClient({ url: zw.url, token: await narrowedToken(zw.admin, narrowing) });
});
afterAll(async () => {
  await zw.stop();
  await Promise.all(others.map((server) => server.stop()));
  await bind.stop();
});

test("a challenge is published, waited for and cleaned up with a token for challenges alone", async () => {
  const challenge = { fqdn: `_acme-challenge.www.${zone}`, value };
  const { domainId: id, name } = await client.acme.present.mutate(challenge);
  const record = { id, name, recordType: "TXT" as const, values: [value] };
  expect(await client.waitUntilServed(record)).toMatchObject({
    served: true,
    servers: [{ name: `ns1.${zone}`, address: addresses.bind, state: "current" }],
  });
  expect((await bind.lookUp(`_acme-challenge.www.${zone}`, "TXT")).map(({ rdata }) => rdata)).toEqual([`"${value}"`]);
  await client.acme.cleanup.mutate(challenge);
  expect((await client.waitUntilServed({ ...record, absent: true })).served).toBe(true);
});

test("a name server that does not get the change is named when the wait ends", async () => {
  const { domainId: id, name } = await client.acme.present.mutate({ fqdn: `_acme-challenge.${copied}`, value });
  const wait = client.waitUntilServed({ id, name, recordType: "TXT", values: [value] }, { timeoutSeconds: 5 });
  expect(await failure(wait)).toMatchObject({
    code: "TIMEOUT",
    message: `Not served after 5 seconds by ns2.${copied} (${addresses.nsd}): It has no TXT records there.`,
  });
});
