import { Migration } from "@mikro-orm/migrations";

const statements = [
  // A move to a provider that signs counted what it lost twice.
  `update domains set record_count = live.total
    from (
      select domains.id, count(records.record_id) as total
      from domains left join records on records.domain_id = domains.id and records.until is null
      group by domains.id
    ) live
    where live.id = domains.id and live.total <> domains.record_count`,
  "alter table domains add constraint domains_record_count_check check (record_count >= 0)",
];

/** Each domain's `record_count` is that of its live records, and never negative. */
export class TrueCounts extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
