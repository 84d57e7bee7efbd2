import { Migration } from "@mikro-orm/migrations";

const statements = [
  `create table invitations (
    id uuid primary key,
    code_hash text not null,
    role text not null check (role in ('admin', 'member')),
    max_uses int not null check (max_uses > 0),
    uses int not null default 0,
    expires_at timestamptz,
    created_by uuid,
    created_at timestamptz not null
  )`,
  "create unique index invitations_code_key on invitations (code_hash)",
  `create table password_resets (
    token_hash text primary key,
    user_id uuid not null references users on delete cascade,
    created_at timestamptz not null,
    expires_at timestamptz not null
  )`,
  "create index password_resets_user_idx on password_resets (user_id)",
  "create index users_created_idx on users (created_at, id)",
];

/** Invitations to register, and links to set a new password. */
export class Invitations extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
