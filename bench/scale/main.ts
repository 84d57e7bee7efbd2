import { readdirSync, readFileSync } from "node:fs";
import { Client, Pool } from "pg";
import { listPaths, type FilledZones, type Samples } from "../../tests/support/many-zones.ts";
import { RestClient } from "../../tests/support/rest-client.ts";
import { signIn, startEnvironment, type Environment } from "../support/environment.ts";
import { median, percentile } from "../support/measure.ts";
import { underLimit, type Figure } from "../support/report.ts";
import { fillScale, loading } from "./fill.ts";

/** The most milliseconds of processor time that a call may take. */
const mostMilliseconds = 100;
const runs = Number(process.env["RUNS"] ?? 20);
const memberPassword = "another long enough password";

/**
 * Measures an installation of 100,000 domains and 10,000,000 live records on PostgreSQL: each list at its first, middle and last page with every
 * filter and sort, searches, history, diffs and snapshots, by an administrator, an owner and members, then its size on disk. The load takes from
 * ten minutes to an hour.
 */
export async function measureScale(): Promise<Figure[]> {
  const environment = await startEnvironment({ JOBS: "off" });
  try {
    await loadScale(environment);
    const calls = await measureCalls(environment);
    return [...calls, ...(await measureSizes(environment))];
  } finally {
    await environment.stop();
  }
}

/** Fills the database with settings for a load, and then has it as an operator would. */
async function loadScale({ databaseUrl, manualConfig }: Environment): Promise<void> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const settings = { fsync: "off", full_page_writes: "off", max_wal_size: "'8GB'", autovacuum: "off" };
  for (const [name, value] of Object.entries(settings)) await database.query(`alter system set ${name} = ${value}`);
  await database.query("select pg_reload_conf()");
  const pool = new Pool({ connectionString: databaseUrl, max: loading.connections, options: loading.options });
  await fillScale(async (text) => (await pool.query<Record<string, unknown>>(text)).rows, manualConfig);
  await pool.end();
  for (const name of Object.keys(settings)) await database.query(`alter system reset ${name}`);
  await database.query("select pg_reload_conf()");
  await database.query("vacuum analyze");
  await database.end();
}

/** Measures every call. */
async function measureCalls(environment: Environment): Promise<Figure[]> {
  const database = new Client({ connectionString: environment.databaseUrl });
  await database.connect();
  const idOf = async (text: string) => String((await database.query<{ id: string }>(text)).rows[0]?.id);
  const names = {
    owner: await idOf("select id from users where username = 'person-0007'"),
    domain: await idOf("select id from domains where record_count = 300 order by created_at limit 1"),
    config: await idOf("select id from provider_configs where name = 'Account 7'"),
  };
  const large = await idOf("select id from domains where record_count = 100000");
  const callers = await callersOf(environment, database);
  const postmaster = await serverPid(database);
  const figures: Figure[] = [];
  for (const [who, client] of callers) {
    const paths = new Set([
      ...(await listPaths(client, names, samples)),
      ...(await listPaths(client, { ...names, domain: large }, samples)).filter((path) => path.includes(large)),
      ...otherReads(names, large, await snapshotsOf(database, large)),
    ]);
    for (const path of new Set([...paths].map(unpaged))) {
      await renew(environment, who, client);
      for (const [where, paged] of await pagesOf(client, path)) {
        const taken = await timesOf(postmaster, environment.servicePid, () => client.get(paged));
        if (taken === null) continue;
        const [wall, processor] = [taken.map((each) => each.wall), taken.map((each) => each.processor)];
        const shown = paged.replace(large, "{large}").replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "{id}");
        const p95 = percentile(processor, 0.95);
        const measured = `processor time p50 ${median(processor).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms; time p50 ${median(wall).toFixed(1)} ms, p95 ${percentile(wall, 0.95).toFixed(1)} ms`;
        figures.push(
          underLimit(`${who}: GET ${shown}${where}`, measured, { value: p95, most: mostMilliseconds, unit: "ms" }),
        );
        process.stderr.write(`${p95 > mostMilliseconds ? "! " : ""}${who}: GET ${shown}${where}: ${measured}\n`);
      }
    }
  }
  await database.end();
  return figures;
}

