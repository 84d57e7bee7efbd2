import { Migration } from "@mikro-orm/migrations";

/** Has lists of domains read only what they show. */
export class LeanLists extends Migration {
  override up(): void {
    // Whether a zone has a signature over its SOA, which lists show. They looked for it among the records.
    this.addSql("alter table domains add column soa_signed boolean not null default false");
    this.addSql(String.raw`update domains set soa_signed = true where id in (
      select domain_id from records
      where until is null and record_type = 'RRSIG' and name = '@' and value ~* '^(soa|type6) |^\\# [0-9]+ 0006'
    )`);
    // `sort=-expiresAt`, `sort=drift` and `sort=-drift`, where unknown dates come last. `expires_at` alone begins `domains_expires_order_idx`, too.
    this.addSql("drop index domains_expires_idx");
    this.addSql("drop index domains_drifted_idx");
    this.addSql("create index domains_expires_last_idx on domains (expires_at desc nulls last, name)");
    this.addSql("create index domains_drift_order_idx on domains (drift_found_at, name)");
    this.addSql("create index domains_drift_last_idx on domains (drift_found_at desc nulls last, name)");
  }
}
