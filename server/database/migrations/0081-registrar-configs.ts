import { Migration } from "@mikro-orm/migrations";

/** Accounts at registrars, the domains in them, and what the registrars say of these. */
export class RegistrarConfigs extends Migration {
  override up(): void {
    this.addSql(`create table registrar_configs (
      id uuid primary key,
      kind text not null,
      name text not null,
      config jsonb not null,
      created_at timestamptz not null
    )`);
    this.addSql("create unique index registrar_configs_name_key on registrar_configs (lower(name))");
    this.addSql("alter table domains add column registrar_config_id uuid references registrar_configs");
    this.addSql("alter table domains add column registrar_state jsonb");
    this.addSql(
      "create index domains_registrar_config_idx on domains (registrar_config_id) where registrar_config_id is not null",
    );
  }
}

/** Finds the domains with changes that their registrar accepted and does not show yet, or did not carry out. */
export class RegistrarTasks extends Migration {
  override up(): void {
    this.addSql(
      "create index domains_accepted_changes_idx on domains (id) where registrar_state->'accepted' <> '{}'::jsonb",
    );
    this.addSql(
      "create index domains_failed_changes_idx on domains (expires_at) where registrar_state->'failed' <> '{}'::jsonb",
    );
  }
}
