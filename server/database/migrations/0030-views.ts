import { Migration } from "@mikro-orm/migrations";

const statements = [
  "alter table domains add column view text not null default ''",
  // The zone's name at its provider. Each view has its own zone there, so no two domains share one.
  "alter table domains add column provider_zone text",
  "update domains set provider_zone = name",
  "alter table domains alter column provider_zone set not null",
  "drop index domains_name_key",
  "create unique index domains_name_view_key on domains (name, view)",
  "create unique index domains_provider_zone_key on domains (provider_config_id, provider_zone)",
  "create index domains_view_idx on domains (view, name) where view <> ''",
];

/** A domain is identified by its name and view. Those of earlier versions are in the default view. */
export class Views extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
