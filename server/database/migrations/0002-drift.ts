import { Migration } from "@mikro-orm/migrations";

const statements = [
  `alter table domains
    add column drift_checked_at timestamptz,
    add column drift_found_at timestamptz,
    add column drift_created int,
    add column drift_updated int,
    add column drift_deleted int`,
  "create index domains_drift_due_idx on domains (drift_checked_at nulls first) where status = 'active'",
  `create table zone_imports (
    id uuid primary key,
    provider_config_id uuid not null references provider_configs on delete cascade,
    started_at timestamptz not null,
    finished_at timestamptz,
    lease_until timestamptz
  )`,
  "create unique index zone_imports_running_key on zone_imports (provider_config_id) where finished_at is null",
  "create index zone_imports_config_idx on zone_imports (provider_config_id, id)",
  `create table zone_import_items (
    import_id uuid not null references zone_imports on delete cascade,
    position int not null,
    name text not null,
    state text not null check (state in ('waiting', 'running', 'done', 'failed')),
    domain_id uuid,
    records int,
    error text,
    primary key (import_id, position)
  )`,
];

/** Drift found at providers, and the progress of imports. */
export class Drift extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

/** The zones of a provider configuration in the order in which they are checked; see zones/drift/drift-job.ts. */
export class DriftTurns extends Migration {
  override up(): void {
    this.addSql("drop index domains_drift_due_idx");
    this.addSql(`create index domains_drift_due_idx on domains (
      provider_config_id, coalesce(drift_checked_at, '-infinity'::timestamptz)
    ) where status = 'active'`);
  }
}
