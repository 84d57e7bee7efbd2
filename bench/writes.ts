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

/** Returns the pgbench script for one creation in a zone without a provider. It reads and writes the same rows as the service, including the audit entry. */
export function pgbenchScript(domainIds: readonly string[]): string {
  const domain = `(array[${domainIds.map((id) => `'${id}'`).join(",")}]::uuid[])[:z]`;
  return `\\set z random(1, ${domainIds.length})
\\set h random(1, 2000000000)
begin;
select domains.id, domains.name, domains.revision, domains.record_count, domains.snapshot_sequence, domains.provider_fingerprint,
  provider_configs.kind, provider_configs.config, coalesce(domains.lease_until > now(), false) as leased
  from domains inner join provider_configs on provider_configs.id = domains.provider_config_id
  where domains.id = ${domain} for update of domains;
select record_id, version, record_type, name, value, ttl, priority, proxied, status, comment, created_at, updated_at
  from records where domain_id = ${domain} and until is null and name in ('b' || :h);
update domains set revision = revision + 1, record_count = record_count + 1, updated_at = now() where id = ${domain} returning revision;
insert into records (record_id, version, domain_id, since, record_type, name, value, strings, ttl, priority, proxied, status, comment, created_at, updated_at)
  select r.id, greatest(r.v, (select max(version) + 1 from records where record_id = r.id)), ${domain}, 1, r.t, r.n, r.d, null, r.s, r.p, r.x, 'active', r.c, r.m, now()
  from (select gen_random_uuid() as id, 1 as v, 'A' as t, 'b' || :h as n, '192.0.2.1' as d, 300 as s, null::int as p, false as x, null as c, now() as m) r;
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
      baseline: `${Math.round(singly.baseline)} transactions/s by pgbench, which reads and writes the same rows`,
      ratio: singly.ratio,
      spread: singly.spread,
      goal: { least: 0.25 },
    },
    {
      what: "100 records per bulk call, manual",
      measured: `${Math.round(bulkCalls.ours)} records/s`,
      baseline: `${Math.round(bulkCalls.baseline)} records/s created singly`,
      ratio: bulkCalls.ratio,
      spread: bulkCalls.spread,
      goal: { least: 15 },
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
  const flags = ["-n", "-M", "extended", "-c", "10", "-j", "2", "-T", String(seconds), "-f", script];
  const { stdout } = await runFile(binary("pgbench"), [...flags, environment.databaseUrl]);
  await rm(folder, { recursive: true });
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
}
