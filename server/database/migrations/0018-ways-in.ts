import { Migration } from "@mikro-orm/migrations";

const statements = [
  // Counts the changes of credentials, address and state: what was proven before one of them opens nothing after it.
  "alter table users add column access_epoch int not null default 0",
  "alter table users add column email_verified_by text check (email_verified_by in ('administrator', 'provider', 'link'))",
  "update users set email_verified_by = 'administrator' where email is not null",
  // Only a verified address keeps others from having it.
  "drop index users_email_key",
  "create unique index users_verified_email_key on users (lower(email)) where email_verified_by is not null",
  `create table email_verifications (
    token_hash text primary key,
    user_id uuid not null references users on delete cascade,
    email text not null,
    expires_at timestamptz not null
  )`,
  "create index email_verifications_user_idx on email_verifications (user_id)",
  "create index email_verifications_expires_idx on email_verifications (expires_at)",
  `create table mail_allowances (
    key text primary key,
    sent_at timestamptz[] not null,
    expires_at timestamptz not null
  )`,
  "create index mail_allowances_expires_idx on mail_allowances (expires_at)",
  "alter table invitations add column ended_at timestamptz",
  `update invitations set ended_at = now() where not exists (
    select from users where users.id = invitations.created_by and role = 'admin' and disabled_at is null
  )`,
  "create index invitations_maker_idx on invitations (created_by)",
];

/** Verified addresses, what ends with a change of access, and invitations that end with their maker's rights. */
export class WaysIn extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
