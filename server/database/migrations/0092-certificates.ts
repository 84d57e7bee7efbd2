import { Migration } from "@mikro-orm/migrations";

/** Hosts whose TLS certificates are watched, what was read there, and what was reported of it. */
export class Certificates extends Migration {
  override up(): void {
    this.addSql(`create table tls_watches (
      domain_id uuid primary key references domains on delete cascade,
      mode text not null,
      next_check_at timestamptz,
      left_out integer not null
    )`);
    this.addSql("create index tls_watches_due_idx on tls_watches (next_check_at) where next_check_at is not null");
    this.addSql(`create table tls_hosts (
      domain_id uuid not null references domains on delete cascade,
      host text not null,
      port integer not null,
      starttls text,
      listed boolean not null,
      not_before timestamptz,
      not_after timestamptz,
      issuer text,
      fingerprint text,
      problem text,
      error text,
      checked_at timestamptz,
      primary key (domain_id, host, port)
    )`);
    this.addSql("create index tls_hosts_not_after_idx on tls_hosts (not_after) where not_after is not null");
    this.addSql(
      `create index tls_hosts_invalid_idx on tls_hosts (not_after)
        where problem in ('expired', 'not_yet_valid', 'other_names', 'untrusted')`,
    );
    this.addSql(`create table certificate_notices (
      domain_id uuid not null references domains on delete cascade,
      fingerprint text not null,
      about text not null,
      host text not null,
      told_at timestamptz not null,
      primary key (domain_id, fingerprint, about, host)
    )`);
  }
}
