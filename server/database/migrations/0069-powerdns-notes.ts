import { Migration } from "@mikro-orm/migrations";

const statements = [
  `create table powerdns_metadata (
    domain_id uuid not null references domains on delete cascade,
    kind text not null,
    contents jsonb not null,
    primary key (domain_id, kind)
  )`,
  `create table powerdns_comments (
    domain_id uuid not null references domains on delete cascade,
    name text not null,
    record_type text not null,
    content text not null,
    notes jsonb not null,
    primary key (domain_id, name, record_type)
  )`,
  // Parts of comments over all zones.
  "create index records_live_comments_idx on records using gin (lower(comment) gin_trgm_ops) where until is null and comment is not null",
];

/** What clients of PowerDNS's API write beside records, and read back: metadata of zones, authors and times of comments. */
export class PowerdnsNotes extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
