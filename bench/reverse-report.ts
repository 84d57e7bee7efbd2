import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { RestClient } from "../tests/support/rest-client.ts";
import { createDatabase, startPostgres } from "../tests/support/servers/postgres.ts";
import { percentile, timed } from "./support/measure.ts";
import { underLimit, type Figure } from "./support/report.ts";
import { startWatched, worstDelay } from "./support/watched-process.ts";

const password = "correct horse battery staple";
const forwardZones = 1_000;
const addressesPerZone = 100;
const mostMilliseconds = 50;

/** Reads the whole reverse report over 100,000 addresses, half of which have PTR records, and watches the event loop meanwhile. */
export async function measureReverseReport(): Promise<Figure[]> {
  const postgres = await startPostgres();
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-report-"));
  const databaseUrl = await createDatabase(postgres.url, "zonewright_report");
  const ours = await startWatched("hostile-service.ts", {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: "0",
    ADMIN_PASSWORD: password,
    RATE_LIMIT: "off",
    RATE_LIMIT_COSTLY: "off",
    LOG_LEVEL: "warn",
    NODE_ENV: "production",
    JOBS: "off",
    RESOLVER_ROOTS: "off",
  });
  try {
    const client = new RestClient(ours.url);
    client.token = (await client.post("/api/auth/login", { username: "admin", password })).body.accessToken;
    const { body: config } = await client.post("/api/provider-configs", { kind: "manual", name: "Manual" });
    await addZones(databaseUrl, config.id);
    await pagesOf(client, 1);
    let pages: number[] = [];
    const { worstMilliseconds } = await worstDelay(ours.child, async () => {
      pages = await pagesOf(client);
    });
    const total = pages.reduce((sum, each) => sum + each, 0) / 1_000;
    const what = `the reverse report over ${forwardZones * addressesPerZone} addresses, 100 findings a page`;
    return [
      {
        what: `read ${what}`,
        measured: `${pages.length} pages in ${total.toFixed(1)} s, p95 of a page ${percentile(pages, 0.95).toFixed(0)} ms`,
        baseline: "",
        ratio: null,
        goal: null,
      },
      underLimit(`worst loop delay during ${what}`, `${worstMilliseconds.toFixed(0)} ms`, {
        value: worstMilliseconds,
        most: mostMilliseconds,
        unit: "ms",
      }),
    ];
  } finally {
    ours.child.kill("SIGTERM");
    if (ours.child.exitCode === null) await once(ours.child, "exit");
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Reads pages to the end. @returns the milliseconds of each */
async function pagesOf(client: RestClient, most = Number.POSITIVE_INFINITY): Promise<number[]> {
  const times: number[] = [];
  let findings = 0;
  const at: { next: string | null } = { next: "" };
  do {
    const path: string = `/api/reverse/report?limit=100${at.next === "" ? "" : `&after=${at.next}`}`;
    times.push(
      await timed(async () => {
        const { status, body } = await client.get(path);
        if (status !== 200) throw new Error(JSON.stringify(body));
        findings += body.findings.length;
        at.next = body.next;
      }),
    );
  } while (at.next !== null && times.length < most);
  const expected = (forwardZones * addressesPerZone) / 2;
  if (most === Number.POSITIVE_INFINITY && findings !== expected) throw new Error(`There were ${findings} findings.`);
  return times;
}

/** The statement for zones with these names. */
const domainsNamed = (name: string, last: number) => `
    insert into domains (id, name, provider_zone, provider_config_id, expiry_remind_days, auto_check_expiry, record_count, revision)
    select gen_random_uuid(), n, n, $1, '{}', false, 1, 1 from (select ${name} as n from generate_series(0, ${last}) z) names`;

/** The statement for one record for each row. */
const recordsFrom = (type: string, name: string, value: string, from: string) => `
    insert into records (record_id, version, domain_id, since, record_type, name, value, ttl, proxied, status, created_at, updated_at)
    select gen_random_uuid(), 1, d.id, 1, '${type}', ${name}, ${value}, 300, false, 'active', now(), now() from ${from}`;

async function addZones(databaseUrl: string, config: string): Promise<void> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query(domainsNamed("'report' || z || '.example'", forwardZones - 1), [config]);
  await database.query(domainsNamed("z || '.20.in-addr.arpa'", Math.floor(forwardZones / 256)), [config]);
  const zones = `generate_series(0, ${forwardZones - 1}) z cross join generate_series(1, ${addressesPerZone}) i`;
  const address = "'20.' || (z / 256) || '.' || (z % 256) || '.' || i";
  await database.query(
    recordsFrom("A", "'h' || i", address, `${zones} join domains d on d.name = 'report' || z || '.example'`),
  );
  await database.query(
    recordsFrom(
      "PTR",
      "i || '.' || (z % 256)",
      "'h' || i || '.report' || z || '.example'",
      `${zones} join domains d on d.name = (z / 256) || '.20.in-addr.arpa' where i % 2 = 0`,
    ),
  );
  await database.query("vacuum analyze");
  await database.end();
}
