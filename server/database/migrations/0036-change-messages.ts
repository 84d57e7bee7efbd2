import { Migration } from "@mikro-orm/migrations";

/** Why a change was made, as its author wrote it. */
export class ChangeMessages extends Migration {
  override up(): void {
    this.addSql("alter table change_sets add column message text");
  }
}
