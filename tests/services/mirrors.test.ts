import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startBind } from "../support/name-servers/bind.ts";
import { startPowerdns, type PowerdnsServer } from "../support/name-servers/powerdns-api.ts";
import type { Secondary } from "../support/name-servers/secondary.ts";
import { startNsdSecondary } from "../support/name-servers/secondary-nsd.ts";
import type { UpdateServer } from "../support/name-servers/update-server.ts";
import { freePorts } from "../support/programs.ts";
import { asPresented, recordLines, type PresentedRecord } from "../support/records/presentation.ts";
import type { Answer } from "../support/rest-client.ts";
import { startCloudflare, type CloudflareServer } from "../support/vendors/cloudflare/server.ts";
import type { VendorFault } from "../support/vendors/loopback-vendor.ts";
import { failure, startRoute53, type Route53Server } from "../support/vendors/route53/server.ts";
import { startZonewright, type Zonewright } from "../support/zonewright.ts";
import type { Body } from "../support/zones.ts";
import { startFaultyProxy, type FaultyProxy } from "./failure/faulty-proxy.ts";
import { powerdnsWire } from "./failure/wire-requests.ts";

const zone = "mirrored.test";
let zw: Zonewright & { stop(): Promise<void> };
let bind: UpdateServer;
let powerdns: PowerdnsServer;
/** Between Zonewright and PowerDNS. */
let proxy: FaultyProxy;
let cloudflare: CloudflareServer;
let route53: Route53Server;
let hostedZone: string;
let nsd: Secondary;
let path: string;
const configs: Record<string, string> = {};

beforeAll(async () => {
  [bind, powerdns, cloudflare, route53] = await Promise.all([
    startBind([zone]),
    startPowerdns(),
    startCloudflare(),
    startRoute53(),
  ]);
  proxy = await startFaultyProxy(Number(new URL(powerdns.url).port), powerdnsWire);
  const [dnsPort = 0, nsdPort = 0] = await freePorts(2);
  zw = await startZonewright({ env: { EGRESS_ALLOW: "127.0.0.1", DNS_LISTEN: `127.0.0.1:${dnsPort}` } });
  nsd = await startNsdSecondary({ primaryPort: dnsPort, port: nsdPort, key: null, zones: [zone] });
  const kinds: Record<string, [kind: string, config: object]> = {
    main: ["rfc2136", bind.config],
    powerdns: ["powerdns", { url: `http://127.0.0.1:${proxy.port}`, apiKey: powerdns.apiKey }],
    files: ["zonefile", { folder: "mirrored" }],
    cloudflare: [
      "cloudflare",
      { apiToken: cloudflare.token, accountId: cloudflare.accountId, endpoint: cloudflare.url },
    ],
    secondaries: [
      "primary",
      { nameServers: "ns1.example.net", contact: "dns@example.net", notify: `127.0.0.1:${nsdPort}` },
    ],
    route53: [
      "route53",
      { accessKeyId: route53.accessKeyId, secretAccessKey: route53.secretAccessKey, endpoint: route53.url },
    ],
  };
  for (const [name, [kind, config]] of Object.entries(kinds)) {
    const { body } = await zw.admin.post("/api/provider-configs", { kind, name, config });
    configs[name] = body.id;
  }
  cloudflare.addZone(zone, "enterprise");
  hostedZone = route53.addZone(zone);
  const { body } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: configs["main"] });
  path = `/api/domains/${body.id}`;
}, 60_000);
afterAll(async () => {
  await zw.stop();
  await proxy.stop();
  await Promise.all([bind, powerdns, cloudflare, route53].map((server) => server.stop()));
  await nsd.remove();
});

/** Pseudo-random numbers that a failure can be repeated with. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function must(call: Promise<Answer>, statuses: readonly number[]): Promise<void> {
  const { status, body } = await call;
  if (!statuses.includes(status)) throw new Error(`Answered ${status}: ${JSON.stringify(body)}`);
}

async function allRecords(): Promise<Body[]> {
  const all: Body[] = [];
  for (let page = 1; ; page++) {
    const { body } = await zw.admin.get(`${path}/records?limit=100&page=${page}`);
    all.push(...body.records);
    if (body.records.length < 100) return all;
  }
}

/** Makes one random change of a record. */
async function change(random: (below: number) => number): Promise<void> {
  const deletable = (await allRecords()).filter(({ name }) => /^[a-z]+\d+$/.test(name));
  const one = deletable[random(Math.max(1, deletable.length))];
  if (one && random(3) === 0) {
    await must(zw.admin.delete(`${path}/records/${one.id}`), [200]);
    return;
  }
  const [recordType = "A", value = ""] = [
    ["A", `192.0.2.${random(256)}`],
    ["AAAA", `2001:db8::${1 + random(9_000)}`],
    ["TXT", `text ${random(1_000)}`],
    ["MX", `${random(50)} mail${random(9)}.example.org`],
    ["CNAME", `target${random(9)}.example.org`],
  ][random(5)] ?? ["A", "192.0.2.1"];
  // A duplicate, or another TTL beside a CNAME, is refused and changes nothing.
  const record = { recordType, name: `${recordType.toLowerCase()}${random(30)}`, value, ttl: 300 };
  await must(zw.admin.post(`${path}/records`, record), [201, 400, 409]);
}

