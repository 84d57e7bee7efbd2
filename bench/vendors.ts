import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RestClient } from "../tests/support/rest-client.ts";
import { createDatabase, startPostgres } from "../tests/support/servers/postgres.ts";
import type { LoopbackVendor } from "../tests/support/vendors/loopback-vendor.ts";
import { startRecordVendor } from "../tests/support/vendors/records/server.ts";
import { vultr } from "../tests/support/vendors/records/vultr.ts";
import { gandi } from "../tests/support/vendors/rrsets/gandi.ts";
import { gcloud } from "../tests/support/vendors/rrsets/gcloud.ts";
import { startRrsetVendor } from "../tests/support/vendors/rrsets/server.ts";
import { signIn } from "./support/environment.ts";
import { underLimit, type Figure } from "./support/report.ts";
import { startWatched } from "./support/watched-process.ts";

const zones = Number(process.env["ZONES"] ?? 1_000);
/** The most megabytes of the service's heap that survive a collection; Node's own limit if left out. */
const heap = process.env["HEAP"];
const recordsOfZone = 50;
const changes = 100;
/** How often the console asks how far an import is. */
const pollMilliseconds = 400;
const latency = 100;
/** Zones that an import reads at once. */
const atOnce = 4;
/** The share of a quota that an import may use; the rest is left to people. */
const importShare = 0.8;
const mostMegabytes = 300;
const mostRatio = 1.2;
/** Of `/proc/<pid>/stat`. */
const ticksOfSecond = 100;
const password = "correct horse battery staple";

/** A simulated account. */
interface Account {
  base: string;
  kind: string;
  vendor: LoopbackVendor;
  config: Record<string, string>;
  /** The vendor's own address, where its quota applies; undefined for one without a quota. */
  address?: string;
  /** The quota of the kind. */
  quota?: { calls: number; seconds: number };
}

const hosts = Array.from({ length: recordsOfZone - 2 }, (_, index) => `h${index}`);
const names = Array.from({ length: zones }, (_, index) => `zone${index}.example`);

/** Returns one account for each base whose API is a vendor's, with all zones. */
async function startAccounts(): Promise<Account[]> {
  const [single, each, whole] = await Promise.all([
    startRecordVendor(vultr),
    startRrsetVendor(gandi),
    startRrsetVendor(gcloud),
  ]);
  for (const zone of names) {
    single.store.addZone(zone);
    for (const host of ["@", "mail", ...hosts])
      single.store.add(zone, { type: "A", name: host === "@" ? "" : host, ttl: 300, fields: { data: "192.0.2.1" } });
    for (const { store } of [each, whole]) {
      store.addZone(zone);
      store.write(
        zone,
        hosts.map((name) => ({ name, type: "A", ttl: 300, values: ["192.0.2.1"] })),
      );
    }
  }
  return [
    {
      base: "record by record",
      kind: "vultr",
      vendor: single,
      config: { apiKey: single.config["apiKey"] ?? "" },
      address: "https://api.vultr.com",
      quota: { calls: 25, seconds: 1 },
    },
    {
      base: "RRset by RRset",
      kind: "gandi",
      vendor: each,
      config: { token: each.config["token"] ?? "" },
      address: "https://api.gandi.net",
      quota: { calls: 900, seconds: 60 },
    },
    { base: "RRsets at once", kind: "gcloud", vendor: whole, config: whole.config },
  ];
}

