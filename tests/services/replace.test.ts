import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startBind } from "../support/name-servers/bind.ts";
import { emptyZone, type UpdateServer } from "../support/name-servers/update-server.ts";
import { RestClient, type Answer } from "../support/rest-client.ts";
import { migratedDatabase } from "../support/servers/postgres.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";

type Body = Answer["body"];

const names = Array.from({ length: 200 }, (_, index) => `replace${index}.example`);
const base = "/api/records/replace";
const old = "192.0.2.10";
const request = { recordType: "A", value: old, newValue: "192.0.2.20" };
const resumption = { timeout: 180_000, interval: 100 };
const contentOf = (zone: string) => `${emptyZone(zone)}@ 300 IN A ${old}\nwww 300 IN A ${old}\nother IN A 192.0.2.99\n`;

let dataDir: string;
let bind: UpdateServer;
let env: Record<string, string>;
let service: ServiceProcess;
let token: string | null;
const client = () => new RestClient(service.url, token);

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-replace-"));
  bind = await startBind(names, { contentOf });
  env = {
    DATA_DIR: dataDir,
    DATABASE_URL: await migratedDatabase("zonewright_replace"),
  };
  service = await start();
  const admin = await service.signIn();
  token = admin.token;
  const config = await admin.post("/api/provider-configs", { kind: "rfc2136", name: "BIND", config: bind.config });
  const path = `/api/provider-configs/${config.body.id}/import`;
  await admin.post(path, { all: true });
  await vi.waitFor(async () => {
    const { body } = await admin.get(path);
    if (body.finishedAt === null) throw new Error(JSON.stringify(body));
  }, resumption);
});

afterAll(async () => {
  await service.stop("SIGKILL");
  await bind.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<ServiceProcess> {
  return await startService(env, ["changes.repair", "batches.run"]);
}

/** Kills the service with `kill -9` once a job has changed some domains, and starts it again. */
async function killedAt(jobId: string, done: number): Promise<void> {
  await vi.waitFor(
    async () => expect((await client().get(`${base}/${jobId}`)).body.progress.done).toBeGreaterThanOrEqual(done),
    { timeout: 180_000, interval: 1 },
  );
  await service.stop("SIGKILL");
  service = await start();
}

async function ended(jobId: string): Promise<Body> {
  return await vi.waitFor(async () => {
    service.runJobs();
    const { body } = await client().get(`${base}/${jobId}?limit=100`);
    if (body.finishedAt === null) throw new Error(JSON.stringify(body.progress));
    return body;
  }, resumption);
}

/** The addresses of each zone as BIND serves them, and the zone's serial, which each update raises by one. */
async function served(): Promise<string[]> {
  const zones: string[] = [];
  for (const name of names) {
    const records = await bind.transfer(name);
    const soa = records.find(({ type }) => type === "SOA");
    const addresses = records
      .filter(({ type, name: owner }) => type === "A" && !owner.startsWith("ns."))
      .map(({ name: owner, rdata }) => `${owner.replace(name, "").replace(/\.+$/, "")} ${rdata}`);
    zones.push(`${soa?.rdata.split(" ")[2]}: ${addresses.toSorted().join(", ")}`);
  }
  return [...new Set(zones)];
}

async function changeSets(kind: string): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; page <= 2; page++) {
    const { body } = await client().get(`/api/domains?limit=100&page=${page}`);
    for (const { id } of body.domains) {
      const { body: history } = await client().get(`/api/domains/${id}/history`);
      found.push(
        history.entries
          // One that was interrupted before anything was sent is in the history as failed.
          .flatMap((entry: Body) => (entry.kind === kind && entry.state !== "failed" ? [entry.state] : []))
          .join(),
      );
    }
  }
  return found;
}

let jobId: string;

test("after kill -9 in the middle, a replacement of 200 zones at BIND goes on, and each zone is changed exactly once", async () => {
  const { body: plan } = await client().post(`${base}/plan`, request);
  expect(plan.domains).toHaveLength(names.length);
  const applied = await client().post(`${base}/apply`, { ...request, planHash: plan.planHash });
  expect(applied.status).toBe(202);
  jobId = applied.body.jobId;
  await killedAt(jobId, 30);
  await killedAt(jobId, 110);
  const job = await ended(jobId);
  expect(job).toMatchObject({ state: "done", progress: { domains: 200, done: 200, failed: 0, running: 0 } });
  expect(await changeSets("replace")).toEqual(names.map(() => "applied"));
  const { newValue } = request;
  expect(await served()).toEqual([`2: ${newValue}, other 192.0.2.99, www ${newValue}`.replace(": ", ":  ")]);
});

test("after kill -9 in the middle, the revert of a replacement goes on, and each zone has its former records", async () => {
  const { body, status } = await client().post(`${base}/${jobId}/revert`);
  expect(status).toBe(202);
  await killedAt(body.jobId, 60);
  expect(await ended(body.jobId)).toMatchObject({ state: "done", progress: { domains: 200, done: 200, failed: 0 } });
  expect(await changeSets("revert")).toEqual(names.map(() => "applied"));
  expect(await served()).toEqual([`3:  ${old}, other 192.0.2.99, www ${old}`]);
});
