import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { binary } from "../tests/support/binaries.ts";
import type { Figure } from "./support/report.ts";
import { interleaved, requestsPerSecond } from "./support/measure.ts";
import type { Environment } from "./support/environment.ts";

const runFile = promisify(execFile);
const zones = 10;
const seconds = 3;
const rounds = 5;

/** Returns the pgbench script for one creation in a zone without a provider: the plainest statements that write the same rows as the service. */
export function pgbenchScript(domainIds: readonly string[]): string {
  const domain = `(array[${domainIds.map((id) => `'${id}'`).join(",")}]::uuid[])[:z]`;
  return `\\set z random(1, ${domainIds.length})
\\set h random(1, 2000000000)
begin;
select * from domains where id = ${domain} for update;
select * from records where domain_id = ${domain} and until is null and name = 'b' || :h;
update domains set revision = revision + 1, record_count = record_count + 1, updated_at = now() where id = ${domain};
insert into records (record_id, version, domain_id, since, record_type, name, value, ttl, proxied, status, created_at, updated_at)
  values (gen_random_uuid(), 1, ${domain}, 1, 'A', 'b' || :h, '192.0.2.1', 300, false, 'active', now(), now());
insert into change_sets (id, domain_id, kind, state, actor_id, revision, creates, updates, deletes, repaired, created_at, finished_at)
  values (gen_random_uuid(), ${domain}, 'edit', 'applied', null, 1, 1, 0, 0, false, now(), now());
insert into audit_entries (id, at, actor_id, token_id, action, target_type, target_id, ip, request_id, before, after)
  values (gen_random_uuid(), now(), gen_random_uuid(), null, 'records.edit', 'domain', ${domain}, '127.0.0.1', gen_random_uuid()::text, '{"records": []}',
    jsonb_build_object('changeSetId', gen_random_uuid(), 'revision', 1, 'creates', 1, 'updates', 0, 'deletes', 0, 'failures', 0, 'repaired', false, 'records',
      jsonb_build_array(jsonb_build_object('id', gen_random_uuid(), 'recordType', 'A', 'name', 'b' || :h, 'value', '192.0.2.1', 'strings', null, 'ttl', 300,
        'priority', null, 'proxied', false))));
commit;
`;
}

/** Measures creations in zones without a provider: single ones against pgbench on the same rows, and bulk against single ones. */
export async function measureWrites(environment: Environment): Promise<Figure[]> {
  const ours = await makeZones(environment, "write");
  const theirs = await makeZones(environment, "pgbench");
  let host = 0;
  const next = (body: (path: string) => { path: string; body: string }) => () =>
    body(`/api/domains/${ours[host++ % zones] ?? ""}/records`);
  const token = environment.client.token ?? "";
  const single = next((path) => ({
    path,
    body: JSON.stringify({ recordType: "A", name: `s${host}`, value: "192.0.2.1", ttl: 300 }),
  }));
  const bulk = next((path) => ({
    path: `${path}/bulk`,
    body: JSON.stringify({
      records: Array.from({ length: 100 }, (_, index) => ({
        recordType: "A",
        name: `m${host}-${index}`,
        value: "192.0.2.1",
        ttl: 300,
      })),
    }),
  }));
  const load = { url: environment.url, token, seconds, method: "POST" } as const;
  const singly = await interleaved(
    rounds,
    () => requestsPerSecond({ ...load, next: single }),
    () => pgbench(environment, theirs),
  );
  const bulkCalls = await interleaved(
    rounds,
    async () => 100 * (await requestsPerSecond({ ...load, next: bulk })),
    () => requestsPerSecond({ ...load, next: single }),
  );
  return [
    {
      what: "one record per request, manual",
      measured: `${Math.round(singly.ours)} records/s`,
      baseline: `${Math.round(singly.baseline)} transactions/s by pgbench with prepared statements, which reads and writes the same rows`,
      ratio: singly.ratio,
      spread: singly.spread,
      goal: { least: 0.45 },
    },
    {
      what: "100 records per bulk call, manual",
      measured: `${Math.round(bulkCalls.ours)} records/s`,
      baseline: `${Math.round(bulkCalls.baseline)} records/s created singly`,
      ratio: bulkCalls.ratio,
      spread: bulkCalls.spread,
      goal: { least: 40 },
    },
  ];
}

async function makeZones(environment: Environment, prefix: string): Promise<string[]> {
  const ids: string[] = [];
  for (let zone = 0; zone < zones; zone++) {
    const { body } = await environment.client.post("/api/domains", {
      name: `${prefix}${zone}.example`,
      providerConfigId: environment.manualConfig,
    });
    ids.push(body.id);
  }
  return ids;
}

/** Returns the transactions per second of ten pgbench clients. */
async function pgbench(environment: Environment, domainIds: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-pgbench-"));
  const script = join(folder, "create.sql");
  await writeFile(script, pgbenchScript(domainIds));
  const flags = ["-n", "-M", "prepared", "-c", "10", "-j", "2", "-T", String(seconds), "-f", script];
  const { stdout } = await runFile(binary("pgbench"), [...flags, environment.databaseUrl]);
  await rm(folder, { recursive: true });
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
}
