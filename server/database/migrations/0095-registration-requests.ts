import { Migration } from "@mikro-orm/migrations";

/** What change requests want a registration to become, and when an attempt began to send that. */
export class RegistrationRequests extends Migration {
  override up(): void {
    this.addSql("alter table change_requests add column registration jsonb, add column sent_at timestamptz");
  }
}
