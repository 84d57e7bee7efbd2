SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;
COMMENT ON EXTENSION btree_gin IS 'support for indexing common datatypes in GIN';
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';
CREATE FUNCTION public.refuse_audit_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      raise exception 'entries of the audit trail are never changed or deleted';
    end
  $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.assignment_requests (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    domain_id uuid,
    domain_name text NOT NULL COLLATE pg_catalog."C",
    named_by text NOT NULL,
    subdomain_pattern text NOT NULL COLLATE pg_catalog."C",
    host text,
    access text NOT NULL,
    reason text,
    status text NOT NULL,
    note text,
    decided_by uuid,
    decided_at timestamp with time zone,
    assignment_id uuid,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT assignment_requests_access_check CHECK ((access = ANY (ARRAY['read'::text, 'write'::text]))),
    CONSTRAINT assignment_requests_named_by_check CHECK ((named_by = ANY (ARRAY['id'::text, 'name'::text]))),
    CONSTRAINT assignment_requests_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text])))
);
CREATE TABLE public.assignments (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    domain_id uuid NOT NULL,
    subdomain_pattern text NOT NULL COLLATE pg_catalog."C",
    access text NOT NULL,
    created_by uuid,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT assignments_access_check CHECK ((access = ANY (ARRAY['read'::text, 'write'::text])))
);
CREATE TABLE public.audit_entries (
    id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    actor_id uuid,
    token_id uuid,
    action text NOT NULL COLLATE pg_catalog."C",
    target_type text NOT NULL COLLATE pg_catalog."C",
    target_id uuid,
    ip text,
    request_id text,
    before jsonb,
    after jsonb
);
CREATE TABLE public.change_set_calls (
    id bigint NOT NULL,
    change_set_id uuid NOT NULL,
    does jsonb NOT NULL
);
ALTER TABLE public.change_set_calls ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.change_set_calls_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.change_sets (
    id uuid NOT NULL,
    domain_id uuid NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    actor_id uuid,
    revision integer,
    creates integer NOT NULL,
    updates integer NOT NULL,
    deletes integer NOT NULL,
    intent jsonb,
    failures jsonb,
    repaired boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    unknown integer
);
CREATE TABLE public.deliveries (
    id uuid NOT NULL,
    channel_id uuid,
    user_id uuid,
    notice jsonb NOT NULL,
    state text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone,
    last_error text,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT deliveries_check CHECK ((num_nonnulls(channel_id, user_id) = 1)),
    CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);
CREATE TABLE public.domains (
    id uuid NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    provider_config_id uuid NOT NULL,
    owner_id uuid,
    expires_at timestamp with time zone,
    expiring_from timestamp with time zone,
    status text DEFAULT 'active'::text NOT NULL,
    group_name text,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    notes text,
    expiry_remind_days integer[] NOT NULL,
    auto_check_expiry boolean NOT NULL,
    expiry_source text,
    expiry_checked_at timestamp with time zone,
    registrar text,
    snapshot_schedule text DEFAULT 'off'::text NOT NULL,
    revision integer DEFAULT 0 NOT NULL,
    record_count integer DEFAULT 0 NOT NULL,
    snapshot_sequence integer DEFAULT 0 NOT NULL,
    provider_fingerprint text,
    lease_token uuid,
    lease_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    drift_checked_at timestamp with time zone,
    drift_found_at timestamp with time zone,
    drift_created integer,
    drift_updated integer,
    drift_deleted integer,
    lease_holder text,
    scheduled_snapshot_at timestamp with time zone,
    registry_expires_at timestamp with time zone,
    registrar_expires_at timestamp with time zone,
    expiry_next_check_at timestamp with time zone,
    expiry_check_failures integer DEFAULT 0 NOT NULL,
    CONSTRAINT domains_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);
CREATE TABLE public.email_factors (
    user_id uuid NOT NULL,
    enabled_at timestamp with time zone NOT NULL,
    last_sent_at timestamp with time zone,
    hour_began_at timestamp with time zone,
    sent_within_hour integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.expiry_reminders (
    domain_id uuid NOT NULL,
    expires_on date NOT NULL,
    days integer NOT NULL,
    told_at timestamp with time zone NOT NULL
);
CREATE TABLE public.identity_bindings (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    provider_id text NOT NULL,
    issuer text NOT NULL,
    subject text NOT NULL,
    email text,
    display_name text,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.identity_codes (
    code_hash text NOT NULL,
    provider_id text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.identity_configs (
    id uuid NOT NULL,
    provider_id text NOT NULL,
    enabled boolean NOT NULL,
    client_id text NOT NULL,
    client_secret text,
    scope text NOT NULL,
    well_known_url text,
    authorize_url text,
    token_url text,
    user_info_url text,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.identity_flows (
    id uuid NOT NULL,
    provider_id text NOT NULL,
    user_id uuid,
    session_id uuid,
    browser_hash text NOT NULL,
    secrets text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.identity_tickets (
    token_hash text NOT NULL,
    user_id uuid NOT NULL,
    provider_id text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.invitations (
    id uuid NOT NULL,
    code_hash text NOT NULL,
    role text NOT NULL,
    max_uses integer NOT NULL,
    uses integer DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone,
    created_by uuid,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT invitations_max_uses_check CHECK ((max_uses > 0)),
    CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text])))
);
CREATE TABLE public.mikro_orm_migrations (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    executed_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP(6) NOT NULL
);
CREATE SEQUENCE public.mikro_orm_migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.mikro_orm_migrations_id_seq OWNED BY public.mikro_orm_migrations.id;
CREATE TABLE public.notification_channels (
    id uuid NOT NULL,
    channel text NOT NULL,
    name text NOT NULL,
    config text NOT NULL,
    events text[] NOT NULL,
    enabled boolean NOT NULL,
    disabled_reason text,
    last_success_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.passkey_challenges (
    challenge text NOT NULL COLLATE pg_catalog."C",
    purpose text NOT NULL,
    user_id uuid,
    sign_in_challenge_id uuid,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT passkey_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['register'::text, 'second_factor'::text, 'sign_in'::text])))
);
CREATE TABLE public.passkeys (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    credential_id text NOT NULL COLLATE pg_catalog."C",
    public_key text NOT NULL,
    counter bigint NOT NULL,
    transports text[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone
);
CREATE TABLE public.password_resets (
    token_hash text NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.pending_identities (
    token_hash text NOT NULL,
    provider_id text NOT NULL,
    issuer text NOT NULL,
    subject text NOT NULL,
    email text,
    email_verified boolean NOT NULL,
    display_name text,
    username text,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.personal_tokens (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    token_hash text NOT NULL COLLATE pg_catalog."C",
    permissions text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone
);
CREATE TABLE public.provider_configs (
    id uuid NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    config jsonb NOT NULL,
    members_may_use boolean DEFAULT false NOT NULL,
    embedded boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.records (
    record_id uuid NOT NULL,
    version integer NOT NULL,
    domain_id uuid NOT NULL,
    since integer NOT NULL,
    until integer,
    record_type text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL,
    ttl integer NOT NULL,
    priority integer,
    proxied boolean NOT NULL,
    status text NOT NULL,
    comment text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.recovery_codes (
    user_id uuid NOT NULL,
    code_hash text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.refresh_tokens (
    token_hash text NOT NULL,
    session_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    rotated_at timestamp with time zone,
    successor_hash text
);
CREATE TABLE public.sessions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    remember_me boolean NOT NULL,
    user_agent text,
    ip text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone
);
CREATE TABLE public.sign_in_challenges (
    id uuid NOT NULL,
    token_hash text NOT NULL COLLATE pg_catalog."C",
    user_id uuid NOT NULL,
    remember_me boolean NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    email_code_hash text,
    email_code_expires_at timestamp with time zone,
    email_code_tries integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.snapshots (
    id uuid NOT NULL,
    domain_id uuid NOT NULL,
    version integer NOT NULL,
    revision integer NOT NULL,
    trigger text NOT NULL,
    record_count integer NOT NULL,
    created_by uuid,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT snapshots_trigger_check CHECK ((trigger = ANY (ARRAY['manual'::text, 'scheduled'::text, 'on_change'::text])))
);
CREATE TABLE public.totp_factors (
    user_id uuid NOT NULL,
    secret text NOT NULL,
    last_step integer NOT NULL,
    enabled_at timestamp with time zone
);
CREATE TABLE public.users (
    id uuid NOT NULL,
    username text NOT NULL,
    email text,
    password_hash text,
    role text NOT NULL,
    display_name text,
    nickname text,
    avatar_url text,
    notifications_enabled boolean DEFAULT true NOT NULL,
    email_notifications_enabled boolean DEFAULT false NOT NULL,
    disabled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_login_at timestamp with time zone,
    CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text])))
);
CREATE TABLE public.zone_import_items (
    import_id uuid NOT NULL,
    "position" integer NOT NULL,
    name text NOT NULL,
    state text NOT NULL,
    domain_id uuid,
    records integer,
    error text,
    CONSTRAINT zone_import_items_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text, 'failed'::text])))
);
CREATE TABLE public.zone_imports (
    id uuid NOT NULL,
    provider_config_id uuid NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    lease_until timestamp with time zone
);
ALTER TABLE ONLY public.mikro_orm_migrations ALTER COLUMN id SET DEFAULT nextval('public.mikro_orm_migrations_id_seq'::regclass);
INSERT INTO public.assignment_requests VALUES
	('01a2031e-e4c6-7000-a3d9-ebc4e61ee05d', '01a2031e-dee0-7000-8ddf-c8809753a85e', '01a2031e-e124-7000-8432-003c4ba80f7f', 'kept.example', 'name', 'c', 'c', 'write', 'To learn.', 'pending', NULL, NULL, NULL, NULL, '2026-11-22 11:58:06.022+00');
