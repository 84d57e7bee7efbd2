import { Migration } from "@mikro-orm/migrations";

const statements = [
  "create index domains_expires_order_idx on domains (expires_at, name)",
  "create index domains_updated_order_idx on domains (updated_at, name)",
  "create index domains_size_order_idx on domains (record_count, name)",
  "create index domains_drifted_idx on domains (drift_found_at, name) where drift_found_at is not null",
];

/** Serves the orders in which domains are listed. */
export class DomainOrders extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
