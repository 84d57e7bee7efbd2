import { Migration } from "@mikro-orm/migrations";

const statements = [
  `create table delegations (
    domain_id uuid primary key references domains on delete cascade,
    next_check_at timestamptz not null,
    checked_at timestamptz,
    changed_at timestamptz,
    facts jsonb
  )`,
  "create index delegations_due_idx on delegations (next_check_at)",
  `create table delegation_findings (
    domain_id uuid not null references domains on delete cascade,
    code text not null collate "C",
    name text not null collate "C",
    record_type text not null collate "C",
    subject text not null collate "C",
    severity text not null,
    message text not null,
    present boolean not null,
    notified boolean not null,
    first_seen_at timestamptz not null,
    last_seen_at timestamptz not null,
    snoozed_until timestamptz,
    primary key (domain_id, code, name, record_type, subject)
  )`,
];

/** What the world sees of a zone: its delegation, and what is wrong with it. */
export class Delegations extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