const folderFile = () => join(zw.dataDir, "zones", "mirrored", `${zone}.zone`);
const away: VendorFault = { after: false, reply: failure(503, "ServiceUnavailable", "Try again later.") };
const route53Faults: readonly VendorFault[] = [
  away,
  { after: false, reply: failure(400, "Throttling", "Rate exceeded") },
  { after: false, reply: failure(403, "AccessDenied", "The harbour master does not like it.") },
  { after: true, reply: failure(504, "GatewayTimeout", "timed out") },
  { after: false, reply: null },
  { after: true, reply: null },
];
let edits = 0;

/** What goes wrong now and then: a vendor refuses, is away, limits calls, or does its work and says nothing. */
function disturb(random: (below: number) => number): void {
  const does = (["throttle", "fail", "failAfter", "cut", "cutAfter", "refuse"] as const)[random(6)] ?? "fail";
  cloudflare.fault(random(2) === 0 ? "GET" : "POST", does, random(2));
  route53.failNext(route53Faults[random(route53Faults.length)] ?? away);
}

/** A person changes records at one of the mirrors, past Zonewright. */
async function editThere(random: (below: number) => number): Promise<void> {
  const address = `198.51.100.${(edits += 1)}`;
  const name = `${["www", "theirs"][random(2)]}.${zone}`;
  const ways = [
    () => {
      const records = [{ content: address, disabled: false }];
      const rrset = { name: `${name}.`, type: "A", ttl: 300, changetype: "REPLACE", records };
      return powerdns.call("PATCH", `/zones/${zone}.`, { rrsets: [rrset] });
    },
    () => {
      const rrset = { name: `www.${zone}.`, type: "A", ttl: 300, changetype: "REPLACE" };
      const rrsets = [{ ...rrset, records: [{ content: "192.0.2.1", disabled: true }] }];
      return powerdns.call("PATCH", `/zones/${zone}.`, { rrsets });
    },
    () => cloudflare.addRecord(zone, { type: "A", name, content: address, ttl: 300 }),
    () => {
      const [one] = cloudflare.records(zone);
      if (one) cloudflare.removeRecord(zone, one.id);
    },
    () => route53.put(hostedZone, { name, type: "A", ttl: 300, values: [address] }),
    async () => {
      const lines = (await readFile(folderFile(), "utf8")).split("\n").filter((line) => !/^txt\d/.test(line));
      await writeFile(folderFile(), `${lines.join("\n")}\nbyhand 300 IN A ${address}\n`);
    },
  ];
  await Promise.resolve(ways[random(ways.length)]?.());
}

/** Outages of mirrors, which last until they are mended. Each returns how. */
const outages: Record<string, () => Promise<() => unknown>> = {
  "PowerDNS is down": async () => {
    await proxy.refuse();
    return () => proxy.accept();
  },
  "PowerDNS is slow": async () => {
    const struck = proxy.next({ does: "hold answer", to: "transfer" });
    return async () => (await struck).release();
  },
  "the zone file cannot be read": async () => {
    const text = await readFile(folderFile(), "utf8");
    await writeFile(folderFile(), "; broken\n( (\n");
    return () => writeFile(folderFile(), text);
  },
  "NSD is down": async () => {
    await nsd.stop();
    return () => nsd.restart();
  },
  "both vendors are away": async () => {
    for (const { failNext } of [cloudflare.vendor, route53]) failNext(away, 1_000);
    return () => undefined;
  },
};
/** What is out in each batch of changes. */
const batches = [
  ...Object.keys(outages).map((name) => [name]),
  ["PowerDNS is down", "NSD is down", "both vendors are away"],
];

const withoutApexNs = (lines: readonly string[]) =>
  lines.filter((line) => !line.startsWith(`${zone}. `) || !/ NS /.test(line));
const plain = (presented: readonly PresentedRecord[]) => withoutApexNs(recordLines(presented));

/** The records of a configuration, as Zonewright reads them from there. */
async function readThere(name: string): Promise<string[]> {
  const { provider } = await zw.services.providerConfigs.connected(zw.services.database.fork(), configs[name] ?? "");
  const read = [];
  for await (const batch of provider?.readZone(zone) ?? []) read.push(...batch);
  return plain(asPresented(zone, read));
}

