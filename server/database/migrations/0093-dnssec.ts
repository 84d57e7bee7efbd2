import { Migration } from "@mikro-orm/migrations";

/** What the last look at a domain's DNSSEC saw, beside what the last look at its delegation saw. */
export class Dnssec extends Migration {
  override up(): void {
    this.addSql("alter table delegations add column dnssec jsonb");
  }
}

/** The findings that the portfolio lists first; see zones/domains/portfolio-list.ts. */
export class DnssecFindings extends Migration {
  override up(): void {
    this.addSql("create index delegations_broken_idx on delegations (domain_id) where dnssec->>'state' = 'broken'");
    this.addSql(
      `create index delegations_signatures_idx on delegations (domain_id)
        where jsonb_path_exists(dnssec, '$.findings[*] ? (@.code starts with "signatures_")')`,
    );
  }
}
