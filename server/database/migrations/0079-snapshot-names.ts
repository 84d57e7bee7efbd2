import { Migration } from "@mikro-orm/migrations";

/** What the person who takes a snapshot calls it. */
export class SnapshotNames extends Migration {
  override up(): void {
    this.addSql("alter table snapshots add column name text");
  }
}
