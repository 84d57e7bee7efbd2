import { setTimeout as sleep } from "node:timers/promises";
import { refusal, startCloudflare, type CloudflareServer } from "../tests/support/vendors/cloudflare/server.ts";
import type { LoopbackVendor } from "../tests/support/vendors/loopback-vendor.ts";
import { failure, startRoute53, type Route53Server } from "../tests/support/vendors/route53/server.ts";
import { signIn, startEnvironment, zoneFile, type Environment } from "./support/environment.ts";
import { interleaved, timed } from "./support/measure.ts";
import type { Figure } from "./support/report.ts";

const rounds = 60;
const streams = 10;
const editsOfStream = 50;
const records = 1_000;
const zones = 1_000;
/** Zones that are made at once. */
const atOnce = 20;
const outageMilliseconds = 30_000;
const patienceMilliseconds = 600_000;

interface Vendors {
  cloudflare: CloudflareServer;
  route53: Route53Server;
  /** Configurations of both. */
  configIds: string[];
}

/** Measures edits in a zone with two mirrors beside the same edits in one without. */
export async function measureMirrors(): Promise<Figure[]> {
  return await withVendors(measureEdits);
}

/** Measures how mirrors follow after an outage of their providers. */
export async function measureMirrorOutage(): Promise<Figure[]> {
  return await withVendors(measureOutage);
}

async function withVendors(
  measure: (environment: Environment, vendors: Vendors) => Promise<Figure[]>,
): Promise<Figure[]> {
  const [cloudflare, route53] = await Promise.all([startCloudflare(), startRoute53()]);
  const environment = await startEnvironment({ EGRESS_ALLOW: "127.0.0.1" });
  try {
    const configIds = [
      await configure(environment, "cloudflare", {
        apiToken: cloudflare.token,
        accountId: cloudflare.accountId,
        endpoint: cloudflare.url,
      }),
      await configure(environment, "route53", {
        accessKeyId: route53.accessKeyId,
        secretAccessKey: route53.secretAccessKey,
        endpoint: route53.url,
      }),
    ];
    return await measure(environment, { cloudflare, route53, configIds });
  } finally {
    await environment.stop();
    await Promise.all([cloudflare.stop(), route53.stop()]);
  }
}

async function configure({ client }: Environment, kind: string, config: object): Promise<string> {
  const { status, body } = await client.post("/api/provider-configs", { kind, name: kind, config });
  if (status !== 201) throw new Error(`the configuration of ${kind} failed: ${JSON.stringify(body)}`);
  return body.id;
}

/** @returns the domain's path */
async function addZone({ client, manualConfig }: Environment, name: string, count: number): Promise<string> {
  const { status, body } = await client.post("/api/domains", { name, providerConfigId: manualConfig });
  if (status !== 201) throw new Error(`${name} failed: ${JSON.stringify(body)}`);
  const path = `/api/domains/${body.id}`;
  if (count === 0) return path;
  const lines = zoneFile(name, count).split("\n");
  const zonefile = lines.filter((line) => !/ SOA |^@ NS /.test(line)).join("\n");
  const merged = await client.post(`${path}/zonefile`, { zonefile });
  if (merged.status !== 200) throw new Error(`${name} failed: ${JSON.stringify(merged.body)}`);
  return path;
}

async function mirror(
  { client }: Environment,
  { cloudflare, route53, configIds }: Vendors,
  name: string,
  path: string,
): Promise<void> {
  cloudflare.addZone(name, "enterprise");
  route53.addZone(name);
  for (const providerConfigId of configIds) {
    const { status, body } = await client.post(`${path}/mirrors`, { providerConfigId });
    if (status !== 200) throw new Error(`a mirror of ${name} failed: ${JSON.stringify(body)}`);
  }
}

async function inSync({ client }: Environment, path: string): Promise<void> {
  const start = performance.now();
  for (;;) {
    const { body } = await client.get(`${path}/mirrors`);
    if (body.mirrors.every(({ state }: { state: string }) => state === "in_sync")) return;
    if (performance.now() - start > patienceMilliseconds) throw new Error(`not in sync: ${JSON.stringify(body)}`);
    await sleep(5);
  }
}

