import { Migration } from "@mikro-orm/migrations";

const statements = [
  // Parts of values over all zones. Parts of names are in records_live_search_idx already.
  "create index records_live_values_idx on records using gin (lower(value) gin_trgm_ops) where until is null",
  // Exact values over all zones. A value may be longer than a B-tree entry.
  "create index records_live_value_idx on records using hash (value) where until is null",
];

/** Indexes for the search over all zones. */
export class RecordSearch extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

/**
 * Kept: `records_pkey`, `records_live_key`, `records_live_order_idx`, `records_live_type_idx`, `records_live_key_order_idx`, `records_since_idx`
 * and `records_live_value_idx`.
 */
const merged = [
  `drop index records_live_search_idx, records_live_values_idx, records_live_comments_idx, records_live_addresses_idx,
    records_versions_order_idx, records_until_idx, records_name_servers_idx, records_dnames_idx, records_delegations_idx, records_owner_idx,
    records_locked_idx, records_review_idx, records_review_due_idx`,
  // Parts of names, values and comments, over all zones or in those that the caller sees.
  `create index records_search_idx on records
    using gin (domain_id, name gin_trgm_ops, lower(value) gin_trgm_ops, lower(comment) gin_trgm_ops) where until is null`,
  // What ended in or after a revision: history, differences and past states. With the name also what a name once had.
  "create index records_until_idx on records (domain_id, until, name) where until is not null",
  // Few rows, looked for by what they are: NS records by their targets, DNAME records, reviews that are due, and the records of a user who is
  // deleted. Other values are left out, because they may be longer than a B-tree entry.
  `create index records_marked_idx on records (
      domain_id, record_type, (case when record_type in ('NS', 'DNAME') then reverse(value) end) collate "C", review_at, owner_id
    ) where owner_id is not null or (
      until is null and (record_type in ('NS', 'DNAME') or (review_at is not null and review_at is distinct from review_reminded))
    )`,
  // As before, by two indexes: of live rows, and of those that ended after the transfer began. The latter are sorted, at a cost that is made up:
  // PostgreSQL would compile each page's statement for it, which takes half a second.
  `create or replace function transfer_page(
    zone uuid, at_revision int, after_name text, after_type text, after_record uuid, page_rows int
  )
  returns table (
    record_type text, name text, value text, written_name text, written_value text, strings text, ttl int, proxied boolean,
    record_id uuid
  )
  language plpgsql stable
  set enable_sort = off set enable_incremental_sort = off set enable_bitmapscan = off set enable_seqscan = off set jit = off
  as $$
  begin
    return query
      select p.* from (
        (
          select r.record_type, r.name, r.value, r.written_name, r.written_value, r.strings, r.ttl, r.proxied, r.record_id
          from records r
          where r.domain_id = zone and r.until is null
            and (r.name, r.record_type, r.record_id) > (after_name, after_type, after_record)
            and r.since <= at_revision and r.status = 'active'
          order by r.name, r.record_type, r.record_id
          limit page_rows
        ) union all (
          select r.record_type, r.name, r.value, r.written_name, r.written_value, r.strings, r.ttl, r.proxied, r.record_id
          from records r
          where r.domain_id = zone and r.until > at_revision
            and (r.name, r.record_type, r.record_id) > (after_name, after_type, after_record)
            and r.since <= at_revision and r.status = 'active'
          order by r.name, r.record_type, r.record_id
          limit page_rows
        )
      ) p
      order by p.name, p.record_type, p.record_id
      limit page_rows;
  end $$`,
];

/** Ten indexes of records in place of twenty. docs/decisions/0139-indexes-of-records.md names the statements that need each. */
export class RecordIndexes extends Migration {
  override up(): void {
    for (const statement of merged) this.addSql(statement);
  }
}
