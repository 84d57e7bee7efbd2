import { Migration } from "@mikro-orm/migrations";

/** From when watched certificates are valid: their reminders depend on how long they last. */
export class CertificateStarts extends Migration {
  override up(): void {
    this.addSql("alter table tls_hosts add column not_before timestamptz");
  }
}
