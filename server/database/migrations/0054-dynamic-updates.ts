import { Migration } from "@mikro-orm/migrations";

// As zone_page, for zones whose provider may have switched records off.
const pageFunction = `create function served_zone_page(
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
        and r.status = 'active'
      order by r.name, r.record_type, r.record_id
      limit page_rows;
  end $$`;

/** Answers to signed updates, so that none runs twice, and pages of what any zone serves. */
export class DynamicUpdates extends Migration {
  override up(): void {
    this.addSql("create table dynamic_updates (id text primary key, rcode int, created_at timestamptz not null)");
    this.addSql(pageFunction);
    this.addSql("create index dynamic_updates_created_at_idx on dynamic_updates (created_at)");
  }
}
