import { Migration } from "@mikro-orm/migrations";

const statements = [
  // No foreign keys: the trail outlives what it tells of.
  `create table audit_entries (
    id uuid primary key,
    at timestamptz not null,
    actor_id uuid,
    token_id uuid,
    action text not null collate "C",
    target_type text not null collate "C",
    target_id uuid,
    ip text,
    request_id text,
    before jsonb,
    after jsonb
  )`,
  "create index audit_entries_actor_idx on audit_entries (actor_id, at, id)",
  "create index audit_entries_action_idx on audit_entries (action, at, id)",
  "create index audit_entries_target_idx on audit_entries (target_id, at, id)",
  "create index audit_entries_target_type_idx on audit_entries (target_type, at, id)",
  "create index audit_entries_at_idx on audit_entries (at, id)",
  `create function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      raise exception 'entries of the audit trail are never changed or deleted';
    end
  $$`,
  `create trigger audit_entries_append_only before update or delete on audit_entries
    for each statement execute function refuse_audit_change()`,
];

/** The audit trail, to which rows can only be added. */
export class Audit extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
