import { sql } from "kysely";
import { queries, type Database } from "../../database/database.ts";
import type { JobRunner } from "../jobs/runner.ts";
import type { Reading } from "./metrics.ts";

/** Returns gauges read from the database, identical on every instance, and this instance's open streams. */
export function readings(database: Database, runner: JobRunner, streams: { openStreams: number }): Reading[] {
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
