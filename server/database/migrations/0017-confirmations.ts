import { Migration } from "@mikro-orm/migrations";

const statements = [
  "alter table sessions add column confirmed_at timestamptz",
  // A session that has just begun counts, as it would have if this version had started it.
  "update sessions set confirmed_at = created_at where created_at > now() - interval '10 minutes'",
  "alter table passkey_challenges add column session_id uuid references sessions on delete cascade",
  "create index passkey_challenges_session_idx on passkey_challenges (session_id)",
  "alter table passkey_challenges drop constraint passkey_challenges_purpose_check",
  `alter table passkey_challenges add constraint passkey_challenges_purpose_check
    check (purpose in ('register', 'second_factor', 'sign_in', 'confirm'))`,
];

/** When a session last proved whose it is, and passkeys that prove it. */
export class Confirmations extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
