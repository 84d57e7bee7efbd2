import { Migration } from "@mikro-orm/migrations";

const statements = [
  "alter table domains add column reverse text not null default 'off'",
  "alter table domains add column reverse_follow_grant boolean not null default false",
  "alter table change_sets add column caused_by uuid references change_sets on delete set null",
  "create index change_sets_caused_idx on change_sets (caused_by) where caused_by is not null",
  `create table reverse_follows (
    id uuid primary key,
    change_set_id uuid not null references change_sets on delete cascade,
    domain_id uuid not null references domains on delete cascade,
    actor_id uuid not null,
    items jsonb not null,
    attempts int not null default 0,
    next_at timestamptz not null,
    created_at timestamptz not null
  )`,
  "create index reverse_follows_set_idx on reverse_follows (change_set_id)",
  "create index reverse_follows_domain_idx on reverse_follows (domain_id)",
  "create index reverse_follows_next_idx on reverse_follows (next_at)",
  // Classless zones (RFC 2317), by the name above them.
  "create index domains_classless_idx on domains (substr(name, strpos(name, '.') + 1)) where name ~ '^[0-9]+[-/][0-9]+[.]'",
  // The lengths of managed ip6.arpa zones, which say how many nibbles to look for.
  "create index domains_ip6_idx on domains (length(name)) where name like '%.ip6.arpa'",
  // The addresses and pointers of a zone, for the report.
  `create index records_live_addresses_idx on records (domain_id, record_id)
    where until is null and record_type in ('A', 'AAAA', 'PTR')`,
];

/** PTR records that follow the addresses of other zones: settings, linked change sets and what is still to be done. */
export class Reverse extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
