import { Migration } from "@mikro-orm/migrations";

const statements = [
  "alter table records add column locked boolean not null default false",
  "alter table records add column owner_id uuid",
  "alter table records add column review_at timestamptz",
  // The review_at that a reminder was sent for. Setting another date reminds again.
  "alter table records add column review_reminded timestamptz",
  // All versions, because a user who is deleted leaves none of them.
  "create index records_owner_idx on records (owner_id) where owner_id is not null",
  "create index records_locked_idx on records (domain_id) where until is null and locked",
  "create index records_review_idx on records (domain_id, review_at) where until is null and review_at is not null",
  `create index records_review_due_idx on records (review_at)
    where until is null and review_at is not null and review_at is distinct from review_reminded`,
  "alter table change_requests add column unlock boolean not null default false",
];

/** Records that are locked, have an owner, or are to be reviewed at a date. */
export class LockedRecords extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
