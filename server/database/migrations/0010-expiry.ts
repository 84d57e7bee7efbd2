import { Migration } from "@mikro-orm/migrations";

const statements = [
  `alter table domains
    add column registry_expires_at timestamptz,
    add column registrar_expires_at timestamptz,
    add column expiry_next_check_at timestamptz,
    add column expiry_check_failures int not null default 0`,
  `create index domains_expiry_due_idx on domains (expiry_next_check_at nulls first)
    where status = 'active' and auto_check_expiry and expiry_source is distinct from 'manual'`,
  `create table expiry_reminders (
    domain_id uuid not null references domains on delete cascade,
    expires_on date not null,
    days int not null,
    told_at timestamptz not null,
    primary key (domain_id, expires_on, days)
  )`,
];

/** Look-ups of expiry dates, and which reminders were sent. */
export class Expiry extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
