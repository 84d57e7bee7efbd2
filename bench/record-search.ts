import { Client } from "pg";
import type { Environment } from "./support/environment.ts";
import { interleaved, percentile, timings } from "./support/measure.ts";
import { underLimit, type Figure } from "./support/report.ts";
import { RestClient } from "../tests/support/rest-client.ts";

const zones = 10_000;
const recordsPerZone = 100;
const runs = 60;
/** Of the baseline, whose plain statements read all records. */
const baselineRuns = 10;
const memberPassword = "another long enough password";

/**
 * Searches over REST in a million live records, as an administrator and as a member with five host patterns, beside the plainest statements that
 * somebody else would write: see baseline-reads.ts.
 */
export async function measureRecordSearch(environment: Environment): Promise<Figure[]> {
  const database = new Client({ connectionString: environment.databaseUrl });
  await database.connect();
  await addRecords(database, environment.manualConfig);
  const member = await memberWithPatterns(environment, database);
  await database.end();
  const started = await environment.startBaseline({});
  const baseline = { program: started.program, client: new RestClient(started.url) };
  const figures: Figure[] = [];
  for (const [what, most, query] of [
    ["exact value, 1 match", 20, (run: number) => `value=${address(run * 9_973)}`],
    ["exact value, 10,000 matches", 20, () => "value=192.0.2.1"],
    ["substring, 1 match", 150, (run: number) => `search=key-${hash(run * 7_919)}`],
    ["substring, some 1,000 matches", 150, (run: number) => `search=h${String(run % 90).padStart(2, "0")}.zone12`],
    ["substring of three characters, over 10,000 matches", 150, () => "search=mai"],
    ["substring that all have", 150, () => "search=example"],
    ["substring that none has", 150, (run: number) => `search=nothing${run}`],
  ] as const) {
    const byBaseline = percentile(await timed(baseline.client, query, baselineRuns), 0.95);
    for (const [who, client] of [
      ["an administrator", environment.client],
      ["a member with five patterns", member],
    ] as const) {
      const p95 = percentile(await timed(client, query, runs), 0.95);
      const measured = `p95 ${p95.toFixed(1)} ms, Express 5 + pg with plain SQL ${byBaseline.toFixed(0)} ms`;
      const limit = { value: p95, most, unit: "ms" };
      figures.push(underLimit(`GET /api/records, ${what} of 1,000,000 records, by ${who}`, measured, limit));
    }
  }
  await baseline.program.stop("SIGTERM");
  return figures;
}

const writeRounds = 9;

/** Writes into a manual zone beside a million other records: with the indexes of the search, and without them. */
export async function measureIndexedWrites(environment: Environment, without: Environment): Promise<Figure[]> {
  const sides = [];
  for (const each of [environment, without]) {
    const database = new Client({ connectionString: each.databaseUrl });
    await database.connect();
    await addRecords(database, each.manualConfig);
    if (each === without) {
      await database.query("drop index records_search_idx, records_live_value_idx");
      await database.query("create index on records using gin (domain_id, name gin_trgm_ops) where until is null");
    }
    await database.end();
    const domain = { name: "written.example", providerConfigId: each.manualConfig };
    sides.push({
      client: each.client,
      path: `/api/domains/${(await each.client.post("/api/domains", domain)).body.id}`,
    });
  }
  const [ours, baseline] = sides;
  if (!ours || !baseline) throw new Error("There are two sides.");
  const figures: Figure[] = [];
  for (const [what, most, work] of [
    ["50 single creations", 1.1, createEach],
    ["5 bulk creations of 100", 2, createInBulk],
    ["import of 5,000 records", 3, importMany],
  ] as const) {
    let round = 0;
    const { ratio, spread, ...seconds } = await interleaved(
      writeRounds,
      () => secondsOf(() => work(ours, `o${round++}`)),
      () => secondsOf(() => work(baseline, `b${round++}`)),
    );
    figures.push({
      what: `${what} beside 1,000,000 records, with the indexes of the search`,
      measured: `${(seconds.ours * 1000).toFixed(0)} ms`,
      baseline: `${(seconds.baseline * 1000).toFixed(0)} ms by the same service on a database without these two indexes`,
      ratio,
      spread,
      goal: { most },
    });
  }
  return figures;
}