/** What lists are filtered by here, see `listPaths`. */
const samples: Samples = {
  group: "team-007",
  tag: ["production", "customer-0007"],
  name: "bluehouse40.example",
  search: ["house12", "web11", "10.7.1", "nothing-has-it", "www.blue"],
  filter: ["web11", "10.7"],
  value: ["198.51.100.7", "10.7.1.13", "10 mx1.mail.example"],
  host: ["www", "web11.dev", "db2*"],
  comment: "ticket-77",
  actorName: "person-0007",
};

/** Calls that are no lists of pages. */
function otherReads({ domain }: FilledZones, large: string, [first, middle, last]: readonly string[]): string[] {
  return [
    ...[domain, large].flatMap((id) => [
      `/api/domains/${id}`,
      `/api/domains/${id}/dnssec`,
      `/api/domains/${id}/records?counts=true`,
    ]),
    ...[1, 1_000, 2_000].map((page) => `/api/domains/${large}/snapshots/${middle}?page=${page}&limit=50`),
    `/api/domains/${large}/snapshots/diff?from=${first}&to=${last}`,
    `/api/domains/${large}/snapshots/diff?from=${middle}&to=${last}`,
    ...["value=10.7.1.13", "value=198.51.100.7", "value=10%20mx1.mail.example", "host=www", "comment=ticket-77"].map(
      (asked) => `/api/records?${asked}`,
    ),
    "/api/records?search=198.51.100.7&type=A",
    "/api/domains/findings",
    "/api/domains/zone-of?name=web11.bluehouse40.example",
  ];
}

/** The first, the middle and the newest snapshot of a zone. */
async function snapshotsOf(database: Client, domainId: string): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    "select id from snapshots where domain_id = $1 and version in (1, 500, 1000) order by version",
    [domainId],
  );
  return rows.map(({ id }) => id);
}

/** An administrator, an owner of 10,000 domains, a member with three domains, and one with most by a tag, a group and 2,000 assignments. */
async function callersOf(environment: Environment, database: Client): Promise<[string, RestClient][]> {
  const callers: [string, RestClient][] = [["administrator", environment.client]];
  for (const username of ["owner-of-many", "member-of-few", "member-of-many"]) {
    const user = { username, password: memberPassword, email: null, role: "member" };
    const { status } = await environment.client.post("/api/users", user);
    const id = `(select id from users where username = '${username}')`;
    const assign = async (columns: string, rows: string) => {
      await database.query(`insert into assignments (id, user_id, access, created_at, record_types, subdomain_pattern, ${columns})
        select gen_random_uuid(), ${id}, 'write', now(), '{}', ${rows}`);
    };
    if (status === 201 && username === "owner-of-many")
      await database.query(`update domains set owner_id = ${id} where name ~ '8[.][a-z]+[.]?example$'`);
    if (status === 201 && username === "member-of-few")
      await assign(
        "domain_id",
        "pattern, d.id from (select id, row_number() over (order by name) as n from domains where record_count = 300 order by name limit 3) d, lateral (select (array['*', 'web*', '*.dev'])[n] as pattern) p",
      );
    if (status === 201 && username === "member-of-many") {
      await assign("tag", "'*', 'production'");
      await assign("group_name", "'web*', 'team-007'");
      await assign("domain_id", "'www', id from (select id from domains where tags @> array['staging'] limit 2000) d");
    }
    callers.push([username, new RestClient(environment.url)]);
  }
  await database.query("vacuum analyze domains");
  return callers;
}

const signedIn = new Map<string, number>();

/** Access tokens end sooner than the measurement. */
async function renew(environment: Environment, username: string, client: RestClient): Promise<void> {
  if (performance.now() - (signedIn.get(username) ?? -Infinity) < 240_000) return;
  signedIn.set(username, performance.now());
  if (client === environment.client) return await signIn(environment);
  const { body } = await client.post("/api/auth/login", { username, password: memberPassword });
  client.token = body.accessToken;
}

