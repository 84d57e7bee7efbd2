import { Migration } from "@mikro-orm/migrations";

/** What users choose for their own pages: pinned zones, saved searches, columns. */
export class Preferences extends Migration {
  override up(): void {
    this.addSql(
      "create table user_preferences (user_id uuid primary key references users on delete cascade, preferences jsonb not null)",
    );
  }
}
