import { Migration } from "@mikro-orm/migrations";

const statements = [
  `create table identity_configs (
    id uuid primary key,
    provider_id text not null,
    enabled boolean not null,
    client_id text not null,
    client_secret text,
    scope text not null,
    well_known_url text,
    authorize_url text,
    token_url text,
    user_info_url text,
    created_at timestamptz not null
  )`,
  "create unique index identity_configs_provider_key on identity_configs (provider_id)",
  `create table identity_bindings (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    provider_id text not null,
    issuer text not null,
    subject text not null,
    email text,
    display_name text,
    created_at timestamptz not null
  )`,
  "create unique index identity_bindings_identity_key on identity_bindings (provider_id, issuer, subject)",
  "create unique index identity_bindings_user_key on identity_bindings (user_id, provider_id)",
  `create table identity_flows (
    id uuid primary key,
    provider_id text not null,
    user_id uuid references users on delete cascade,
    session_id uuid references sessions on delete cascade,
    browser_hash text not null,
    secrets text not null,
    expires_at timestamptz not null
  )`,
  "create index identity_flows_expires_idx on identity_flows (expires_at)",
  "create index identity_flows_user_idx on identity_flows (user_id)",
  "create index identity_flows_session_idx on identity_flows (session_id)",
  `create table identity_tickets (
    token_hash text primary key,
    user_id uuid not null references users on delete cascade,
    provider_id text not null,
    expires_at timestamptz not null
  )`,
  "create index identity_tickets_expires_idx on identity_tickets (expires_at)",
  "create index identity_tickets_user_idx on identity_tickets (user_id)",
  `create table pending_identities (
    token_hash text primary key,
    provider_id text not null,
    issuer text not null,
    subject text not null,
    email text,
    email_verified boolean not null,
    display_name text,
    username text,
    expires_at timestamptz not null
  )`,
  "create index pending_identities_expires_idx on pending_identities (expires_at)",
];

/** Sign-in with external identity providers. */
export class Identity extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
