import { Migration } from "@mikro-orm/migrations";

/** The processes of the service that use this database, for the system page. */
export class Instances extends Migration {
  override up(): void {
    this.addSql(`create table instances (
      id uuid primary key,
      host text not null,
      version text not null,
      node text not null,
      runs_jobs boolean not null,
      started_at timestamptz not null default now(),
      seen_at timestamptz not null default now()
    )`);
  }
}
