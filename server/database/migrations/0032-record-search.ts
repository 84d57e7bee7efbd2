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
