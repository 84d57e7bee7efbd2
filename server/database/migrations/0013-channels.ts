import { Migration } from "@mikro-orm/migrations";

const statements = [
  `create table notification_channels (
    id uuid primary key,
    channel text not null,
    name text not null,
    config text not null,
    events text[] not null,
    enabled boolean not null,
    disabled_reason text,
    last_success_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  "create unique index notification_channels_name_key on notification_channels (lower(name))",
  `create table deliveries (
    id uuid primary key,
    channel_id uuid references notification_channels on delete cascade,
    user_id uuid references users on delete cascade,
    notice jsonb not null,
    state text not null check (state in ('pending', 'delivered', 'failed')),
    attempts int not null default 0,
    next_attempt_at timestamptz,
    last_error text,
    created_at timestamptz not null,
    finished_at timestamptz,
    check (num_nonnulls(channel_id, user_id) = 1)
  )`,
  "create index deliveries_due_idx on deliveries (next_attempt_at) where state = 'pending'",
  "create index deliveries_channel_idx on deliveries (channel_id, id)",
  "create index deliveries_user_idx on deliveries (user_id)",
  "create index deliveries_finished_idx on deliveries (finished_at) where state <> 'pending'",
];

/** Notification channels, and what is on its way to them and by e-mail to users. */
export class Channels extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
