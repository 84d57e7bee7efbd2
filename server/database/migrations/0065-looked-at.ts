import { Migration } from "@mikro-orm/migrations";

/** When each secondary was last asked what it serves. Those that are in sync are asked now and then, the one that was not for longest first. */
export class LookedAt extends Migration {
  override up(): void {
    this.addSql("alter table primary_secondaries add column looked_at timestamptz");
    this.addSql(
      "create index primary_secondaries_looked_idx on primary_secondaries (looked_at nulls first) where identity like 'notify:%'",
    );
  }
}
