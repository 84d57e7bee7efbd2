import { Migration } from "@mikro-orm/migrations";

/** Further provider configurations that follow the records of a domain. */
export class Mirrors extends Migration {
  override up(): void {
    this.addSql(`create table mirrors (
      id uuid primary key,
      domain_id uuid not null references domains on delete cascade,
      provider_config_id uuid not null references provider_configs,
      provider_zone text not null,
      on_drift text not null check (on_drift in ('restore', 'report')),
      revision int,
      wanted_revision int not null,
      behind_since timestamptz,
      last_applied_at timestamptz,
      checked_at timestamptz,
      due_at timestamptz,
      force_next boolean not null default false,
      differences int not null default 0,
      unsupported int not null default 0,
      failures int not null default 0,
      error text,
      reported boolean not null default false,
      lease_token uuid,
      lease_until timestamptz,
      created_at timestamptz not null,
      unique (domain_id, provider_config_id),
      unique (provider_config_id, provider_zone)
    )`);
    this.addSql("create index mirrors_due_idx on mirrors (due_at) where due_at is not null");
    this.addSql("create index mirrors_checked_idx on mirrors (checked_at) where due_at is null");
  }
}
