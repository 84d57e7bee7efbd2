import { Migration } from "@mikro-orm/migrations";

/** What the last look at a domain's DNSSEC saw, beside what the last look at its delegation saw. */
export class Dnssec extends Migration {
  override up(): void {
    this.addSql("alter table delegations add column dnssec jsonb");
  }
}
