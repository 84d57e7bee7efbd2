import { Migration } from "@mikro-orm/migrations";

const isPrimary = (config: string) => `exists (select from provider_configs where id = ${config} and kind = 'primary')`;
const hasPrimaryMirror = (domain: string) =>
  `exists (select from mirrors m join provider_configs c on c.id = m.provider_config_id where m.domain_id = ${domain} and c.kind = 'primary')`;

const epoch = "floor(extract(epoch from now()))::bigint";

/** @param base the serial base of a zone that was never here */
const primaryZoneArrives = (base: string) =>
  `create or replace function primary_zone_arrives() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and old.provider_config_id = new.provider_config_id then
        return null;
      end if;
      if tg_op <> 'INSERT' and ${isPrimary("old.provider_config_id")} then
        insert into primary_catalog_changes (provider_config_id) values (old.provider_config_id);
        delete from primary_secondaries where zone_id = old.id;
      end if;
      if tg_op <> 'DELETE' and ${isPrimary("new.provider_config_id")} then
        insert into primary_catalog_changes (provider_config_id) values (new.provider_config_id);
        insert into primary_zones (domain_id, serial_base, base_revision)
          values (new.id, ${base}, new.revision)
          on conflict (domain_id) do update set
            catalog_label = case when ${hasPrimaryMirror("new.id")} then primary_zones.catalog_label else excluded.catalog_label end,
            notified_serial = null;
      elsif tg_op = 'UPDATE' and ${hasPrimaryMirror("new.id")} then
        -- Another main provider has other limits and other records of its own, so secondaries take the whole zone.
        update primary_zones set serial_base = serial_base + 1000, base_revision = new.revision where domain_id = new.id;
      end if;
      return null;
    end $$`;

const primaryMirrorArrives = (base: string) =>
  `create or replace function primary_mirror_arrives() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' and ${isPrimary("new.provider_config_id")} then
        insert into primary_catalog_changes (provider_config_id) values (new.provider_config_id);
        insert into primary_zones (domain_id, serial_base, base_revision)
          select id, ${base}, revision from domains where id = new.domain_id
          on conflict (domain_id) do update set notified_serial = null;
      end if;
      if tg_op = 'DELETE' and ${isPrimary("old.provider_config_id")} then
        insert into primary_catalog_changes (provider_config_id) values (old.provider_config_id);
        update primary_zones set catalog_label = replace(gen_random_uuid()::text, '-', '')
          where domain_id = old.domain_id and not ${hasPrimaryMirror("old.domain_id")}
            and not exists (select from domains d where d.id = old.domain_id and ${isPrimary("d.provider_config_id")});
      end if;
      return null;
    end $$`;

