import { Migration } from "@mikro-orm/migrations";

const statements = [
  "alter table assignments alter column domain_id drop not null",
  "alter table assignments add column group_name text",
  "alter table assignments add column tag text",
  `alter table assignments add constraint assignments_target_check
    check (num_nonnulls(domain_id, group_name, tag) = 1)`,
  "alter table assignments add column record_types text[] not null default '{}'",
  "alter table assignments add column review boolean not null default false",
  "alter table assignments add column expires_at timestamptz",
  "alter table assignments add column end_notified_at timestamptz",
  "alter table assignments drop constraint assignments_access_check",
  "alter table assignments add constraint assignments_access_check check (access in ('read', 'propose', 'write'))",
  "drop index assignments_key",
  `create unique index assignments_key on assignments (
    user_id, coalesce(domain_id::text, ''), coalesce(group_name, ''), coalesce(tag, ''),
    subdomain_pattern, access, record_types, review, coalesce(expires_at, 'infinity')
  )`,
  "create index assignments_group_idx on assignments (group_name) where group_name is not null",
  "create index assignments_tag_idx on assignments (tag) where tag is not null",
  "create index assignments_end_idx on assignments (expires_at) where expires_at is not null",
  "alter table domains add column protect_mail boolean not null default false",
  // The types at hosts, in the same order. Without them, only assignments of all types show a request.
  "alter table change_requests add column record_types text[] not null default '{}'",
];

/** Assignments by group and tag, by record type, with an end, and to propose or review changes. */
export class FinerAssignments extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
