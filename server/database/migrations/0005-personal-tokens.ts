import { Migration } from "@mikro-orm/migrations";

const statements = [
  `create table personal_tokens (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    name text not null,
    token_hash text not null collate "C",
    permissions text[] not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    last_used_at timestamptz
  )`,
  "create unique index personal_tokens_hash_key on personal_tokens (token_hash)",
  "create index personal_tokens_user_idx on personal_tokens (user_id, id)",
];

/** Personal tokens: what programs call with in a user's name. */
export class PersonalTokens extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
