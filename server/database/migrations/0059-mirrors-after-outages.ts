import { Migration } from "@mikro-orm/migrations";

/** Mirrors whose provider was away follow again once it is back, those that wait longest first. */
export class MirrorsAfterOutages extends Migration {
  override up(): void {
    this.addSql("alter table mirrors add column unreachable boolean not null default false");
    this.addSql("create index mirrors_unreachable_idx on mirrors (provider_config_id) where unreachable");
    this.addSql("drop index mirrors_due_idx");
    this.addSql("create index mirrors_due_idx on mirrors (behind_since, due_at, id) where due_at is not null");
  }
}
