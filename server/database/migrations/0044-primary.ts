import { Migration } from "@mikro-orm/migrations";

const statements = [
  // Pages of a transfer, at any revision.
  "create index records_versions_order_idx on records (domain_id, name, record_type, record_id, since)",
  `create table primary_zones (
    domain_id uuid primary key references domains on delete cascade,
    serial_base bigint not null,
    base_revision int not null,
    catalog_label text not null default replace(gen_random_uuid()::text, '-', ''),
    notified_serial bigint
  )`,
  `create table primary_catalogs (
    provider_config_id uuid primary key references provider_configs on delete cascade,
    serial bigint not null,
    notified_serial bigint
  )`,
  // Inserted by every transaction that changes a catalog, and counted later, so that transactions do not wait for each other.
  "create table primary_catalog_changes (position bigserial primary key, provider_config_id uuid not null)",
  "create index primary_catalog_changes_config_idx on primary_catalog_changes (provider_config_id)",
  `create table primary_secondaries (
    zone_id uuid not null,
    identity text not null,
    address text not null,
    key_name text,
    serial bigint,
    served_at timestamptz,
    asked_at timestamptz,
    notified_at timestamptz,
    transferred_at timestamptz,
    transfer_kind text check (transfer_kind in ('axfr', 'ixfr')),
    transfer_records int,
    transfer_octets bigint,
    transfer_milliseconds int,
    error text,
    behind_since timestamptz,
    behind_reported boolean not null default false,
    primary key (zone_id, identity)
  )`,
  "create index primary_secondaries_behind_idx on primary_secondaries (behind_since) where behind_since is not null",
  `create function primary_zone_arrives() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and old.provider_config_id = new.provider_config_id then
        return null;
      end if;
      if tg_op <> 'INSERT' and exists (select from provider_configs where id = old.provider_config_id and kind = 'primary') then
        insert into primary_catalog_changes (provider_config_id) values (old.provider_config_id);
        delete from primary_secondaries where zone_id = old.id;
      end if;
      if tg_op <> 'DELETE' and exists (select from provider_configs where id = new.provider_config_id and kind = 'primary') then
        insert into primary_catalog_changes (provider_config_id) values (new.provider_config_id);
        insert into primary_zones (domain_id, serial_base, base_revision)
          values (new.id, floor(extract(epoch from now()))::bigint, new.revision)
          on conflict (domain_id) do update set catalog_label = excluded.catalog_label, notified_serial = null;
      end if;
      return null;
    end $$`,
  `create trigger domains_at_primary after insert or delete or update of provider_config_id on domains
    for each row execute function primary_zone_arrives()`,
  // Another SOA needs higher serials. The gap makes those from before unknown, so that they lead to a whole transfer.
  `create function primary_settings_change() returns trigger language plpgsql as $$
    begin
      if (old.config - '{tsigKeys,notify,allowTransfer,catalogZone}'::text[])
        is distinct from (new.config - '{tsigKeys,notify,allowTransfer,catalogZone}'::text[]) then
        update primary_zones set serial_base = serial_base + 1000, base_revision = domains.revision
          from domains where domains.id = primary_zones.domain_id and domains.provider_config_id = new.id;
        insert into primary_catalog_changes (provider_config_id) values (new.id);
      end if;
      return null;
    end $$`,
  `create trigger provider_configs_at_primary after update of config on provider_configs
    for each row when (new.kind = 'primary') execute function primary_settings_change()`,
];

/** The serials of zones that secondaries transfer, catalogs of these zones, and what is known of the secondaries. */
export class Primary extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
