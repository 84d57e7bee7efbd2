import { Migration } from "@mikro-orm/migrations";

/** Indexes in the order of the lists of batches: those of a user, and those of a narrowed token. */
export class BatchOrders extends Migration {
  override up(): void {
    this.addSql("create index batches_user_order_idx on batches (user_id, id)");
    this.addSql("create index batches_token_order_idx on batches (token_id, id) where token_id is not null");
    this.addSql("drop index batches_user_idx");
  }
}
