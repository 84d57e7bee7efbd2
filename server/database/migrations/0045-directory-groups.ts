import { Migration } from "@mikro-orm/migrations";

const statements = [
  ...["users", "invitations"].flatMap((table) => [
    `alter table ${table} drop constraint ${table}_role_check`,
    `alter table ${table} add constraint ${table}_role_check check (role in ('admin', 'auditor', 'member'))`,
  ]),
  "alter table identity_configs add column groups_claim text",
  "alter table identity_configs add column group_rules jsonb not null default '[]'",
  "alter table identity_configs add column default_deny boolean not null default false",
  // The role given by hand, while groups give another; null: the role itself is given by hand.
  "alter table users add column own_role text check (own_role in ('admin', 'auditor', 'member'))",
  `create table group_roles (
    identity_binding_id uuid primary key references identity_bindings on delete cascade,
    user_id uuid not null references users on delete cascade,
    role text not null check (role in ('admin', 'auditor', 'member'))
  )`,
  "create index group_roles_user_idx on group_roles (user_id)",
  // What came from a group ends with the identity that proved it.
  "alter table assignments add column identity_binding_id uuid references identity_bindings on delete cascade",
  "create index assignments_binding_idx on assignments (identity_binding_id) where identity_binding_id is not null",
  "drop index assignments_key",
  `create unique index assignments_key on assignments (
    user_id, coalesce(domain_id::text, ''), coalesce(group_name, ''), coalesce(tag, ''),
    subdomain_pattern, access, record_types, review, coalesce(expires_at, 'infinity'), coalesce(identity_binding_id::text, '')
  )`,
  "alter table pending_identities add column groups text[] not null default '{}'",
];

/** Auditors, and roles and assignments that come from the groups of a sign-in provider. */
export class DirectoryGroups extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
