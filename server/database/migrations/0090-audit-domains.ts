import { Migration } from "@mikro-orm/migrations";

/** Lets the trail be read by the domain that entries are about, also those of its requests, snapshots, assignments and keys. */
export class AuditDomains extends Migration {
  override up(): void {
    const domain = `(case target_type when 'domain' then target_id::text else coalesce(after ->> 'domainId', before ->> 'domainId') end)`;
    this.addSql(
      `create index audit_entries_domain_idx on audit_entries (${domain}, at, id) where ${domain} is not null`,
    );
  }
}
