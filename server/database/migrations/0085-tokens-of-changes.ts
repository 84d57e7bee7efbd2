import { Migration } from "@mikro-orm/migrations";

/** Notes the personal token of a change, so that a comparison can leave what other tokens wrote. */
export class TokensOfChanges extends Migration {
  override up(): void {
    this.addSql("alter table change_sets add column token_id uuid");
  }
}
