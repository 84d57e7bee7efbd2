import { Migration } from "@mikro-orm/migrations";

/** Challenges of ACME clients, which are deleted after a day if the client does not. */
export class AcmeChallenges extends Migration {
  override up(): void {
    this.addSql(
      "create table acme_challenges (domain_id uuid not null references domains on delete cascade, name text not null, " +
        "value text not null, created_by uuid not null, created_at timestamptz not null, " +
        "primary key (domain_id, name, value))",
    );
    this.addSql("create index acme_challenges_created_at_idx on acme_challenges (created_at)");
  }
}
