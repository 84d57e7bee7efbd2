import { Migration } from "@mikro-orm/migrations";

/**
 * The entries that are still to be sent to AUDIT_STREAM, in the order in which they were written. A trigger adds them, so that every entry is
 * sent, whoever writes it, and one whose transaction ends late is sent late instead of never.
 */
export class AuditStream extends Migration {
  override up(): void {
    this.addSql(`create table audit_stream (
      only_row boolean primary key default true check (only_row),
      enabled boolean not null default false,
      holder uuid,
      held_until timestamptz
    )`);
    this.addSql("insert into audit_stream default values");
    this.addSql("create table audit_stream_queue (position bigserial primary key, entry_id uuid not null)");
    this.addSql(`create function queue_audit_entry() returns trigger language plpgsql as $$
      begin
        if exists (select from audit_stream where enabled) then
          insert into audit_stream_queue (entry_id) values (new.id);
        end if;
        return null;
      end $$`);
    this.addSql(
      "create trigger audit_entries_queue after insert on audit_entries for each row execute function queue_audit_entry()",
    );
  }
}
