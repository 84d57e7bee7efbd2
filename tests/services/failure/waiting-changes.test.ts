import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { PreparingClient } from "../../../server/database/preparing-client.ts";
import { severalStatements } from "../../../server/database/prepared-statements.ts";
import { patience } from "../../support/patience.ts";
import { migratedDatabase } from "../../support/servers/postgres.ts";
import { RestClient } from "../../support/rest-client.ts";
import { startService, type ServiceProcess } from "../../support/service-process.ts";

/** More than the service has connections. */
const zones = 12;

/** Of the service, without those of the job queue. */
const connections = "pg_stat_activity where datname = current_database() and application_name = 'zonewright'";

let dataDir: string;
let databaseUrl: string;
let service: ServiceProcess;
let observer: Client;
/** Its transactions hold the rows. What they saw of other connections would stay the same. */
let holder: Client;
let admin: RestClient;
let configs: string[];
let domains: string[];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "zonewright-waiting-"));
  databaseUrl = await migratedDatabase("zonewright_waiting");
  service = await startService({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, JOBS: "off" });
  [observer, holder] = [new Client(databaseUrl), new Client(databaseUrl)];
  await Promise.all([observer.connect(), holder.connect()]);
  admin = await service.signIn();
  configs = await created("/api/provider-configs", ["One", "Other"], (name) => ({ kind: "manual", name }));
  const names = Array.from({ length: zones }, (_, index) => `zone-${index}.example`);
  domains = await created("/api/domains", names, (name) => ({ name, providerConfigId: configs[0] }));
});

afterAll(async () => {
  await Promise.all([observer.end(), holder.end()]);
  await service.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function created(path: string, names: readonly string[], body: (name: string) => object): Promise<string[]> {
  const answers = await Promise.all(names.map((name) => admin.post(path, body(name))));
  return answers.map((answer) => {
    expect(answer).toMatchObject({ status: 201 });
    return String(answer.body.id);
  });
}

async function newMember(username: string): Promise<RestClient> {
  const password = "a long password for a member";
  await created("/api/users", [username], () => ({ username, password, role: "member" }));
  const client = new RestClient(service.url);
  client.token = (await client.post("/api/auth/login", { username, password })).body.accessToken;
  return client;
}

/** Starts a change of each zone, which waits for its row. @returns their answers, and what lets them go on */
async function waitingChanges(client: RestClient, count: number) {
  await holder.query("begin");
  await holder.query("select from domains for update");
  const answers = Promise.all(
    domains
      .slice(0, count)
      .map((id) =>
        client.post(`/api/domains/${id}/records`, { recordType: "A", name: "www", value: "192.0.2.1", ttl: 300 }),
      ),
  );
  await vi.waitFor(async () => {
    const { rows } = await observer.query(`select from ${connections} and wait_event_type = 'Lock'`);
    expect(rows.length).toBe(Math.min(count, 10));
  }, patience);
  return { answers, goOn: () => holder.query("commit") };
}

test("connections that end in the middle of transactions do not stop the service, however many they are", async () => {
  for (let round = 0; round < 2; round++) {
    const { answers, goOn } = await waitingChanges(admin, zones);
    await observer.query(`select pg_terminate_backend(pid) from ${connections}`);
    await goOn();
    const statuses = (await answers).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThanOrEqual(10);
    for (const id of domains) {
      const path = `/api/domains/${id}/records`;
      const { status, body } = await admin.get(path);
      expect(status).toBe(200);
      for (const record of body.records) expect((await admin.delete(`${path}/${record.id}`)).status).toBeLessThan(300);
    }
  }
});

test("a change that waited for its domain finds it as it is afterwards", async () => {
  const { answers, goOn } = await waitingChanges(admin, 1);
  await holder.query("update domains set provider_config_id = $1", [configs[1]]);
  await goOn();
  expect((await answers).map(({ status }) => status)).toEqual([201]);
});

test("a change that waited while its author's assignment ended is refused", async () => {
  const [domainId = ""] = domains;
  const member = await newMember("ada");
  const { body: me } = await member.get("/api/auth/me");
  await created("/api/assignments", ["*"], (subdomainPattern) => ({
    userId: me.id,
    domainId,
    subdomainPattern,
    access: "write",
  }));
  const { answers, goOn } = await waitingChanges(member, 1);
  await holder.query("delete from assignments");
  await goOn();
  expect((await answers).map(({ status }) => status)).toEqual([404]);
});

test.each([
  ["disabled", (id: string) => admin.put(`/api/notifications/configs/${id}`, { enabled: false }), 200],
  ["deleted", (id: string) => admin.delete(`/api/notifications/configs/${id}`), 200],
])("a channel is %s while a domain whose changes wait for its digest is deleted", async (what, end, status) => {
  const [id = ""] = await created("/api/notifications", [what], (name) => ({
    channel: "webhook",
    name,
    config: { url: "https://hooks.example.com/", secret: `whsec_${"k".repeat(32)}` },
    events: ["zone.changed"],
    enabled: true,
    digest: "daily",
  }));
  await created(`/api/domains/${domains[1]}/records`, [what], (name) => ({
    recordType: "A",
    name,
    value: "192.0.2.1",
  }));
  await observer.query(
    `insert into change_reports (id, change_set_id, channel_id, due_at)
    select gen_random_uuid(), (select id from change_sets order by id desc limit 1), $1, now() + '1 day'`,
    [id],
  );
  await holder.query("begin");
  // As the deletion does: first by the foreign key of its changes, then for its own notification.
  await holder.query("delete from change_reports where channel_id = $1", [id]);
  const answer = end(id);
  await vi.waitFor(async () => {
    expect((await observer.query(`select from ${connections} and wait_event_type = 'Lock'`)).rows).toHaveLength(1);
  }, patience);
  await holder.query("select from notification_channels where id = $1 for key share", [id]);
  await holder.query("commit");
  expect((await answer).status).toBe(status);
});

test("statements behind one that failed do not run, even if no transaction has begun", async () => {
  const client = new PreparingClient(databaseUrl);
  await client.connect();
  await client.query("create table made (id int)");
  const make = { sql: "insert into made values ($1)", parameters: [1] };
  const fail = { sql: "select 1 / $1::int", parameters: [0] };
  for (let use = 0; use < 4; use++) {
    await expect(client.query(severalStatements, [make, fail, make])).rejects.toThrow("division by zero");
    await client.query(severalStatements, [fail, make]).catch(() => undefined);
  }
  expect((await client.query("select from made")).rowCount).toBe(0);
  await client.query(severalStatements, [make, make]);
  expect((await client.query("select from made")).rowCount).toBe(2);
  await client.end();
});
