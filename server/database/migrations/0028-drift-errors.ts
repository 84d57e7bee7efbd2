import { Migration } from "@mikro-orm/migrations";

/** Why the zone of a domain cannot be read at its provider. */
export class DriftErrors extends Migration {
  override up(): void {
    this.addSql("alter table domains add column drift_error text");
  }
}