/** Measures reading all zones of an account, and 100 changes of one of them, at vendors 100 ms away and within their limits. */
export async function measureVendors(): Promise<Figure[]> {
  const postgres = await startPostgres();
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-vendors-"));
  const accounts = await startAccounts();
  const leading = accounts.flatMap(({ address, vendor }) => (address === undefined ? [] : [[address, vendor.url]]));
  const figures: Figure[] = [];
  try {
    for (const account of accounts) {
      const service = await startWatched("vendor-service.ts", {
        STAND_INS: JSON.stringify(Object.fromEntries(leading)),
        LATENCY: String(latency),
        ...(heap === undefined ? {} : { NODE_OPTIONS: `--max-old-space-size=${heap}` }),
        DATABASE_URL: await createDatabase(postgres.url, `zonewright_${account.kind}`),
        DATA_DIR: dataDir,
        PORT: "0",
        ADMIN_PASSWORD: password,
        RATE_LIMIT: "off",
        RATE_LIMIT_COSTLY: "off",
        LOG_LEVEL: "warn",
        NODE_ENV: "production",
        DRIFT_CHECK: "off",
        RDAP_BOOTSTRAP_URL: "http://127.0.0.1:9/dns.json",
        WHOIS_SERVER: "127.0.0.1:9",
        RESOLVER_ROOTS: "off",
      });
      try {
        const client = new RestClient(service.url);
        const { pid } = service.child;
        figures.push(await measureReading(client, account, pid), await measureChanges(client, account));
        const status = await readFile(`/proc/${pid}/status`, "utf8");
        const megabytes = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024;
        figures.push(
          underLimit(`${account.base}: peak memory`, `${megabytes.toFixed(0)} MB`, {
            value: megabytes,
            most: mostMegabytes,
            unit: "MB",
          }),
        );
      } finally {
        service.child.kill("SIGTERM");
        if (service.child.exitCode === null) await once(service.child, "exit");
      }
    }
    return figures;
  } finally {
    await Promise.all(accounts.map(({ vendor }) => vendor.stop()));
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The seconds in which so many calls can be made: within a quota, and with so many at once that take the latency each. */
function allowedSeconds({ quota }: Account, calls: number, share: number): number {
  const together = (calls * latency) / 1_000 / atOnce;
  if (!quota) return together;
  const most = Math.floor(quota.calls * share);
  const periods = Math.floor((calls - 1) / most);
  return Math.max(together, periods * quota.seconds + ((calls - periods * most) * latency) / 1_000 / atOnce);
}

/** Processor time of a process so far, in seconds. */
async function processorSeconds(pid = 0): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksOfSecond;
}

async function measureReading(client: RestClient, account: Account, pid: number | undefined): Promise<Figure> {
  await signIn({ client, password });
  const { kind, base, config, vendor } = account;
  const { body } = await client.post("/api/provider-configs", { kind, name: kind, config });
  const path = `/api/provider-configs/${body.id}/import`;
  vendor.calls.length = 0;
  const before = await processorSeconds(pid);
  const start = performance.now();
  await client.post(path, { all: true });
  for (let progress = { finishedAt: null, done: 0 }; progress.finishedAt === null;) {
    await sleep(pollMilliseconds);
    if (performance.now() - start > 600_000) await signIn({ client, password });
    const answer = await client.get(path);
    if (answer.status === 401) await signIn({ client, password });
    else progress = answer.body;
  }
  const seconds = (performance.now() - start) / 1_000;
  const busy = (await processorSeconds(pid)) - before;
  const failed = (await client.get(path)).body.results.filter(({ state }: { state: string }) => state !== "done");
  if (failed.length > 0) throw new Error(`an import failed: ${JSON.stringify(failed[0])}`);
  const allowed = allowedSeconds(account, vendor.calls.length, importShare);
  return {
    what: `${base} (${kind}): ${zones} zones of ${recordsOfZone} records read, ${latency} ms away`,
    measured: `${seconds.toFixed(1)} s, ${busy.toFixed(1)} s of one core, ${vendor.calls.length} calls`,
    baseline: `${allowed.toFixed(1)} s, what the limits allow an import for as many calls`,
    ratio: seconds / allowed,
    // Without a quota there is no limit to compare with.
    goal: account.quota ? { most: mostRatio } : null,
  };
}

async function measureChanges(client: RestClient, account: Account): Promise<Figure> {
  await signIn({ client, password });
  const { base, kind, vendor } = account;
  const { body: list } = await client.get("/api/domains?limit=1");
  const path = `/api/domains/${list.domains[0].id}/records`;
  const creates = Array.from({ length: changes }, (_, index) => ({
    action: "create",
    record: { recordType: "A", name: `new${index}`, value: "192.0.2.9", ttl: 300 },
  }));
  // The import has just used its share of the quota.
  await sleep((account.quota?.seconds ?? 0) * 1_000);
  vendor.calls.length = 0;
  let start = performance.now();
  const plan = await client.post(`${path}/plan`, { changes: creates });
  const planned = performance.now() - start;
  if (plan.status !== 200) throw new Error(`the plan failed: ${JSON.stringify(plan.body)}`);
  start = performance.now();
  const applied = await client.post(`${path}/apply`, { changes: creates, planHash: plan.body.planHash });
  const seconds = (performance.now() - start) / 1_000;
  if (applied.status !== 200) throw new Error(`the changes failed: ${JSON.stringify(applied.body)}`);
  const allowed = allowedSeconds(account, vendor.calls.length, 1);
  return {
    what: `${base} (${kind}): ${changes} records created in one of these zones`,
    measured: `planned in ${planned.toFixed(0)} ms, applied in ${seconds.toFixed(2)} s, ${vendor.calls.length} calls`,
    baseline: `${allowed.toFixed(2)} s, what quota and distance allow for as many calls`,
    ratio: seconds / allowed,
    goal: null,
  };
}
