import { Migration } from "@mikro-orm/migrations";

/** What is known of the calls to a mirror: until when its provider may not show them, and whether one of them has no known end. */
export class MirrorGuards extends Migration {
  override up(): void {
    this.addSql("alter table mirrors add column settles_at timestamptz");
    // The next comparison has the provider serve what an earlier version may have left stored only.
    this.addSql("alter table mirrors add column unconfirmed boolean not null default true");
    this.addSql("alter table mirrors alter column unconfirmed set default false");
  }
}