interface Side {
  client: RestClient;
  path: string;
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

function text(name: string): { recordType: string; name: string; value: string } {
  return { recordType: "TXT", name, value: `v=DKIM1; k=rsa; p=${Buffer.from(name.repeat(9)).toString("base64")}` };
}

async function createEach({ client, path }: Side, round: string): Promise<void> {
  for (let index = 0; index < 50; index++)
    mustSucceed(await client.post(`${path}/records`, text(`s${round}-${index}`)));
}

async function createInBulk({ client, path }: Side, round: string): Promise<void> {
  for (let call = 0; call < 5; call++) {
    const records = Array.from({ length: 100 }, (_, index) => text(`k${round}-${call}-${index}`));
    mustSucceed(await client.post(`${path}/records/bulk`, { records, mode: "atomic" }));
  }
}

async function importMany({ client, path }: Side, round: string): Promise<void> {
  const lines = Array.from({ length: 5_000 }, (_, index) => {
    const { name, value } = text(`i${round}-${index}`);
    return `${name} 300 TXT "${value}"`;
  });
  mustSucceed(await client.post(`${path}/zonefile`, { zonefile: lines.join("\n"), mode: "merge" }));
}

function mustSucceed({ status, body }: { status: number; body: unknown }): void {
  if (status >= 300) throw new Error(JSON.stringify(body));
}

async function timed(client: RestClient, query: (run: number) => string, times: number): Promise<number[]> {
  for (let run = 0; run < 3; run++) await client.get(`/api/records?${query(run + runs)}`);
  return await timings(times, async (run) => {
    const { status, body } = await client.get(`/api/records?${query(run)}`);
    if (status !== 200) throw new Error(JSON.stringify(body));
  });
}

function address(number: number): string {
  const index = number % (zones * recordsPerZone);
  return `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
}

function hash(number: number): string {
  return (number % (zones * recordsPerZone)).toString(16).padStart(6, "0");
}

/** Zones of a hundred records: hosts with addresses, a shared address, mail servers, keys in TXT. */
async function addRecords(database: Client, config: string): Promise<void> {
  await database.query(
    `insert into domains (id, name, provider_zone, provider_config_id, expiry_remind_days, auto_check_expiry, record_count, revision)
     select gen_random_uuid(), 'zone' || z || '.example', 'zone' || z || '.example', $1, '{}', false, $3, 1 from generate_series(0, $2::int - 1) z`,
    [config, zones, recordsPerZone],
  );
  await database.query(
    `insert into records (record_id, version, domain_id, since, record_type, name, value, ttl, proxied, status, created_at, updated_at)
     select gen_random_uuid(), 1, d.id, 1, kind.type, kind.name, kind.value, 300, false, 'active', now(), now()
     from (select id, row_number() over (order by name) - 1 as z from domains where name like 'zone%') d
     cross join generate_series(0, $1::int - 1) i
     cross join lateral (select d.z * $1::int + i as n) index
     cross join lateral (
       select case when i = 0 then 'A' when i = 1 then 'MX' when i % 10 = 5 then 'TXT' when i % 10 = 6 then 'CNAME' else 'A' end as type,
         case when i < 2 then '@' when i % 10 = 5 then 'key' || i || '._domainkey' else 'h' || lpad(i::text, 2, '0') end as name,
         case when i = 0 then '192.0.2.1' when i = 1 then '10 mail.provider.example' when i % 10 = 5 then 'v=DKIM1; k=rsa; p=key-' || lpad(to_hex(n), 6, '0') || md5(n::text)
           when i % 10 = 6 then 'mail' || (n % 977) || '.provider.example' else '10.' || ((n >> 16) & 255) || '.' || ((n >> 8) & 255) || '.' || (n & 255) end as value
     ) kind`,
    [recordsPerZone],
  );
  await database.query("vacuum analyze");
}

async function memberWithPatterns({ url, client }: Environment, database: Client): Promise<RestClient> {
  const { body } = await client.post("/api/users", {
    username: "searcher",
    password: memberPassword,
    email: null,
    role: "member",
  });
  const { rows } = await database.query("select id from domains where name like 'zone12%' order by name limit 5");
  for (const [index, { id }] of rows.entries()) {
    const subdomainPattern = ["*", "h*", "*.dev", "key*", "www"][index];
    await client.post("/api/assignments", { userId: body.id, domainId: id, subdomainPattern, access: "read" });
  }
  const member = new RestClient(url);
  member.token = (
    await member.post("/api/auth/login", { username: "searcher", password: memberPassword })
  ).body.accessToken;
  return member;
}
