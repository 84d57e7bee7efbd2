import { Migration } from "@mikro-orm/migrations";

/**
 * Changes of zones that channels are still to hear of. Without a channel: a change that was just made. With one: a change that waits for the
 * channel's digest.
 */
export class ChangeReports extends Migration {
  override up(): void {
    this.addSql(`alter table notification_channels
      add column zone_filter jsonb,
      add column digest text not null default 'immediate' check (digest in ('immediate', 'hourly', 'daily'))`);
    this.addSql(`create table change_reports (
      id uuid primary key,
      change_set_id uuid not null references change_sets on delete cascade,
      token_id uuid,
      channel_id uuid references notification_channels on delete cascade,
      due_at timestamptz not null
    )`);
    this.addSql("create index change_reports_new_idx on change_reports (id) where channel_id is null");
    this.addSql(
      "create index change_reports_channel_idx on change_reports (channel_id, due_at) where channel_id is not null",
    );
    this.addSql("create index change_reports_change_set_idx on change_reports (change_set_id)");
  }
}

/** What a turn takes of each channel, and of the users' mail, for which there is no channel; see notifications/channels/outbox.ts. */
export class DueDeliveries extends Migration {
  override up(): void {
    this.addSql(
      "create index deliveries_pending_idx on deliveries (channel_id, next_attempt_at, id) where state = 'pending'",
    );
    this.addSql("drop index deliveries_due_idx");
  }
}

/** What a channel dropped, among many that it delivered; see notifications/channels/service.ts. */
export class FailedDeliveries extends Migration {
  override up(): void {
    this.addSql("create index deliveries_failed_idx on deliveries (channel_id, id) where state = 'failed'");
  }
}
