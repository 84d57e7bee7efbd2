import { Migration } from "@mikro-orm/migrations";

/** What registrations cost in a year. */
export class Costs extends Migration {
  override up(): void {
    this.addSql("alter table domains add column yearly_cost_hundredths integer");
    this.addSql("alter table domains add column currency text");
  }
}
