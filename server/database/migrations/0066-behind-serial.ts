import { Migration } from "@mikro-orm/migrations";

/** The serial that a secondary lacked when it began to be behind. One that has reached it is behind only since a later change. */
export class BehindSerial extends Migration {
  override up(): void {
    this.addSql("alter table primary_secondaries add column behind_serial bigint");
  }
}
