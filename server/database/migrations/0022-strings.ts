import { Migration } from "@mikro-orm/migrations";

// An added column with a default costs nothing, however many rows there are; without it for rows to come.
const statements = [
  "alter table records add column strings text default ''",
  "alter table records alter column strings drop default",
  "alter table domains add column splits_unread boolean not null default true",
  "alter table domains alter column splits_unread set default false",
];

/** How TXT records are cut into strings. Of what is there already nobody knows: the empty text says so, and the zones are marked to be read. */
export class Strings extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
