import { Migration } from "@mikro-orm/migrations";

/** When dangling records of a domain were last reported: limits how many notifications a day has. */
export class DanglingReports extends Migration {
  override up(): void {
    this.addSql("alter table delegations add column dangling_reported_at timestamptz");
    this.addSql(
      "create index delegations_reported_idx on delegations (dangling_reported_at) where dangling_reported_at is not null",
    );
  }
}
