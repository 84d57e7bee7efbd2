import { Migration } from "@mikro-orm/migrations";

/** What registries said about domains besides their dates; null until the next lookup. */
export class RegistrationFacts extends Migration {
  override up(): void {
    this.addSql("alter table domains add column registration jsonb");
  }
}
