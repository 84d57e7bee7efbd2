import { Migration } from "@mikro-orm/migrations";

/** Keeps the outcome of a configuration's last test. Those of the version before were never kept, so all count as not tested. */
export class LastProviderTests extends Migration {
  override up(): void {
    this.addSql("alter table provider_configs add column last_test jsonb");
  }
}
