import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { underLimit, type Figure } from "./support/report.ts";
import type { Environment } from "./support/environment.ts";

const domains = 100_000;

/** Measures reminder runs over many domains whose dates are spread over a year: the first, which covers a month, one a day later, and one with nothing due. */
export async function measureReminders(environment: Environment): Promise<Figure[]> {
  const client = new Client({ connectionString: environment.databaseUrl });
  await client.connect();
  await client.query(
    `insert into domains (id, name, provider_zone, provider_config_id, expires_at, expiring_from, expiry_remind_days, auto_check_expiry)
     select gen_random_uuid(), 'reminded-' || n || '.example', 'reminded-' || n || '.example', $1, at, at - interval '30 days', '{30,7,1}', false
     from generate_series(1, $2::int) n, lateral (select now() + interval '12 hours' + n * interval '365 days' / $2::int) as t (at)`,
    [environment.manualConfig, domains],
  );
  await client.query("analyze domains");
  const sent = async () => Number((await client.query("select count(*) from expiry_reminders")).rows[0].count);
  const figures: Figure[] = [];
  for (const [what, daysAhead] of [
    ["first reminder run over 100,000 domains", 0],
    ["reminder run over 100,000 domains a day later", 1],
    ["reminder run over 100,000 domains, nothing due", 1],
  ] as const) {
    const had = await sent();
    const { seconds, megabytes, before: idle } = await run(environment, daysAhead);
    const label = `${what} (${(await sent()) - had} thresholds)`;
    const memory = `${Math.round(megabytes - idle)} MB over the idle process (${Math.round(megabytes)} MB at the peak)`;
    figures.push(
      underLimit(label, `${seconds.toFixed(2)} s`, { value: seconds, most: 10, unit: "s" }),
      underLimit(label, memory, { value: megabytes - idle, most: 200, unit: "MB" }),
    );
  }
  await client.query("delete from domains where name like 'reminded-%'");
  await client.end();
  return figures;
}

interface Run {
  seconds: number;
  /** Peaks of the process, after the run and before it. */
  megabytes: number;
  before: number;
}

async function run(environment: Environment, daysAhead: number): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-reminders-"));
  const env = {
    ...process.env,
    DATABASE_URL: environment.databaseUrl,
    DATA_DIR: folder,
    NODE_ENV: "production",
    NOW_PLUS_DAYS: String(daysAhead),
  };
  try {
    const program = join(import.meta.dirname, "reminder-run.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
    return JSON.parse(/^run: (.*)$/m.exec(stdout)?.[1] ?? "null") as Run;
  } finally {
    await rm(folder, { recursive: true });
  }
}
