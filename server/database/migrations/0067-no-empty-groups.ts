import { Migration } from "@mikro-orm/migrations";

/** An empty group name meant no group, but could not be filtered. */
export class NoEmptyGroups extends Migration {
  override up(): void {
    this.addSql("update domains set group_name = null where trim(group_name) = ''");
  }
}
