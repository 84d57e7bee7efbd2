import { Migration } from "@mikro-orm/migrations";

const statements = [
  // PTR and ALIAS values are host names without a trailing dot, as those of CNAME. The root and data that is not one name stay as they are.
  String.raw`update records set value = left(value, -1)
    where record_type in ('PTR', 'ALIAS') and value like '_%.' and value not like '\\#%'
      and value !~ '(^|[^\\])(\\\\)*[ "]'`,
];

/** PTR and ALIAS became types that clients write, with host names in the form of the other types. */
export class Pointers extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
