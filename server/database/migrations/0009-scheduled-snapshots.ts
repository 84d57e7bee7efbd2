import { Migration } from "@mikro-orm/migrations";

const statements = [
  "alter table domains add column scheduled_snapshot_at timestamptz",
  `create index domains_snapshot_schedule_idx on domains (snapshot_schedule, scheduled_snapshot_at nulls first)
    where snapshot_schedule <> 'off' and status = 'active'`,
  "create index snapshots_created_idx on snapshots (created_at) where trigger <> 'manual'",
  "create index snapshots_revision_idx on snapshots (domain_id, revision)",
];

/** When the schedule of a domain last made a snapshot, and indexes for what is due and for what is kept long enough. */
export class ScheduledSnapshots extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
