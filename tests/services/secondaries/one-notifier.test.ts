import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { queryMessage } from "../../../server/dns/wire/messages.ts";
import { StandInSecondary } from "../../support/name-servers/stand-in-secondary.ts";
import { askByStream, serialOfLine, transfer } from "../../support/name-servers/transfer-client.ts";
import { freePorts } from "../../support/programs.ts";
import { migratedDatabase } from "../../support/servers/postgres.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { startService, type ServiceProcess } from "../../support/service-process.ts";

const zone = "two-instances.test";
let dataDir: string;
let databaseUrl: string;
let secondary: StandInSecondary;
let instances: (ServiceProcess & { dnsPort: number })[] = [];
let start: (jobs: "on" | "off", listens?: boolean) => Promise<ServiceProcess & { dnsPort: number }>;
let id: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-notifier-"));
  databaseUrl = await migratedDatabase("zonewright_notifier");
  const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
  start = async (jobs, listens = true) => {
    const [dnsPort = 0] = await freePorts(1);
    const dns: Record<string, string> = listens ? { DNS_LISTEN: `127.0.0.1:${dnsPort}` } : {};
    return { ...(await startService({ ...env, JOBS: jobs, ...dns }, ["secondaries.notify"])), dnsPort };
  };
  secondary = await StandInSecondary.start(null, () => new Date());
  instances = [await start("off"), await start("off")];
  const admin = await adminOf(0);
  const config = {
    nameServers: "ns1.example.net",
    contact: "dns@example.net",
    notify: `127.0.0.1:${secondary.port}`,
  };
  const made = await admin.post("/api/provider-configs", { kind: "primary", name: "Two", config });
  const { status, body } = await admin.post("/api/domains", { name: zone, providerConfigId: made.body.id });
  if (status !== 201) throw new Error(`Not created: ${JSON.stringify(body)}`);
  id = body.id;
});
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.stop("SIGKILL")));
  secondary?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

function instance(index: number) {
  const found = instances[index];
  if (!found) throw new Error(`There is no instance ${index}.`);
  return found;
}

async function adminOf(index: number): Promise<RestClient> {
  return await instance(index).signIn();
}

async function notifies(index: number, outcome: "acknowledged" | "failed"): Promise<number> {
  const text = await (await fetch(`${instance(index).url}/metrics`)).text();
  const line = new RegExp(`^zonewright_notifies_total\\{outcome="${outcome}"\\} (\\d+)`, "m");
  return Number(line.exec(text)?.[1] ?? 0);
}

/** Adds a record at an instance. @returns the zone's serial */
async function add(admin: RestClient, name: string): Promise<number> {
  const { status } = await admin.post(`/api/domains/${id}/records`, { recordType: "A", name, value: "192.0.2.1" });
  expect(status).toBe(201);
  return (await admin.get(`/api/domains/${id}/secondaries`)).body.serial;
}

/** Has an instance run the job that notifies, until the secondary has heard of a serial. */
async function untilNotified(serial: number, index: number): Promise<void> {
  const check = () => {
    instance(index).runJobs();
    expect(secondary.notified(zone)).toContain(serial);
  };
  await vi.waitFor(check, { timeout: 180_000, interval: 500 });
}

test("both instances answer transfers alike, and only the one that makes a change notifies", async () => {
  for (const index of [0, 1]) {
    const admin = await adminOf(index);
    const others = await notifies(1 - index, "acknowledged");
    const own = await notifies(index, "acknowledged");
    for (const name of ["one", "two", "three"]) {
      const serial = await add(admin, `${name}${index}`);
      // Written after the acknowledgment.
      const inSync = async () => {
        const { body } = await admin.get(`/api/domains/${id}/secondaries`);
        expect(body).toMatchObject({ serial, secondaries: [{ notified: true, inSync: true }] });
      };
      await vi.waitFor(inSync, { timeout: 60_000, interval: 50 });
      expect(secondary.notified(zone)).toContain(serial);
      const [here, there] = await Promise.all(instances.map(({ dnsPort }) => transfer(dnsPort, zone)));
      expect(serialOfLine(here?.lines[0] ?? "")).toBe(serial);
      expect(there).toEqual(here);
    }
    expect(await notifies(index, "acknowledged")).toBeGreaterThanOrEqual(own + 3);
    expect(await notifies(1 - index, "acknowledged")).toBe(others);
  }
});

test("an error of a peer that one instance stores while another one notes a query of it stays", async () => {
  const name = "queried.test";
  const admin = await adminOf(0);
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", allowTransfer: "127.0.0.1" };
  const made = await admin.post("/api/provider-configs", { kind: "primary", name: "Queried", config });
  const { body: domain } = await admin.post("/api/domains", { name, providerConfigId: made.body.id });
  const query = () => askByStream(instance(0).dnsPort, queryMessage(7, name, "SOA"));
  const other = new Client({ connectionString: databaseUrl });
  await other.connect();
  try {
    const stored = async (): Promise<{ error: string | null; asked_at: Date }> => {
      const { rows } = await other.query("select error, asked_at from primary_secondaries where zone_id = $1", [
        domain.id,
      ]);
      expect(rows).toHaveLength(1);
      return rows[0];
    };
    const waiting = { timeout: 60_000, interval: 20 };
    await query();
    const { asked_at: first } = await vi.waitFor(stored, waiting);
    await other.query("begin");
    await other.query("update primary_secondaries set error = 'No answer.' where zone_id = $1", [domain.id]);
    await query();
    const hasToWait = async () => {
      const { rows } = await other.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      expect(rows).toHaveLength(1);
    };
    await vi.waitFor(hasToWait, waiting);
    await other.query("commit");
    const isNoted = async () => expect((await stored()).asked_at.getTime()).toBeGreaterThan(first.getTime());
    await vi.waitFor(isNoted, waiting);
    expect(await stored()).toMatchObject({ error: "No answer." });
  } finally {
    await other.end();
  }
});

test("a change whose instance is killed before a secondary acknowledged it is announced by another", async () => {
  instances.push(await start("on"));
  secondary.answers = false;
  const failed = await notifies(0, "failed");
  const serial = await add(await adminOf(0), "killed");
  const hasTried = async () => expect(await notifies(0, "failed")).toBeGreaterThan(failed);
  await vi.waitFor(hasTried, { timeout: 60_000, interval: 100 });
  await instance(0).stop("SIGKILL");
  secondary.answers = true;
  await untilNotified(serial, 2);
});

/** How often an instance ran the job that notifies. */
async function finished(index: number): Promise<number> {
  const text = await (await fetch(`${instance(index).url}/metrics`)).text();
  const line = /^zonewright_job_duration_seconds_count\{job="secondaries\.notify"[^}]*\} (\d+)/m;
  return Number(line.exec(text)?.[1] ?? 0);
}

test("an instance without DNS_LISTEN leaves the job to one that listens, also for its own changes", async () => {
  // Since the test before, one instance listens and does background work. This one does only background work.
  instances.push(await start("on", false));
  const deaf = instances.length - 1;
  const working = instances.length - 2;
  const before = await finished(working);
  await untilNotified(await add(await adminOf(deaf), "deaf"), deaf);
  // Counted when the job has ended, after the secondary was told.
  const hasFinished = async () => expect(await finished(working)).toBeGreaterThan(before);
  await vi.waitFor(hasFinished, { timeout: 60_000, interval: 100 });
  expect(await finished(deaf)).toBe(0);
  expect(await notifies(deaf, "acknowledged")).toBe(0);
});