INSERT INTO public.assignments VALUES
	('01a2031e-e4b3-7000-b6e6-0118f2995771', '01a2031e-dee0-7000-8ddf-c8809753a85e', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '*.lab', 'write', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', '2026-11-22 11:58:06.003+00');
INSERT INTO public.audit_entries VALUES
	('01a2031e-dba4-7000-b269-90153328de18', '2026-11-22 11:58:03.684+00', NULL, NULL, 'user.create', 'user', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, NULL, NULL, '{"role": "admin", "email": null, "username": "admin", "displayName": null}'),
	('01a2031e-de20-7000-a904-5b3154878df6', '2026-11-22 11:58:04.32+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'auth.sign_in', 'session', '01a2031e-de17-7000-b5e0-1ff1e5b001ba', '127.0.0.1', '8f601f92-5c78-4e12-87ae-628a081199b6', NULL, '{"method": "password"}'),
	('01a2031e-dee1-7000-a858-4c1301b166cf', '2026-11-22 11:58:04.513+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'user.create', 'user', '01a2031e-dee0-7000-8ddf-c8809753a85e', '127.0.0.1', 'b2165f42-6615-4535-ace3-90f970e59eaf', NULL, '{"role": "member", "email": "mona@example.net", "username": "mona", "displayName": null}'),
	('01a2031e-dfae-7000-be0f-0e42ca108986', '2026-11-22 11:58:04.717+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'user.create', 'user', '01a2031e-dfab-7000-b1db-c0dd2d389570', '127.0.0.1', 'f22252e1-75e3-4461-9be5-060051303bf7', NULL, '{"role": "member", "email": "tara@example.net", "username": "tara", "displayName": null}'),
	('01a2031e-e026-7000-920b-b58aac7dfd45', '2026-11-22 11:58:04.838+00', '01a2031e-dee0-7000-8ddf-c8809753a85e', NULL, 'auth.sign_in', 'session', '01a2031e-e022-7000-a470-10af3a7bf9ca', '127.0.0.1', 'e28dae2f-dbb3-4b1e-a4b5-4d53a9bd48f7', NULL, '{"method": "password"}'),
	('01a2031e-e088-7000-9d8d-e63960976e68', '2026-11-22 11:58:04.936+00', '01a2031e-dfab-7000-b1db-c0dd2d389570', NULL, 'auth.sign_in', 'session', '01a2031e-e084-7000-9452-61aab1b903b4', '127.0.0.1', 'fecb3392-b112-42ee-b5b9-26d9ed3cad25', NULL, '{"method": "password"}'),
	('01a2031e-e0b0-7000-b1e9-748de72740e3', '2026-11-22 11:58:04.976+00', '01a2031e-dfab-7000-b1db-c0dd2d389570', NULL, 'two_factor.enable', 'user', '01a2031e-dfab-7000-b1db-c0dd2d389570', '127.0.0.1', 'bcb38320-6c54-4c94-adb7-47e0ddbe878a', NULL, '{"method": "totp"}'),
	('01a2031e-e0c6-7000-937d-06aa6a7fea71', '2026-11-22 11:58:04.998+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'token.create', 'token', '01a2031e-e0c2-7000-b20a-aaedf549da6b', '127.0.0.1', '6a737b00-1fd5-4f95-93df-e8c2cfe4af0f', NULL, '{"name": "Fixture", "expiresAt": null, "permissions": ["domains:read", "records:read", "records:write", "snapshots:read"]}'),
	('01a2031e-e0d4-7000-b949-fd2684aeafdb', '2026-11-22 11:58:05.01+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'provider_config.create', 'provider_config', '01a2031e-e0d0-7000-acfb-24d6d599f1c0', '127.0.0.1', '1522c659-d2e2-4d42-ba8a-82293478f68c', NULL, '{"kind": "manual", "name": "By hand", "config": {}, "membersMayUse": false}'),
	('01a2031e-e0ec-7000-b191-d8e3ba181c26', '2026-11-22 11:58:05.034+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'provider_config.create', 'provider_config', '01a2031e-e0df-7000-8116-c0736ed38ead', '127.0.0.1', '90bd3301-0c5b-4e84-a60f-2036af7b09cf', NULL, '{"kind": "powerdns", "name": "PowerDNS", "config": {"url": "http://127.0.0.1:9", "apiKey": "********", "serverId": "localhost"}, "membersMayUse": false}'),
	('01a2031e-e10e-7000-95cc-3f0d857a4f4d', '2026-11-22 11:58:05.051+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'domain.create', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', 'e6822ce1-8930-47cf-b2fb-c5033aa21b17', NULL, '{"name": "harbour.example", "ownerId": null, "recordCount": 0, "providerConfigId": "01a2031e-da39-7000-828a-f129dce420c9"}'),
	('01a2031e-e127-7000-828b-f0ff4a264eed', '2026-11-22 11:58:05.092+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'domain.create', 'domain', '01a2031e-e124-7000-8432-003c4ba80f7f', '127.0.0.1', 'ce9803fb-34e0-4144-a2bf-9100fe1d9b17', NULL, '{"name": "kept.example", "ownerId": null, "recordCount": 0, "providerConfigId": "01a2031e-e0d0-7000-acfb-24d6d599f1c0"}'),
	('01a2031e-e14f-7000-bd48-ccb59dc8c4e5', '2026-11-22 11:58:05.128+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'domain.import', 'domain', '01a2031e-e149-7000-81af-5aad2d9566f3', '127.0.0.1', 'ac0bbf52-1689-4d36-8eb7-f8211f77ebd8', NULL, '{"name": "imported.example", "ownerId": null, "recordCount": 5, "providerConfigId": "01a2031e-da39-7000-828a-f129dce420c9"}'),
	('01a2031e-e155-7000-8e8f-03303a485d1f', '2026-11-22 11:58:05.128+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.import', 'domain', '01a2031e-e149-7000-81af-5aad2d9566f3', '127.0.0.1', 'ac0bbf52-1689-4d36-8eb7-f8211f77ebd8', '{"records": []}', '{"creates": 5, "deletes": 0, "records": [{"id": "01a2031e-e14c-7000-a873-2642d231a5fa", "ttl": 3600, "name": "@", "value": "ns1.imported.example", "proxied": false, "priority": null, "recordType": "NS"}, {"id": "01a2031e-e14d-7000-b178-c93707f24a2b", "ttl": 3600, "name": "ns1", "value": "192.0.2.53", "proxied": false, "priority": null, "recordType": "A"}, {"id": "01a2031e-e14d-7001-8489-f9f20bfc6b39", "ttl": 3600, "name": "www", "value": "192.0.2.80", "proxied": false, "priority": null, "recordType": "A"}, {"id": "01a2031e-e14d-7002-a576-d0ae6b7d6569", "ttl": 3600, "name": "host", "value": "4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789", "proxied": false, "priority": null, "recordType": "SSHFP"}, {"id": "01a2031e-e14d-7003-a036-6262a9c4fa00", "ttl": 3600, "name": "_443._tcp", "value": "3 1 1 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "proxied": false, "priority": null, "recordType": "TLSA"}], "updates": 0, "failures": 0, "repaired": false, "revision": 1, "changeSetId": "01a2031e-e154-7000-bd26-ec3798f01e25"}'),
	('01a2031e-e192-7000-93e5-9a3ab0c97451', '2026-11-22 11:58:05.198+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', '21cacbbd-c095-4d03-9019-b76c1ed4ca58', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a2031e-e17e-7000-aa80-b6c8dea52ebb", "ttl": 3600, "name": "@", "value": "ns1.harbour.example", "proxied": false, "priority": null, "recordType": "NS"}], "updates": 0, "failures": 0, "repaired": false, "revision": 1, "changeSetId": "01a2031e-e181-7000-bddc-a7e8dd558eda"}'),
	('01a2031e-e1ae-7000-8c83-f10574b486f0', '2026-11-22 11:58:05.227+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', '26c7b600-3859-456a-bf7c-1b4d1b9ce0e7', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a2031e-e1a2-7000-920c-2b3bd0c26342", "ttl": 3600, "name": "ns1", "value": "192.0.2.53", "proxied": false, "priority": null, "recordType": "A"}], "updates": 0, "failures": 0, "repaired": false, "revision": 2, "changeSetId": "01a2031e-e1a3-7000-ab86-db1c17f70025"}'),
	('01a2031e-e1d6-7000-b134-2d853f049daf', '2026-11-22 11:58:05.267+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', 'b9acc4b8-47de-4241-b721-aa70b1329e9d', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a2031e-e1cc-7000-a0ab-be55687d6347", "ttl": 300, "name": "@", "value": "192.0.2.1", "proxied": false, "priority": null, "recordType": "A"}], "updates": 0, "failures": 0, "repaired": false, "revision": 3, "changeSetId": "01a2031e-e1ce-7000-8a4b-7ab687a2002a"}'),
	('01a2031e-e1f4-7000-a4ef-bc1b0199c8e2', '2026-11-22 11:58:05.296+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', '4e56f0c7-0c56-4e7d-b5b1-98ddcb261f1c', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a2031e-e1e3-7000-af8c-37e112cb5c16", "ttl": 3600, "name": "@", "value": "2001:db8::1", "proxied": false, "priority": null, "recordType": "AAAA"}], "updates": 0, "failures": 0, "repaired": false, "revision": 4, "changeSetId": "01a2031e-e1e5-7000-a9ed-8312d84a8378"}'),
	('01a2031e-e21d-7000-ad0d-cb848af055a4', '2026-11-22 11:58:05.336+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', '1d4acb36-8065-4953-b295-33b07dec79dc', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a2031e-e20a-7000-9aad-b7298b43ed1a", "ttl": 3600, "name": "www", "value": "harbour.example", "proxied": false, "priority": null, "recordType": "CNAME"}], "updates": 0, "failures": 0, "repaired": false, "revision": 5, "changeSetId": "01a2031e-e20c-7000-ae13-1b0ddbc957b5"}'),
	('01a2031e-e240-7000-a44d-f93a7921ec3a', '2026-11-22 11:58:05.372+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', '1f53d2f4-23c0-4855-8bcf-0ab2f2948e3f', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a2031e-e232-7000-9e63-7a377da5fac7", "ttl": 3600, "name": "@", "value": "10 mail.harbour.example", "proxied": false, "priority": 10, "recordType": "MX"}], "updates": 0, "failures": 0, "repaired": false, "revision": 6, "changeSetId": "01a2031e-e235-7000-9b64-dce19df0bc3c"}'),
	('01a2031e-e267-7000-925e-f8b94ff6a387', '2026-11-22 11:58:05.412+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', 'eff08bf9-2d7f-4d79-b676-5008a3f43921', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a2031e-e257-7000-b930-2b52f4cdd2e1", "ttl": 3600, "name": "mail", "value": "192.0.2.25", "proxied": false, "priority": null, "recordType": "A"}], "updates": 0, "failures": 0, "repaired": false, "revision": 7, "changeSetId": "01a2031e-e258-7000-b297-60a31537dda8"}'),
	('01a2031e-e28b-7000-b785-5597ae5c3fe8', '2026-11-22 11:58:05.448+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', 'd772caee-9179-439e-bea9-91506f686595', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a2031e-e280-7000-a878-18f4875fcabc", "ttl": 3600, "name": "_sip._tcp", "value": "0 5 5060 sip.example.net", "proxied": false, "priority": 0, "recordType": "SRV"}], "updates": 0, "failures": 0, "repaired": false, "revision": 8, "changeSetId": "01a2031e-e281-7000-a612-82a81f175a59"}'),
	('01a2031e-e2b4-7000-bf24-5b4c4012a599', '2026-11-22 11:58:05.489+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', 'f0125516-8e2b-4cbd-8e4a-6be6a08d276a', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a2031e-e2a2-7000-9d50-1df734517c1b", "ttl": 3600, "name": "@", "value": "0 issue ca.example.net", "proxied": false, "priority": null, "recordType": "CAA"}], "updates": 0, "failures": 0, "repaired": false, "revision": 9, "changeSetId": "01a2031e-e2a5-7000-886c-690e35b3c54a"}'),
	('01a2031e-e2dc-7000-aa8e-8a8273db2083', '2026-11-22 11:58:05.529+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', 'f60b5894-4084-4c30-9b1d-15e55878321d', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a2031e-e2c9-7000-b31b-5a5754037091", "ttl": 3600, "name": "@", "value": "v=spf1 -all", "proxied": false, "priority": null, "recordType": "TXT"}], "updates": 0, "failures": 0, "repaired": false, "revision": 10, "changeSetId": "01a2031e-e2cb-7000-96ba-5f11a528157d"}'),
	('01a2031e-e304-7000-889f-8cc2633e46f4', '2026-11-22 11:58:05.568+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', '3e35af93-7f55-4ae6-86ff-4a3f79fc815d', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a2031e-e2f2-7000-a34c-4ce67bc395b6", "ttl": 3600, "name": "long", "value": "v=DKIM1; p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "proxied": false, "priority": null, "recordType": "TXT"}], "updates": 0, "failures": 0, "repaired": false, "revision": 11, "changeSetId": "01a2031e-e2f3-7000-8c52-58c3393f0f23"}'),
	('01a2031e-e32b-7000-8ef8-e0650523146a', '2026-11-22 11:58:05.608+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', '02aa7596-0ebf-4aa5-a8a1-9ca7650113ed', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a2031e-e317-7000-9195-cd9591bbb79f", "ttl": 3600, "name": "quoted", "value": "say \"hello\"; \\ and ü", "proxied": false, "priority": null, "recordType": "TXT"}], "updates": 0, "failures": 0, "repaired": false, "revision": 12, "changeSetId": "01a2031e-e318-7000-9746-0d2867b94e2c"}'),
	('01a2031e-e35b-7000-b879-203522e38417', '2026-11-22 11:58:05.656+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', '22055819-eb77-4975-a0e4-f27cada3d07b', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a2031e-e341-7000-8b09-ee10175c1519", "ttl": 3600, "name": "*", "value": "192.0.2.9", "proxied": false, "priority": null, "recordType": "A"}], "updates": 0, "failures": 0, "repaired": false, "revision": 13, "changeSetId": "01a2031e-e342-7000-a4d9-30680671aaec"}'),
	('01a2031e-e38f-7000-9fdc-d95c05ed8734', '2026-11-22 11:58:05.709+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', '48301385-c4b2-457c-897d-9c73a6ad5564', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a2031e-e374-7000-b2f7-93e1fe50bf11", "ttl": 3600, "name": "xn--bcher-kva", "value": "192.0.2.10", "proxied": false, "priority": null, "recordType": "A"}], "updates": 0, "failures": 0, "repaired": false, "revision": 14, "changeSetId": "01a2031e-e37b-7000-be67-b446113d43ec"}'),
	('01a2031e-e39f-7000-a547-7343a2567932', '2026-11-22 11:58:05.727+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'snapshot.create', 'snapshot', '01a2031e-e39e-7000-be8a-5d6585f90b2c', '127.0.0.1', '4a6f8bad-7842-4800-8b4f-be5dfb49f24e', NULL, '{"trigger": "manual", "domainId": "01a2031e-e0fb-7000-8e7d-66a4d247d0d4"}'),
	('01a2031e-e3cb-7000-9a69-cc2a38df04a7', '2026-11-22 11:58:05.768+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', '50a85091-eac3-4e9c-9425-803d5a135536', '{"records": [{"id": "01a2031e-e1cc-7000-a0ab-be55687d6347", "ttl": 300, "name": "@", "value": "192.0.2.1", "proxied": false, "priority": null, "recordType": "A"}]}', '{"creates": 0, "deletes": 0, "records": [{"id": "01a2031e-e1cc-7000-a0ab-be55687d6347", "ttl": 600, "name": "@", "value": "192.0.2.2", "proxied": false, "priority": null, "recordType": "A"}], "updates": 1, "failures": 0, "repaired": false, "revision": 15, "changeSetId": "01a2031e-e3bd-7000-b522-1626f6336fc5"}'),
	('01a2031e-e3ef-7000-aa96-f36fc8786fb1', '2026-11-22 11:58:05.804+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', '6391b825-830a-4998-ac0c-02f4db3ab447', '{"records": [{"id": "01a2031e-e280-7000-a878-18f4875fcabc", "ttl": 3600, "name": "_sip._tcp", "value": "0 5 5060 sip.example.net", "proxied": false, "priority": 0, "recordType": "SRV"}]}', '{"creates": 0, "deletes": 1, "records": [], "updates": 0, "failures": 0, "repaired": false, "revision": 16, "changeSetId": "01a2031e-e3df-7000-a3b1-9ebd808f0aa7"}'),
	('01a2031e-e3fe-7001-b2cc-073c2425fd87', '2026-11-22 11:58:05.822+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'snapshot.create', 'snapshot', '01a2031e-e3fe-7000-9f9c-f16c9665f634', '127.0.0.1', 'e66029b7-60bf-422c-8906-f91a5b29b135', NULL, '{"trigger": "manual", "domainId": "01a2031e-e0fb-7000-8e7d-66a4d247d0d4"}'),
	('01a2031e-e435-7000-9196-1aed8e9ed344', '2026-11-22 11:58:05.872+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.rollback', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', 'b027cccd-5f67-4ed3-b0a9-b14e33a6789c', '{"records": [{"id": "01a2031e-e1cc-7000-a0ab-be55687d6347", "ttl": 600, "name": "@", "value": "192.0.2.2", "proxied": false, "priority": null, "recordType": "A"}]}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a2031e-e1cc-7000-a0ab-be55687d6347", "ttl": 300, "name": "@", "value": "192.0.2.1", "proxied": false, "priority": null, "recordType": "A"}, {"id": "01a2031e-e280-7000-a878-18f4875fcabc", "ttl": 3600, "name": "_sip._tcp", "value": "0 5 5060 sip.example.net", "proxied": false, "priority": 0, "recordType": "SRV"}], "updates": 1, "failures": 0, "repaired": false, "revision": 17, "snapshotId": "01a2031e-e39e-7000-be8a-5d6585f90b2c", "changeSetId": "01a2031e-e419-7000-b93d-09af9133e85a"}'),
	('01a2031e-e46b-7000-944a-af402e548cb3', '2026-11-22 11:58:05.927+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.edit', 'domain', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', '127.0.0.1', '6d2951e6-9d24-4dad-8fd1-9c39b4d5823e', '{"records": [{"id": "01a2031e-e2c9-7000-b31b-5a5754037091", "ttl": 3600, "name": "@", "value": "v=spf1 -all", "proxied": false, "priority": null, "recordType": "TXT"}]}', '{"creates": 0, "deletes": 0, "records": [{"id": "01a2031e-e2c9-7000-b31b-5a5754037091", "ttl": 3600, "name": "@", "value": "v=spf1 mx -all", "proxied": false, "priority": null, "recordType": "TXT"}], "updates": 1, "failures": 0, "repaired": false, "revision": 18, "changeSetId": "01a2031e-e459-7000-ad00-c46402f3399b"}'),
	('01a2031e-e47b-7000-b4e1-3dda43d7999b', '2026-11-22 11:58:05.945+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'records.bulk', 'domain', '01a2031e-e124-7000-8432-003c4ba80f7f', '127.0.0.1', '00a56108-d994-4a28-9065-f23fc7b42753', '{"records": []}', '{"creates": 3, "deletes": 0, "records": [{"id": "01a2031e-e478-7000-ab73-432e7d4c6d63", "ttl": 3600, "name": "a", "value": "198.51.100.1", "proxied": false, "priority": null, "recordType": "A"}, {"id": "01a2031e-e478-7001-b2ce-38e9a15e39f1", "ttl": 3600, "name": "b", "value": "198.51.100.1", "proxied": false, "priority": null, "recordType": "A"}, {"id": "01a2031e-e478-7002-a36b-49f06b2252aa", "ttl": 3600, "name": "c", "value": "198.51.100.1", "proxied": false, "priority": null, "recordType": "A"}], "updates": 0, "failures": 0, "repaired": false, "revision": 1, "changeSetId": "01a2031e-e47a-7000-86a4-2942e90ad8a8"}'),
	('01a2031e-e48d-7000-ac62-8c2d8a38af41', '2026-11-22 11:58:05.964+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'domain.update', 'domain', '01a2031e-e124-7000-8432-003c4ba80f7f', '127.0.0.1', '652d1732-d3a1-4edd-9f20-27bfa6cad6b1', '{"notes": null, "groupName": null, "snapshotSchedule": "off"}', '{"notes": "By hand.", "groupName": "Shop", "snapshotSchedule": "weekly"}'),
	('01a2031e-e49d-7000-b117-db92a44f25c7', '2026-11-22 11:58:05.981+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'domain.set_expiry', 'domain', '01a2031e-e124-7000-8432-003c4ba80f7f', '127.0.0.1', '38afe838-edf4-40b8-89f0-69e627877709', '{"expiresAt": null, "expirySource": null}', '{"expiresAt": "2027-06-01T00:00:00.000Z", "expirySource": "manual"}'),
	('01a2031e-e4b5-7000-afba-3982c8302c31', '2026-11-22 11:58:06.005+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'assignment.create', 'assignment', '01a2031e-e4b3-7000-b6e6-0118f2995771', '127.0.0.1', 'b23c111f-0ac2-4696-a428-bd7482fca7b5', NULL, '{"access": "write", "userId": "01a2031e-dee0-7000-8ddf-c8809753a85e", "domainId": "01a2031e-e0fb-7000-8e7d-66a4d247d0d4", "subdomainPattern": "*.lab"}'),
	('01a2031e-e4c8-7000-b830-1eb0add724f8', '2026-11-22 11:58:06.024+00', '01a2031e-dee0-7000-8ddf-c8809753a85e', NULL, 'assignment.request', 'assignment_request', '01a2031e-e4c6-7000-a3d9-ebc4e61ee05d', '127.0.0.1', 'e0e87e26-81f3-443b-a034-ec29f1a4b890', NULL, '{"host": "c", "access": "write", "reason": "To learn.", "domainId": "01a2031e-e124-7000-8432-003c4ba80f7f", "domainName": "kept.example", "subdomainPattern": "c"}'),
	('01a2031e-e4d9-7000-994e-95d8cfeec6ab', '2026-11-22 11:58:06.041+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'invitation.create', 'invitation', '01a2031e-e4d6-7000-933e-c95ec462667d', '127.0.0.1', 'cfb3e831-19d3-46d0-9def-a103467c65d7', NULL, '{"role": "member", "maxUses": 3, "expiresAt": null}'),
	('01a2031e-e4eb-7000-8281-398a2bbcf3d5', '2026-11-22 11:58:06.059+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'channel.create', 'channel', '01a2031e-e4e5-7000-b2b9-ac297e310765', '127.0.0.1', 'aa0f1982-f213-47e9-acb5-a81b0a140578', NULL, '{"name": "Hook", "config": {"url": "https://hook.example.net/", "secret": "********"}, "events": ["zone.drift"], "channel": "webhook", "enabled": true}'),
	('01a2031e-e4f9-7000-a8a9-ff92d31b7be5', '2026-11-22 11:58:06.073+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'identity_config.create', 'identity_config', '01a2031e-e4f6-7000-9717-27154a80a538', '127.0.0.1', '7e6dbabf-2c93-498b-aa69-d567e792b785', NULL, '{"scope": "read:user user:email", "enabled": true, "tokenUrl": null, "providerId": "github", "userInfoUrl": null, "authorizeUrl": null, "wellKnownUrl": null, "clientIdMasked": "c****t"}'),
	('01a2031e-e64a-7000-9fbf-3347e50ec884', '2026-11-22 11:58:06.41+00', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', NULL, 'auth.sign_in', 'session', '01a2031e-e648-7000-b66d-f64f1c075c69', '127.0.0.1', 'dda4be97-a8c7-4776-8cf4-97aa8f83becc', NULL, '{"method": "password"}');
INSERT INTO public.change_set_calls OVERRIDING SYSTEM VALUE VALUES
	(1, '01a1fb0f-6204-7000-abd4-276e976be8a3', '[{"after": {"ttl": 300, "name": "www", "value": "192.0.2.1", "proxied": false, "priority": null, "recordType": "A"}, "before": null}]');
INSERT INTO public.change_sets VALUES
	('01a2031e-e154-7000-bd26-ec3798f01e25', '01a2031e-e149-7000-81af-5aad2d9566f3', 'import', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 1, 5, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.128+00', '2026-11-22 11:58:05.128+00', NULL),
	('01a2031e-e181-7000-bddc-a7e8dd558eda', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 1, 1, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.186+00', '2026-11-22 11:58:05.198+00', NULL),
	('01a2031e-e1a3-7000-ab86-db1c17f70025', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 2, 1, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.219+00', '2026-11-22 11:58:05.227+00', NULL),
	('01a2031e-e1ce-7000-8a4b-7ab687a2002a', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 3, 1, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.262+00', '2026-11-22 11:58:05.267+00', NULL),
	('01a2031e-e1e5-7000-a9ed-8312d84a8378', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 4, 1, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.285+00', '2026-11-22 11:58:05.296+00', NULL),
	('01a2031e-e20c-7000-ae13-1b0ddbc957b5', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 5, 1, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.324+00', '2026-11-22 11:58:05.336+00', NULL),
	('01a2031e-e235-7000-9b64-dce19df0bc3c', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 6, 1, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.365+00', '2026-11-22 11:58:05.372+00', NULL),
	('01a2031e-e258-7000-b297-60a31537dda8', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 7, 1, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.4+00', '2026-11-22 11:58:05.412+00', NULL),
	('01a2031e-e281-7000-a612-82a81f175a59', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 8, 1, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.441+00', '2026-11-22 11:58:05.448+00', NULL),
	('01a2031e-e2a5-7000-886c-690e35b3c54a', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 9, 1, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.477+00', '2026-11-22 11:58:05.489+00', NULL),
	('01a2031e-e2cb-7000-96ba-5f11a528157d', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 10, 1, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.515+00', '2026-11-22 11:58:05.529+00', NULL),
	('01a2031e-e2f3-7000-8c52-58c3393f0f23', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 11, 1, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.555+00', '2026-11-22 11:58:05.568+00', NULL),
	('01a2031e-e318-7000-9746-0d2867b94e2c', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 12, 1, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.592+00', '2026-11-22 11:58:05.608+00', NULL),
	('01a2031e-e342-7000-a4d9-30680671aaec', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 13, 1, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.635+00', '2026-11-22 11:58:05.656+00', NULL),
	('01a2031e-e37b-7000-be67-b446113d43ec', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 14, 1, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.691+00', '2026-11-22 11:58:05.709+00', NULL),
	('01a2031e-e3bd-7000-b522-1626f6336fc5', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 15, 0, 1, 0, NULL, NULL, false, '2026-11-22 11:58:05.757+00', '2026-11-22 11:58:05.768+00', NULL),
	('01a2031e-e3df-7000-a3b1-9ebd808f0aa7', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 16, 0, 0, 1, NULL, NULL, false, '2026-11-22 11:58:05.791+00', '2026-11-22 11:58:05.804+00', NULL),
	('01a2031e-e419-7000-b93d-09af9133e85a', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'rollback', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 17, 1, 1, 0, NULL, NULL, false, '2026-11-22 11:58:05.849+00', '2026-11-22 11:58:05.872+00', NULL),
	('01a2031e-e459-7000-ad00-c46402f3399b', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'edit', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 18, 0, 1, 0, NULL, NULL, false, '2026-11-22 11:58:05.913+00', '2026-11-22 11:58:05.927+00', NULL),
	('01a2031e-e47a-7000-86a4-2942e90ad8a8', '01a2031e-e124-7000-8432-003c4ba80f7f', 'bulk', 'applied', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 1, 3, 0, 0, NULL, NULL, false, '2026-11-22 11:58:05.945+00', '2026-11-22 11:58:05.945+00', NULL),
	('01a1fb0f-6204-7000-abd4-276e976be8a3', '01a1fb0f-6204-7000-abd4-276e976be8a2', 'edit', 'pending', NULL, NULL, 1, 0, 0, '{"changes": [{"id": "01a1fb0f-6204-7000-abd4-276e976be8a4", "after": {"ttl": 300, "name": "www", "value": "192.0.2.1", "comment": null, "proxied": false, "priority": null, "recordType": "A"}, "action": "create", "before": null}], "together": false}', NULL, false, '2026-11-22 11:58:06.091641+00', NULL, NULL);
INSERT INTO public.deliveries VALUES
	('9c94039b-c047-432a-aac2-2dbb57d5797e', '01a2031e-e4e5-7000-b2b9-ac297e310765', NULL, '{"event": "zone.drift", "level": "warning", "title": "Drift", "content": "Look at it.", "metadata": {}}', 'pending', 3, '2026-11-22 12:58:06.091641+00', 'HTTP 503', '2026-11-22 11:58:06.091641+00', NULL);
INSERT INTO public.domains VALUES
	('01a2031e-e149-7000-81af-5aad2d9566f3', 'imported.example', '01a2031e-da39-7000-828a-f129dce420c9', NULL, NULL, NULL, 'active', NULL, '{}', NULL, '{30,7,1}', true, NULL, NULL, NULL, 'off', 1, 5, 0, '93db2201afcb452e1f1e2a334c5bb6b5e2862c04b36eabc304f1a9c1ea45a250', NULL, NULL, '2026-11-22 11:58:05.128+00', '2026-11-22 11:58:05.128+00', '2026-11-22 11:58:05.128+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0),
	('01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 'harbour.example', '01a2031e-da39-7000-828a-f129dce420c9', NULL, NULL, NULL, 'active', NULL, '{}', NULL, '{30,7,1}', true, NULL, NULL, NULL, 'off', 18, 14, 3, '157a9c26e98d882ad9d19d82ab1ad3869fd261f7a49338d713ad8d7f4a6fdffa', NULL, NULL, '2026-11-22 11:58:05.051+00', '2026-11-22 11:58:05.927+00', '2026-11-22 11:58:05.051+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0),
	('01a2031e-e124-7000-8432-003c4ba80f7f', 'kept.example', '01a2031e-e0d0-7000-acfb-24d6d599f1c0', NULL, '2027-06-01 00:00:00+00', '2027-05-02 00:00:00+00', 'active', 'Shop', '{production,eu}', 'By hand.', '{30,7,1}', true, 'manual', NULL, NULL, 'weekly', 1, 3, 0, NULL, NULL, NULL, '2026-11-22 11:58:05.092+00', '2026-11-22 11:58:05.981+00', '2026-11-22 11:58:05.092+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0),
	('01a1fb0f-6204-7000-abd4-276e976be8a2', 'open.example', '01a2031e-e0df-7000-8116-c0736ed38ead', NULL, NULL, NULL, 'active', NULL, '{}', NULL, '{30,7,1}', false, NULL, NULL, NULL, 'off', 0, 0, 0, NULL, NULL, NULL, '2026-11-22 11:58:06.091641+00', '2026-11-22 11:58:06.091641+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO public.email_factors VALUES
	('01a2031e-dfab-7000-b1db-c0dd2d389570', '2026-11-22 11:58:06.091641+00', NULL, NULL, 0);
INSERT INTO public.expiry_reminders VALUES
	('01a2031e-e124-7000-8432-003c4ba80f7f', '2027-06-01', 30, '2026-11-22 11:58:06.091641+00');
INSERT INTO public.identity_bindings VALUES
	('97c5b35d-6d2a-44d8-b732-a9da67691642', '01a2031e-dee0-7000-8ddf-c8809753a85e', 'github', 'https://github.com', '4711', 'mona@example.net', 'Mona', '2026-11-22 11:58:06.091641+00');
INSERT INTO public.identity_codes VALUES
	('code', 'github', '2026-11-22 12:08:06.091641+00');
INSERT INTO public.identity_configs VALUES
	('01a2031e-e4f6-7000-9717-27154a80a538', 'github', true, 'client', 'v1.c124df7253fa5e0d.wuo_8vZtDGmddkAK.5-XMIEWm4KbBgORiS6KWYA.1DTbLGi_29_gG48sg7Bt3qJgwPkDpg', 'read:user user:email', NULL, NULL, NULL, NULL, '2026-11-22 11:58:06.071+00');
INSERT INTO public.identity_flows VALUES
	('da1b4efc-a861-472a-bc9f-0817fe6337a8', 'github', '01a2031e-dee0-7000-8ddf-c8809753a85e', '01a2031e-e022-7000-a470-10af3a7bf9ca', 'browser', 'sealed', '2026-11-22 12:08:06.091641+00');
INSERT INTO public.identity_tickets VALUES
	('ticket', '01a2031e-dee0-7000-8ddf-c8809753a85e', 'github', '2026-11-22 11:59:06.091641+00');
INSERT INTO public.invitations VALUES
	('01a2031e-e4d6-7000-933e-c95ec462667d', '3H1pqUKAxvzUOga-KtoMtSQP8WGIrTSHh_oDbPui-Tk', 'member', 3, 0, NULL, '01a2031e-dba0-7000-a7c2-c0d72648dcd1', '2026-11-22 11:58:06.037+00');
INSERT INTO public.mikro_orm_migrations VALUES
	(1, '0001-foundation', '2026-11-22 11:58:02.724301+00'),
	(2, '0002-drift', '2026-11-22 11:58:02.724301+00'),
	(3, '0003-audit', '2026-11-22 11:58:02.724301+00'),
	(4, '0004-second-factors', '2026-11-22 11:58:02.724301+00'),
	(5, '0005-personal-tokens', '2026-11-22 11:58:02.724301+00'),
	(6, '0006-invitations', '2026-11-22 11:58:02.724301+00'),
	(7, '0007-repairs', '2026-11-22 11:58:02.724301+00'),
	(8, '0008-identity', '2026-11-22 11:58:02.724301+00'),
	(9, '0009-scheduled-snapshots', '2026-11-22 11:58:02.724301+00'),
	(10, '0010-expiry', '2026-11-22 11:58:02.724301+00'),
	(11, '0011-assignments', '2026-11-22 11:58:02.724301+00'),
	(12, '0013-channels', '2026-11-22 11:58:02.724301+00'),
	(13, '0016-identity-codes', '2026-11-22 11:58:02.724301+00');
INSERT INTO public.notification_channels VALUES
	('01a2031e-e4e5-7000-b2b9-ac297e310765', 'webhook', 'Hook', 'v1.f47d0a841bfbb347.mxEoKx8_tVjntvv0.TaPQ7UgjNjfmhFh60SfnMQ.hGWq3c-kv0GB7AUNW3Hamjeqfo9ETVMd180xzdTvJAYWJzX4LouJalYWMmdYDO5Y4E497V1iiCK9yItbcZXkRaaj9orv3ZS-jmmrT17BBvb7YKuGOw', '{zone.drift}', true, NULL, NULL, '2026-11-22 11:58:06.056+00', '2026-11-22 11:58:06.056+00');
INSERT INTO public.passkey_challenges VALUES
	('Y2hhbGxlbmdl', 'register', '01a2031e-dfab-7000-b1db-c0dd2d389570', NULL, '2026-11-22 12:03:06.091641+00');
INSERT INTO public.passkeys VALUES
	('5deac398-db94-4d33-b4bb-640b759da519', '01a2031e-dfab-7000-b1db-c0dd2d389570', 'Key', 'Y3JlZGVudGlhbA', 'cHVibGljLWtleQ', 7, '{usb,nfc}', '2026-11-22 11:58:06.091641+00', NULL);
INSERT INTO public.password_resets VALUES
	('reset', '01a2031e-dee0-7000-8ddf-c8809753a85e', '2026-11-22 11:58:06.091641+00', '2026-11-22 12:58:06.091641+00');
INSERT INTO public.pending_identities VALUES
	('pending', 'github', 'https://github.com', '4712', 'new@example.net', true, 'New', 'new', '2026-11-22 12:08:06.091641+00');
INSERT INTO public.personal_tokens VALUES
	('01a2031e-e0c2-7000-b20a-aaedf549da6b', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', 'Fixture', '_XdnGcq0sudw9dm9uiZrOnPt4gCiRSMZtPClDF5pgDc', '{domains:read,records:read,records:write,snapshots:read}', '2026-11-22 11:58:04.994+00', NULL, NULL);
INSERT INTO public.provider_configs VALUES
	('01a2031e-da39-7000-828a-f129dce420c9', 'zonefile', 'Embedded zone files', '{}', false, true, '2026-11-22 11:58:03.321+00'),
	('01a2031e-e0d0-7000-acfb-24d6d599f1c0', 'manual', 'By hand', '{}', false, false, '2026-11-22 11:58:05.01+00'),
	('01a2031e-e0df-7000-8116-c0736ed38ead', 'powerdns', 'PowerDNS', '{"url": "http://127.0.0.1:9", "apiKey": "v1.bf3c882ab9dd3785.V63g5215YlaoEfaa.YDbbDb7qg0-28eHbUzzZIQ.oUbLYMmvetc10Wej6RMPwf_k", "serverId": "localhost"}', false, false, '2026-11-22 11:58:05.034+00');
INSERT INTO public.records VALUES
	('01a2031e-e14c-7000-a873-2642d231a5fa', 1, '01a2031e-e149-7000-81af-5aad2d9566f3', 1, NULL, 'NS', '@', 'ns1.imported.example', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.128+00', '2026-11-22 11:58:05.128+00'),
	('01a2031e-e14d-7000-b178-c93707f24a2b', 1, '01a2031e-e149-7000-81af-5aad2d9566f3', 1, NULL, 'A', 'ns1', '192.0.2.53', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.128+00', '2026-11-22 11:58:05.128+00'),
	('01a2031e-e14d-7001-8489-f9f20bfc6b39', 1, '01a2031e-e149-7000-81af-5aad2d9566f3', 1, NULL, 'A', 'www', '192.0.2.80', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.128+00', '2026-11-22 11:58:05.128+00'),
	('01a2031e-e14d-7002-a576-d0ae6b7d6569', 1, '01a2031e-e149-7000-81af-5aad2d9566f3', 1, NULL, 'SSHFP', 'host', '4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.128+00', '2026-11-22 11:58:05.128+00'),
	('01a2031e-e14d-7003-a036-6262a9c4fa00', 1, '01a2031e-e149-7000-81af-5aad2d9566f3', 1, NULL, 'TLSA', '_443._tcp', '3 1 1 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.128+00', '2026-11-22 11:58:05.128+00'),
	('01a2031e-e17e-7000-aa80-b6c8dea52ebb', 1, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 1, NULL, 'NS', '@', 'ns1.harbour.example', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.198+00', '2026-11-22 11:58:05.198+00'),
	('01a2031e-e1a2-7000-920c-2b3bd0c26342', 1, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 2, NULL, 'A', 'ns1', '192.0.2.53', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.227+00', '2026-11-22 11:58:05.227+00'),
	('01a2031e-e1e3-7000-af8c-37e112cb5c16', 1, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 4, NULL, 'AAAA', '@', '2001:db8::1', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.296+00', '2026-11-22 11:58:05.296+00'),
	('01a2031e-e20a-7000-9aad-b7298b43ed1a', 1, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 5, NULL, 'CNAME', 'www', 'harbour.example', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.336+00', '2026-11-22 11:58:05.336+00'),
	('01a2031e-e232-7000-9e63-7a377da5fac7', 1, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 6, NULL, 'MX', '@', '10 mail.harbour.example', 3600, 10, false, 'active', NULL, '2026-11-22 11:58:05.372+00', '2026-11-22 11:58:05.372+00'),
	('01a2031e-e257-7000-b930-2b52f4cdd2e1', 1, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 7, NULL, 'A', 'mail', '192.0.2.25', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.412+00', '2026-11-22 11:58:05.412+00'),
	('01a2031e-e2a2-7000-9d50-1df734517c1b', 1, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 9, NULL, 'CAA', '@', '0 issue ca.example.net', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.489+00', '2026-11-22 11:58:05.489+00'),
	('01a2031e-e2f2-7000-a34c-4ce67bc395b6', 1, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 11, NULL, 'TXT', 'long', 'v=DKIM1; p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.568+00', '2026-11-22 11:58:05.568+00'),
	('01a2031e-e317-7000-9195-cd9591bbb79f', 1, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 12, NULL, 'TXT', 'quoted', 'say "hello"; \ and ü', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.608+00', '2026-11-22 11:58:05.608+00'),
	('01a2031e-e341-7000-8b09-ee10175c1519', 1, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 13, NULL, 'A', '*', '192.0.2.9', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.656+00', '2026-11-22 11:58:05.656+00'),
	('01a2031e-e374-7000-b2f7-93e1fe50bf11', 1, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 14, NULL, 'A', 'xn--bcher-kva', '192.0.2.10', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.709+00', '2026-11-22 11:58:05.709+00'),
	('01a2031e-e1cc-7000-a0ab-be55687d6347', 1, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 3, 15, 'A', '@', '192.0.2.1', 300, NULL, false, 'active', NULL, '2026-11-22 11:58:05.267+00', '2026-11-22 11:58:05.267+00'),
	('01a2031e-e280-7000-a878-18f4875fcabc', 1, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 8, 16, 'SRV', '_sip._tcp', '0 5 5060 sip.example.net', 3600, 0, false, 'active', NULL, '2026-11-22 11:58:05.448+00', '2026-11-22 11:58:05.448+00'),
	('01a2031e-e1cc-7000-a0ab-be55687d6347', 2, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 15, 17, 'A', '@', '192.0.2.2', 600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.267+00', '2026-11-22 11:58:05.768+00'),
	('01a2031e-e1cc-7000-a0ab-be55687d6347', 3, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 17, NULL, 'A', '@', '192.0.2.1', 300, NULL, false, 'active', NULL, '2026-11-22 11:58:05.267+00', '2026-11-22 11:58:05.872+00'),
	('01a2031e-e280-7000-a878-18f4875fcabc', 2, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 17, NULL, 'SRV', '_sip._tcp', '0 5 5060 sip.example.net', 3600, 0, false, 'active', NULL, '2026-11-22 11:58:05.872+00', '2026-11-22 11:58:05.872+00'),
	('01a2031e-e2c9-7000-b31b-5a5754037091', 1, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 10, 18, 'TXT', '@', 'v=spf1 -all', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.529+00', '2026-11-22 11:58:05.529+00'),
	('01a2031e-e2c9-7000-b31b-5a5754037091', 2, '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 18, NULL, 'TXT', '@', 'v=spf1 mx -all', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.529+00', '2026-11-22 11:58:05.927+00'),
	('01a2031e-e478-7000-ab73-432e7d4c6d63', 1, '01a2031e-e124-7000-8432-003c4ba80f7f', 1, NULL, 'A', 'a', '198.51.100.1', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.945+00', '2026-11-22 11:58:05.945+00'),
	('01a2031e-e478-7001-b2ce-38e9a15e39f1', 1, '01a2031e-e124-7000-8432-003c4ba80f7f', 1, NULL, 'A', 'b', '198.51.100.1', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.945+00', '2026-11-22 11:58:05.945+00'),
	('01a2031e-e478-7002-a36b-49f06b2252aa', 1, '01a2031e-e124-7000-8432-003c4ba80f7f', 1, NULL, 'A', 'c', '198.51.100.1', 3600, NULL, false, 'active', NULL, '2026-11-22 11:58:05.945+00', '2026-11-22 11:58:05.945+00');
INSERT INTO public.recovery_codes VALUES
	('01a2031e-dfab-7000-b1db-c0dd2d389570', '3De5YB187oxhj1_aT1IYqNqeoGq4SGZEAkx67g2wQo4'),
	('01a2031e-dfab-7000-b1db-c0dd2d389570', 'ftPcDcLqqdmWRtSh-vDGFxnu1sIv3EwR_LTKvwwI41k'),
	('01a2031e-dfab-7000-b1db-c0dd2d389570', 'f2-RdalAWA6xClgCg2BY19P5id-GgFgcaxZnjxxDtzw'),
	('01a2031e-dfab-7000-b1db-c0dd2d389570', 'C0HE0MzrkK71sDQqZa7STEbYI6hVKGp62W7tHxIgR9o'),
	('01a2031e-dfab-7000-b1db-c0dd2d389570', '1uYm1C2pP25KleSCgD3kPtID7VhEDUeXYQOvvuyR3P0'),
	('01a2031e-dfab-7000-b1db-c0dd2d389570', 'K9UvzGwqTmoaGgV9Ejd8LDWBook-lLy6XhFFuFHIBsw'),
	('01a2031e-dfab-7000-b1db-c0dd2d389570', 'yyNksCcxItQPjk0RNrNBvNuj-p5IH6mOEdAS40xHoPc'),
	('01a2031e-dfab-7000-b1db-c0dd2d389570', 'INNcocH-d-K6SB4k-l5dDsvPa4k4AC6jw5PwSffPNhs'),
	('01a2031e-dfab-7000-b1db-c0dd2d389570', 'oyTfXrw6F7PiAJmeprOG-MT7TGiaUHsteG3O8Ho18nU'),
	('01a2031e-dfab-7000-b1db-c0dd2d389570', 'Lvrqw1XRLF32dM40tNYA-icEIXpiCUBpJ0K2aQDCaa0');
INSERT INTO public.refresh_tokens VALUES
	('E6zNg76qOzYIW_QNSo7ebiPofSqnZIc3aom_qmN4DX8', '01a2031e-de17-7000-b5e0-1ff1e5b001ba', '2026-11-22 11:58:04.311+00', '2026-11-23 11:58:04.311+00', NULL, NULL),
	('GDj4s_oYM_auPs6QECBYmhVyhRG4XDQOzniyhAeKI2U', '01a2031e-e022-7000-a470-10af3a7bf9ca', '2026-11-22 11:58:04.834+00', '2026-11-23 11:58:04.834+00', NULL, NULL),
	('AojKlcg_EwaAXKuq4GcpFVt35r_HfaSfu-li3hQzcwk', '01a2031e-e084-7000-9452-61aab1b903b4', '2026-11-22 11:58:04.932+00', '2026-11-23 11:58:04.932+00', NULL, NULL),
	('whRrZ7b20ADtsgrUiDRMy8VW_ujFeAU-5aNoXcS0Q3w', '01a2031e-e648-7000-b66d-f64f1c075c69', '2026-11-22 11:58:06.408+00', '2026-11-23 11:58:06.408+00', NULL, NULL);
INSERT INTO public.sessions VALUES
	('01a2031e-de17-7000-b5e0-1ff1e5b001ba', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', false, 'node', '127.0.0.1', '2026-11-22 11:58:04.311+00', '2026-11-22 11:58:04.311+00', '2027-02-20 11:58:04.311+00', NULL),
	('01a2031e-e022-7000-a470-10af3a7bf9ca', '01a2031e-dee0-7000-8ddf-c8809753a85e', false, 'node', '127.0.0.1', '2026-11-22 11:58:04.834+00', '2026-11-22 11:58:04.834+00', '2027-02-20 11:58:04.834+00', NULL),
	('01a2031e-e084-7000-9452-61aab1b903b4', '01a2031e-dfab-7000-b1db-c0dd2d389570', false, 'node', '127.0.0.1', '2026-11-22 11:58:04.932+00', '2026-11-22 11:58:04.932+00', '2027-02-20 11:58:04.932+00', NULL),
	('01a2031e-e648-7000-b66d-f64f1c075c69', '01a2031e-dba0-7000-a7c2-c0d72648dcd1', false, 'node', '127.0.0.1', '2026-11-22 11:58:06.408+00', '2026-11-22 11:58:06.408+00', '2027-02-20 11:58:06.408+00', NULL);
INSERT INTO public.sign_in_challenges VALUES
	('edaf330a-51da-4bf0-bbaf-341737a6e5dd', 'half-signed-in', '01a2031e-dfab-7000-b1db-c0dd2d389570', true, '2026-11-22 12:08:06.091641+00', NULL, NULL, NULL, 0);
INSERT INTO public.snapshots VALUES
	('01a2031e-e39e-7000-be8a-5d6585f90b2c', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 1, 14, 'manual', 14, '01a2031e-dba0-7000-a7c2-c0d72648dcd1', '2026-11-22 11:58:05.725+00'),
	('01a2031e-e3fe-7000-9f9c-f16c9665f634', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 2, 16, 'manual', 13, '01a2031e-dba0-7000-a7c2-c0d72648dcd1', '2026-11-22 11:58:05.821+00'),
	('01a2031e-e436-7000-8577-067fefc3ad04', '01a2031e-e0fb-7000-8e7d-66a4d247d0d4', 3, 17, 'on_change', 14, '01a2031e-dba0-7000-a7c2-c0d72648dcd1', '2026-11-22 11:58:05.872+00');
INSERT INTO public.totp_factors VALUES
	('01a2031e-dfab-7000-b1db-c0dd2d389570', 'v1.bce8145c6908bf54._QveccviwPNslkiU.hKuCRR57C9t2S1DZGZPF9A.LDN3bsx6Q18Th2B_vpADwbDDv-lYuISyce-88_psr18', 59844956, '2026-11-22 11:58:04.97+00');
INSERT INTO public.users VALUES
	('01a2031e-dee0-7000-8ddf-c8809753a85e', 'mona', 'mona@example.net', '$argon2id$v=19$m=47104,p=1,t=1$kQmYtSJ+6Xmdop3cNnALQw$zdVCArjbWz7JXZCnBUOqaRIrmdGzGMJ0xh0mAMI21lM', 'member', NULL, NULL, NULL, true, false, NULL, '2026-11-22 11:58:04.512+00', '2026-11-22 11:58:04.831+00'),
	('01a2031e-dfab-7000-b1db-c0dd2d389570', 'tara', 'tara@example.net', '$argon2id$v=19$m=47104,p=1,t=1$ghbuHZkXPUERWHYKsEn71g$K0UADlTQZ7wFFU1savj93ce8KbsMw3KEhRv52pYZESk', 'member', NULL, NULL, NULL, true, false, NULL, '2026-11-22 11:58:04.716+00', '2026-11-22 11:58:04.929+00'),
	('01a2031e-dba0-7000-a7c2-c0d72648dcd1', 'admin', NULL, '$argon2id$v=19$m=47104,p=1,t=1$1708a73+cmLZYDRCZpsTHw$FliNYOtXXsoWLPclDgtsDaD417bLt5Ls8E0wex/QP/o', 'admin', NULL, NULL, NULL, true, false, NULL, '2026-11-22 11:58:03.68+00', '2026-11-22 11:58:06.406+00');
INSERT INTO public.zone_import_items VALUES
	('01a2031e-e142-7000-8bcc-e247acb4c590', 0, 'imported.example', 'done', '01a2031e-e149-7000-81af-5aad2d9566f3', 5, NULL),
	('01a1fb0f-6204-7000-abd4-276e976be8a1', 0, 'imported.example', 'done', '01a2031e-e149-7000-81af-5aad2d9566f3', 5, NULL);
INSERT INTO public.zone_imports VALUES
	('01a2031e-e142-7000-8bcc-e247acb4c590', '01a2031e-da39-7000-828a-f129dce420c9', '2026-11-22 11:58:05.119+00', '2026-11-22 11:58:05.148+00', NULL),
	('01a1fb0f-6204-7000-abd4-276e976be8a1', '01a2031e-da39-7000-828a-f129dce420c9', '2026-11-22 11:58:06.091641+00', '2026-11-22 11:58:06.091641+00', NULL);
SELECT pg_catalog.setval('public.change_set_calls_id_seq', 1, true);
SELECT pg_catalog.setval('public.mikro_orm_migrations_id_seq', 13, true);
ALTER TABLE ONLY public.assignment_requests
    ADD CONSTRAINT assignment_requests_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT assignments_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT audit_entries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.change_set_calls
    ADD CONSTRAINT change_set_calls_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.change_sets
    ADD CONSTRAINT change_sets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.email_factors
    ADD CONSTRAINT email_factors_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.expiry_reminders
    ADD CONSTRAINT expiry_reminders_pkey PRIMARY KEY (domain_id, expires_on, days);
ALTER TABLE ONLY public.identity_bindings
    ADD CONSTRAINT identity_bindings_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.identity_codes
    ADD CONSTRAINT identity_codes_pkey PRIMARY KEY (code_hash);
ALTER TABLE ONLY public.identity_configs
    ADD CONSTRAINT identity_configs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.identity_flows
    ADD CONSTRAINT identity_flows_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.identity_tickets
    ADD CONSTRAINT identity_tickets_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mikro_orm_migrations
    ADD CONSTRAINT mikro_orm_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.notification_channels
    ADD CONSTRAINT notification_channels_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.passkey_challenges
    ADD CONSTRAINT passkey_challenges_pkey PRIMARY KEY (challenge);
ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.pending_identities
    ADD CONSTRAINT pending_identities_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.personal_tokens
    ADD CONSTRAINT personal_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.provider_configs
    ADD CONSTRAINT provider_configs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.records
    ADD CONSTRAINT records_pkey PRIMARY KEY (record_id, version);
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash);
ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sign_in_challenges
    ADD CONSTRAINT sign_in_challenges_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT snapshots_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.totp_factors
    ADD CONSTRAINT totp_factors_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.zone_import_items
    ADD CONSTRAINT zone_import_items_pkey PRIMARY KEY (import_id, "position");
ALTER TABLE ONLY public.zone_imports
    ADD CONSTRAINT zone_imports_pkey PRIMARY KEY (id);
CREATE INDEX assignment_requests_domain_idx ON public.assignment_requests USING btree (domain_id);
CREATE UNIQUE INDEX assignment_requests_pending_key ON public.assignment_requests USING btree (user_id, domain_name, subdomain_pattern, access, named_by) WHERE (status = 'pending'::text);
CREATE INDEX assignment_requests_status_idx ON public.assignment_requests USING btree (status, id);
CREATE INDEX assignment_requests_user_idx ON public.assignment_requests USING btree (user_id, id);
CREATE INDEX assignments_domain_idx ON public.assignments USING btree (domain_id, id);
CREATE UNIQUE INDEX assignments_key ON public.assignments USING btree (user_id, domain_id, subdomain_pattern, access);
CREATE INDEX assignments_user_idx ON public.assignments USING btree (user_id, id);
CREATE INDEX audit_entries_action_idx ON public.audit_entries USING btree (action, at, id);
CREATE INDEX audit_entries_actor_idx ON public.audit_entries USING btree (actor_id, at, id);
CREATE INDEX audit_entries_at_idx ON public.audit_entries USING btree (at, id);
CREATE INDEX audit_entries_target_idx ON public.audit_entries USING btree (target_id, at, id);
CREATE INDEX audit_entries_target_type_idx ON public.audit_entries USING btree (target_type, at, id);
CREATE INDEX change_set_calls_set_idx ON public.change_set_calls USING btree (change_set_id, id);
CREATE INDEX change_sets_history_idx ON public.change_sets USING btree (domain_id, id);
CREATE INDEX change_sets_pending_idx ON public.change_sets USING btree (domain_id) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_channel_idx ON public.deliveries USING btree (channel_id, id);
CREATE INDEX deliveries_due_idx ON public.deliveries USING btree (next_attempt_at) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_finished_idx ON public.deliveries USING btree (finished_at) WHERE (state <> 'pending'::text);
CREATE INDEX deliveries_user_idx ON public.deliveries USING btree (user_id);
CREATE INDEX domains_disabled_idx ON public.domains USING btree (name) WHERE (status = 'disabled'::text);
CREATE INDEX domains_drift_due_idx ON public.domains USING btree (drift_checked_at NULLS FIRST) WHERE (status = 'active'::text);
CREATE INDEX domains_expires_idx ON public.domains USING btree (expires_at);
CREATE INDEX domains_expiring_idx ON public.domains USING btree (expiring_from);
CREATE INDEX domains_expiry_due_idx ON public.domains USING btree (expiry_next_check_at NULLS FIRST) WHERE ((status = 'active'::text) AND auto_check_expiry AND (expiry_source IS DISTINCT FROM 'manual'::text));
CREATE INDEX domains_group_idx ON public.domains USING btree (group_name, name);
CREATE UNIQUE INDEX domains_name_key ON public.domains USING btree (name);
CREATE INDEX domains_owner_idx ON public.domains USING btree (owner_id, name);
CREATE INDEX domains_provider_config_idx ON public.domains USING btree (provider_config_id, name);
CREATE INDEX domains_search_idx ON public.domains USING gin (name public.gin_trgm_ops);
CREATE INDEX domains_snapshot_schedule_idx ON public.domains USING btree (snapshot_schedule, scheduled_snapshot_at NULLS FIRST) WHERE ((snapshot_schedule <> 'off'::text) AND (status = 'active'::text));
CREATE INDEX domains_tags_idx ON public.domains USING gin (tags);
CREATE UNIQUE INDEX identity_bindings_identity_key ON public.identity_bindings USING btree (provider_id, issuer, subject);
CREATE UNIQUE INDEX identity_bindings_user_key ON public.identity_bindings USING btree (user_id, provider_id);
CREATE INDEX identity_codes_expires_idx ON public.identity_codes USING btree (expires_at);
CREATE UNIQUE INDEX identity_configs_provider_key ON public.identity_configs USING btree (provider_id);
CREATE INDEX identity_flows_expires_idx ON public.identity_flows USING btree (expires_at);
CREATE INDEX identity_flows_session_idx ON public.identity_flows USING btree (session_id);
CREATE INDEX identity_flows_user_idx ON public.identity_flows USING btree (user_id);
CREATE INDEX identity_tickets_expires_idx ON public.identity_tickets USING btree (expires_at);
CREATE INDEX identity_tickets_user_idx ON public.identity_tickets USING btree (user_id);
CREATE UNIQUE INDEX invitations_code_key ON public.invitations USING btree (code_hash);
CREATE UNIQUE INDEX notification_channels_name_key ON public.notification_channels USING btree (lower(name));
CREATE INDEX passkey_challenges_expires_idx ON public.passkey_challenges USING btree (expires_at);
CREATE INDEX passkey_challenges_sign_in_idx ON public.passkey_challenges USING btree (sign_in_challenge_id);
CREATE INDEX passkey_challenges_user_idx ON public.passkey_challenges USING btree (user_id);
CREATE UNIQUE INDEX passkeys_credential_key ON public.passkeys USING btree (credential_id);
CREATE INDEX passkeys_user_idx ON public.passkeys USING btree (user_id, id);
CREATE INDEX password_resets_user_idx ON public.password_resets USING btree (user_id);
CREATE INDEX pending_identities_expires_idx ON public.pending_identities USING btree (expires_at);
CREATE UNIQUE INDEX personal_tokens_hash_key ON public.personal_tokens USING btree (token_hash);
CREATE INDEX personal_tokens_user_idx ON public.personal_tokens USING btree (user_id, id);
CREATE UNIQUE INDEX provider_configs_embedded_key ON public.provider_configs USING btree (embedded) WHERE embedded;
CREATE UNIQUE INDEX provider_configs_name_key ON public.provider_configs USING btree (lower(name));
CREATE UNIQUE INDEX records_live_key ON public.records USING btree (record_id) WHERE (until IS NULL);
CREATE INDEX records_live_order_idx ON public.records USING btree (domain_id, name, record_type, record_id) WHERE (until IS NULL);
CREATE INDEX records_live_search_idx ON public.records USING gin (domain_id, name public.gin_trgm_ops) WHERE (until IS NULL);
CREATE INDEX records_live_type_idx ON public.records USING btree (domain_id, record_type, name, record_id) WHERE (until IS NULL);
CREATE INDEX records_since_idx ON public.records USING btree (domain_id, since);
CREATE INDEX records_until_idx ON public.records USING btree (domain_id, until) WHERE (until IS NOT NULL);
CREATE INDEX refresh_tokens_expires_idx ON public.refresh_tokens USING btree (expires_at);
CREATE INDEX refresh_tokens_session_idx ON public.refresh_tokens USING btree (session_id);
CREATE INDEX sessions_expires_idx ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_user_idx ON public.sessions USING btree (user_id);
CREATE INDEX sign_in_challenges_expires_idx ON public.sign_in_challenges USING btree (expires_at);
CREATE UNIQUE INDEX sign_in_challenges_token_key ON public.sign_in_challenges USING btree (token_hash);
CREATE INDEX sign_in_challenges_user_idx ON public.sign_in_challenges USING btree (user_id);
CREATE INDEX snapshots_created_idx ON public.snapshots USING btree (created_at) WHERE (trigger <> 'manual'::text);
CREATE INDEX snapshots_revision_idx ON public.snapshots USING btree (domain_id, revision);
CREATE INDEX snapshots_trigger_idx ON public.snapshots USING btree (domain_id, trigger, version);
CREATE UNIQUE INDEX snapshots_version_key ON public.snapshots USING btree (domain_id, version);
CREATE INDEX users_created_idx ON public.users USING btree (created_at, id);
CREATE UNIQUE INDEX users_email_key ON public.users USING btree (lower(email));
CREATE UNIQUE INDEX users_username_key ON public.users USING btree (lower(username));
CREATE INDEX zone_imports_config_idx ON public.zone_imports USING btree (provider_config_id, id);
CREATE UNIQUE INDEX zone_imports_running_key ON public.zone_imports USING btree (provider_config_id) WHERE (finished_at IS NULL);
CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR UPDATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_audit_change();
ALTER TABLE ONLY public.assignment_requests
    ADD CONSTRAINT assignment_requests_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.assignment_requests
    ADD CONSTRAINT assignment_requests_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT assignments_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT assignments_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.change_set_calls
    ADD CONSTRAINT change_set_calls_change_set_id_fkey FOREIGN KEY (change_set_id) REFERENCES public.change_sets(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.change_sets
    ADD CONSTRAINT change_sets_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES public.notification_channels(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_provider_config_id_fkey FOREIGN KEY (provider_config_id) REFERENCES public.provider_configs(id);
ALTER TABLE ONLY public.email_factors
    ADD CONSTRAINT email_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.expiry_reminders
    ADD CONSTRAINT expiry_reminders_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identity_bindings
    ADD CONSTRAINT identity_bindings_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identity_flows
    ADD CONSTRAINT identity_flows_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identity_flows
    ADD CONSTRAINT identity_flows_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identity_tickets
    ADD CONSTRAINT identity_tickets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.passkey_challenges
    ADD CONSTRAINT passkey_challenges_sign_in_challenge_id_fkey FOREIGN KEY (sign_in_challenge_id) REFERENCES public.sign_in_challenges(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.passkey_challenges
    ADD CONSTRAINT passkey_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.personal_tokens
    ADD CONSTRAINT personal_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.records
    ADD CONSTRAINT records_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sign_in_challenges
    ADD CONSTRAINT sign_in_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT snapshots_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.totp_factors
    ADD CONSTRAINT totp_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.zone_import_items
    ADD CONSTRAINT zone_import_items_import_id_fkey FOREIGN KEY (import_id) REFERENCES public.zone_imports(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.zone_imports
    ADD CONSTRAINT zone_imports_provider_config_id_fkey FOREIGN KEY (provider_config_id) REFERENCES public.provider_configs(id) ON DELETE CASCADE;