let host = 0;
async function edit({ client }: Environment, path: string): Promise<void> {
  const record = { recordType: "A", name: `edit${(host += 1)}`, value: "192.0.2.1", ttl: 300 };
  const { status } = await client.post(`${path}/records`, record);
  if (status !== 201) throw new Error(`the edit was answered ${status}`);
}

async function measureEdits(environment: Environment, vendors: Vendors): Promise<Figure[]> {
  const mirrored = await addZone(environment, "mirrored.example", records);
  const single = await addZone(environment, "single.example", records);
  await mirror(environment, vendors, "mirrored.example", mirrored);
  await inSync(environment, mirrored);
  const edits = await interleaved(
    rounds,
    async () => {
      const milliseconds = await timed(() => edit(environment, mirrored));
      await inSync(environment, mirrored);
      return milliseconds;
    },
    () => timed(() => edit(environment, single)),
  );
  const stream = async (path: string) => {
    for (let index = 0; index < editsOfStream; index++) await edit(environment, path);
  };
  const inStreams = await interleaved(
    streams,
    async () => {
      const milliseconds = await timed(() => stream(mirrored));
      await inSync(environment, mirrored);
      return milliseconds / editsOfStream;
    },
    async () => (await timed(() => stream(single))) / editsOfStream,
  );
  const figure = (what: string, { ours, baseline, ratio, spread }: typeof edits): Figure => ({
    what: `${what} of a zone of ${records} records with two mirrors`,
    measured: `${ours.toFixed(2)} ms`,
    baseline: `${baseline.toFixed(2)} ms, the same without mirrors`,
    ratio,
    spread,
    goal: { most: 1.1 },
  });
  return [figure("an edit", edits), figure(`each of ${editsOfStream} edits in a row`, inStreams)];
}

/** @returns the path of a new domain with two mirrors */
async function prepare(environment: Environment, vendors: Vendors, name: string): Promise<string> {
  const path = await addZone(environment, name, 0);
  await mirror(environment, vendors, name, path);
  return path;
}

async function measureOutage(environment: Environment, vendors: Vendors): Promise<Figure[]> {
  const { cloudflare, route53 } = vendors;
  const names = Array.from({ length: zones }, (_, index) => `outage${index}.example`);
  const paths: string[] = [];
  for (let from = 0; from < zones; from += atOnce) {
    await signIn(environment);
    paths.push(
      ...(await Promise.all(names.slice(from, from + atOnce).map((name) => prepare(environment, vendors, name)))),
    );
  }
  for (const path of paths) await inSync(environment, path);
  cloudflare.vendor.failNext({ after: false, reply: refusal(503, 0, "no healthy upstream") }, 20_000);
  route53.failNext({ after: false, reply: failure(503, "ServiceUnavailable", "Try again later.") }, 20_000);
  await signIn(environment);
  for (const path of paths) await edit(environment, path);
  await signIn(environment);
  await sleep(outageMilliseconds);
  const vendorsOfCalls: LoopbackVendor[] = [cloudflare.vendor, route53];
  for (const vendor of vendorsOfCalls) {
    vendor.forgetFaults();
    vendor.calls.length = 0;
  }
  const start = performance.now();
  for (const path of paths) await inSync(environment, path);
  const seconds = (performance.now() - start) / 1_000;
  const zoneIds = names.map((name) => cloudflare.zone(name).id);
  const order = cloudflare.vendor.calls
    .filter(({ method, url }) => method === "POST" && url.pathname.endsWith("/batch"))
    .map(({ url }) => zoneIds.indexOf(url.pathname.split("/").at(-3) ?? ""));
  const farthest = Math.max(...order.map((age, place) => Math.abs(age - place)));
  return [
    {
      what: `${zones} zones with two mirrors each, after an outage of ${outageMilliseconds / 1_000} s of both providers`,
      measured: `all in sync after ${seconds.toFixed(1)} s, none more than ${farthest} places from its place by age`,
      baseline: "none",
      ratio: null,
      goal: null,
    },
  ];
}
