import { Migration } from "@mikro-orm/migrations";

const key = `(reverse(name) || '.') collate "C"`;

const statements = [
  `create index records_live_key_order_idx on records (domain_id, ${key}) where until is null`,
  `create index records_delegations_idx on records (domain_id, ${key}) where until is null and record_type = 'NS'`,
];

/** Finds what lies below a name, and how much of a name exists, in a zone of any size: names below others begin with their keys. */
export class NamesAbove extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
