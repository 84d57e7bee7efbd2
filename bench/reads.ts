import { isDeepStrictEqual } from "node:util";
import { Client } from "pg";
import { fillZones, listPaths, type Run } from "../tests/support/many-zones.ts";
import { underLimit, type Figure } from "./support/report.ts";
import { interleaved, median, percentile, requestsPerSecond, timings } from "./support/measure.ts";
import { signIn, type Environment } from "./support/environment.ts";

const goal = { least: 0.85 };
const seconds = 3;
const rounds = 5;

/** Lists over REST, signed in, against a bare Express 5 + pg handler: see baseline-reads.ts. */
export async function measureReads(environment: Environment): Promise<Figure[]> {
  const { domainId } = await environment.importZone("ten-thousand.example", 10_000);
  await addDomains(environment, 999);
  const baseline = await environment.startBaseline({ DOMAIN_ID: domainId });
  const figures: Figure[] = [];
  for (const [what, path] of [
    ["GET /api/domains, 20 of 1,000", "/api/domains"],
    ["GET records, 50 of 10,000", `/api/domains/${domainId}/records`],
  ] as const) {
    await sameAnswer(environment, baseline.url, path);
    const token = environment.client.token ?? "";
    const {
      ours,
      baseline: bare,
      ratio,
      spread,
    } = await interleaved(
      rounds,
      () => requestsPerSecond({ url: environment.url + path, token, seconds }),
      () => requestsPerSecond({ url: baseline.url + path, seconds }),
    );
    figures.push({
      what,
      measured: `${Math.round(ours)} requests/s`,
      baseline: `${Math.round(bare)} requests/s by Express 5 + pg: plain prepared statements, same JSON, no sign-in, no schemas`,
      ratio,
      spread,
      goal,
    });
  }
  await baseline.program.stop("SIGTERM");
  return figures;
}

/** The most milliseconds that a list may take. */
const mostMilliseconds = 50;
const runs = 20;

/** Measures every list of the API, each with every filter and sort, with 50,000 domains and 1,000,000 records. */
export async function measureLists(environment: Environment): Promise<Figure[]> {
  const client = new Client({ connectionString: environment.databaseUrl });
  await client.connect();
  const run: Run = async (text) => (await client.query<Record<string, unknown>>(text)).rows;
  const named = await fillZones(run, { domains: 50_000, recordsEach: 20 }, "admin");
  await client.end();
  const figures: Figure[] = [];
  // A list is limited by its p95. Access tokens end sooner than the measurement.
  for (const [index, path] of (await listPaths(environment.client, named)).entries()) {
    if (index % 50 === 0) await signIn(environment);
    const taken = await timings(runs, async () => {
      const { status, body } = await environment.client.get(path);
      if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    });
    const shown = path.replaceAll(/[0-9a-f-]{36}/g, "{id}");
    const p95 = percentile(taken, 0.95);
    const limit = { value: p95, most: mostMilliseconds, unit: "ms" };
    figures.push(
      underLimit(`GET ${shown}, 50,000 domains`, `p50 ${median(taken).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`, limit),
    );
  }
  return figures;
}

/** Measures pages of a large zone. No step may read the whole zone. */
export async function measurePages(environment: Environment, domainId: string, records: number): Promise<Figure[]> {
  const last = Math.ceil(records / 50);
  const pages = [
    ["page 1", "?page=1"],
    ["last page", `?page=${last}`],
    ["page in the middle", `?page=${Math.floor(last / 2)}`],
    ["search for a host", "?search=h77777"],
    ["search with 1,111 hits", "?search=h999"],
  ];
  const figures: Figure[] = [];
  for (const [what, query] of pages) {
    const taken = await timings(60, () => environment.client.get(`/api/domains/${domainId}/records${query}`));
    figures.push({
      what: `${what} of ${records.toLocaleString("en")} records`,
      measured: `p95 ${percentile(taken, 0.95).toFixed(1)} ms`,
      baseline: "",
      ratio: null,
      goal: null,
    });
  }
  return figures;
}

async function addDomains(environment: Environment, count: number): Promise<void> {
  const client = new Client({ connectionString: environment.databaseUrl });
  await client.connect();
  await client.query(
    `insert into domains (id, name, provider_zone, provider_config_id, tags, expiry_remind_days, auto_check_expiry)
     select gen_random_uuid(), 'd' || i || '.example', 'd' || i || '.example', $1, array['production', 'europe'], '{30,7,1}', true from generate_series(1, $2::int) i`,
    [environment.manualConfig, count],
  );
  await client.query("vacuum analyze");
  await client.end();
}

/** Checks that the baseline returns the same response as the service. */
async function sameAnswer(environment: Environment, baselineUrl: string, path: string): Promise<void> {
  const ours = (await environment.client.get(path)).body;
  const theirs = await (await fetch(baselineUrl + path)).json();
  if (!isDeepStrictEqual(ours, theirs))
    throw new Error(`${path}: the baseline returns a different response: ${JSON.stringify(theirs).slice(0, 500)}`);
}
