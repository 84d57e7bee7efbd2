import { Migration } from "@mikro-orm/migrations";

const statements = [
  `create table identity_codes (
    code_hash text primary key,
    provider_id text not null,
    expires_at timestamptz not null
  )`,
  "create index identity_codes_expires_idx on identity_codes (expires_at)",
];

/** Authorisation codes that came to the callback which providers share. */
export class IdentityCodes extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
