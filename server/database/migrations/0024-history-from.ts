import { Migration } from "@mikro-orm/migrations";

const statements = [
  "alter table domains add column history_from int not null default 0",
  // The newest change before a moment, and the change set of a revision.
  "create index change_sets_revision_idx on change_sets (domain_id, revision) where revision is not null",
];

/** From which revision on every state of a zone is stored. */
export class HistoryFrom extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
