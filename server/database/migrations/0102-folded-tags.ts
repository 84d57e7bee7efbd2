import { Migration } from "@mikro-orm/migrations";

/**
 * The tags of domains in small letters, so that filters find `Prod` and `prod` alike. Stored, because the planner would read all domains for a
 * common tag and call the function for each. The function folds an array's text, which is faster than folding its elements.
 */
export class FoldedTags extends Migration {
  override up(): void {
    this.addSql(`create function fold_tags(tags text[]) returns text[] language sql immutable strict parallel safe
      return lower(tags::text)::text[]`);
    this.addSql(
      "alter table domains add column folded_tags text[] not null generated always as (fold_tags(tags)) stored",
    );
    this.addSql("create index domains_folded_tags_idx on domains using gin (folded_tags)");
  }
}
