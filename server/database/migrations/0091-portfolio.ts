import { Migration } from "@mikro-orm/migrations";

/** The findings that the portfolio lists first, each sort in its own order; see zones/domains/portfolio-list.ts. */
export class Portfolio extends Migration {
  override up(): void {
    this.addSql(
      "create index domains_unlocked_idx on domains (expires_at) where registrar_state->'state'->>'locked' = 'false'",
    );
    this.addSql(
      "create index domains_registrar_failed_idx on domains (expires_at) where registrar_state->>'error' is not null",
    );
    this.addSql(
      `create index delegation_findings_severity_idx on delegation_findings (severity, first_seen_at)
        where present and severity <> 'info'`,
    );
  }
}

/**
 * Where the parent zone has other name servers or DS records than the registrar, for the findings that the portfolio lists first. The next
 * reading of the registrar or check of the delegation notes it, within a day.
 */
export class ParentDifferences extends Migration {
  override up(): void {
    this.addSql(`alter table delegations
      add column name_servers_differ boolean not null default false, add column ds_differ boolean not null default false`);
    this.addSql(
      "create index delegations_differ_idx on delegations (domain_id) where name_servers_differ or ds_differ",
    );
  }
}
