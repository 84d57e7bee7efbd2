import type { Background } from "../platform/background.ts";
import type { Config } from "../ops/config/config.ts";
import { type Database, queries } from "../database/database.ts";
import type { Logger } from "../platform/log.ts";
import type { Mailer } from "../notifications/mail/mailer.ts";
import { MailOutbox } from "../notifications/mail/outbox.ts";
import { Metrics, type Reading } from "../ops/metrics/metrics.ts";
import type { Streams } from "../notifications/streams.ts";
import { SecretCipher, type Keyring } from "../platform/secret-cipher.ts";
import { jobs, type Workers } from "./job-list.ts";
import { JobRunner, type Timing } from "../ops/jobs/runner.ts";
import { sql } from "kysely";

/** Builds the job queue, the mail outbox with its retries, and the metrics of both. */
export function composeJobs(parts: {
  config: Config;
  database: Database;
  log: Logger;
  now: () => Date;
  keyring: Keyring;
  mailer: Mailer;
  background: Background;
  streams: Streams;
  workers: Workers;
  schedules: boolean | undefined;
  onError: (error: unknown) => void;
  timing?: Timing;
}) {
  const { config, database, log, now, mailer, background } = parts;
  const mail = new MailOutbox({
    mailer,
    cipher: new SecretCipher(parts.keyring, "mail"),
    background,
    database,
    log,
    now,
    enqueue: (...run) => runner.enqueue(...run),
  });
  const metrics = new Metrics();
  const runner = new JobRunner({
    store: database.jobStore,
    jobs: jobs({ config, database, log, now, mail, ...parts.workers }),
    works: config.jobs,
    schedules: parts.schedules,
    log,
    onRun: (run) => metrics.jobRun(run),
    onError: parts.onError,
    ...(parts.timing && { timing: parts.timing }),
  });
  for (const reading of readings(database, runner, parts.streams)) metrics.add(reading);
  return { mail, metrics, jobs: runner };
}

/** Returns gauges read from the database, identical on every instance, and this instance's open streams. */
function readings(database: Database, runner: JobRunner, streams: { openStreams: number }): Reading[] {
  const count = (name: string, help: string, query: ReturnType<typeof sql<{ count: string }>>): Reading => ({
    name,
    help,
    async read() {
      const { rows } = await query.execute(queries(database.fork()));
      return rows.map((row) => ({ value: Number(row.count) }));
    },
  });
  return [
    {
      name: "zonewright_jobs",
      help: "Job runs across all instances by state: waiting, active, or failed permanently within a day. A few seconds out of date.",
      labels: ["job", "state"],
      async read() {
        return (await runner.counts()).flatMap(({ name: job, queuedCount, activeCount, failedCount }) => [
          { labels: { job, state: "waiting" }, value: queuedCount },
          { labels: { job, state: "active" }, value: activeCount },
          { labels: { job, state: "failed" }, value: failedCount },
        ]);
      },
    },
    count(
      "zonewright_open_changes",
      "Changes whose outcome at the provider is unknown. Resolved within a minute unless the provider is unreachable.",
      sql`select count(*) from change_sets where state = 'pending'`,
    ),
    count(
      "zonewright_pending_deliveries",
      "Notifications waiting for delivery to a channel or by email.",
      sql`select count(*) from deliveries where state = 'pending'`,
    ),
    count(
      "zonewright_audit_stream_pending",
      "Audit entries that wait to be sent to AUDIT_STREAM.",
      sql`select count(*) from audit_stream_queue`,
    ),
    count(
      "zonewright_audit_stream_lag_seconds",
      "Seconds since the oldest audit entry that waits to be sent to AUDIT_STREAM was written; 0 if none waits.",
      sql`select coalesce(greatest(0, extract(epoch from now() - (
        select e.at from audit_stream_queue q join audit_entries e on e.id = q.entry_id order by q.position limit 1
      ))), 0)::float8 as count`,
    ),
    {
      name: "zonewright_open_streams",
      help: "Open notification streams on this instance.",
      read: () => Promise.resolve([{ value: streams.openStreams }]),
    },
    {
      name: "zonewright_secondary_lag_seconds",
      help: "How long a secondary has lacked a change of one of its zones, by its address. Only those that lack one are listed.",
      labels: ["secondary"],
      async read() {
        const { rows } = await sql<{ address: string; seconds: string }>`
          select address, extract(epoch from now() - min(behind_since)) as seconds from primary_secondaries
          where behind_since is not null group by address
        `.execute(queries(database.fork()));
        return rows.map(({ address, seconds }) => ({ labels: { secondary: address }, value: Number(seconds) }));
      },
    },
    count("zonewright_domains", "Managed domains.", sql`select count(*) from domains`),
    count(
      "zonewright_drifted_domains",
      "Domains that differ from what their provider serves.",
      sql`select count(*) from domains where drift_found_at is not null`,
    ),
  ];
}