/** Pages are measured for themselves, and the calls under /v1 are the same. */
function unpaged(path: string): string {
  if (path.includes("/snapshots/")) return path;
  return path
    .replace("/api/v1/", "/api/")
    .replace(/([?&])(?:page=\d+|limit=100)(?:&|$)/, "$1")
    .replace(/[?&]$/, "");
}

/** The pages of a list to measure: the first, and of more than two also one in the middle and the last. */
async function pagesOf(client: RestClient, path: string): Promise<[where: string, path: string][]> {
  if (path.includes("/snapshots/")) return [["", path]];
  const { status, body } = await client.get(path);
  if (status !== 200 || typeof body.total !== "number" || body.limit === undefined) return [["", path]];
  const last = Math.ceil(body.total / body.limit);
  if (last < 3) return [["", path]];
  const at = (page: number) => `${path}${path.includes("?") ? "&" : "?"}page=${page}`;
  return [
    [", first page", path],
    [", middle", at(Math.ceil(last / 2))],
    [", last page", at(last)],
  ];
}

interface Taken {
  wall: number;
  processor: number;
}

/** Times a call, also by the processor time of the service and the database. @returns null if the caller may not make it */
async function timesOf(
  postmaster: number,
  service: number,
  call: () => Promise<{ status: number; body: unknown }>,
): Promise<Taken[] | null> {
  const taken: Taken[] = [];
  for (let run = -1; run < runs; run++) {
    const [before, start] = [processorMilliseconds(postmaster, service), performance.now()];
    const { status, body } = await call();
    const wall = performance.now() - start;
    if (status === 403 || status === 404) return null;
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    // The first fills caches.
    if (run >= 0) taken.push({ wall, processor: processorMilliseconds(postmaster, service) - before });
    // What takes seconds is known after a few.
    if (wall > 3_000 && run >= 2) break;
  }
  return taken;
}

/** Nanoseconds on a processor, see the kernel's sched-stats. */
function processorMilliseconds(postmaster: number, service: number): number {
  return [service, ...backends(postmaster)].reduce((sum, pid) => sum + scheduled(pid), 0) / 1e6;
}

function scheduled(pid: number): number {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    return tasks.reduce(
      (sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]),
      0,
    );
  } catch {
    // It has ended.
    return 0;
  }
}

function backends(postmaster: number): number[] {
  return readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "utf8").trim().split(" ").map(Number);
}

async function serverPid(database: Client): Promise<number> {
  const { rows } = await database.query<{ pid: number }>("select pg_backend_pid() as pid");
  const [, fields = ""] = readFileSync(`/proc/${rows[0]?.pid}/stat`, "utf8").split(") ");
  return Number(fields.split(" ")[1]);
}

function plain(what: string, measured: string): Figure {
  return { what, measured, baseline: "", ratio: null, goal: null };
}

/** Sizes on disk of the largest tables with their indexes. */
async function measureSizes({ databaseUrl }: Environment): Promise<Figure[]> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const { rows } = await database.query<{ name: string; rows: string; heap: string; indexes: string }>(
    `select relname as name, reltuples::bigint as rows, pg_size_pretty(pg_table_size(oid)) as heap, pg_size_pretty(pg_indexes_size(oid)) as indexes
     from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by pg_total_relation_size(oid) desc limit 12`,
  );
  const { rows: indexes } = await database.query<{ name: string; size: string }>(
    `select indexrelname as name, pg_size_pretty(pg_relation_size(indexrelid)) as size from pg_stat_user_indexes
     where relname = 'records' order by pg_relation_size(indexrelid) desc`,
  );
  const { rows: whole } = await database.query<{ size: string }>(
    "select pg_size_pretty(pg_database_size(current_database())) as size",
  );
  await database.end();
  return [
    plain("disk: the database", whole[0]?.size ?? ""),
    ...rows.map((each) =>
      plain(
        `disk: ${each.name}, ${Number(each.rows).toLocaleString("en")} rows`,
        `${each.heap}, indexes ${each.indexes}`,
      ),
    ),
    ...indexes.map(({ name, size }) => plain(`disk: index ${name}`, size)),
  ];
}
