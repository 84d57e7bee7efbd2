import { Migration } from "@mikro-orm/migrations";

const statements = [
  `create table totp_factors (
    user_id uuid primary key references users on delete cascade,
    secret text not null,
    last_step int not null,
    enabled_at timestamptz
  )`,
  `create table email_factors (
    user_id uuid primary key references users on delete cascade,
    enabled_at timestamptz not null,
    last_sent_at timestamptz,
    hour_began_at timestamptz,
    sent_within_hour int not null default 0
  )`,
  `create table passkeys (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    name text not null,
    credential_id text not null collate "C",
    public_key text not null,
    counter bigint not null,
    transports text[] not null,
    created_at timestamptz not null,
    last_used_at timestamptz
  )`,
  "create index passkeys_user_idx on passkeys (user_id, id)",
  "create unique index passkeys_credential_key on passkeys (credential_id)",
  `create table recovery_codes (
    user_id uuid not null references users on delete cascade,
    code_hash text not null collate "C",
    primary key (user_id, code_hash)
  )`,
  `create table sign_in_challenges (
    id uuid primary key,
    token_hash text not null collate "C",
    user_id uuid not null references users on delete cascade,
    remember_me boolean not null,
    expires_at timestamptz not null,
    used_at timestamptz,
    email_code_hash text,
    email_code_expires_at timestamptz,
    email_code_tries int not null default 0
  )`,
  "create unique index sign_in_challenges_token_key on sign_in_challenges (token_hash)",
  "create index sign_in_challenges_user_idx on sign_in_challenges (user_id)",
  "create index sign_in_challenges_expires_idx on sign_in_challenges (expires_at)",
  `create table passkey_challenges (
    challenge text primary key collate "C",
    purpose text not null check (purpose in ('register', 'second_factor', 'sign_in')),
    user_id uuid references users on delete cascade,
    sign_in_challenge_id uuid references sign_in_challenges on delete cascade,
    expires_at timestamptz not null
  )`,
  "create index passkey_challenges_expires_idx on passkey_challenges (expires_at)",
  "create index passkey_challenges_user_idx on passkey_challenges (user_id)",
  "create index passkey_challenges_sign_in_idx on passkey_challenges (sign_in_challenge_id)",
];

/** Second factors of users, and the challenges that wait for one. */
export class SecondFactors extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
