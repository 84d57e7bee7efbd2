import { Migration } from "@mikro-orm/migrations";

const statements = [
  `create table change_set_calls (
    id bigint generated always as identity primary key,
    change_set_id uuid not null references change_sets on delete cascade,
    does jsonb not null
  )`,
  "create index change_set_calls_set_idx on change_set_calls (change_set_id, id)",
  "alter table change_sets add column unknown int",
  "alter table domains add column lease_holder text",
];

/** What a repair has to know: the calls that were begun, and whose the leases are. */
export class Repairs extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
