import { Migration } from "@mikro-orm/migrations";

/**
 * DNAME records are looked for with each change of a zone whose server checks names. They have an index of their own, because one of all types
 * costs as much as any other until the server has counted its rows: the planner then took one that reads the whole zone.
 */
export class AliasedTrees extends Migration {
  override up(): void {
    this.addSql("create index records_dnames_idx on records (domain_id) where until is null and record_type = 'DNAME'");
  }
}
