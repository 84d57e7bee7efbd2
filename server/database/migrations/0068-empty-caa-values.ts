import { Migration } from "@mikro-orm/migrations";

/** An empty value of a CAA record, which imports stored as a blank at the end, is shown in quotes (RFC 8659 §4.1.1). */
export const quoteEmptyCaaValues = `update records set value = value || '""' where record_type = 'CAA' and value ~ '^[0-9]+ [a-z0-9]+ $'`;

export class EmptyCaaValues extends Migration {
  override up(): void {
    this.addSql(quoteEmptyCaaValues);
  }
}