const statements = [
  "alter table mirrors add column strict boolean not null default false",
  // What a secondary that signs by itself has of the zone: it answers with a serial of its own.
  "alter table primary_secondaries add column transferred_serial bigint",
  // One row for each announcement to each secondary, and when it was first seen to have it.
  `create table secondary_revisions (
    domain_id uuid not null references domains on delete cascade,
    revision int not null,
    identity text not null,
    since int not null,
    reached_at timestamptz,
    answered boolean not null default false,
    primary key (domain_id, revision, identity)
  )`,
  `create table mirror_revisions (
    mirror_id uuid not null references mirrors on delete cascade,
    revision int not null,
    reached_at timestamptz not null,
    primary key (mirror_id, revision)
  )`,
  // A mirror of the kind has the serials and the label of its domain. The label stays while another configuration serves the zone.
  primaryZoneArrives(epoch),
  primaryMirrorArrives(epoch),
  `create trigger mirrors_at_primary after insert or delete on mirrors
    for each row execute function primary_mirror_arrives()`,
  `create or replace function primary_settings_change() returns trigger language plpgsql as $$
    begin
      -- Its name is the group of its members in the catalog.
      if old.name <> new.name then
        insert into primary_catalog_changes (provider_config_id) values (new.id);
      end if;
      if (old.config - '{tsigKeys,notify,allowTransfer,catalogZone,signingSecondaries}'::text[])
        is distinct from (new.config - '{tsigKeys,notify,allowTransfer,catalogZone,signingSecondaries}'::text[]) then
        update primary_zones set serial_base = serial_base + 1000, base_revision = domains.revision
          from domains where domains.id = primary_zones.domain_id and (
            domains.provider_config_id = new.id
            or exists (select from mirrors m where m.domain_id = domains.id and m.provider_config_id = new.id)
          );
        insert into primary_catalog_changes (provider_config_id) values (new.id);
      end if;
      return null;
    end $$`,
  "drop trigger provider_configs_at_primary on provider_configs",
  `create trigger provider_configs_at_primary after update of config, name on provider_configs
    for each row when (new.kind = 'primary') execute function primary_settings_change()`,
  // Catalogs have groups from now on.
  "insert into primary_catalog_changes (provider_config_id) select id from provider_configs where kind = 'primary'",
  "drop function zone_page",
  // As before, with what a mirror of the zone has to know.
  `create function zone_page(
    zone uuid, at_revision int, after_name text, after_type text, after_record uuid, page_rows int
  )
  returns table (record_type text, name text, value text, strings text, ttl int, proxied boolean, record_id uuid)
  language plpgsql stable
  set enable_sort = off set enable_incremental_sort = off set enable_bitmapscan = off set enable_seqscan = off
  as $$
  begin
    return query
      select r.record_type, r.name, r.value, r.strings, r.ttl, r.proxied, r.record_id
      from records r
      where r.domain_id = zone
        and (r.name, r.record_type, r.record_id) > (after_name, after_type, after_record)
        and r.since <= at_revision and (r.until is null or r.until > at_revision)
      order by r.name, r.record_type, r.record_id
      limit page_rows;
  end $$`,
];

/** Mirrors that secondaries transfer, strict mirrors, when secondaries and mirrors reached a revision, and groups in catalogs. */
export class PrimaryMirrors extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

/** RFC 1982 §3.2. */
const isLater = (one: string, other: string) =>
  `mod(${one} - ${other} + 8589934592, 4294967296) between 1 and 2147483647`;

const lastSerialStatements = [
  `create table primary_last_serials (
    zone text primary key,
    serial bigint not null,
    left_at timestamptz not null default now()
  )`,
  "create index primary_last_serials_left_idx on primary_last_serials (left_at)",
  // Before, while its row in primary_zones is still there.
  `create function primary_zone_leaves() returns trigger language plpgsql as $$
    begin
      insert into primary_last_serials (zone, serial)
        select place.zone, mod(primary_zones.serial_base + old.revision, 4294967296)
        from primary_zones, (
          select old.provider_zone as zone union select provider_zone from mirrors where mirrors.domain_id = old.id
        ) as place
        where primary_zones.domain_id = old.id
        order by place.zone
        on conflict (zone) do update set left_at = excluded.left_at, serial = case
          when ${isLater("excluded.serial", "primary_last_serials.serial")} then excluded.serial
          else primary_last_serials.serial
        end;
      return old;
    end $$`,
  `create trigger domains_leave_primary before delete on domains
    for each row execute function primary_zone_leaves()`,
  // The gap makes serials from before unknown, so that they lead to a whole transfer.
  `create function first_serial_base(of_zone text) returns bigint language plpgsql as $$
    declare last bigint := (select serial + 1000 from primary_last_serials where zone = of_zone);
    begin
      return case when ${isLater("last", epoch)} then last else ${epoch} end;
    end $$`,
  // As before, with what is known of the zone's last serial.
  primaryZoneArrives("first_serial_base(new.provider_zone)"),
  primaryMirrorArrives("first_serial_base(new.provider_zone)"),
];

/** The last serials of zones whose domains were deleted: secondaries may have kept the zone, and take no older one if it is made again. */
export class LastSerials extends Migration {
  override up(): void {
    for (const statement of lastSerialStatements) this.addSql(statement);
  }
}
