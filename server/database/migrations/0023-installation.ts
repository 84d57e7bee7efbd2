import { Migration } from "@mikro-orm/migrations";

const statements = [
  `create table installation (
    only_row boolean primary key default true check (only_row),
    version text,
    zones_folder_id uuid,
    zones_folder text,
    probe text
  )`,
  // A probe must need space on the disk, however well it would compress.
  "alter table installation alter column probe set storage external",
  "insert into installation (only_row) values (true)",
];

/** One row about the installation: the newest version that started, the folder of its zone files, and a place to write to on trial. */
export class Installation extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
