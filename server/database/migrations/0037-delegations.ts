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

/** Which domains have their first check planned, so that the job finds the others without reading all; see registry/delegation/check-job.ts. */
export class FirstChecks extends Migration {
  override up(): void {
    this.addSql(`insert into delegations (domain_id, next_check_at) select id, now() + random() * interval '1 day' from domains
      where view = '' on conflict do nothing`);
    // Present rows have the default of the first statement without being written again.
    this.addSql("alter table domains add column first_check_planned boolean not null default true");
    this.addSql("alter table domains alter column first_check_planned set default false");
    // Their checks are planned once they are in the default view.
    this.addSql("update domains set first_check_planned = false where view <> ''");
    this.addSql("create index domains_first_check_idx on domains (id) where view = '' and not first_check_planned");
  }
}

/**
 * Indexes one expression instead of two columns. The engine keeps statistics of the expression, so the planner knows that few domains match.
 * It took the columns for independent, expected many matches where many zones are in other views, and sometimes read all domains.
 */
export class FirstCheckEstimates extends Migration {
  override up(): void {
    this.addSql("drop index domains_first_check_idx");
    this.addSql(
      "create index domains_first_check_idx on domains ((case when not first_check_planned then view end)) where not first_check_planned",
    );
  }
}
