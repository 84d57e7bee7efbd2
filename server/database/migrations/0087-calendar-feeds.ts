import { Migration } from "@mikro-orm/migrations";

const statements = [
  `create table calendar_feeds (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    name text not null,
    token_hash text not null collate "C",
    domain_ids uuid[] check (cardinality(domain_ids) > 0),
    created_at timestamptz not null default now(),
    last_used_at timestamptz
  )`,
  "create unique index calendar_feeds_hash_key on calendar_feeds (token_hash)",
  "create index calendar_feeds_user_idx on calendar_feeds (user_id, id)",
  // To find the feeds that name a deleted domain.
  "create index calendar_feeds_domain_ids_idx on calendar_feeds using gin (domain_ids)",
];

/** Calendars of expiry dates and scheduled changes, which programs subscribe to by an address with a token. */
export class CalendarFeeds extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
