import { Migration } from "@mikro-orm/migrations";

const statements = [
  // Null: as in `name` and `value`, which are canonical and so in lower case. Keys and indexes are theirs, and stay.
  "alter table records add column written_name text, add column written_value text",
  "alter table server_managed_records add column written_name text, add column written_value text",
  // In place of `zone_page` and `served_zone_page`, which stay for instances of the version before.
  `create function transfer_page(
    zone uuid, at_revision int, after_name text, after_type text, after_record uuid, page_rows int
  )
  returns table (
    record_type text, name text, value text, written_name text, written_value text, strings text, ttl int, proxied boolean,
    record_id uuid
  )
  language plpgsql stable
  set enable_sort = off set enable_incremental_sort = off set enable_bitmapscan = off set enable_seqscan = off
  as $$
  begin
    return query
      select r.record_type, r.name, r.value, r.written_name, r.written_value, r.strings, r.ttl, r.proxied, r.record_id
      from records r
      where r.domain_id = zone
        and (r.name, r.record_type, r.record_id) > (after_name, after_type, after_record)
        and r.since <= at_revision and (r.until is null or r.until > at_revision)
        and r.status = 'active'
      order by r.name, r.record_type, r.record_id
      limit page_rows;
  end $$`,
];

/** The capitals of names are kept. Records of earlier versions have none. */
export class WrittenNames extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
