import { Migration } from "@mikro-orm/migrations";

/** The records at a mirror that were never the domain's are counted apart from changes that were refused. */
export class ForeignMirrorRecords extends Migration {
  override up(): void {
    this.addSql("alter table mirrors add column foreign_records int not null default 0");
  }
}
