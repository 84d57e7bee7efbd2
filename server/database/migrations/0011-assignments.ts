import { Migration } from "@mikro-orm/migrations";

const statements = [
  `create table assignments (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    domain_id uuid not null references domains on delete cascade,
    subdomain_pattern text not null collate "C",
    access text not null check (access in ('read', 'write')),
    created_by uuid,
    created_at timestamptz not null
  )`,
  "create unique index assignments_key on assignments (user_id, domain_id, subdomain_pattern, access)",
  "create index assignments_user_idx on assignments (user_id, id)",
  "create index assignments_domain_idx on assignments (domain_id, id)",
  `create table assignment_requests (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    domain_id uuid references domains on delete set null,
    domain_name text not null collate "C",
    named_by text not null check (named_by in ('id', 'name')),
    subdomain_pattern text not null collate "C",
    host text,
    access text not null check (access in ('read', 'write')),
    reason text,
    status text not null check (status in ('pending', 'approved', 'rejected')),
    note text,
    decided_by uuid,
    decided_at timestamptz,
    assignment_id uuid,
    created_at timestamptz not null
  )`,
  `create unique index assignment_requests_pending_key
    on assignment_requests (user_id, domain_name, subdomain_pattern, access, named_by) where status = 'pending'`,
  "create index assignment_requests_user_idx on assignment_requests (user_id, id)",
  "create index assignment_requests_status_idx on assignment_requests (status, id)",
  "create index assignment_requests_domain_idx on assignment_requests (domain_id)",
];

/** Domains assigned to members, and what members ask for. */
export class Assignments extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