/** Waits until each mirror was compared after all that was done there, and has the newest records. */
async function inSync(): Promise<void> {
  const compared = new Set<string>();
  await vi.waitFor(
    async () => {
      const { body } = await zw.admin.get(`${path}/mirrors`);
      await Promise.all(
        body.mirrors.map(async ({ id, state }: Body) => {
          if (state === "in_sync" && compared.has(id)) return;
          await zw.admin.post(`${path}/mirrors/${id}/reconcile`);
          compared.add(id);
        }),
      );
      const { body: now } = await zw.admin.get(`${path}/mirrors`);
      expect(now.mirrors.map(({ kind, state, differences }: Body) => [kind, state, differences])).toEqual([
        ["powerdns", "in_sync", 0],
        ["zonefile", "in_sync", 0],
        ["cloudflare", "in_sync", 0],
        ["route53", "in_sync", 0],
        ["primary", "in_sync", 0],
      ]);
      const { body: report } = await zw.admin.get(`${path}/secondaries`);
      expect(report.secondaries).toMatchObject([{ notified: true, inSync: true, serial: report.serial }]);
    },
    { timeout: 120_000, interval: 250 },
  );
}

/** What is served at each place, and what is to be served at all of them. */
async function everywhere(): Promise<{ served: Record<string, string[]>; wanted: Record<string, string[]> }> {
  const records = plain(asPresented(zone, (await allRecords()) as never[]));
  const served: Record<string, string[]> = {
    bind: plain(await bind.transfer(zone)),
    powerdns: plain(await powerdns.transfer(zone)),
    nsd: plain((await nsd.served(zone)).filter(({ type }) => type !== "SOA")),
  };
  for (const name of ["files", "cloudflare", "route53"]) served[name] = await readThere(name);
  return { served, wanted: Object.fromEntries(Object.keys(served).map((name) => [name, records])) };
}

test("mirrors at four kinds of providers, and NSD as a secondary of a fifth, serve the same records as BIND after 300 changes with outages, faults and edits by others at each of them", async () => {
  for (const name of ["powerdns", "files", "cloudflare", "route53", "secondaries"])
    await must(zw.admin.post(`${path}/mirrors`, { providerConfigId: configs[name] }), [200]);
  await must(zw.admin.post(`${path}/records`, { recordType: "A", name: "www", value: "192.0.2.1", ttl: 300 }), [201]);
  await inSync();
  const random = randomFrom(19);
  for (const out of batches) {
    const mending: (() => unknown)[] = [];
    for (const [name, begin] of Object.entries(outages)) if (out.includes(name)) mending.push(await begin());
    for (let index = 0; index < 50; index++) {
      if (random(10) === 0) disturb(random);
      if (random(10) === 0 && !out.includes("the zone file cannot be read")) await editThere(random);
      await change(random);
    }
    for (const { forgetFaults } of [cloudflare.vendor, route53]) forgetFaults();
    await Promise.all(mending.map((mend) => mend()));
    await inSync();
    const { served, wanted } = await everywhere();
    expect({ out, served }).toEqual({ out, served: wanted });
  }
  const { body } = await zw.admin.get(`${path}/history?limit=1`);
  expect(body.entries).toMatchObject([
    { propagation: { secondaries: 1, inSync: 1 }, mirrors: { mirrors: 5, inSync: 5, seconds: expect.any(Number) } },
  ]);
}, 600_000);

test("records that somebody changed at PowerDNS and in the folder are put back", async () => {
  const address = { name: `www.${zone}.`, type: "A", ttl: 300, changetype: "REPLACE" };
  const rrsets = [{ ...address, records: [{ content: "198.51.100.66", disabled: false }] }];
  await powerdns.call("PATCH", `/zones/${zone}.`, { rrsets });
  const text = await readFile(folderFile(), "utf8");
  await writeFile(
    folderFile(),
    text.replace(/^(www\s.*\s)192\.0\.2\.1$/m, (_, start: string) => `${start}198.51.100.66`),
  );
  expect(await readFile(folderFile(), "utf8")).toContain("198.51.100.66");
  await must(
    zw.admin.post(`${path}/records`, { recordType: "A", name: "later", value: "192.0.2.77", ttl: 300 }),
    [201],
  );
  await inSync();
  const { served, wanted } = await everywhere();
  expect(served).toEqual(wanted);
  expect(served["powerdns"]).toContain(`www.${zone}. 300 A 192.0.2.1`);
  expect(await readFile(folderFile(), "utf8")).not.toContain("198.51.100.66");
}, 120_000);
