import { Migration } from "@mikro-orm/migrations";

/** TSIG keys with which DNS clients act for their owner, and their names beside what they changed. */
export class TsigKeys extends Migration {
  override up(): void {
    this.addSql(`create table tsig_keys (
      id uuid primary key,
      user_id uuid not null references users on delete cascade,
      name text,
      key_name text not null unique,
      algorithm text not null check (algorithm in ('hmac-sha256', 'hmac-sha512', 'hmac-sha384', 'hmac-sha1')),
      secret text not null,
      domain_id uuid not null references domains on delete cascade,
      host_pattern text not null default '*',
      record_types text[] not null default '{}',
      access text not null check (access in ('update', 'read', 'both')),
      created_at timestamptz not null,
      expires_at timestamptz,
      last_used_at timestamptz,
      last_used_from text,
      last_error text check (char_length(last_error) <= 500),
      last_error_at timestamptz
    )`);
    this.addSql("create index tsig_keys_user_idx on tsig_keys (user_id, id)");
    this.addSql("create index tsig_keys_domain_idx on tsig_keys (domain_id, id)");
    this.addSql("create index tsig_keys_expires_at_idx on tsig_keys (expires_at)");
    for (const table of ["audit_entries", "change_sets"]) this.addSql(`alter table ${table} add column tsig_key text`);
  }
}
