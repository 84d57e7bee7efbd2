import { Migration } from "@mikro-orm/migrations";

/** Personal tokens that are limited to some domains, hosts or record types. */
export class NarrowedTokens extends Migration {
  override up(): void {
    this.addSql(
      "alter table personal_tokens add column domain_ids uuid[] check (cardinality(domain_ids) > 0), " +
        "add column host_pattern text, add column record_types text[] check (cardinality(record_types) > 0)",
    );
    // To find the tokens that name a deleted domain.
    this.addSql("create index personal_tokens_domain_ids_idx on personal_tokens using gin (domain_ids)");
  }
}
