import { Migration } from "@mikro-orm/migrations";

const statements = [
  `create table cli_codes (
    code_hash text primary key,
    user_id uuid not null references users on delete cascade,
    session_id uuid not null references sessions on delete cascade,
    permissions text[] not null,
    code_challenge text not null,
    expires_at timestamptz not null
  )`,
  "create index cli_codes_expires_idx on cli_codes (expires_at)",
  "create index cli_codes_user_idx on cli_codes (user_id)",
  "create index cli_codes_session_idx on cli_codes (session_id)",
  `create table device_sign_ins (
    device_code_hash text primary key,
    user_code_hash text not null,
    permissions text[] not null,
    ip text,
    interval_seconds integer not null,
    polled_at timestamptz,
    refused boolean not null,
    user_id uuid references users on delete cascade,
    session_id uuid references sessions on delete cascade,
    expires_at timestamptz not null
  )`,
  "create unique index device_sign_ins_user_code_key on device_sign_ins (user_code_hash)",
  "create index device_sign_ins_expires_idx on device_sign_ins (expires_at)",
  "create index device_sign_ins_user_idx on device_sign_ins (user_id)",
  "create index device_sign_ins_session_idx on device_sign_ins (session_id)",
];

/** Sign-ins of the command line that wait for their token. */
export class CommandLine extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
