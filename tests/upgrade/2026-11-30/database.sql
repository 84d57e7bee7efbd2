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
CREATE FUNCTION public.domain_takes_zone() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      if tg_op = 'UPDATE' and (old.provider_config_id, old.provider_zone) = (new.provider_config_id, new.provider_zone) then
        return new;
      end if;
      -- Its own mirror becomes the main provider.
      
  perform pg_advisory_xact_lock(100, mod(hashtextextended(new.provider_config_id::text || ' ' || new.provider_zone, 0), 1024)::integer);
  if exists (select from mirrors m where m.provider_config_id = new.provider_config_id and m.provider_zone = new.provider_zone and m.domain_id <> new.id) then
    raise exception 'the zone is in use at this provider configuration' using errcode = 'unique_violation';
  end if;
      return new;
    end $$;
CREATE FUNCTION public.first_serial_base(of_zone text) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
    declare last bigint := (select serial + 1000 from primary_last_serials where zone = of_zone);
    begin
      return case when mod(last - floor(extract(epoch from now()))::bigint + 8589934592, 4294967296) between 1 and 2147483647 then last else floor(extract(epoch from now()))::bigint end;
    end $$;
CREATE FUNCTION public.mirror_takes_zone() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      
  perform pg_advisory_xact_lock(100, mod(hashtextextended(new.provider_config_id::text || ' ' || new.provider_zone, 0), 1024)::integer);
  if exists (select from domains d where d.provider_config_id = new.provider_config_id and d.provider_zone = new.provider_zone) then
    raise exception 'the zone is in use at this provider configuration' using errcode = 'unique_violation';
  end if;
      return new;
    end $$;
CREATE FUNCTION public.primary_mirror_arrives() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      if tg_op = 'INSERT' and exists (select from provider_configs where id = new.provider_config_id and kind = 'primary') then
        insert into primary_catalog_changes (provider_config_id) values (new.provider_config_id);
        insert into primary_zones (domain_id, serial_base, base_revision)
          select id, first_serial_base(new.provider_zone), revision from domains where id = new.domain_id
          on conflict (domain_id) do update set notified_serial = null;
      end if;
      if tg_op = 'DELETE' and exists (select from provider_configs where id = old.provider_config_id and kind = 'primary') then
        insert into primary_catalog_changes (provider_config_id) values (old.provider_config_id);
        update primary_zones set catalog_label = replace(gen_random_uuid()::text, '-', '')
          where domain_id = old.domain_id and not exists (select from mirrors m join provider_configs c on c.id = m.provider_config_id where m.domain_id = old.domain_id and c.kind = 'primary')
            and not exists (select from domains d where d.id = old.domain_id and exists (select from provider_configs where id = d.provider_config_id and kind = 'primary'));
      end if;
      return null;
    end $$;
CREATE FUNCTION public.primary_settings_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      -- Its name is the group of its members in the catalog.
      if old.name <> new.name then
        insert into primary_catalog_changes (provider_config_id) values (new.id);
      end if;
      if (old.config - '{tsigKeys,notify,allowTransfer,catalogZone,signingSecondaries}'::text[])
        is distinct from (new.config - '{tsigKeys,notify,allowTransfer,catalogZone,signingSecondaries}'::text[]) then
        update primary_zones set serial_base = serial_base + 1000, base_revision = domains.revision
          from domains where domains.id = primary_zones.domain_id and (
            domains.provider_config_id = new.id
            or exists (select from mirrors m where m.domain_id = domains.id and m.provider_config_id = new.id)
          );
        insert into primary_catalog_changes (provider_config_id) values (new.id);
      end if;
      return null;
    end $$;
CREATE FUNCTION public.primary_zone_arrives() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      if tg_op = 'UPDATE' and old.provider_config_id = new.provider_config_id then
        return null;
      end if;
      if tg_op <> 'INSERT' and exists (select from provider_configs where id = old.provider_config_id and kind = 'primary') then
        insert into primary_catalog_changes (provider_config_id) values (old.provider_config_id);
        delete from primary_secondaries where zone_id = old.id;
      end if;
      if tg_op <> 'DELETE' and exists (select from provider_configs where id = new.provider_config_id and kind = 'primary') then
        insert into primary_catalog_changes (provider_config_id) values (new.provider_config_id);
        insert into primary_zones (domain_id, serial_base, base_revision)
          values (new.id, first_serial_base(new.provider_zone), new.revision)
          on conflict (domain_id) do update set
            catalog_label = case when exists (select from mirrors m join provider_configs c on c.id = m.provider_config_id where m.domain_id = new.id and c.kind = 'primary') then primary_zones.catalog_label else excluded.catalog_label end,
            notified_serial = null;
      elsif tg_op = 'UPDATE' and exists (select from mirrors m join provider_configs c on c.id = m.provider_config_id where m.domain_id = new.id and c.kind = 'primary') then
        -- Another main provider has other limits and other records of its own, so secondaries take the whole zone.
        update primary_zones set serial_base = serial_base + 1000, base_revision = new.revision where domain_id = new.id;
      end if;
      return null;
    end $$;
CREATE FUNCTION public.primary_zone_leaves() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      insert into primary_last_serials (zone, serial)
        select place.zone, mod(primary_zones.serial_base + old.revision, 4294967296)
        from primary_zones, (
          select old.provider_zone as zone union select provider_zone from mirrors where mirrors.domain_id = old.id
        ) as place
        where primary_zones.domain_id = old.id
        order by place.zone
        on conflict (zone) do update set left_at = excluded.left_at, serial = case
          when mod(excluded.serial - primary_last_serials.serial + 8589934592, 4294967296) between 1 and 2147483647 then excluded.serial
          else primary_last_serials.serial
        end;
      return old;
    end $$;
CREATE FUNCTION public.queue_audit_entry() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        if exists (select from audit_stream where enabled) then
          insert into audit_stream_queue (entry_id) values (new.id);
        end if;
        return null;
      end $$;
CREATE FUNCTION public.refuse_audit_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      raise exception 'entries of the audit trail are never changed or deleted';
    end
  $$;
CREATE FUNCTION public.served_zone_page(zone uuid, at_revision integer, after_name text, after_type text, after_record uuid, page_rows integer) RETURNS TABLE(record_type text, name text, value text, strings text, ttl integer, proxied boolean, record_id uuid)
    LANGUAGE plpgsql STABLE
    SET enable_sort TO 'off'
    SET enable_incremental_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
  begin
    return query
      select r.record_type, r.name, r.value, r.strings, r.ttl, r.proxied, r.record_id
      from records r
      where r.domain_id = zone
        and (r.name, r.record_type, r.record_id) > (after_name, after_type, after_record)
        and r.since <= at_revision and (r.until is null or r.until > at_revision)
        and r.status = 'active'
      order by r.name, r.record_type, r.record_id
      limit page_rows;
  end $$;
CREATE FUNCTION public.transfer_page(zone uuid, at_revision integer, after_name text, after_type text, after_record uuid, page_rows integer) RETURNS TABLE(record_type text, name text, value text, written_name text, written_value text, strings text, ttl integer, proxied boolean, record_id uuid)
    LANGUAGE plpgsql STABLE
    SET enable_sort TO 'off'
    SET enable_incremental_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
  begin
    return query
      select r.record_type, r.name, r.value, r.written_name, r.written_value, r.strings, r.ttl, r.proxied, r.record_id
      from records r
      where r.domain_id = zone
        and (r.name, r.record_type, r.record_id) > (after_name, after_type, after_record)
        and r.since <= at_revision and (r.until is null or r.until > at_revision)
        and r.status = 'active'
      order by r.name, r.record_type, r.record_id
      limit page_rows;
  end $$;
CREATE FUNCTION public.zone_page(zone uuid, at_revision integer, after_name text, after_type text, after_record uuid, page_rows integer) RETURNS TABLE(record_type text, name text, value text, strings text, ttl integer, proxied boolean, record_id uuid)
    LANGUAGE plpgsql STABLE
    SET enable_sort TO 'off'
    SET enable_incremental_sort TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
  begin
    return query
      select r.record_type, r.name, r.value, r.strings, r.ttl, r.proxied, r.record_id
      from records r
      where r.domain_id = zone
        and (r.name, r.record_type, r.record_id) > (after_name, after_type, after_record)
        and r.since <= at_revision and (r.until is null or r.until > at_revision)
        and r.status = 'active'
      order by r.name, r.record_type, r.record_id
      limit page_rows;
  end $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.acme_challenges (
    domain_id uuid NOT NULL,
    name text NOT NULL,
    value text NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL
);
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
    domain_id uuid,
    subdomain_pattern text NOT NULL COLLATE pg_catalog."C",
    access text NOT NULL,
    created_by uuid,
    created_at timestamp with time zone NOT NULL,
    group_name text,
    tag text,
    record_types text[] DEFAULT '{}'::text[] NOT NULL,
    review boolean DEFAULT false NOT NULL,
    expires_at timestamp with time zone,
    end_notified_at timestamp with time zone,
    identity_binding_id uuid,
    CONSTRAINT assignments_access_check CHECK ((access = ANY (ARRAY['read'::text, 'propose'::text, 'write'::text]))),
    CONSTRAINT assignments_target_check CHECK ((num_nonnulls(domain_id, group_name, tag) = 1))
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
    after jsonb,
    tsig_key text
);
CREATE TABLE public.audit_stream (
    only_row boolean DEFAULT true NOT NULL,
    enabled boolean DEFAULT false NOT NULL,
    holder uuid,
    held_until timestamp with time zone,
    CONSTRAINT audit_stream_only_row_check CHECK (only_row)
);
CREATE TABLE public.audit_stream_queue (
    "position" bigint NOT NULL,
    entry_id uuid NOT NULL
);
CREATE SEQUENCE public.audit_stream_queue_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.audit_stream_queue_position_seq OWNED BY public.audit_stream_queue."position";
CREATE TABLE public.batch_items (
    id uuid NOT NULL,
    batch_id uuid NOT NULL,
    "position" integer NOT NULL,
    domain_id uuid NOT NULL,
    state text NOT NULL,
    plan_hash text,
    detail jsonb,
    change_set_id uuid,
    error text
);
CREATE TABLE public.batches (
    id uuid NOT NULL,
    kind text NOT NULL,
    user_id uuid,
    token_id uuid,
    ip text,
    request_id text,
    request jsonb NOT NULL,
    force boolean NOT NULL,
    reverts_id uuid,
    state text NOT NULL,
    reason text,
    announced integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone
);
CREATE TABLE public.calendar_feeds (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    token_hash text NOT NULL COLLATE pg_catalog."C",
    domain_ids uuid[],
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone,
    CONSTRAINT calendar_feeds_domain_ids_check CHECK ((cardinality(domain_ids) > 0))
);
CREATE TABLE public.certificate_notices (
    domain_id uuid NOT NULL,
    fingerprint text NOT NULL,
    about text NOT NULL,
    host text NOT NULL,
    told_at timestamp with time zone NOT NULL
);
CREATE TABLE public.change_reports (
    id uuid NOT NULL,
    change_set_id uuid NOT NULL,
    token_id uuid,
    channel_id uuid,
    due_at timestamp with time zone NOT NULL
);
CREATE TABLE public.change_request_comments (
    id uuid NOT NULL,
    change_request_id uuid NOT NULL,
    user_id uuid,
    text text NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.change_request_reviews (
    id uuid NOT NULL,
    change_request_id uuid NOT NULL,
    user_id uuid,
    token_id uuid,
    verdict text NOT NULL,
    changes_hash text,
    note text,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.change_requests (
    id uuid NOT NULL,
    number integer NOT NULL,
    domain_id uuid,
    domain_name text NOT NULL,
    author_id uuid,
    token_id uuid,
    ip text,
    request_id text,
    state text NOT NULL,
    title text NOT NULL,
    note text,
    changes jsonb NOT NULL,
    reverse jsonb,
    force boolean NOT NULL,
    hosts text[] NOT NULL,
    plan jsonb NOT NULL,
    creates integer NOT NULL,
    updates integer NOT NULL,
    deletes integer NOT NULL,
    changes_hash text NOT NULL,
    apply_at timestamp with time zone,
    proposed boolean NOT NULL,
    applying_token uuid,
    applying_at timestamp with time zone,
    reason text,
    comment_count integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    record_types text[] DEFAULT '{}'::text[] NOT NULL,
    unlock boolean DEFAULT false NOT NULL,
    registration jsonb,
    sent_at timestamp with time zone
);
ALTER TABLE public.change_requests ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.change_requests_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
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
    unknown integer,
    reverts_id uuid,
    batch_item_id uuid,
    caused_by uuid,
    message text,
    change_request_id uuid,
    tsig_key text,
    token_id uuid
);
CREATE TABLE public.cli_codes (
    code_hash text NOT NULL,
    user_id uuid NOT NULL,
    session_id uuid NOT NULL,
    permissions text[] NOT NULL,
    code_challenge text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.delegation_findings (
    domain_id uuid NOT NULL,
    code text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    record_type text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    severity text NOT NULL,
    message text NOT NULL,
    present boolean NOT NULL,
    notified boolean NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    snoozed_until timestamp with time zone
);
CREATE TABLE public.delegations (
    domain_id uuid NOT NULL,
    next_check_at timestamp with time zone NOT NULL,
    checked_at timestamp with time zone,
    changed_at timestamp with time zone,
    facts jsonb,
    dangling_reported_at timestamp with time zone,
    dnssec jsonb
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
CREATE TABLE public.device_sign_ins (
    device_code_hash text NOT NULL,
    user_code_hash text NOT NULL,
    permissions text[] NOT NULL,
    ip text,
    interval_seconds integer NOT NULL,
    polled_at timestamp with time zone,
    refused boolean NOT NULL,
    user_id uuid,
    session_id uuid,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.domain_templates (
    id uuid NOT NULL,
    domain_id uuid NOT NULL,
    template_id uuid NOT NULL,
    template_revision integer NOT NULL,
    provider_id text NOT NULL,
    service_id text NOT NULL,
    service_name text NOT NULL,
    host text NOT NULL COLLATE pg_catalog."C",
    instance text NOT NULL,
    variables jsonb NOT NULL,
    groups jsonb,
    written jsonb NOT NULL,
    linked boolean NOT NULL,
    revision integer NOT NULL,
    applied_by uuid,
    applied_at timestamp with time zone NOT NULL
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
    provider_signed boolean DEFAULT false NOT NULL,
    server_managed_count integer DEFAULT 0 NOT NULL,
    splits_unread boolean DEFAULT false NOT NULL,
    history_from integer DEFAULT 0 NOT NULL,
    drift_error text,
    view text DEFAULT ''::text NOT NULL,
    provider_zone text NOT NULL,
    reverse text DEFAULT 'off'::text NOT NULL,
    reverse_follow_grant boolean DEFAULT false NOT NULL,
    review_required text,
    review_acme boolean DEFAULT false NOT NULL,
    protect_mail boolean DEFAULT false NOT NULL,
    registration jsonb,
    soa_signed boolean DEFAULT false NOT NULL,
    registrar_config_id uuid,
    registrar_state jsonb,
    yearly_cost_hundredths integer,
    currency text,
    CONSTRAINT domains_record_count_check CHECK ((record_count >= 0)),
    CONSTRAINT domains_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);
CREATE TABLE public.dynamic_updates (
    id text NOT NULL,
    rcode integer,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.email_factors (
    user_id uuid NOT NULL,
    enabled_at timestamp with time zone NOT NULL,
    last_sent_at timestamp with time zone,
    hour_began_at timestamp with time zone,
    sent_within_hour integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.email_verifications (
    token_hash text NOT NULL,
    user_id uuid NOT NULL,
    email text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.expiry_reminders (
    domain_id uuid NOT NULL,
    expires_on date NOT NULL,
    days integer NOT NULL,
    told_at timestamp with time zone NOT NULL
);
CREATE TABLE public.group_roles (
    identity_binding_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    CONSTRAINT group_roles_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'auditor'::text, 'member'::text])))
);
CREATE TABLE public.idempotent_calls (
    id text NOT NULL,
    request_hash text NOT NULL,
    runs_until timestamp with time zone,
    answer text,
    etag text,
    created_at timestamp with time zone NOT NULL
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
    created_at timestamp with time zone NOT NULL,
    groups_claim text,
    group_rules jsonb DEFAULT '[]'::jsonb NOT NULL,
    default_deny boolean DEFAULT false NOT NULL
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
CREATE TABLE public.installation (
    only_row boolean DEFAULT true NOT NULL,
    version text,
    zones_folder_id uuid,
    zones_folder text,
    probe text,
    CONSTRAINT installation_only_row_check CHECK (only_row)
);
ALTER TABLE ONLY public.installation ALTER COLUMN probe SET STORAGE EXTERNAL;
CREATE TABLE public.instances (
    id uuid NOT NULL,
    host text NOT NULL,
    version text NOT NULL,
    node text NOT NULL,
    runs_jobs boolean NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL
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
    ended_at timestamp with time zone,
    CONSTRAINT invitations_max_uses_check CHECK ((max_uses > 0)),
    CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'auditor'::text, 'member'::text])))
);
CREATE TABLE public.mail_allowances (
    key text NOT NULL,
    sent_at timestamp with time zone[] NOT NULL,
    expires_at timestamp with time zone NOT NULL
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
CREATE TABLE public.mirror_revisions (
    mirror_id uuid NOT NULL,
    revision integer NOT NULL,
    reached_at timestamp with time zone NOT NULL
);
CREATE TABLE public.mirrors (
    id uuid NOT NULL,
    domain_id uuid NOT NULL,
    provider_config_id uuid NOT NULL,
    provider_zone text NOT NULL,
    on_drift text NOT NULL,
    revision integer,
    wanted_revision integer NOT NULL,
    behind_since timestamp with time zone,
    last_applied_at timestamp with time zone,
    checked_at timestamp with time zone,
    due_at timestamp with time zone,
    force_next boolean DEFAULT false NOT NULL,
    differences integer DEFAULT 0 NOT NULL,
    unsupported integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    error text,
    reported boolean DEFAULT false NOT NULL,
    lease_token uuid,
    lease_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    strict boolean DEFAULT false NOT NULL,
    unreachable boolean DEFAULT false NOT NULL,
    foreign_records integer DEFAULT 0 NOT NULL,
    settles_at timestamp with time zone,
    unconfirmed boolean DEFAULT false NOT NULL,
    CONSTRAINT mirrors_on_drift_check CHECK ((on_drift = ANY (ARRAY['restore'::text, 'report'::text])))
);
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
    updated_at timestamp with time zone NOT NULL,
    zone_filter jsonb,
    digest text DEFAULT 'immediate'::text NOT NULL,
    CONSTRAINT notification_channels_digest_check CHECK ((digest = ANY (ARRAY['immediate'::text, 'hourly'::text, 'daily'::text])))
);
CREATE TABLE public.passkey_challenges (
    challenge text NOT NULL COLLATE pg_catalog."C",
    purpose text NOT NULL,
    user_id uuid,
    sign_in_challenge_id uuid,
    expires_at timestamp with time zone NOT NULL,
    session_id uuid,
    CONSTRAINT passkey_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['register'::text, 'second_factor'::text, 'sign_in'::text, 'confirm'::text])))
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
    expires_at timestamp with time zone NOT NULL,
    groups text[] DEFAULT '{}'::text[] NOT NULL
);
CREATE TABLE public.personal_tokens (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    token_hash text NOT NULL COLLATE pg_catalog."C",
    permissions text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    domain_ids uuid[],
    host_pattern text,
    record_types text[],
    CONSTRAINT personal_tokens_domain_ids_check CHECK ((cardinality(domain_ids) > 0)),
    CONSTRAINT personal_tokens_record_types_check CHECK ((cardinality(record_types) > 0))
);
CREATE TABLE public.powerdns_comments (
    domain_id uuid NOT NULL,
    name text NOT NULL,
    record_type text NOT NULL,
    content text NOT NULL,
    notes jsonb NOT NULL
);
CREATE TABLE public.powerdns_metadata (
    domain_id uuid NOT NULL,
    kind text NOT NULL,
    contents jsonb NOT NULL
);
CREATE TABLE public.powerdns_zones (
    domain_id uuid NOT NULL,
    settings jsonb NOT NULL
);
CREATE TABLE public.primary_catalog_changes (
    "position" bigint NOT NULL,
    provider_config_id uuid NOT NULL
);
CREATE SEQUENCE public.primary_catalog_changes_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.primary_catalog_changes_position_seq OWNED BY public.primary_catalog_changes."position";
CREATE TABLE public.primary_catalogs (
    provider_config_id uuid NOT NULL,
    serial bigint NOT NULL,
    notified_serial bigint
);
CREATE TABLE public.primary_last_serials (
    zone text NOT NULL,
    serial bigint NOT NULL,
    left_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.primary_secondaries (
    zone_id uuid NOT NULL,
    identity text NOT NULL,
    address text NOT NULL,
    key_name text,
    serial bigint,
    served_at timestamp with time zone,
    asked_at timestamp with time zone,
    notified_at timestamp with time zone,
    transferred_at timestamp with time zone,
    transfer_kind text,
    transfer_records integer,
    transfer_octets bigint,
    transfer_milliseconds integer,
    error text,
    behind_since timestamp with time zone,
    behind_reported boolean DEFAULT false NOT NULL,
    transferred_serial bigint,
    looked_at timestamp with time zone,
    behind_serial bigint,
    CONSTRAINT primary_secondaries_transfer_kind_check CHECK ((transfer_kind = ANY (ARRAY['axfr'::text, 'ixfr'::text])))
);
CREATE TABLE public.primary_zones (
    domain_id uuid NOT NULL,
    serial_base bigint NOT NULL,
    base_revision integer NOT NULL,
    catalog_label text DEFAULT replace((gen_random_uuid())::text, '-'::text, ''::text) NOT NULL,
    notified_serial bigint
);
CREATE TABLE public.provider_configs (
    id uuid NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    config jsonb NOT NULL,
    members_may_use boolean DEFAULT false NOT NULL,
    embedded boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_test jsonb
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
    updated_at timestamp with time zone NOT NULL,
    strings text,
    locked boolean DEFAULT false NOT NULL,
    owner_id uuid,
    review_at timestamp with time zone,
    review_reminded timestamp with time zone,
    written_name text,
    written_value text
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
CREATE TABLE public.registrar_configs (
    id uuid NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    config jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.reverse_follows (
    id uuid NOT NULL,
    change_set_id uuid NOT NULL,
    domain_id uuid NOT NULL,
    actor_id uuid NOT NULL,
    items jsonb NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.secondary_revisions (
    domain_id uuid NOT NULL,
    revision integer NOT NULL,
    identity text NOT NULL,
    since integer NOT NULL,
    reached_at timestamp with time zone,
    answered boolean DEFAULT false NOT NULL
);
CREATE TABLE public.server_managed_records (
    record_id uuid NOT NULL,
    domain_id uuid NOT NULL,
    record_type text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL,
    ttl integer NOT NULL,
    read_at timestamp with time zone NOT NULL,
    written_name text,
    written_value text
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
    revoked_at timestamp with time zone,
    confirmed_at timestamp with time zone
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
    name text,
    CONSTRAINT snapshots_trigger_check CHECK ((trigger = ANY (ARRAY['manual'::text, 'scheduled'::text, 'on_change'::text])))
);
CREATE TABLE public.templates (
    id uuid NOT NULL,
    provider_id text NOT NULL COLLATE pg_catalog."C",
    provider_name text NOT NULL,
    service_id text NOT NULL COLLATE pg_catalog."C",
    service_name text NOT NULL,
    revision integer NOT NULL,
    template text NOT NULL,
    created_by uuid,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.tls_hosts (
    domain_id uuid NOT NULL,
    host text NOT NULL,
    port integer NOT NULL,
    starttls text,
    listed boolean NOT NULL,
    not_before timestamp with time zone,
    not_after timestamp with time zone,
    issuer text,
    fingerprint text,
    problem text,
    error text,
    checked_at timestamp with time zone
);
CREATE TABLE public.tls_watches (
    domain_id uuid NOT NULL,
    mode text NOT NULL,
    next_check_at timestamp with time zone,
    left_out integer NOT NULL
);
CREATE TABLE public.totp_factors (
    user_id uuid NOT NULL,
    secret text NOT NULL,
    last_step integer NOT NULL,
    enabled_at timestamp with time zone
);
CREATE TABLE public.tsig_keys (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text,
    key_name text NOT NULL,
    algorithm text NOT NULL,
    secret text NOT NULL,
    domain_id uuid NOT NULL,
    host_pattern text DEFAULT '*'::text NOT NULL,
    record_types text[] DEFAULT '{}'::text[] NOT NULL,
    access text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    last_used_from text,
    last_error text,
    last_error_at timestamp with time zone,
    CONSTRAINT tsig_keys_access_check CHECK ((access = ANY (ARRAY['update'::text, 'read'::text, 'both'::text]))),
    CONSTRAINT tsig_keys_algorithm_check CHECK ((algorithm = ANY (ARRAY['hmac-sha256'::text, 'hmac-sha512'::text, 'hmac-sha384'::text, 'hmac-sha1'::text]))),
    CONSTRAINT tsig_keys_last_error_check CHECK ((char_length(last_error) <= 500))
);
CREATE TABLE public.user_preferences (
    user_id uuid NOT NULL,
    preferences jsonb NOT NULL
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
    access_epoch integer DEFAULT 0 NOT NULL,
    email_verified_by text,
    own_role text,
    CONSTRAINT users_email_verified_by_check CHECK ((email_verified_by = ANY (ARRAY['administrator'::text, 'provider'::text, 'link'::text]))),
    CONSTRAINT users_own_role_check CHECK ((own_role = ANY (ARRAY['admin'::text, 'auditor'::text, 'member'::text]))),
    CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'auditor'::text, 'member'::text])))
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
ALTER TABLE ONLY public.audit_stream_queue ALTER COLUMN "position" SET DEFAULT nextval('public.audit_stream_queue_position_seq'::regclass);
ALTER TABLE ONLY public.mikro_orm_migrations ALTER COLUMN id SET DEFAULT nextval('public.mikro_orm_migrations_id_seq'::regclass);
ALTER TABLE ONLY public.primary_catalog_changes ALTER COLUMN "position" SET DEFAULT nextval('public.primary_catalog_changes_position_seq'::regclass);
INSERT INTO public.assignment_requests VALUES
	('01a22fc3-d97d-7000-81c6-aa4631b21d5b', '01a22fc3-b88f-7000-a5ce-54eaa762fd1e', '01a22fc3-c1f7-7000-ad53-797a443025fc', 'kept.example', 'name', 'c', 'c', 'write', 'To learn.', 'pending', NULL, NULL, NULL, NULL, '2026-12-01 04:01:34.077+00');
INSERT INTO public.assignments VALUES
	('01a22fc3-d885-7000-ae88-8069bfae1634', '01a22fc3-b88f-7000-a5ce-54eaa762fd1e', '01a22fc3-c130-7000-8817-97755427ace9', '*.lab', 'write', '01a22fc3-a6d3-7000-af44-200d8d6059af', '2026-12-01 04:01:33.829+00', NULL, NULL, '{}', false, NULL, NULL, NULL);
INSERT INTO public.audit_entries VALUES
	('01a22fc3-a6d7-7000-918e-80ac957b3f94', '2026-12-01 04:01:21.111+00', NULL, NULL, 'user.create', 'user', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, NULL, NULL, '{"role": "admin", "email": null, "username": "admin", "displayName": null, "emailVerified": false}', NULL),
	('01a22fc3-b4b1-7000-99f8-e72ee23c34d3', '2026-12-01 04:01:24.656+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'auth.sign_in', 'session', '01a22fc3-b337-7000-9a69-6049be8e2afd', '127.0.0.1', '499d43ca-1a1a-4469-bf9b-361b7ed3a0c2', NULL, '{"method": "password"}', NULL),
	('01a22fc3-b8d2-7000-a567-f09edf10b020', '2026-12-01 04:01:25.714+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'user.create', 'user', '01a22fc3-b88f-7000-a5ce-54eaa762fd1e', '127.0.0.1', '891d535a-686b-404e-ab4a-35306c12b720', NULL, '{"role": "member", "email": "mona@example.net", "username": "mona", "displayName": null, "emailVerified": true}', NULL),
	('01a22fc3-bac5-7000-ba5d-754ec9538bd4', '2026-12-01 04:01:26.213+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'user.create', 'user', '01a22fc3-bac2-7000-99d7-3ca1c3a7defb', '127.0.0.1', '51236523-9694-481f-a235-6feabf6bb7c3', NULL, '{"role": "member", "email": "tara@example.net", "username": "tara", "displayName": null, "emailVerified": true}', NULL),
	('01a22fc3-bca3-7000-a554-ee730c241f6a', '2026-12-01 04:01:26.691+00', '01a22fc3-b88f-7000-a5ce-54eaa762fd1e', NULL, 'auth.sign_in', 'session', '01a22fc3-bc61-7000-895b-437010331fb0', '127.0.0.1', 'cc46da14-5eb5-44a5-b791-b62fd8ffd3b9', NULL, '{"method": "password"}', NULL),
	('01a22fc3-be8f-7000-aefc-a6ce1d554768', '2026-12-01 04:01:27.183+00', '01a22fc3-bac2-7000-99d7-3ca1c3a7defb', NULL, 'auth.sign_in', 'session', '01a22fc3-be73-7000-9b9d-e95ec7b25bd6', '127.0.0.1', '60b3edff-ecd5-4148-b3e3-9794ab82c3b7', NULL, '{"method": "password"}', NULL),
	('01a22fc3-bf52-7000-aff5-2bdaea5df627', '2026-12-01 04:01:27.378+00', '01a22fc3-bac2-7000-99d7-3ca1c3a7defb', NULL, 'two_factor.enable', 'user', '01a22fc3-bac2-7000-99d7-3ca1c3a7defb', '127.0.0.1', 'a77e77e1-242b-4316-81fc-c47e5f658e5d', NULL, '{"method": "totp"}', NULL),
	('01a22fc3-c00a-7000-8943-8acd4ea9a1d2', '2026-12-01 04:01:27.562+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'token.create', 'token', '01a22fc3-bffb-7000-95fb-1bdcfa5109e7', '127.0.0.1', 'fc07c857-04e0-481d-9514-192a04a297de', NULL, '{"name": "Fixture", "domainIds": null, "expiresAt": null, "hostPattern": null, "permissions": ["domains:read", "records:read", "records:write", "snapshots:read"], "recordTypes": null}', NULL),
	('01a22fc3-c07a-7000-b20c-eec623dabad6', '2026-12-01 04:01:27.65+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'provider_config.create', 'provider_config', '01a22fc3-c051-7000-a839-bbe9df8eacf5', '127.0.0.1', '8be41ee4-cddc-4c5c-8a1b-4fb47565c748', NULL, '{"kind": "manual", "name": "By hand", "config": {}, "membersMayUse": false}', NULL),
	('01a22fc3-c0de-7000-a1cb-86adf53540a4', '2026-12-01 04:01:27.744+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'provider_config.create', 'provider_config', '01a22fc3-c0be-7000-8956-0d7903db9af1', '127.0.0.1', 'e29f094a-22a9-4f50-aa60-ecf09e20686c', NULL, '{"kind": "powerdns", "name": "PowerDNS", "config": {"url": "http://127.0.0.1:9", "apiKey": "********", "serverId": "localhost"}, "membersMayUse": false}', NULL),
	('01a22fc3-c189-7000-975b-3689c9e38c18', '2026-12-01 04:01:27.856+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'domain.create', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', 'f81fe6ba-7276-493e-a5db-2bee1a5f4d27', NULL, '{"name": "harbour.example", "view": "", "ownerId": null, "recordCount": 0, "providerConfigId": "01a22fc3-a23c-7000-8686-6cd676a755c1"}', NULL),
	('01a22fc3-c232-7000-939f-82f836e8908a', '2026-12-01 04:01:28.055+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'domain.create', 'domain', '01a22fc3-c1f7-7000-ad53-797a443025fc', '127.0.0.1', 'bd025ccf-fb4b-4f18-93e2-026f4ee8f3c4', NULL, '{"name": "kept.example", "view": "", "ownerId": null, "recordCount": 0, "providerConfigId": "01a22fc3-c051-7000-a839-bbe9df8eacf5"}', NULL),
	('01a22fc3-c314-7000-a63d-88d6c61fce42', '2026-12-01 04:01:28.311+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'domain.import', 'domain', '01a22fc3-c2f7-7000-81f1-334cdbeebcbd', '127.0.0.1', '421bcfbb-e066-419a-bcc7-835d95fb4e89', NULL, '{"name": "imported.example", "view": "", "ownerId": null, "recordCount": 5, "providerConfigId": "01a22fc3-a23c-7000-8686-6cd676a755c1"}', NULL),
	('01a22fc3-c32d-7000-8b18-8aa716a09413', '2026-12-01 04:01:28.311+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.import', 'domain', '01a22fc3-c2f7-7000-81f1-334cdbeebcbd', '127.0.0.1', '421bcfbb-e066-419a-bcc7-835d95fb4e89', '{"records": []}', '{"creates": 5, "deletes": 0, "records": [{"id": "01a22fc3-c311-7000-bc47-e3c9acb528bc", "ttl": 3600, "name": "@", "value": "ns1.imported.example", "proxied": false, "strings": null, "priority": null, "recordType": "NS"}, {"id": "01a22fc3-c311-7001-9182-4c4301064471", "ttl": 3600, "name": "ns1", "value": "192.0.2.53", "proxied": false, "strings": null, "priority": null, "recordType": "A"}, {"id": "01a22fc3-c311-7002-9eed-362e5518fca5", "ttl": 3600, "name": "www", "value": "192.0.2.80", "proxied": false, "strings": null, "priority": null, "recordType": "A"}, {"id": "01a22fc3-c311-7003-944f-95339a053e6f", "ttl": 3600, "name": "host", "value": "4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789", "proxied": false, "strings": null, "priority": null, "recordType": "SSHFP"}, {"id": "01a22fc3-c311-7004-b1be-55462ce27e6c", "ttl": 3600, "name": "_443._tcp", "value": "3 1 1 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "proxied": false, "strings": null, "priority": null, "recordType": "TLSA"}], "updates": 0, "failures": 0, "repaired": false, "revision": 1, "changeSetId": "01a22fc3-c31a-7000-a804-1c1c1548a76b"}', NULL),
	('01a22fc3-c45d-7000-9252-6471996978f7', '2026-12-01 04:01:28.666+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', '7b7e3a6e-7070-47cc-ab79-cc613701ffdb', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-c3f1-7000-b917-feada397c6ba", "ttl": 3600, "name": "ns1", "value": "192.0.2.53", "proxied": false, "strings": null, "priority": null, "recordType": "A"}], "updates": 0, "failures": 0, "repaired": false, "revision": 1, "changeSetId": "01a22fc3-c430-7000-b9f5-4e3b8b7b069b"}', NULL),
	('01a22fc3-c586-7000-8df1-ac99027fb390', '2026-12-01 04:01:28.963+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', 'b22f8d64-f7df-4711-b202-aca11119a852', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-c4ef-7000-824d-0a9df6472bbd", "ttl": 3600, "name": "@", "value": "ns1.harbour.example", "proxied": false, "strings": null, "priority": null, "recordType": "NS"}], "updates": 0, "failures": 0, "repaired": false, "revision": 2, "changeSetId": "01a22fc3-c53e-7000-8526-6e7c099bb344"}', NULL),
	('01a22fc3-c673-7000-8003-2140cad23bb2', '2026-12-01 04:01:29.188+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', '5480643c-3bb6-4f94-b66b-b768ec85dbd1', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-c5ee-7000-ac0b-1824e7214769", "ttl": 300, "name": "@", "value": "192.0.2.1", "proxied": false, "strings": null, "priority": null, "recordType": "A"}], "updates": 0, "failures": 0, "repaired": false, "revision": 3, "changeSetId": "01a22fc3-c62f-7000-bcc5-974e1c0a96b7"}', NULL),
	('01a22fc3-c755-7000-b1ca-279e5ae8f16b', '2026-12-01 04:01:29.416+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', 'd975b773-169d-448d-ad20-363b76e6c975', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-c6d0-7000-8cf8-d991b8cc0421", "ttl": 3600, "name": "@", "value": "2001:db8::1", "proxied": false, "strings": null, "priority": null, "recordType": "AAAA"}], "updates": 0, "failures": 0, "repaired": false, "revision": 4, "changeSetId": "01a22fc3-c717-7000-bd27-5583a160606c"}', NULL),
	('01a22fc3-c91d-7000-8f7f-67c3fe6e2909', '2026-12-01 04:01:29.873+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', '5a7c7296-cc6c-4f81-8cc5-6bff7a6f8350', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-c7b2-7000-918b-a23440fcf410", "ttl": 3600, "name": "www", "value": "harbour.example", "proxied": false, "strings": null, "priority": null, "recordType": "CNAME"}], "updates": 0, "failures": 0, "repaired": false, "revision": 5, "changeSetId": "01a22fc3-c7fc-7000-bc10-8dccce24da1a"}', NULL),
	('01a22fc3-ca39-7000-bfba-04508e40d644', '2026-12-01 04:01:30.16+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', '676a0fb7-e486-43ba-a387-ab712997e796', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-c9ab-7000-a235-8a0924a7eb75", "ttl": 3600, "name": "@", "value": "10 mail.harbour.example", "proxied": false, "strings": null, "priority": 10, "recordType": "MX"}], "updates": 0, "failures": 0, "repaired": false, "revision": 6, "changeSetId": "01a22fc3-c9e3-7000-8ec3-3f20d34b9cc1"}', NULL),
	('01a22fc3-cb5d-7000-8729-3e01a5a4094c', '2026-12-01 04:01:30.453+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', 'f5fa4600-b17f-489c-bf4b-5e7a975328bb', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-caa6-7000-b599-ebd554faf848", "ttl": 3600, "name": "mail", "value": "192.0.2.25", "proxied": false, "strings": null, "priority": null, "recordType": "A"}], "updates": 0, "failures": 0, "repaired": false, "revision": 7, "changeSetId": "01a22fc3-caf9-7000-a3c3-f9ac58fda9fb"}', NULL),
	('01a22fc3-cc5e-7000-bd52-9f4bc9fd7a78', '2026-12-01 04:01:30.707+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', '06e9f163-6ef0-4569-a4cb-324a4aba8aea', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-cbbe-7000-bf05-e26ad9a50d5f", "ttl": 3600, "name": "_sip._tcp", "value": "0 5 5060 sip.example.net", "proxied": false, "strings": null, "priority": 0, "recordType": "SRV"}], "updates": 0, "failures": 0, "repaired": false, "revision": 8, "changeSetId": "01a22fc3-cc03-7000-b3c3-293609876335"}', NULL),
	('01a22fc3-cd1a-7000-8b8a-1e08045ac5e3', '2026-12-01 04:01:30.897+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', '550fc1b4-1943-4739-b0a1-c1f58b5a6eee', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-ccb9-7000-9737-94447e904f29", "ttl": 3600, "name": "@", "value": "0 issue ca.example.net", "proxied": false, "strings": null, "priority": null, "recordType": "CAA"}], "updates": 0, "failures": 0, "repaired": false, "revision": 9, "changeSetId": "01a22fc3-ccd6-7000-b58c-64593a25f811"}', NULL),
	('01a22fc3-cdde-7000-912b-597798225dec', '2026-12-01 04:01:31.101+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', '73fe238d-4c2a-4d16-91e6-2d4f9636e3a9', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-cd8e-7000-ba72-e6d1f8ff3300", "ttl": 3600, "name": "@", "value": "v=spf1 -all", "proxied": false, "strings": null, "priority": null, "recordType": "TXT"}], "updates": 0, "failures": 0, "repaired": false, "revision": 10, "changeSetId": "01a22fc3-cdb0-7000-8f4a-20357ae150ca"}', NULL),
	('01a22fc3-ced3-7000-8a51-19157d268d38', '2026-12-01 04:01:31.345+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', 'cd79fab0-fee3-4637-aef6-98a409a634a7', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-ce3a-7000-b6b9-be525f44bb3e", "ttl": 3600, "name": "long", "value": "v=DKIM1; p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "proxied": false, "strings": null, "priority": null, "recordType": "TXT"}], "updates": 0, "failures": 0, "repaired": false, "revision": 11, "changeSetId": "01a22fc3-ce7b-7000-84dc-b936afb54ba5"}', NULL),
	('01a22fc3-cf76-7000-9c13-622c1e5fa706', '2026-12-01 04:01:31.508+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', 'c305f785-45e7-43fe-b5c3-f7983e876398', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-cf32-7000-aa30-359ce0f6f18a", "ttl": 3600, "name": "quoted", "value": "say \"hello\"; \\ and ü", "proxied": false, "strings": null, "priority": null, "recordType": "TXT"}], "updates": 0, "failures": 0, "repaired": false, "revision": 12, "changeSetId": "01a22fc3-cf5b-7000-99e1-d366e3dbe647"}', NULL),
	('01a22fc3-d05a-7000-819e-662040b75c55', '2026-12-01 04:01:31.733+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', '37c2380a-de0d-478f-be77-4860cc830803', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-cfd2-7000-868d-eaac7bd44a7d", "ttl": 3600, "name": "*", "value": "192.0.2.9", "proxied": false, "strings": null, "priority": null, "recordType": "A"}], "updates": 0, "failures": 0, "repaired": false, "revision": 13, "changeSetId": "01a22fc3-cff7-7000-82ff-b56ab6f8d78a"}', NULL),
	('01a22fc3-d13a-7000-8e39-fa139f696cea', '2026-12-01 04:01:31.959+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', '3fa9003a-7619-4ab3-9e7b-b8f629f989ad', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-d0ce-7000-bdac-8e90db103261", "ttl": 3600, "name": "xn--bcher-kva", "value": "192.0.2.10", "proxied": false, "strings": null, "priority": null, "recordType": "A"}], "updates": 0, "failures": 0, "repaired": false, "revision": 14, "changeSetId": "01a22fc3-d114-7000-84c0-06d25ec85f09"}', NULL),
	('01a22fc3-d16e-7000-ba7d-92e774cf63ca', '2026-12-01 04:01:32.014+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'snapshot.create', 'snapshot', '01a22fc3-d16a-7000-b337-23b2ada0cb12', '127.0.0.1', '2a35676f-0a31-4efd-a54b-aacc165a9f1a', NULL, '{"trigger": "manual", "domainId": "01a22fc3-c130-7000-8817-97755427ace9"}', NULL),
	('01a22fc3-d250-7000-b144-556126309eba', '2026-12-01 04:01:32.234+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', '59d3eebc-b07c-4fe0-993a-8d9bd94010c4', '{"records": [{"id": "01a22fc3-c5ee-7000-ac0b-1824e7214769", "ttl": 300, "name": "@", "value": "192.0.2.1", "proxied": false, "strings": null, "priority": null, "recordType": "A"}]}', '{"creates": 0, "deletes": 0, "records": [{"id": "01a22fc3-c5ee-7000-ac0b-1824e7214769", "ttl": 600, "name": "@", "value": "192.0.2.2", "proxied": false, "strings": null, "priority": null, "recordType": "A"}], "updates": 1, "failures": 0, "repaired": false, "revision": 15, "changeSetId": "01a22fc3-d20f-7000-baeb-8f0b8dccc79a"}', NULL),
	('01a22fc3-d32a-7000-b534-e7dbda27369c', '2026-12-01 04:01:32.456+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', '73ea18db-0089-44ef-8d86-0e4f3ef8b19d', '{"records": [{"id": "01a22fc3-cbbe-7000-bf05-e26ad9a50d5f", "ttl": 3600, "name": "_sip._tcp", "value": "0 5 5060 sip.example.net", "proxied": false, "strings": null, "priority": 0, "recordType": "SRV"}]}', '{"creates": 0, "deletes": 1, "records": [], "updates": 0, "failures": 0, "repaired": false, "revision": 16, "changeSetId": "01a22fc3-d2e8-7000-96ee-ec0bfa555bc2"}', NULL),
	('01a22fc3-d34f-7000-becd-1ba263e5ebb9', '2026-12-01 04:01:32.495+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'snapshot.create', 'snapshot', '01a22fc3-d34e-7000-8cf0-a3b4db5ef054', '127.0.0.1', '85c615c3-c43f-4cec-af3f-6e5347d96625', NULL, '{"trigger": "manual", "domainId": "01a22fc3-c130-7000-8817-97755427ace9"}', NULL),
	('01a22fc3-d49f-7000-b8a0-784b21e35399', '2026-12-01 04:01:32.823+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.rollback', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', 'f887a8ef-427c-47ef-a1ea-40acb57ce8f1', '{"records": [{"id": "01a22fc3-c5ee-7000-ac0b-1824e7214769", "ttl": 600, "name": "@", "value": "192.0.2.2", "proxied": false, "strings": null, "priority": null, "recordType": "A"}]}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-c5ee-7000-ac0b-1824e7214769", "ttl": 300, "name": "@", "value": "192.0.2.1", "proxied": false, "strings": null, "priority": null, "recordType": "A"}, {"id": "01a22fc3-cbbe-7000-bf05-e26ad9a50d5f", "ttl": 3600, "name": "_sip._tcp", "value": "0 5 5060 sip.example.net", "proxied": false, "strings": null, "priority": 0, "recordType": "SRV"}], "updates": 1, "failures": 0, "repaired": false, "revision": 17, "snapshotId": "01a22fc3-d16a-7000-b337-23b2ada0cb12", "changeSetId": "01a22fc3-d47b-7000-804f-d3892e1c6430"}', NULL),
	('01a22fc3-d563-7000-b9ed-debc53c192bc', '2026-12-01 04:01:33.023+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c130-7000-8817-97755427ace9', '127.0.0.1', '877d746c-a45f-47dd-a310-a9889355ce78', '{"records": [{"id": "01a22fc3-cd8e-7000-ba72-e6d1f8ff3300", "ttl": 3600, "name": "@", "value": "v=spf1 -all", "proxied": false, "strings": null, "priority": null, "recordType": "TXT"}]}', '{"creates": 0, "deletes": 0, "records": [{"id": "01a22fc3-cd8e-7000-ba72-e6d1f8ff3300", "ttl": 3600, "name": "@", "value": "v=spf1 mx -all", "proxied": false, "strings": null, "priority": null, "recordType": "TXT"}], "updates": 1, "failures": 0, "repaired": false, "revision": 18, "changeSetId": "01a22fc3-d513-7000-bc1a-028b57386f4e"}', NULL),
	('01a22fc3-d5e7-7000-8f89-4a438fb1ab33', '2026-12-01 04:01:33.158+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.bulk', 'domain', '01a22fc3-c1f7-7000-ad53-797a443025fc', '127.0.0.1', 'fd157f24-60fe-433a-95c1-7f8d4b42c38d', '{"records": []}', '{"creates": 3, "deletes": 0, "records": [{"id": "01a22fc3-d5d5-7000-b8f1-7a32b3300c49", "ttl": 3600, "name": "a", "value": "198.51.100.1", "proxied": false, "strings": null, "priority": null, "recordType": "A"}, {"id": "01a22fc3-d5d5-7001-8822-793d801c044d", "ttl": 3600, "name": "b", "value": "198.51.100.1", "proxied": false, "strings": null, "priority": null, "recordType": "A"}, {"id": "01a22fc3-d5d5-7002-afd8-7d820641d1e1", "ttl": 3600, "name": "c", "value": "198.51.100.1", "proxied": false, "strings": null, "priority": null, "recordType": "A"}], "updates": 0, "failures": 0, "repaired": false, "revision": 1, "changeSetId": "01a22fc3-d5e6-7000-a0ab-fc052fb8c484"}', NULL),
	('01a22fc3-d69e-7000-8712-6891f964f995', '2026-12-01 04:01:33.328+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'domain.update', 'domain', '01a22fc3-c1f7-7000-ad53-797a443025fc', '127.0.0.1', '544bc5f7-4ce9-4862-9f1e-246ee243aeeb', '{"notes": null, "groupName": null, "snapshotSchedule": "off"}', '{"notes": "By hand.", "groupName": "Shop", "snapshotSchedule": "weekly"}', NULL),
	('01a22fc3-d745-7000-997d-287d3c37dbf6', '2026-12-01 04:01:33.509+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'domain.set_expiry', 'domain', '01a22fc3-c1f7-7000-ad53-797a443025fc', '127.0.0.1', 'c0248172-9cfe-4786-b67e-1531c2fd32a0', '{"expiresAt": null, "expirySource": null}', '{"expiresAt": "2027-06-01T00:00:00.000Z", "expirySource": "manual"}', NULL),
	('01a22fc3-d8a4-7000-ae76-4f97fca509f3', '2026-12-01 04:01:33.86+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'assignment.create', 'assignment', '01a22fc3-d885-7000-ae88-8069bfae1634', '127.0.0.1', '6ff81134-5e24-44b0-af42-2fdf62e32b2d', NULL, '{"access": "write", "review": false, "userId": "01a22fc3-b88f-7000-a5ce-54eaa762fd1e", "domainId": "01a22fc3-c130-7000-8817-97755427ace9", "expiresAt": null, "recordTypes": [], "subdomainPattern": "*.lab"}', NULL),
	('01a22fc3-d99e-7000-b1db-6fdbe67c1bed', '2026-12-01 04:01:34.11+00', '01a22fc3-b88f-7000-a5ce-54eaa762fd1e', NULL, 'assignment.request', 'assignment_request', '01a22fc3-d97d-7000-81c6-aa4631b21d5b', '127.0.0.1', 'a02dbe64-849d-4197-9e40-a216df569674', NULL, '{"host": "c", "access": "write", "reason": "To learn.", "domainId": "01a22fc3-c1f7-7000-ad53-797a443025fc", "domainName": "kept.example", "subdomainPattern": "c"}', NULL),
	('01a22fc3-daa2-7000-b0b1-4b10d16c3227', '2026-12-01 04:01:34.37+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'invitation.create', 'invitation', '01a22fc3-da61-7000-876d-6ab6a7313a5b', '127.0.0.1', '43f6836f-319a-4caa-96e2-77126dcb035f', NULL, '{"role": "member", "maxUses": 3, "expiresAt": null}', NULL),
	('01a22fc3-db9c-7000-b2b5-55914837014e', '2026-12-01 04:01:34.62+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'channel.create', 'channel', '01a22fc3-db3f-7000-b318-4020df1d8a7f', '127.0.0.1', '6dc2d495-b806-43f4-b09d-b81b8c1f22d4', NULL, '{"name": "Hook", "config": {"url": "https://hook.example.net/", "secret": "********"}, "digest": "immediate", "events": ["zone.drift"], "channel": "webhook", "enabled": true, "zoneFilter": null}', NULL),
	('01a22fc3-dcca-7000-9657-d9155b57fc76', '2026-12-01 04:01:34.922+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'identity_config.create', 'identity_config', '01a22fc3-dbf6-7000-b7e0-532803928ad9', '127.0.0.1', 'aa419f71-27c4-463d-80e4-a66f671dddcf', NULL, '{"scope": "read:user user:email", "enabled": true, "tokenUrl": null, "groupRules": [], "providerId": "github", "defaultDeny": false, "groupsClaim": null, "userInfoUrl": null, "authorizeUrl": null, "wellKnownUrl": null, "clientIdMasked": "c****t"}', NULL),
	('01a22fc3-df1d-7001-8934-15eb87f62fd3', '2026-12-01 04:01:35.517+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c1f7-7000-ad53-797a443025fc', '127.0.0.1', 'b8f68b68-50f9-49e7-8e86-0f51fcb9be31', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-df08-7000-adf3-f6edc6982d40", "ttl": 3600, "name": "locked", "value": "198.51.100.2", "locked": true, "proxied": false, "strings": null, "priority": null, "recordType": "A"}], "updates": 0, "failures": 0, "repaired": false, "revision": 2, "changeSetId": "01a22fc3-df1d-7000-9c8e-ef08b62fbadc"}', NULL),
	('01a22fc3-dfbb-7000-b369-d76d2f56263b', '2026-12-01 04:01:35.674+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c1f7-7000-ad53-797a443025fc', '127.0.0.1', '34ef7983-3f72-4b43-ab71-82536c54fddc', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-dfa3-7000-827f-d652e0adbbcb", "ttl": 3600, "name": "Owned", "value": "198.51.100.3", "ownerId": "01a22fc3-a6d3-7000-af44-200d8d6059af", "proxied": false, "strings": null, "priority": null, "reviewAt": "2027-01-01T00:00:00.000Z", "recordType": "A"}], "updates": 0, "failures": 0, "repaired": false, "revision": 3, "changeSetId": "01a22fc3-dfba-7000-b51e-5a8d59f62053"}', NULL),
	('01a22fc3-e07c-7001-b5c6-bbcaa7c7bc88', '2026-12-01 04:01:35.868+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c1f7-7000-ad53-797a443025fc', '127.0.0.1', '81db7c0f-de9e-4378-a9d9-5c441a4d29e7', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-e046-7000-b3d7-f8ded61a2575", "ttl": 3600, "name": "off", "value": "198.51.100.4", "status": "disabled", "proxied": false, "strings": null, "priority": null, "recordType": "A"}], "updates": 0, "failures": 0, "repaired": false, "revision": 4, "changeSetId": "01a22fc3-e07c-7000-8243-01af96392a35"}', NULL),
	('01a22fc3-e145-7000-b24f-26a1bed9b0f6', '2026-12-01 04:01:36.068+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c1f7-7000-ad53-797a443025fc', '127.0.0.1', '9cd3e0f0-f7d7-4932-a88e-1e39536831ae', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-e144-7000-bb6d-fa0e46e86ed7", "ttl": 3600, "name": "lab", "value": "ns.example.net", "proxied": false, "strings": null, "priority": null, "recordType": "NS"}], "updates": 0, "failures": 0, "repaired": false, "revision": 5, "changeSetId": "01a22fc3-e144-7001-a5b2-b73ab6759a68"}', NULL),
	('01a22fc3-e1e3-7000-a495-817498011f57', '2026-12-01 04:01:36.226+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c1f7-7000-ad53-797a443025fc', '127.0.0.1', 'd1a04f9d-728a-4493-878d-90be7cec3841', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-e1be-7000-bdef-7a4dcd9ae8dd", "ttl": 3600, "name": "alias", "value": "target.example.net.", "proxied": false, "strings": null, "priority": null, "recordType": "DNAME"}], "updates": 0, "failures": 0, "repaired": false, "revision": 6, "changeSetId": "01a22fc3-e1e2-7000-a857-c737ea048e11"}', NULL),
	('01a22fc3-e24a-7001-b2ea-e291b959327c', '2026-12-01 04:01:36.33+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-c1f7-7000-ad53-797a443025fc', '127.0.0.1', '8bd09674-ce7f-4f32-9c99-87954d3f109e', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-e246-7000-a41e-cfd8a6e717b8", "ttl": 3600, "name": "Mixed", "value": "Target.Example.NET", "proxied": false, "strings": null, "priority": null, "recordType": "CNAME"}], "updates": 0, "failures": 0, "repaired": false, "revision": 7, "changeSetId": "01a22fc3-e24a-7000-b3bf-63c73559005d"}', NULL),
	('01a22fc3-e2d6-7000-a0ff-472e0d19b918', '2026-12-01 04:01:36.47+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'snapshot.create', 'snapshot', '01a22fc3-e2c9-7000-a13d-e44faec1b193', '127.0.0.1', '4ba2f761-4573-417f-852f-fa77fd14c79e', NULL, '{"name": "Before the move", "trigger": "manual", "domainId": "01a22fc3-c1f7-7000-ad53-797a443025fc"}', NULL),
	('01a22fc3-e402-7000-9f07-d30a4e928ae0', '2026-12-01 04:01:36.77+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'change_request.create', 'change_request', '01a22fc3-e368-7000-8e7d-dbe12fe85cd0', '127.0.0.1', '03b5a512-8efc-4c83-a81c-c3750e6aa9ce', NULL, '{"title": "Add a host", "applyAt": null, "creates": 1, "deletes": 0, "updates": 0, "domainId": "01a22fc3-c1f7-7000-ad53-797a443025fc", "changesHash": "g_t0sMbtOU4wsxFooM6meubt6PzAfoTCuRNCw1szn4k"}', NULL);
INSERT INTO public.audit_entries VALUES
	('01a22fc3-e51e-7000-aaec-2a2d908f4381', '2026-12-01 04:01:37.054+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'template.create', 'template', '01a22fc3-e50b-7000-802c-344f126a426b', '127.0.0.1', '942c1bed-f4a4-41c9-9ccf-5d01b9bb4888', NULL, '{"records": 1, "version": null, "revision": 1, "serviceId": "web", "providerId": "shop.example"}', NULL),
	('01a22fc3-e5e2-7000-bb4d-612a510e71d9', '2026-12-01 04:01:37.25+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'tsig_key.create', 'tsig_key', '01a22fc3-e593-7000-ad62-f2949a89356e', '127.0.0.1', '3a1ef59c-44b8-40d0-adc5-66c05c9727ee', NULL, '{"name": "certbot", "access": "update", "keyName": "zw-3npa4v2bvkddl", "domainId": "01a22fc3-c1f7-7000-ad53-797a443025fc", "algorithm": "hmac-sha256", "expiresAt": null, "hostPattern": "*", "recordTypes": []}', NULL),
	('01a22fc3-e70c-7000-9d0b-80a991076d50', '2026-12-01 04:01:37.547+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'mirror.create', 'domain', '01a22fc3-c1f7-7000-ad53-797a443025fc', '127.0.0.1', 'e59d4341-83d2-47e1-981c-ef5bae3399ce', NULL, '{"force": false, "strict": false, "onDrift": "restore", "mirrorId": "01a22fc3-e6fd-7000-863d-4486f8718ce6", "providerConfigId": "01a22fc3-a23c-7000-8686-6cd676a755c1"}', NULL),
	('01a22fc3-e757-7000-a471-8740a4da0454', '2026-12-01 04:01:37.611+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'domain.create', 'domain', '01a22fc3-e74b-7000-8544-d99203640b4f', '127.0.0.1', 'ede8c449-9e77-4de0-9f80-ee46e3996748', NULL, '{"name": "100.51.198.in-addr.arpa", "view": "", "ownerId": null, "recordCount": 0, "providerConfigId": "01a22fc3-c051-7000-a839-bbe9df8eacf5"}', NULL),
	('01a22fc3-e78c-7001-a6c7-6ea8c0a69419', '2026-12-01 04:01:37.676+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'records.edit', 'domain', '01a22fc3-e74b-7000-8544-d99203640b4f', '127.0.0.1', 'f92cb7c0-3dbc-4077-8f95-0c0b378f8489', '{"records": []}', '{"creates": 1, "deletes": 0, "records": [{"id": "01a22fc3-e78b-7000-bd6f-0a9cc6438b89", "ttl": 3600, "name": "1", "value": "a.kept.example", "proxied": false, "strings": null, "priority": null, "recordType": "PTR"}], "updates": 0, "failures": 0, "repaired": false, "revision": 1, "changeSetId": "01a22fc3-e78c-7000-ae4a-c226011d570d"}', NULL),
	('01a22fc3-f123-7000-bdda-a39bf005e1cf', '2026-12-01 04:01:40.131+00', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, 'auth.sign_in', 'session', '01a22fc3-f10e-7000-936f-f296c0bd8aad', '127.0.0.1', 'aae2de1b-5044-4b89-af06-d5e8eafd9d50', NULL, '{"method": "password"}', NULL);
INSERT INTO public.audit_stream VALUES
	(true, false, NULL, NULL);
INSERT INTO public.change_requests OVERRIDING SYSTEM VALUE VALUES
	('01a22fc3-e368-7000-8e7d-dbe12fe85cd0', 1, '01a22fc3-c1f7-7000-ad53-797a443025fc', 'kept.example', '01a22fc3-a6d3-7000-af44-200d8d6059af', NULL, '127.0.0.1', '03b5a512-8efc-4c83-a81c-c3750e6aa9ce', 'open', 'Add a host', NULL, '[{"action": "create", "record": {"name": "wanted", "value": "198.51.100.5", "recordType": "A"}}]', NULL, false, '{wanted}', '{"creates": [{"ttl": 3600, "name": "wanted", "value": "198.51.100.5", "status": "active", "proxied": false, "strings": null, "priority": null, "recordType": "A"}], "deletes": [], "updates": [], "warnings": []}', 1, 0, 0, 'g_t0sMbtOU4wsxFooM6meubt6PzAfoTCuRNCw1szn4k', NULL, false, NULL, NULL, NULL, 0, '2026-12-01 04:01:36.76+00', NULL, '{A}', false, NULL, NULL);
INSERT INTO public.change_set_calls OVERRIDING SYSTEM VALUE VALUES
	(1, '01a1fb0f-6204-7000-abd4-276e976be8a3', '[{"after": {"ttl": 300, "name": "www", "value": "192.0.2.1", "proxied": false, "priority": null, "recordType": "A"}, "before": null}]');
INSERT INTO public.change_sets VALUES
	('01a22fc3-c31a-7000-a804-1c1c1548a76b', '01a22fc3-c2f7-7000-81f1-334cdbeebcbd', 'import', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 1, 5, 0, 0, NULL, NULL, false, '2026-12-01 04:01:28.311+00', '2026-12-01 04:01:28.311+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c430-7000-b9f5-4e3b8b7b069b', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 1, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:28.624+00', '2026-12-01 04:01:28.666+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c53e-7000-8526-6e7c099bb344', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 2, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:28.894+00', '2026-12-01 04:01:28.963+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c62f-7000-bcc5-974e1c0a96b7', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 3, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:29.135+00', '2026-12-01 04:01:29.188+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c717-7000-bd27-5583a160606c', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 4, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:29.367+00', '2026-12-01 04:01:29.416+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c7fc-7000-bc10-8dccce24da1a', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 5, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:29.596+00', '2026-12-01 04:01:29.873+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c9e3-7000-8ec3-3f20d34b9cc1', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 6, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:30.083+00', '2026-12-01 04:01:30.16+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-caf9-7000-a3c3-f9ac58fda9fb', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 7, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:30.361+00', '2026-12-01 04:01:30.453+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-cc03-7000-b3c3-293609876335', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 8, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:30.627+00', '2026-12-01 04:01:30.707+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-ccd6-7000-b58c-64593a25f811', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 9, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:30.838+00', '2026-12-01 04:01:30.897+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-cdb0-7000-8f4a-20357ae150ca', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 10, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:31.056+00', '2026-12-01 04:01:31.101+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-ce7b-7000-84dc-b936afb54ba5', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 11, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:31.259+00', '2026-12-01 04:01:31.345+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-cf5b-7000-99e1-d366e3dbe647', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 12, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:31.483+00', '2026-12-01 04:01:31.508+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-cff7-7000-82ff-b56ab6f8d78a', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 13, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:31.639+00', '2026-12-01 04:01:31.733+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-d114-7000-84c0-06d25ec85f09', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 14, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:31.924+00', '2026-12-01 04:01:31.959+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-d20f-7000-baeb-8f0b8dccc79a', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 15, 0, 1, 0, NULL, NULL, false, '2026-12-01 04:01:32.175+00', '2026-12-01 04:01:32.234+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-d2e8-7000-96ee-ec0bfa555bc2', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 16, 0, 0, 1, NULL, NULL, false, '2026-12-01 04:01:32.392+00', '2026-12-01 04:01:32.456+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-d47b-7000-804f-d3892e1c6430', '01a22fc3-c130-7000-8817-97755427ace9', 'rollback', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 17, 1, 1, 0, NULL, NULL, false, '2026-12-01 04:01:32.795+00', '2026-12-01 04:01:32.823+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-d513-7000-bc1a-028b57386f4e', '01a22fc3-c130-7000-8817-97755427ace9', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 18, 0, 1, 0, NULL, NULL, false, '2026-12-01 04:01:32.947+00', '2026-12-01 04:01:33.023+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-d5e6-7000-a0ab-fc052fb8c484', '01a22fc3-c1f7-7000-ad53-797a443025fc', 'bulk', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 1, 3, 0, 0, NULL, NULL, false, '2026-12-01 04:01:33.158+00', '2026-12-01 04:01:33.158+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-df1d-7000-9c8e-ef08b62fbadc', '01a22fc3-c1f7-7000-ad53-797a443025fc', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 2, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:35.517+00', '2026-12-01 04:01:35.517+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-dfba-7000-b51e-5a8d59f62053', '01a22fc3-c1f7-7000-ad53-797a443025fc', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 3, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:35.674+00', '2026-12-01 04:01:35.674+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-e07c-7000-8243-01af96392a35', '01a22fc3-c1f7-7000-ad53-797a443025fc', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 4, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:35.868+00', '2026-12-01 04:01:35.868+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-e144-7001-a5b2-b73ab6759a68', '01a22fc3-c1f7-7000-ad53-797a443025fc', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 5, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:36.068+00', '2026-12-01 04:01:36.068+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-e1e2-7000-a857-c737ea048e11', '01a22fc3-c1f7-7000-ad53-797a443025fc', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 6, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:36.226+00', '2026-12-01 04:01:36.226+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-e24a-7000-b3bf-63c73559005d', '01a22fc3-c1f7-7000-ad53-797a443025fc', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 7, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:36.33+00', '2026-12-01 04:01:36.33+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-e78c-7000-ae4a-c226011d570d', '01a22fc3-e74b-7000-8544-d99203640b4f', 'edit', 'applied', '01a22fc3-a6d3-7000-af44-200d8d6059af', 1, 1, 0, 0, NULL, NULL, false, '2026-12-01 04:01:37.676+00', '2026-12-01 04:01:37.676+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('01a1fb0f-6204-7000-abd4-276e976be8a3', '01a1fb0f-6204-7000-abd4-276e976be8a2', 'edit', 'pending', NULL, NULL, 1, 0, 0, '{"changes": [{"id": "01a1fb0f-6204-7000-abd4-276e976be8a4", "after": {"ttl": 300, "name": "www", "value": "192.0.2.1", "comment": null, "proxied": false, "priority": null, "recordType": "A"}, "action": "create", "before": null}], "together": false}', NULL, false, '2026-12-01 04:01:37.805251+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.deliveries VALUES
	('57f6a297-2f04-4a2a-b97e-aa6ad77b724f', '01a22fc3-db3f-7000-b318-4020df1d8a7f', NULL, '{"event": "zone.drift", "level": "warning", "title": "Drift", "content": "Look at it.", "metadata": {}}', 'pending', 3, '2026-12-01 05:01:37.805251+00', 'HTTP 503', '2026-12-01 04:01:37.805251+00', NULL);
INSERT INTO public.domains VALUES
	('01a22fc3-c2f7-7000-81f1-334cdbeebcbd', 'imported.example', '01a22fc3-a23c-7000-8686-6cd676a755c1', NULL, NULL, NULL, 'active', NULL, '{}', NULL, '{30,7,1}', true, NULL, NULL, NULL, 'off', 1, 5, 0, '93db2201afcb452e1f1e2a334c5bb6b5e2862c04b36eabc304f1a9c1ea45a250', NULL, NULL, '2026-12-01 04:01:28.311+00', '2026-12-01 04:01:28.311+00', '2026-12-01 04:01:28.311+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, false, 0, false, 0, NULL, '', 'imported.example', 'off', false, NULL, false, false, NULL, false, NULL, NULL, NULL, NULL),
	('01a22fc3-c1f7-7000-ad53-797a443025fc', 'kept.example', '01a22fc3-c051-7000-a839-bbe9df8eacf5', NULL, '2027-06-01 00:00:00+00', '2027-05-02 00:00:00+00', 'active', 'Shop', '{production,eu}', 'By hand.', '{30,7,1}', true, 'manual', NULL, NULL, 'weekly', 7, 9, 1, NULL, NULL, NULL, '2026-12-01 04:01:28.055+00', '2026-12-01 04:01:36.33+00', '2026-12-01 04:01:28.055+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, false, 0, false, 0, NULL, '', 'kept.example', 'off', false, NULL, false, false, NULL, false, NULL, NULL, NULL, NULL),
	('01a22fc3-e74b-7000-8544-d99203640b4f', '100.51.198.in-addr.arpa', '01a22fc3-c051-7000-a839-bbe9df8eacf5', NULL, NULL, NULL, 'active', NULL, '{}', NULL, '{30,7,1}', false, NULL, NULL, NULL, 'off', 1, 1, 0, NULL, NULL, NULL, '2026-12-01 04:01:37.611+00', '2026-12-01 04:01:37.676+00', '2026-12-01 04:01:37.611+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, false, 0, false, 0, NULL, '', '100.51.198.in-addr.arpa', 'off', false, NULL, false, false, NULL, false, NULL, NULL, NULL, NULL),
	('01a1fb0f-6204-7000-abd4-276e976be8a2', 'open.example', '01a22fc3-c0be-7000-8956-0d7903db9af1', NULL, NULL, NULL, 'active', NULL, '{}', NULL, '{30,7,1}', false, NULL, NULL, NULL, 'off', 0, 0, 0, NULL, NULL, NULL, '2026-12-01 04:01:37.805251+00', '2026-12-01 04:01:37.805251+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, false, 0, false, 0, NULL, '', 'open.example', 'off', false, NULL, false, false, NULL, false, NULL, NULL, NULL, NULL),
	('01a22fc3-c130-7000-8817-97755427ace9', 'harbour.example', '01a22fc3-a23c-7000-8686-6cd676a755c1', NULL, NULL, NULL, 'active', NULL, '{}', NULL, '{30,7,1}', true, NULL, NULL, NULL, 'off', 18, 14, 3, '7b044cebd609c7156fb396f2e951c61fa8b78c266df03ea413c5bd5e7a73f88f', NULL, NULL, '2026-12-01 04:01:27.856+00', '2026-12-01 04:01:33.023+00', '2026-12-01 04:01:27.856+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, false, 0, false, 0, NULL, '', 'harbour.example', 'off', false, NULL, false, false, NULL, false, NULL, NULL, NULL, NULL);
INSERT INTO public.email_factors VALUES
	('01a22fc3-bac2-7000-99d7-3ca1c3a7defb', '2026-12-01 04:01:37.805251+00', NULL, NULL, 0);
INSERT INTO public.expiry_reminders VALUES
	('01a22fc3-c1f7-7000-ad53-797a443025fc', '2027-06-01', 30, '2026-12-01 04:01:37.805251+00');
INSERT INTO public.identity_bindings VALUES
	('14c30606-2615-49ff-9fb0-3746f68d88ba', '01a22fc3-b88f-7000-a5ce-54eaa762fd1e', 'github', 'https://github.com', '4711', 'mona@example.net', 'Mona', '2026-12-01 04:01:37.805251+00');
INSERT INTO public.identity_codes VALUES
	('code', 'github', '2026-12-01 04:11:37.805251+00');
INSERT INTO public.identity_configs VALUES
	('01a22fc3-dbf6-7000-b7e0-532803928ad9', 'github', true, 'client', 'v1.c124df7253fa5e0d.XdmmY-7cCPZLHdDD.iW51YjiQSj7DUe6bW8Q9kw.9nmk7nvHUJZdY9eveqT8qWIyf8Uywg', 'read:user user:email', NULL, NULL, NULL, NULL, '2026-12-01 04:01:34.886+00', NULL, '[]', false);
INSERT INTO public.identity_flows VALUES
	('041082cd-5400-4bc7-a0c5-11f7fcd823d9', 'github', '01a22fc3-b88f-7000-a5ce-54eaa762fd1e', '01a22fc3-bc61-7000-895b-437010331fb0', 'browser', 'sealed', '2026-12-01 04:11:37.805251+00');
INSERT INTO public.identity_tickets VALUES
	('ticket', '01a22fc3-b88f-7000-a5ce-54eaa762fd1e', 'github', '2026-12-01 04:02:37.805251+00');
INSERT INTO public.installation VALUES
	(true, '0.2.0', 'ba2289ec-a8d2-4b30-9eb2-e8962e76d51b', '/tmp/zonewright-fixture-vrbka8/data/zones on vm', NULL);
INSERT INTO public.invitations VALUES
	('01a22fc3-da61-7000-876d-6ab6a7313a5b', '28Bqfkk2tfX9PuvDRcGp8sj8vXdrUtObvVKcatTgYD0', 'member', 3, 0, NULL, '01a22fc3-a6d3-7000-af44-200d8d6059af', '2026-12-01 04:01:34.284+00', NULL);
INSERT INTO public.mikro_orm_migrations VALUES
	(1, '0001-foundation', '2026-12-01 04:01:13.091919+00'),
	(2, '0002-drift', '2026-12-01 04:01:13.091919+00'),
	(3, '0003-audit', '2026-12-01 04:01:13.091919+00'),
	(4, '0004-second-factors', '2026-12-01 04:01:13.091919+00'),
	(5, '0005-personal-tokens', '2026-12-01 04:01:13.091919+00'),
	(6, '0006-invitations', '2026-12-01 04:01:13.091919+00'),
	(7, '0007-repairs', '2026-12-01 04:01:13.091919+00'),
	(8, '0008-identity', '2026-12-01 04:01:13.091919+00'),
	(9, '0009-scheduled-snapshots', '2026-12-01 04:01:13.091919+00'),
	(10, '0010-expiry', '2026-12-01 04:01:13.091919+00'),
	(11, '0011-assignments', '2026-12-01 04:01:13.091919+00'),
	(12, '0013-channels', '2026-12-01 04:01:13.091919+00'),
	(13, '0016-identity-codes', '2026-12-01 04:01:13.091919+00'),
	(14, '0017-confirmations', '2026-12-01 04:01:13.091919+00'),
	(15, '0018-ways-in', '2026-12-01 04:01:13.091919+00'),
	(16, '0019-server-managed-records', '2026-12-01 04:01:13.091919+00'),
	(17, '0020-canonical-data', '2026-12-01 04:01:13.091919+00'),
	(18, '0021-name-servers', '2026-12-01 04:01:13.091919+00'),
	(19, '0022-strings', '2026-12-01 04:01:13.091919+00'),
	(20, '0023-installation', '2026-12-01 04:01:13.091919+00'),
	(21, '0024-history-from', '2026-12-01 04:01:13.091919+00'),
	(22, '0025-idempotent-calls', '2026-12-01 04:01:13.091919+00'),
	(23, '0026-domain-orders', '2026-12-01 04:01:13.091919+00'),
	(24, '0027-names-above', '2026-12-01 04:01:13.091919+00'),
	(25, '0028-drift-errors', '2026-12-01 04:01:13.091919+00'),
	(26, '0029-true-counts', '2026-12-01 04:01:13.091919+00'),
	(27, '0030-views', '2026-12-01 04:01:13.091919+00'),
	(28, '0031-pointers', '2026-12-01 04:01:13.091919+00'),
	(29, '0032-record-search', '2026-12-01 04:01:13.091919+00'),
	(30, '0033-batches', '2026-12-01 04:01:13.091919+00'),
	(31, '0034-reverse', '2026-12-01 04:01:13.091919+00'),
	(32, '0035-templates', '2026-12-01 04:01:13.091919+00'),
	(33, '0036-change-messages', '2026-12-01 04:01:13.091919+00'),
	(34, '0037-delegations', '2026-12-01 04:01:13.091919+00'),
	(35, '0038-dangling-reports', '2026-12-01 04:01:13.091919+00'),
	(36, '0039-audit-stream', '2026-12-01 04:01:13.091919+00'),
	(37, '0040-change-requests', '2026-12-01 04:01:13.091919+00'),
	(38, '0041-finer-assignments', '2026-12-01 04:01:13.091919+00'),
	(39, '0042-change-reports', '2026-12-01 04:01:13.091919+00'),
	(40, '0043-registration-facts', '2026-12-01 04:01:13.091919+00'),
	(41, '0044-primary', '2026-12-01 04:01:13.091919+00'),
	(42, '0045-directory-groups', '2026-12-01 04:01:13.091919+00'),
	(43, '0047-locked-records', '2026-12-01 04:01:13.091919+00'),
	(44, '0048-transfer-pages', '2026-12-01 04:01:13.091919+00'),
	(45, '0049-mirrors', '2026-12-01 04:01:13.091919+00'),
	(46, '0050-narrowed-tokens', '2026-12-01 04:01:13.091919+00'),
	(47, '0052-acme-challenges', '2026-12-01 04:01:13.091919+00'),
	(48, '0053-tsig-keys', '2026-12-01 04:01:13.091919+00'),
	(49, '0054-dynamic-updates', '2026-12-01 04:01:13.091919+00'),
	(50, '0057-primary-mirrors', '2026-12-01 04:01:13.091919+00');
INSERT INTO public.mikro_orm_migrations VALUES
	(51, '0059-mirrors-after-outages', '2026-12-01 04:01:13.091919+00'),
	(52, '0063-foreign-mirror-records', '2026-12-01 04:01:13.091919+00'),
	(53, '0064-aliased-trees', '2026-12-01 04:01:13.091919+00'),
	(54, '0065-looked-at', '2026-12-01 04:01:13.091919+00'),
	(55, '0066-behind-serial', '2026-12-01 04:01:13.091919+00'),
	(56, '0067-no-empty-groups', '2026-12-01 04:01:13.091919+00'),
	(57, '0068-empty-caa-values', '2026-12-01 04:01:13.091919+00'),
	(58, '0069-powerdns-notes', '2026-12-01 04:01:13.091919+00'),
	(59, '0070-written-names', '2026-12-01 04:01:13.091919+00'),
	(60, '0071-last-provider-tests', '2026-12-01 04:01:13.091919+00'),
	(61, '0073-disabled-records', '2026-12-01 04:01:13.091919+00'),
	(62, '0074-powerdns-zones', '2026-12-01 04:01:13.091919+00'),
	(63, '0076-lean-lists', '2026-12-01 04:01:13.091919+00'),
	(64, '0077-command-line', '2026-12-01 04:01:13.091919+00'),
	(65, '0078-preferences', '2026-12-01 04:01:13.091919+00'),
	(66, '0079-snapshot-names', '2026-12-01 04:01:13.091919+00'),
	(67, '0081-registrar-configs', '2026-12-01 04:01:13.091919+00'),
	(68, '0082-costs', '2026-12-01 04:01:13.091919+00'),
	(69, '0085-tokens-of-changes', '2026-12-01 04:01:13.091919+00'),
	(70, '0086-batch-orders', '2026-12-01 04:01:13.091919+00'),
	(71, '0087-calendar-feeds', '2026-12-01 04:01:13.091919+00'),
	(72, '0088-instances', '2026-12-01 04:01:13.091919+00'),
	(73, '0091-portfolio', '2026-12-01 04:01:13.091919+00'),
	(74, '0090-audit-domains', '2026-12-01 04:01:13.091919+00'),
	(75, '0092-certificates', '2026-12-01 04:01:13.091919+00'),
	(76, '0093-dnssec', '2026-12-01 04:01:13.091919+00'),
	(77, '0095-registration-requests', '2026-12-01 04:01:13.091919+00'),
	(78, '0100-mirror-guards', '2026-12-01 04:01:13.091919+00'),
	(79, '0098-dnssec-findings', '2026-12-01 04:01:13.091919+00'),
	(80, '0103-due-deliveries', '2026-12-01 04:01:13.091919+00'),
	(81, '0105-last-serials', '2026-12-01 04:01:13.091919+00');
INSERT INTO public.mirrors VALUES
	('01a22fc3-e6fd-7000-863d-4486f8718ce6', '01a22fc3-c1f7-7000-ad53-797a443025fc', '01a22fc3-a23c-7000-8686-6cd676a755c1', 'kept.example', 'restore', NULL, 7, '2026-12-01 04:01:37.533+00', NULL, NULL, '2026-12-01 04:01:37.533+00', false, 0, 0, 0, NULL, false, NULL, NULL, '2026-12-01 04:01:37.533+00', false, false, 0, NULL, false);
INSERT INTO public.notification_channels VALUES
	('01a22fc3-db3f-7000-b318-4020df1d8a7f', 'webhook', 'Hook', 'v1.f47d0a841bfbb347.Ufm6KnIRfDBfISDz.cCj-OKR9wH4eX3bRyIIaDw.mcOfL2fMM4G5kT9nEe32UqfZf3Z3UKwF2c8Ppd-IllGkfHLPBfjqWd7uwehPzLhzyzPVKIQll7IgvSXAPFZSXmiJSQiobSPPBYel-lV3NcgWStmrsA', '{zone.drift}', true, NULL, NULL, '2026-12-01 04:01:34.594+00', '2026-12-01 04:01:34.594+00', NULL, 'immediate');
INSERT INTO public.passkey_challenges VALUES
	('Y2hhbGxlbmdl', 'register', '01a22fc3-bac2-7000-99d7-3ca1c3a7defb', NULL, '2026-12-01 04:06:37.805251+00', NULL);
INSERT INTO public.passkeys VALUES
	('0308c358-e741-48d5-8d21-cac644580b93', '01a22fc3-bac2-7000-99d7-3ca1c3a7defb', 'Key', 'Y3JlZGVudGlhbA', 'cHVibGljLWtleQ', 7, '{usb,nfc}', '2026-12-01 04:01:37.805251+00', NULL);
INSERT INTO public.password_resets VALUES
	('reset', '01a22fc3-b88f-7000-a5ce-54eaa762fd1e', '2026-12-01 04:01:37.805251+00', '2026-12-01 05:01:37.805251+00');
INSERT INTO public.pending_identities VALUES
	('pending', 'github', 'https://github.com', '4712', 'new@example.net', true, 'New', 'new', '2026-12-01 04:11:37.805251+00', '{}');
INSERT INTO public.personal_tokens VALUES
	('01a22fc3-bffb-7000-95fb-1bdcfa5109e7', '01a22fc3-a6d3-7000-af44-200d8d6059af', 'Fixture', '8HreT-OKzB-LZD_nWQr6VgtGEEFPn54M4MDpW4ro9pw', '{domains:read,records:read,records:write,snapshots:read}', '2026-12-01 04:01:27.547+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.provider_configs VALUES
	('01a22fc3-c051-7000-a839-bbe9df8eacf5', 'manual', 'By hand', '{}', false, false, '2026-12-01 04:01:27.65+00', NULL),
	('01a22fc3-c0be-7000-8956-0d7903db9af1', 'powerdns', 'PowerDNS', '{"url": "http://127.0.0.1:9", "apiKey": "v1.bf3c882ab9dd3785.wkIS8QhkJXARyJNw.D_iAj16tDG7Kbt11TmyS7g.ZR9fpmxVujdfHWjJNi8EOVfE", "serverId": "localhost"}', false, false, '2026-12-01 04:01:27.744+00', NULL),
	('01a22fc3-a23c-7000-8686-6cd676a755c1', 'zonefile', 'Embedded zone files', '{}', false, true, '2026-12-01 04:01:19.933+00', '{"at": "2026-12-01T04:01:28.229Z", "error": null, "zones": 2}');
INSERT INTO public.records VALUES
	('01a22fc3-c311-7000-bc47-e3c9acb528bc', 1, '01a22fc3-c2f7-7000-81f1-334cdbeebcbd', 1, NULL, 'NS', '@', 'ns1.imported.example', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:28.311+00', '2026-12-01 04:01:28.311+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c311-7001-9182-4c4301064471', 1, '01a22fc3-c2f7-7000-81f1-334cdbeebcbd', 1, NULL, 'A', 'ns1', '192.0.2.53', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:28.311+00', '2026-12-01 04:01:28.311+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c311-7002-9eed-362e5518fca5', 1, '01a22fc3-c2f7-7000-81f1-334cdbeebcbd', 1, NULL, 'A', 'www', '192.0.2.80', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:28.311+00', '2026-12-01 04:01:28.311+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c311-7003-944f-95339a053e6f', 1, '01a22fc3-c2f7-7000-81f1-334cdbeebcbd', 1, NULL, 'SSHFP', 'host', '4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:28.311+00', '2026-12-01 04:01:28.311+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c311-7004-b1be-55462ce27e6c', 1, '01a22fc3-c2f7-7000-81f1-334cdbeebcbd', 1, NULL, 'TLSA', '_443._tcp', '3 1 1 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:28.311+00', '2026-12-01 04:01:28.311+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c3f1-7000-b917-feada397c6ba', 1, '01a22fc3-c130-7000-8817-97755427ace9', 1, NULL, 'A', 'ns1', '192.0.2.53', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:28.666+00', '2026-12-01 04:01:28.666+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c4ef-7000-824d-0a9df6472bbd', 1, '01a22fc3-c130-7000-8817-97755427ace9', 2, NULL, 'NS', '@', 'ns1.harbour.example', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:28.963+00', '2026-12-01 04:01:28.963+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c6d0-7000-8cf8-d991b8cc0421', 1, '01a22fc3-c130-7000-8817-97755427ace9', 4, NULL, 'AAAA', '@', '2001:db8::1', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:29.416+00', '2026-12-01 04:01:29.416+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c7b2-7000-918b-a23440fcf410', 1, '01a22fc3-c130-7000-8817-97755427ace9', 5, NULL, 'CNAME', 'www', 'harbour.example', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:29.873+00', '2026-12-01 04:01:29.873+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c9ab-7000-a235-8a0924a7eb75', 1, '01a22fc3-c130-7000-8817-97755427ace9', 6, NULL, 'MX', '@', '10 mail.harbour.example', 3600, 10, false, 'active', NULL, '2026-12-01 04:01:30.16+00', '2026-12-01 04:01:30.16+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-caa6-7000-b599-ebd554faf848', 1, '01a22fc3-c130-7000-8817-97755427ace9', 7, NULL, 'A', 'mail', '192.0.2.25', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:30.453+00', '2026-12-01 04:01:30.453+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-ccb9-7000-9737-94447e904f29', 1, '01a22fc3-c130-7000-8817-97755427ace9', 9, NULL, 'CAA', '@', '0 issue ca.example.net', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:30.897+00', '2026-12-01 04:01:30.897+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-ce3a-7000-b6b9-be525f44bb3e', 1, '01a22fc3-c130-7000-8817-97755427ace9', 11, NULL, 'TXT', 'long', 'v=DKIM1; p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:31.345+00', '2026-12-01 04:01:31.345+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-cf32-7000-aa30-359ce0f6f18a', 1, '01a22fc3-c130-7000-8817-97755427ace9', 12, NULL, 'TXT', 'quoted', 'say "hello"; \ and ü', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:31.508+00', '2026-12-01 04:01:31.508+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-cfd2-7000-868d-eaac7bd44a7d', 1, '01a22fc3-c130-7000-8817-97755427ace9', 13, NULL, 'A', '*', '192.0.2.9', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:31.733+00', '2026-12-01 04:01:31.733+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-d0ce-7000-bdac-8e90db103261', 1, '01a22fc3-c130-7000-8817-97755427ace9', 14, NULL, 'A', 'xn--bcher-kva', '192.0.2.10', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:31.959+00', '2026-12-01 04:01:31.959+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c5ee-7000-ac0b-1824e7214769', 1, '01a22fc3-c130-7000-8817-97755427ace9', 3, 15, 'A', '@', '192.0.2.1', 300, NULL, false, 'active', NULL, '2026-12-01 04:01:29.188+00', '2026-12-01 04:01:29.188+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-cbbe-7000-bf05-e26ad9a50d5f', 1, '01a22fc3-c130-7000-8817-97755427ace9', 8, 16, 'SRV', '_sip._tcp', '0 5 5060 sip.example.net', 3600, 0, false, 'active', NULL, '2026-12-01 04:01:30.707+00', '2026-12-01 04:01:30.707+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c5ee-7000-ac0b-1824e7214769', 2, '01a22fc3-c130-7000-8817-97755427ace9', 15, 17, 'A', '@', '192.0.2.2', 600, NULL, false, 'active', NULL, '2026-12-01 04:01:29.188+00', '2026-12-01 04:01:32.234+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-c5ee-7000-ac0b-1824e7214769', 3, '01a22fc3-c130-7000-8817-97755427ace9', 17, NULL, 'A', '@', '192.0.2.1', 300, NULL, false, 'active', NULL, '2026-12-01 04:01:29.188+00', '2026-12-01 04:01:32.823+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-cbbe-7000-bf05-e26ad9a50d5f', 2, '01a22fc3-c130-7000-8817-97755427ace9', 17, NULL, 'SRV', '_sip._tcp', '0 5 5060 sip.example.net', 3600, 0, false, 'active', NULL, '2026-12-01 04:01:32.823+00', '2026-12-01 04:01:32.823+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-cd8e-7000-ba72-e6d1f8ff3300', 1, '01a22fc3-c130-7000-8817-97755427ace9', 10, 18, 'TXT', '@', 'v=spf1 -all', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:31.101+00', '2026-12-01 04:01:31.101+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-cd8e-7000-ba72-e6d1f8ff3300', 2, '01a22fc3-c130-7000-8817-97755427ace9', 18, NULL, 'TXT', '@', 'v=spf1 mx -all', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:31.101+00', '2026-12-01 04:01:33.023+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-d5d5-7000-b8f1-7a32b3300c49', 1, '01a22fc3-c1f7-7000-ad53-797a443025fc', 1, NULL, 'A', 'a', '198.51.100.1', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:33.158+00', '2026-12-01 04:01:33.158+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-d5d5-7001-8822-793d801c044d', 1, '01a22fc3-c1f7-7000-ad53-797a443025fc', 1, NULL, 'A', 'b', '198.51.100.1', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:33.158+00', '2026-12-01 04:01:33.158+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-d5d5-7002-afd8-7d820641d1e1', 1, '01a22fc3-c1f7-7000-ad53-797a443025fc', 1, NULL, 'A', 'c', '198.51.100.1', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:33.158+00', '2026-12-01 04:01:33.158+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-df08-7000-adf3-f6edc6982d40', 1, '01a22fc3-c1f7-7000-ad53-797a443025fc', 2, NULL, 'A', 'locked', '198.51.100.2', 3600, NULL, false, 'active', 'Asked for by the press.', '2026-12-01 04:01:35.517+00', '2026-12-01 04:01:35.517+00', NULL, true, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-dfa3-7000-827f-d652e0adbbcb', 1, '01a22fc3-c1f7-7000-ad53-797a443025fc', 3, NULL, 'A', 'owned', '198.51.100.3', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:35.674+00', '2026-12-01 04:01:35.674+00', NULL, false, '01a22fc3-a6d3-7000-af44-200d8d6059af', '2027-01-01 00:00:00+00', NULL, 'Owned', NULL),
	('01a22fc3-e046-7000-b3d7-f8ded61a2575', 1, '01a22fc3-c1f7-7000-ad53-797a443025fc', 4, NULL, 'A', 'off', '198.51.100.4', 3600, NULL, false, 'disabled', NULL, '2026-12-01 04:01:35.868+00', '2026-12-01 04:01:35.868+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-e144-7000-bb6d-fa0e46e86ed7', 1, '01a22fc3-c1f7-7000-ad53-797a443025fc', 5, NULL, 'NS', 'lab', 'ns.example.net', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:36.068+00', '2026-12-01 04:01:36.068+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-e1be-7000-bdef-7a4dcd9ae8dd', 1, '01a22fc3-c1f7-7000-ad53-797a443025fc', 6, NULL, 'DNAME', 'alias', 'target.example.net.', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:36.226+00', '2026-12-01 04:01:36.226+00', NULL, false, NULL, NULL, NULL, NULL, NULL),
	('01a22fc3-e246-7000-a41e-cfd8a6e717b8', 1, '01a22fc3-c1f7-7000-ad53-797a443025fc', 7, NULL, 'CNAME', 'mixed', 'target.example.net', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:36.33+00', '2026-12-01 04:01:36.33+00', NULL, false, NULL, NULL, NULL, 'Mixed', 'Target.Example.NET'),
	('01a22fc3-e78b-7000-bd6f-0a9cc6438b89', 1, '01a22fc3-e74b-7000-8544-d99203640b4f', 1, NULL, 'PTR', '1', 'a.kept.example', 3600, NULL, false, 'active', NULL, '2026-12-01 04:01:37.676+00', '2026-12-01 04:01:37.676+00', NULL, false, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.recovery_codes VALUES
	('01a22fc3-bac2-7000-99d7-3ca1c3a7defb', 'dJFfIkVktKnC0MJgieMZmcDZqkNpztdxxMfJFZHoWRU'),
	('01a22fc3-bac2-7000-99d7-3ca1c3a7defb', 'WvaWoc3dHf-YdE1_yKDs1TYGmTK2xTDaZul6Ly8l07s'),
	('01a22fc3-bac2-7000-99d7-3ca1c3a7defb', 'NRFxkCH_HFCoJVFYGniGvWqgUGc0glHZPjB6eQadgP8'),
	('01a22fc3-bac2-7000-99d7-3ca1c3a7defb', 'AwWl9nqKdXhslM6nUjRg3_lUth8ClTZv0L00WusEDGA'),
	('01a22fc3-bac2-7000-99d7-3ca1c3a7defb', 'WUcmGwhSgoOqdIoNPmaXsJeRtgJ_phksw-Lh8VzLeQ8'),
	('01a22fc3-bac2-7000-99d7-3ca1c3a7defb', 'ehxZ1F52Dgn6JJvDg3g9x-ooRKHEngnpI0XChT3wazg'),
	('01a22fc3-bac2-7000-99d7-3ca1c3a7defb', 'JHjXSY6VsAm5GbFq1KwKfdOXpHzYXx1QbRqGXcrfbOo'),
	('01a22fc3-bac2-7000-99d7-3ca1c3a7defb', 'wgekpq_btm4Phr8kUHVwSm-xa_oJJFdJNap4H7tUrCU'),
	('01a22fc3-bac2-7000-99d7-3ca1c3a7defb', 'KRr46IXWqYQEooPLGgHMvAEC_8wqlPX-nwdyOg4pa_A'),
	('01a22fc3-bac2-7000-99d7-3ca1c3a7defb', 'owzQYsbBA9V_fLYX897RnzeC4JTSNbT1eOu_adxQwV4');
INSERT INTO public.refresh_tokens VALUES
	('nz0BiyI_V-vByMJG82liFz5TycOuAG5zyQRL_rfTxp4', '01a22fc3-b337-7000-9a69-6049be8e2afd', '2026-12-01 04:01:24.279+00', '2026-12-02 04:01:24.279+00', NULL, NULL),
	('uUGVkoKHvJ36utab2cgxmczwXKzcs0CliFNjbqzT2c8', '01a22fc3-bc61-7000-895b-437010331fb0', '2026-12-01 04:01:26.625+00', '2026-12-02 04:01:26.625+00', NULL, NULL),
	('xBbP0Lb7JkI0F48QlLvZ_IDj7gRbY6Uhu986F8EIs4Q', '01a22fc3-be73-7000-9b9d-e95ec7b25bd6', '2026-12-01 04:01:27.155+00', '2026-12-02 04:01:27.155+00', NULL, NULL),
	('8NyhVKFb2BvWFksa6eWyDiOwaZhvtD2hcnVPX2E1Qio', '01a22fc3-f10e-7000-936f-f296c0bd8aad', '2026-12-01 04:01:40.11+00', '2026-12-02 04:01:40.11+00', NULL, NULL);
INSERT INTO public.sessions VALUES
	('01a22fc3-b337-7000-9a69-6049be8e2afd', '01a22fc3-a6d3-7000-af44-200d8d6059af', false, 'node', '127.0.0.1', '2026-12-01 04:01:24.279+00', '2026-12-01 04:01:24.279+00', '2027-03-01 04:01:24.279+00', NULL, '2026-12-01 04:01:24.279+00'),
	('01a22fc3-bc61-7000-895b-437010331fb0', '01a22fc3-b88f-7000-a5ce-54eaa762fd1e', false, 'node', '127.0.0.1', '2026-12-01 04:01:26.625+00', '2026-12-01 04:01:26.625+00', '2027-03-01 04:01:26.625+00', NULL, '2026-12-01 04:01:26.625+00'),
	('01a22fc3-be73-7000-9b9d-e95ec7b25bd6', '01a22fc3-bac2-7000-99d7-3ca1c3a7defb', false, 'node', '127.0.0.1', '2026-12-01 04:01:27.155+00', '2026-12-01 04:01:27.155+00', '2027-03-01 04:01:27.155+00', NULL, '2026-12-01 04:01:27.155+00'),
	('01a22fc3-f10e-7000-936f-f296c0bd8aad', '01a22fc3-a6d3-7000-af44-200d8d6059af', false, 'node', '127.0.0.1', '2026-12-01 04:01:40.11+00', '2026-12-01 04:01:40.11+00', '2027-03-01 04:01:40.11+00', NULL, '2026-12-01 04:01:40.11+00');
INSERT INTO public.sign_in_challenges VALUES
	('6d14e824-10a5-49b4-a236-c7ecbbe79699', 'half-signed-in', '01a22fc3-bac2-7000-99d7-3ca1c3a7defb', true, '2026-12-01 04:11:37.805251+00', NULL, NULL, NULL, 0);
INSERT INTO public.snapshots VALUES
	('01a22fc3-d16a-7000-b337-23b2ada0cb12', '01a22fc3-c130-7000-8817-97755427ace9', 1, 14, 'manual', 14, '01a22fc3-a6d3-7000-af44-200d8d6059af', '2026-12-01 04:01:31.994+00', NULL),
	('01a22fc3-d34e-7000-8cf0-a3b4db5ef054', '01a22fc3-c130-7000-8817-97755427ace9', 2, 16, 'manual', 13, '01a22fc3-a6d3-7000-af44-200d8d6059af', '2026-12-01 04:01:32.493+00', NULL),
	('01a22fc3-d4a8-7000-9232-f53371725886', '01a22fc3-c130-7000-8817-97755427ace9', 3, 17, 'on_change', 14, '01a22fc3-a6d3-7000-af44-200d8d6059af', '2026-12-01 04:01:32.823+00', NULL),
	('01a22fc3-e2c9-7000-a13d-e44faec1b193', '01a22fc3-c1f7-7000-ad53-797a443025fc', 1, 7, 'manual', 9, '01a22fc3-a6d3-7000-af44-200d8d6059af', '2026-12-01 04:01:36.422+00', 'Before the move');
INSERT INTO public.templates VALUES
	('01a22fc3-e50b-7000-802c-344f126a426b', 'shop.example', 'Shop', 'web', 'Web', 1, '{"providerId":"shop.example","providerName":"Shop","serviceId":"web","serviceName":"Web","records":[{"type":"A","host":"www","pointsTo":"198.51.100.6","ttl":3600}]}', '01a22fc3-a6d3-7000-af44-200d8d6059af', '2026-12-01 04:01:37.035+00', '2026-12-01 04:01:37.035+00');
INSERT INTO public.totp_factors VALUES
	('01a22fc3-bac2-7000-99d7-3ca1c3a7defb', 'v1.bce8145c6908bf54.EMsZC1OfyP8wkgQY.OCsCIMQaWufoZx2DTcR05g.Y7vQ6gW6VMWxifwPpRVK9hQJachMHw6EP_-zdKnwcoU', 59869922, '2026-12-01 04:01:27.338+00');
INSERT INTO public.tsig_keys VALUES
	('01a22fc3-e593-7000-ad62-f2949a89356e', '01a22fc3-a6d3-7000-af44-200d8d6059af', 'certbot', 'zw-3npa4v2bvkddl', 'hmac-sha256', 'v1.31a264b0263b71af.w5Nz0b4FRu-uwZ7w.TFmq_m-9hWmGshOpWprmAQ.GVixMgt9juMXvP_kjO5dvbHH94OGvXk8irc_kqNL50fcm9gWuRCj_y7N0ME', '01a22fc3-c1f7-7000-ad53-797a443025fc', '*', '{}', 'update', '2026-12-01 04:01:37.226+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.users VALUES
	('01a22fc3-b88f-7000-a5ce-54eaa762fd1e', 'mona', 'mona@example.net', '$argon2id$v=19$m=47104,p=1,t=1$vY10PhlVZLhU2slXhuFhXw$P2W6XVdjIvef0A0lePVPjO20lvNBNCGkLsjDs2IOzw8', 'member', NULL, NULL, NULL, true, false, NULL, '2026-12-01 04:01:25.647+00', '2026-12-01 04:01:26.611+00', 0, 'administrator', NULL),
	('01a22fc3-bac2-7000-99d7-3ca1c3a7defb', 'tara', 'tara@example.net', '$argon2id$v=19$m=47104,p=1,t=1$ctBhC0YFf5/mmLd0qONeQg$m/OaaHyK/xz/vlZ+77VBlKnN7iy7BMad6/jYeQqDChA', 'member', NULL, NULL, NULL, true, false, NULL, '2026-12-01 04:01:26.21+00', '2026-12-01 04:01:27.14+00', 0, 'administrator', NULL),
	('01a22fc3-a6d3-7000-af44-200d8d6059af', 'admin', NULL, '$argon2id$v=19$m=47104,p=1,t=1$EStSaYWQtMukqy8h28IOtQ$yrBU+2KAeJhRim4SpNQ1zBBGJ4FQjTjqcnw/2j2CKNE', 'admin', NULL, NULL, NULL, true, false, NULL, '2026-12-01 04:01:21.107+00', '2026-12-01 04:01:40.098+00', 0, NULL, NULL);
INSERT INTO public.zone_import_items VALUES
	('01a22fc3-c2cb-7000-aeab-503632f80dfc', 0, 'imported.example', 'done', '01a22fc3-c2f7-7000-81f1-334cdbeebcbd', 5, NULL),
	('01a1fb0f-6204-7000-abd4-276e976be8a1', 0, 'imported.example', 'done', '01a22fc3-c2f7-7000-81f1-334cdbeebcbd', 5, NULL);
INSERT INTO public.zone_imports VALUES
	('01a22fc3-c2cb-7000-aeab-503632f80dfc', '01a22fc3-a23c-7000-8686-6cd676a755c1', '2026-12-01 04:01:28.25+00', '2026-12-01 04:01:28.426+00', NULL),
	('01a1fb0f-6204-7000-abd4-276e976be8a1', '01a22fc3-a23c-7000-8686-6cd676a755c1', '2026-12-01 04:01:37.805251+00', '2026-12-01 04:01:37.805251+00', NULL);
SELECT pg_catalog.setval('public.audit_stream_queue_position_seq', 1, false);
SELECT pg_catalog.setval('public.change_requests_number_seq', 1, true);
SELECT pg_catalog.setval('public.change_set_calls_id_seq', 1, true);
SELECT pg_catalog.setval('public.mikro_orm_migrations_id_seq', 81, true);
SELECT pg_catalog.setval('public.primary_catalog_changes_position_seq', 1, false);
ALTER TABLE ONLY public.acme_challenges
    ADD CONSTRAINT acme_challenges_pkey PRIMARY KEY (domain_id, name, value);
ALTER TABLE ONLY public.assignment_requests
    ADD CONSTRAINT assignment_requests_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT assignments_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT audit_entries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_stream
    ADD CONSTRAINT audit_stream_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY public.audit_stream_queue
    ADD CONSTRAINT audit_stream_queue_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY public.batch_items
    ADD CONSTRAINT batch_items_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.batches
    ADD CONSTRAINT batches_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.calendar_feeds
    ADD CONSTRAINT calendar_feeds_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.certificate_notices
    ADD CONSTRAINT certificate_notices_pkey PRIMARY KEY (domain_id, fingerprint, about, host);
ALTER TABLE ONLY public.change_reports
    ADD CONSTRAINT change_reports_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.change_request_comments
    ADD CONSTRAINT change_request_comments_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.change_request_reviews
    ADD CONSTRAINT change_request_reviews_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.change_requests
    ADD CONSTRAINT change_requests_number_key UNIQUE (number);
ALTER TABLE ONLY public.change_requests
    ADD CONSTRAINT change_requests_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.change_set_calls
    ADD CONSTRAINT change_set_calls_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.change_sets
    ADD CONSTRAINT change_sets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cli_codes
    ADD CONSTRAINT cli_codes_pkey PRIMARY KEY (code_hash);
ALTER TABLE ONLY public.delegation_findings
    ADD CONSTRAINT delegation_findings_pkey PRIMARY KEY (domain_id, code, name, record_type, subject);
ALTER TABLE ONLY public.delegations
    ADD CONSTRAINT delegations_pkey PRIMARY KEY (domain_id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.device_sign_ins
    ADD CONSTRAINT device_sign_ins_pkey PRIMARY KEY (device_code_hash);
ALTER TABLE ONLY public.domain_templates
    ADD CONSTRAINT domain_templates_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.dynamic_updates
    ADD CONSTRAINT dynamic_updates_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.email_factors
    ADD CONSTRAINT email_factors_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.email_verifications
    ADD CONSTRAINT email_verifications_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.expiry_reminders
    ADD CONSTRAINT expiry_reminders_pkey PRIMARY KEY (domain_id, expires_on, days);
ALTER TABLE ONLY public.group_roles
    ADD CONSTRAINT group_roles_pkey PRIMARY KEY (identity_binding_id);
ALTER TABLE ONLY public.idempotent_calls
    ADD CONSTRAINT idempotent_calls_pkey PRIMARY KEY (id);
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
ALTER TABLE ONLY public.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY public.instances
    ADD CONSTRAINT instances_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mail_allowances
    ADD CONSTRAINT mail_allowances_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.mikro_orm_migrations
    ADD CONSTRAINT mikro_orm_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mirror_revisions
    ADD CONSTRAINT mirror_revisions_pkey PRIMARY KEY (mirror_id, revision);
ALTER TABLE ONLY public.mirrors
    ADD CONSTRAINT mirrors_domain_id_provider_config_id_key UNIQUE (domain_id, provider_config_id);
ALTER TABLE ONLY public.mirrors
    ADD CONSTRAINT mirrors_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mirrors
    ADD CONSTRAINT mirrors_provider_config_id_provider_zone_key UNIQUE (provider_config_id, provider_zone);
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
ALTER TABLE ONLY public.powerdns_comments
    ADD CONSTRAINT powerdns_comments_pkey PRIMARY KEY (domain_id, name, record_type);
ALTER TABLE ONLY public.powerdns_metadata
    ADD CONSTRAINT powerdns_metadata_pkey PRIMARY KEY (domain_id, kind);
ALTER TABLE ONLY public.powerdns_zones
    ADD CONSTRAINT powerdns_zones_pkey PRIMARY KEY (domain_id);
ALTER TABLE ONLY public.primary_catalog_changes
    ADD CONSTRAINT primary_catalog_changes_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY public.primary_catalogs
    ADD CONSTRAINT primary_catalogs_pkey PRIMARY KEY (provider_config_id);
ALTER TABLE ONLY public.primary_last_serials
    ADD CONSTRAINT primary_last_serials_pkey PRIMARY KEY (zone);
ALTER TABLE ONLY public.primary_secondaries
    ADD CONSTRAINT primary_secondaries_pkey PRIMARY KEY (zone_id, identity);
ALTER TABLE ONLY public.primary_zones
    ADD CONSTRAINT primary_zones_pkey PRIMARY KEY (domain_id);
ALTER TABLE ONLY public.provider_configs
    ADD CONSTRAINT provider_configs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.records
    ADD CONSTRAINT records_pkey PRIMARY KEY (record_id, version);
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash);
ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.registrar_configs
    ADD CONSTRAINT registrar_configs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.reverse_follows
    ADD CONSTRAINT reverse_follows_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.secondary_revisions
    ADD CONSTRAINT secondary_revisions_pkey PRIMARY KEY (domain_id, revision, identity);
ALTER TABLE ONLY public.server_managed_records
    ADD CONSTRAINT server_managed_records_pkey PRIMARY KEY (record_id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sign_in_challenges
    ADD CONSTRAINT sign_in_challenges_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT snapshots_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tls_hosts
    ADD CONSTRAINT tls_hosts_pkey PRIMARY KEY (domain_id, host, port);
ALTER TABLE ONLY public.tls_watches
    ADD CONSTRAINT tls_watches_pkey PRIMARY KEY (domain_id);
ALTER TABLE ONLY public.totp_factors
    ADD CONSTRAINT totp_factors_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.tsig_keys
    ADD CONSTRAINT tsig_keys_key_name_key UNIQUE (key_name);
ALTER TABLE ONLY public.tsig_keys
    ADD CONSTRAINT tsig_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.user_preferences
    ADD CONSTRAINT user_preferences_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.zone_import_items
    ADD CONSTRAINT zone_import_items_pkey PRIMARY KEY (import_id, "position");
ALTER TABLE ONLY public.zone_imports
    ADD CONSTRAINT zone_imports_pkey PRIMARY KEY (id);
CREATE INDEX acme_challenges_created_at_idx ON public.acme_challenges USING btree (created_at);
CREATE INDEX assignment_requests_domain_idx ON public.assignment_requests USING btree (domain_id);
CREATE UNIQUE INDEX assignment_requests_pending_key ON public.assignment_requests USING btree (user_id, domain_name, subdomain_pattern, access, named_by) WHERE (status = 'pending'::text);
CREATE INDEX assignment_requests_status_idx ON public.assignment_requests USING btree (status, id);
CREATE INDEX assignment_requests_user_idx ON public.assignment_requests USING btree (user_id, id);
CREATE INDEX assignments_binding_idx ON public.assignments USING btree (identity_binding_id) WHERE (identity_binding_id IS NOT NULL);
CREATE INDEX assignments_domain_idx ON public.assignments USING btree (domain_id, id);
CREATE INDEX assignments_end_idx ON public.assignments USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX assignments_group_idx ON public.assignments USING btree (group_name) WHERE (group_name IS NOT NULL);
CREATE UNIQUE INDEX assignments_key ON public.assignments USING btree (user_id, COALESCE((domain_id)::text, ''::text), COALESCE(group_name, ''::text), COALESCE(tag, ''::text), subdomain_pattern, access, record_types, review, COALESCE(expires_at, 'infinity'::timestamp with time zone), COALESCE((identity_binding_id)::text, ''::text));
CREATE INDEX assignments_tag_idx ON public.assignments USING btree (tag) WHERE (tag IS NOT NULL);
CREATE INDEX assignments_user_idx ON public.assignments USING btree (user_id, id);
CREATE INDEX audit_entries_action_idx ON public.audit_entries USING btree (action, at, id);
CREATE INDEX audit_entries_actor_idx ON public.audit_entries USING btree (actor_id, at, id);
CREATE INDEX audit_entries_at_idx ON public.audit_entries USING btree (at, id);
CREATE INDEX audit_entries_domain_idx ON public.audit_entries USING btree ((
CASE target_type
    WHEN 'domain'::text THEN (target_id)::text
    ELSE COALESCE((after ->> 'domainId'::text), (before ->> 'domainId'::text))
END), at, id) WHERE (
CASE target_type
    WHEN 'domain'::text THEN (target_id)::text
    ELSE COALESCE((after ->> 'domainId'::text), (before ->> 'domainId'::text))
END IS NOT NULL);
CREATE INDEX audit_entries_target_idx ON public.audit_entries USING btree (target_id, at, id);
CREATE INDEX audit_entries_target_type_idx ON public.audit_entries USING btree (target_type, at, id);
CREATE INDEX batch_items_domain_idx ON public.batch_items USING btree (domain_id);
CREATE UNIQUE INDEX batch_items_position_key ON public.batch_items USING btree (batch_id, "position");
CREATE INDEX batch_items_state_idx ON public.batch_items USING btree (batch_id, state, "position");
CREATE INDEX batches_finished_idx ON public.batches USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX batches_open_idx ON public.batches USING btree (id) WHERE (finished_at IS NULL);
CREATE INDEX batches_reverts_idx ON public.batches USING btree (reverts_id) WHERE (reverts_id IS NOT NULL);
CREATE INDEX batches_token_order_idx ON public.batches USING btree (token_id, id) WHERE (token_id IS NOT NULL);
CREATE INDEX batches_user_order_idx ON public.batches USING btree (user_id, id);
CREATE INDEX calendar_feeds_domain_ids_idx ON public.calendar_feeds USING gin (domain_ids);
CREATE UNIQUE INDEX calendar_feeds_hash_key ON public.calendar_feeds USING btree (token_hash);
CREATE INDEX calendar_feeds_user_idx ON public.calendar_feeds USING btree (user_id, id);
CREATE INDEX change_reports_change_set_idx ON public.change_reports USING btree (change_set_id);
CREATE INDEX change_reports_channel_idx ON public.change_reports USING btree (channel_id, due_at) WHERE (channel_id IS NOT NULL);
CREATE INDEX change_reports_new_idx ON public.change_reports USING btree (id) WHERE (channel_id IS NULL);
CREATE INDEX change_request_comments_request_idx ON public.change_request_comments USING btree (change_request_id, id);
CREATE INDEX change_request_comments_user_idx ON public.change_request_comments USING btree (user_id);
CREATE INDEX change_request_reviews_request_idx ON public.change_request_reviews USING btree (change_request_id, id);
CREATE INDEX change_request_reviews_user_idx ON public.change_request_reviews USING btree (user_id);
CREATE INDEX change_requests_applying_idx ON public.change_requests USING btree (applying_at) WHERE (applying_token IS NOT NULL);
CREATE INDEX change_requests_author_idx ON public.change_requests USING btree (author_id, id);
CREATE INDEX change_requests_domain_idx ON public.change_requests USING btree (domain_id, id);
CREATE INDEX change_requests_due_idx ON public.change_requests USING btree (apply_at) WHERE ((closed_at IS NULL) AND (apply_at IS NOT NULL));
CREATE INDEX change_requests_open_idx ON public.change_requests USING btree (id) WHERE (closed_at IS NULL);
CREATE INDEX change_requests_state_idx ON public.change_requests USING btree (state, id);
CREATE INDEX change_set_calls_set_idx ON public.change_set_calls USING btree (change_set_id, id);
CREATE UNIQUE INDEX change_sets_batch_item_key ON public.change_sets USING btree (batch_item_id) WHERE (batch_item_id IS NOT NULL);
CREATE INDEX change_sets_caused_idx ON public.change_sets USING btree (caused_by) WHERE (caused_by IS NOT NULL);
CREATE INDEX change_sets_history_idx ON public.change_sets USING btree (domain_id, id);
CREATE INDEX change_sets_pending_idx ON public.change_sets USING btree (domain_id) WHERE (state = 'pending'::text);
CREATE UNIQUE INDEX change_sets_request_key ON public.change_sets USING btree (change_request_id) WHERE (change_request_id IS NOT NULL);
CREATE INDEX change_sets_reverts_idx ON public.change_sets USING btree (reverts_id) WHERE (reverts_id IS NOT NULL);
CREATE INDEX change_sets_revision_idx ON public.change_sets USING btree (domain_id, revision) WHERE (revision IS NOT NULL);
CREATE INDEX cli_codes_expires_idx ON public.cli_codes USING btree (expires_at);
CREATE INDEX cli_codes_session_idx ON public.cli_codes USING btree (session_id);
CREATE INDEX cli_codes_user_idx ON public.cli_codes USING btree (user_id);
CREATE INDEX delegation_findings_severity_idx ON public.delegation_findings USING btree (severity, first_seen_at) WHERE (present AND (severity <> 'info'::text));
CREATE INDEX delegations_broken_idx ON public.delegations USING btree (domain_id) WHERE ((dnssec ->> 'state'::text) = 'broken'::text);
CREATE INDEX delegations_due_idx ON public.delegations USING btree (next_check_at);
CREATE INDEX delegations_reported_idx ON public.delegations USING btree (dangling_reported_at) WHERE (dangling_reported_at IS NOT NULL);
CREATE INDEX delegations_signatures_idx ON public.delegations USING btree (domain_id) WHERE jsonb_path_exists(dnssec, '$."findings"[*]?(@."code" starts with "signatures_")'::jsonpath);
CREATE INDEX deliveries_channel_idx ON public.deliveries USING btree (channel_id, id);
CREATE INDEX deliveries_finished_idx ON public.deliveries USING btree (finished_at) WHERE (state <> 'pending'::text);
CREATE INDEX deliveries_pending_idx ON public.deliveries USING btree (channel_id, next_attempt_at, id) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_user_idx ON public.deliveries USING btree (user_id);
CREATE INDEX device_sign_ins_expires_idx ON public.device_sign_ins USING btree (expires_at);
CREATE INDEX device_sign_ins_session_idx ON public.device_sign_ins USING btree (session_id);
CREATE UNIQUE INDEX device_sign_ins_user_code_key ON public.device_sign_ins USING btree (user_code_hash);
CREATE INDEX device_sign_ins_user_idx ON public.device_sign_ins USING btree (user_id);
CREATE INDEX domain_templates_domain_idx ON public.domain_templates USING btree (domain_id, id);
CREATE UNIQUE INDEX domain_templates_key ON public.domain_templates USING btree (domain_id, template_id, host, instance);
CREATE INDEX domain_templates_linked_idx ON public.domain_templates USING btree (template_id, domain_id) WHERE linked;
CREATE INDEX domains_classless_idx ON public.domains USING btree (substr(name, (strpos(name, '.'::text) + 1))) WHERE (name ~ '^[0-9]+[-/][0-9]+[.]'::text);
CREATE INDEX domains_disabled_idx ON public.domains USING btree (name) WHERE (status = 'disabled'::text);
CREATE INDEX domains_drift_due_idx ON public.domains USING btree (drift_checked_at NULLS FIRST) WHERE (status = 'active'::text);
CREATE INDEX domains_drift_last_idx ON public.domains USING btree (drift_found_at DESC NULLS LAST, name);
CREATE INDEX domains_drift_order_idx ON public.domains USING btree (drift_found_at, name);
CREATE INDEX domains_expires_last_idx ON public.domains USING btree (expires_at DESC NULLS LAST, name);
CREATE INDEX domains_expires_order_idx ON public.domains USING btree (expires_at, name);
CREATE INDEX domains_expiring_idx ON public.domains USING btree (expiring_from);
CREATE INDEX domains_expiry_due_idx ON public.domains USING btree (expiry_next_check_at NULLS FIRST) WHERE ((status = 'active'::text) AND auto_check_expiry AND (expiry_source IS DISTINCT FROM 'manual'::text));
CREATE INDEX domains_group_idx ON public.domains USING btree (group_name, name);
CREATE INDEX domains_ip6_idx ON public.domains USING btree (length(name)) WHERE (name ~~ '%.ip6.arpa'::text);
CREATE UNIQUE INDEX domains_name_view_key ON public.domains USING btree (name, view);
CREATE INDEX domains_owner_idx ON public.domains USING btree (owner_id, name);
CREATE INDEX domains_provider_config_idx ON public.domains USING btree (provider_config_id, name);
CREATE UNIQUE INDEX domains_provider_zone_key ON public.domains USING btree (provider_config_id, provider_zone);
CREATE INDEX domains_registrar_config_idx ON public.domains USING btree (registrar_config_id) WHERE (registrar_config_id IS NOT NULL);
CREATE INDEX domains_registrar_failed_idx ON public.domains USING btree (expires_at) WHERE ((registrar_state ->> 'error'::text) IS NOT NULL);
CREATE INDEX domains_search_idx ON public.domains USING gin (name public.gin_trgm_ops);
CREATE INDEX domains_size_order_idx ON public.domains USING btree (record_count, name);
CREATE INDEX domains_snapshot_schedule_idx ON public.domains USING btree (snapshot_schedule, scheduled_snapshot_at NULLS FIRST) WHERE ((snapshot_schedule <> 'off'::text) AND (status = 'active'::text));
CREATE INDEX domains_tags_idx ON public.domains USING gin (tags);
CREATE INDEX domains_unlocked_idx ON public.domains USING btree (expires_at) WHERE (((registrar_state -> 'state'::text) ->> 'locked'::text) = 'false'::text);
CREATE INDEX domains_updated_order_idx ON public.domains USING btree (updated_at, name);
CREATE INDEX domains_view_idx ON public.domains USING btree (view, name) WHERE (view <> ''::text);
CREATE INDEX dynamic_updates_created_at_idx ON public.dynamic_updates USING btree (created_at);
CREATE INDEX email_verifications_expires_idx ON public.email_verifications USING btree (expires_at);
CREATE INDEX email_verifications_user_idx ON public.email_verifications USING btree (user_id);
CREATE INDEX group_roles_user_idx ON public.group_roles USING btree (user_id);
CREATE INDEX idempotent_calls_created_idx ON public.idempotent_calls USING btree (created_at);
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
CREATE INDEX invitations_maker_idx ON public.invitations USING btree (created_by);
CREATE INDEX mail_allowances_expires_idx ON public.mail_allowances USING btree (expires_at);
CREATE INDEX mirrors_checked_idx ON public.mirrors USING btree (checked_at) WHERE (due_at IS NULL);
CREATE INDEX mirrors_due_idx ON public.mirrors USING btree (behind_since, due_at, id) WHERE (due_at IS NOT NULL);
CREATE INDEX mirrors_unreachable_idx ON public.mirrors USING btree (provider_config_id) WHERE unreachable;
CREATE UNIQUE INDEX notification_channels_name_key ON public.notification_channels USING btree (lower(name));
CREATE INDEX passkey_challenges_expires_idx ON public.passkey_challenges USING btree (expires_at);
CREATE INDEX passkey_challenges_session_idx ON public.passkey_challenges USING btree (session_id);
CREATE INDEX passkey_challenges_sign_in_idx ON public.passkey_challenges USING btree (sign_in_challenge_id);
CREATE INDEX passkey_challenges_user_idx ON public.passkey_challenges USING btree (user_id);
CREATE UNIQUE INDEX passkeys_credential_key ON public.passkeys USING btree (credential_id);
CREATE INDEX passkeys_user_idx ON public.passkeys USING btree (user_id, id);
CREATE INDEX password_resets_user_idx ON public.password_resets USING btree (user_id);
CREATE INDEX pending_identities_expires_idx ON public.pending_identities USING btree (expires_at);
CREATE INDEX personal_tokens_domain_ids_idx ON public.personal_tokens USING gin (domain_ids);
CREATE UNIQUE INDEX personal_tokens_hash_key ON public.personal_tokens USING btree (token_hash);
CREATE INDEX personal_tokens_user_idx ON public.personal_tokens USING btree (user_id, id);
CREATE INDEX primary_catalog_changes_config_idx ON public.primary_catalog_changes USING btree (provider_config_id);
CREATE INDEX primary_last_serials_left_idx ON public.primary_last_serials USING btree (left_at);
CREATE INDEX primary_secondaries_behind_idx ON public.primary_secondaries USING btree (behind_since) WHERE (behind_since IS NOT NULL);
CREATE INDEX primary_secondaries_looked_idx ON public.primary_secondaries USING btree (looked_at NULLS FIRST) WHERE (identity ~~ 'notify:%'::text);
CREATE UNIQUE INDEX provider_configs_embedded_key ON public.provider_configs USING btree (embedded) WHERE embedded;
CREATE UNIQUE INDEX provider_configs_name_key ON public.provider_configs USING btree (lower(name));
CREATE INDEX records_delegations_idx ON public.records USING btree (domain_id, ((reverse(name) || '.'::text))) WHERE ((until IS NULL) AND (record_type = 'NS'::text));
CREATE INDEX records_dnames_idx ON public.records USING btree (domain_id) WHERE ((until IS NULL) AND (record_type = 'DNAME'::text));
CREATE INDEX records_live_addresses_idx ON public.records USING btree (domain_id, record_id) WHERE ((until IS NULL) AND (record_type = ANY (ARRAY['A'::text, 'AAAA'::text, 'PTR'::text])));
CREATE INDEX records_live_comments_idx ON public.records USING gin (lower(comment) public.gin_trgm_ops) WHERE ((until IS NULL) AND (comment IS NOT NULL));
CREATE UNIQUE INDEX records_live_key ON public.records USING btree (record_id) WHERE (until IS NULL);
CREATE INDEX records_live_key_order_idx ON public.records USING btree (domain_id, ((reverse(name) || '.'::text))) WHERE (until IS NULL);
CREATE INDEX records_live_order_idx ON public.records USING btree (domain_id, name, record_type, record_id) WHERE (until IS NULL);
CREATE INDEX records_live_search_idx ON public.records USING gin (domain_id, name public.gin_trgm_ops) WHERE (until IS NULL);
CREATE INDEX records_live_type_idx ON public.records USING btree (domain_id, record_type, name, record_id) WHERE (until IS NULL);
CREATE INDEX records_live_value_idx ON public.records USING hash (value) WHERE (until IS NULL);
CREATE INDEX records_live_values_idx ON public.records USING gin (lower(value) public.gin_trgm_ops) WHERE (until IS NULL);
CREATE INDEX records_locked_idx ON public.records USING btree (domain_id) WHERE ((until IS NULL) AND locked);
CREATE INDEX records_name_servers_idx ON public.records USING btree (domain_id, reverse(value) COLLATE "C") WHERE ((until IS NULL) AND (record_type = 'NS'::text));
CREATE INDEX records_owner_idx ON public.records USING btree (owner_id) WHERE (owner_id IS NOT NULL);
CREATE INDEX records_review_due_idx ON public.records USING btree (review_at) WHERE ((until IS NULL) AND (review_at IS NOT NULL) AND (review_at IS DISTINCT FROM review_reminded));
CREATE INDEX records_review_idx ON public.records USING btree (domain_id, review_at) WHERE ((until IS NULL) AND (review_at IS NOT NULL));
CREATE INDEX records_since_idx ON public.records USING btree (domain_id, since);
CREATE INDEX records_until_idx ON public.records USING btree (domain_id, until) WHERE (until IS NOT NULL);
CREATE INDEX records_versions_order_idx ON public.records USING btree (domain_id, name, record_type, record_id, since);
CREATE INDEX refresh_tokens_expires_idx ON public.refresh_tokens USING btree (expires_at);
CREATE INDEX refresh_tokens_session_idx ON public.refresh_tokens USING btree (session_id);
CREATE UNIQUE INDEX registrar_configs_name_key ON public.registrar_configs USING btree (lower(name));
CREATE INDEX reverse_follows_domain_idx ON public.reverse_follows USING btree (domain_id);
CREATE INDEX reverse_follows_next_idx ON public.reverse_follows USING btree (next_at);
CREATE INDEX reverse_follows_set_idx ON public.reverse_follows USING btree (change_set_id);
CREATE INDEX server_managed_records_order_idx ON public.server_managed_records USING btree (domain_id, name, record_type, record_id);
CREATE INDEX sessions_expires_idx ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_user_idx ON public.sessions USING btree (user_id);
CREATE INDEX sign_in_challenges_expires_idx ON public.sign_in_challenges USING btree (expires_at);
CREATE UNIQUE INDEX sign_in_challenges_token_key ON public.sign_in_challenges USING btree (token_hash);
CREATE INDEX sign_in_challenges_user_idx ON public.sign_in_challenges USING btree (user_id);
CREATE INDEX snapshots_created_idx ON public.snapshots USING btree (created_at) WHERE (trigger <> 'manual'::text);
CREATE INDEX snapshots_revision_idx ON public.snapshots USING btree (domain_id, revision);
CREATE INDEX snapshots_trigger_idx ON public.snapshots USING btree (domain_id, trigger, version);
CREATE UNIQUE INDEX snapshots_version_key ON public.snapshots USING btree (domain_id, version);
CREATE UNIQUE INDEX templates_key ON public.templates USING btree (lower(provider_id), lower(service_id));
CREATE INDEX tls_hosts_invalid_idx ON public.tls_hosts USING btree (not_after) WHERE (problem = ANY (ARRAY['expired'::text, 'not_yet_valid'::text, 'other_names'::text, 'untrusted'::text]));
CREATE INDEX tls_hosts_not_after_idx ON public.tls_hosts USING btree (not_after) WHERE (not_after IS NOT NULL);
CREATE INDEX tls_watches_due_idx ON public.tls_watches USING btree (next_check_at) WHERE (next_check_at IS NOT NULL);
CREATE INDEX tsig_keys_domain_idx ON public.tsig_keys USING btree (domain_id, id);
CREATE INDEX tsig_keys_expires_at_idx ON public.tsig_keys USING btree (expires_at);
CREATE INDEX tsig_keys_user_idx ON public.tsig_keys USING btree (user_id, id);
CREATE INDEX users_created_idx ON public.users USING btree (created_at, id);
CREATE UNIQUE INDEX users_username_key ON public.users USING btree (lower(username));
CREATE UNIQUE INDEX users_verified_email_key ON public.users USING btree (lower(email)) WHERE (email_verified_by IS NOT NULL);
CREATE INDEX zone_imports_config_idx ON public.zone_imports USING btree (provider_config_id, id);
CREATE UNIQUE INDEX zone_imports_running_key ON public.zone_imports USING btree (provider_config_id) WHERE (finished_at IS NULL);
CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR UPDATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_audit_change();
CREATE TRIGGER audit_entries_queue AFTER INSERT ON public.audit_entries FOR EACH ROW EXECUTE FUNCTION public.queue_audit_entry();
CREATE TRIGGER domains_at_primary AFTER INSERT OR DELETE OR UPDATE OF provider_config_id ON public.domains FOR EACH ROW EXECUTE FUNCTION public.primary_zone_arrives();
CREATE TRIGGER domains_leave_primary BEFORE DELETE ON public.domains FOR EACH ROW EXECUTE FUNCTION public.primary_zone_leaves();
CREATE TRIGGER domains_take_zones BEFORE INSERT OR UPDATE OF provider_config_id, provider_zone ON public.domains FOR EACH ROW EXECUTE FUNCTION public.domain_takes_zone();
CREATE TRIGGER mirrors_at_primary AFTER INSERT OR DELETE ON public.mirrors FOR EACH ROW EXECUTE FUNCTION public.primary_mirror_arrives();
CREATE TRIGGER mirrors_take_zones BEFORE INSERT ON public.mirrors FOR EACH ROW EXECUTE FUNCTION public.mirror_takes_zone();
CREATE TRIGGER provider_configs_at_primary AFTER UPDATE OF config, name ON public.provider_configs FOR EACH ROW WHEN ((new.kind = 'primary'::text)) EXECUTE FUNCTION public.primary_settings_change();
ALTER TABLE ONLY public.acme_challenges
    ADD CONSTRAINT acme_challenges_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.assignment_requests
    ADD CONSTRAINT assignment_requests_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.assignment_requests
    ADD CONSTRAINT assignment_requests_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT assignments_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT assignments_identity_binding_id_fkey FOREIGN KEY (identity_binding_id) REFERENCES public.identity_bindings(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT assignments_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.batch_items
    ADD CONSTRAINT batch_items_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES public.batches(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.batch_items
    ADD CONSTRAINT batch_items_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.batches
    ADD CONSTRAINT batches_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.calendar_feeds
    ADD CONSTRAINT calendar_feeds_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.certificate_notices
    ADD CONSTRAINT certificate_notices_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.change_reports
    ADD CONSTRAINT change_reports_change_set_id_fkey FOREIGN KEY (change_set_id) REFERENCES public.change_sets(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.change_reports
    ADD CONSTRAINT change_reports_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES public.notification_channels(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.change_request_comments
    ADD CONSTRAINT change_request_comments_change_request_id_fkey FOREIGN KEY (change_request_id) REFERENCES public.change_requests(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.change_request_comments
    ADD CONSTRAINT change_request_comments_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.change_request_reviews
    ADD CONSTRAINT change_request_reviews_change_request_id_fkey FOREIGN KEY (change_request_id) REFERENCES public.change_requests(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.change_request_reviews
    ADD CONSTRAINT change_request_reviews_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.change_requests
    ADD CONSTRAINT change_requests_author_id_fkey FOREIGN KEY (author_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.change_requests
    ADD CONSTRAINT change_requests_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.change_set_calls
    ADD CONSTRAINT change_set_calls_change_set_id_fkey FOREIGN KEY (change_set_id) REFERENCES public.change_sets(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.change_sets
    ADD CONSTRAINT change_sets_caused_by_fkey FOREIGN KEY (caused_by) REFERENCES public.change_sets(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.change_sets
    ADD CONSTRAINT change_sets_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.cli_codes
    ADD CONSTRAINT cli_codes_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.cli_codes
    ADD CONSTRAINT cli_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.delegation_findings
    ADD CONSTRAINT delegation_findings_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.delegations
    ADD CONSTRAINT delegations_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES public.notification_channels(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.device_sign_ins
    ADD CONSTRAINT device_sign_ins_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.device_sign_ins
    ADD CONSTRAINT device_sign_ins_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.domain_templates
    ADD CONSTRAINT domain_templates_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_provider_config_id_fkey FOREIGN KEY (provider_config_id) REFERENCES public.provider_configs(id);
ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_registrar_config_id_fkey FOREIGN KEY (registrar_config_id) REFERENCES public.registrar_configs(id);
ALTER TABLE ONLY public.email_factors
    ADD CONSTRAINT email_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.email_verifications
    ADD CONSTRAINT email_verifications_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.expiry_reminders
    ADD CONSTRAINT expiry_reminders_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.group_roles
    ADD CONSTRAINT group_roles_identity_binding_id_fkey FOREIGN KEY (identity_binding_id) REFERENCES public.identity_bindings(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.group_roles
    ADD CONSTRAINT group_roles_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identity_bindings
    ADD CONSTRAINT identity_bindings_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identity_flows
    ADD CONSTRAINT identity_flows_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identity_flows
    ADD CONSTRAINT identity_flows_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identity_tickets
    ADD CONSTRAINT identity_tickets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mirror_revisions
    ADD CONSTRAINT mirror_revisions_mirror_id_fkey FOREIGN KEY (mirror_id) REFERENCES public.mirrors(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mirrors
    ADD CONSTRAINT mirrors_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mirrors
    ADD CONSTRAINT mirrors_provider_config_id_fkey FOREIGN KEY (provider_config_id) REFERENCES public.provider_configs(id);
ALTER TABLE ONLY public.passkey_challenges
    ADD CONSTRAINT passkey_challenges_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;
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
ALTER TABLE ONLY public.powerdns_comments
    ADD CONSTRAINT powerdns_comments_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.powerdns_metadata
    ADD CONSTRAINT powerdns_metadata_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.powerdns_zones
    ADD CONSTRAINT powerdns_zones_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.primary_catalogs
    ADD CONSTRAINT primary_catalogs_provider_config_id_fkey FOREIGN KEY (provider_config_id) REFERENCES public.provider_configs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.primary_zones
    ADD CONSTRAINT primary_zones_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.records
    ADD CONSTRAINT records_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.reverse_follows
    ADD CONSTRAINT reverse_follows_change_set_id_fkey FOREIGN KEY (change_set_id) REFERENCES public.change_sets(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.reverse_follows
    ADD CONSTRAINT reverse_follows_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.secondary_revisions
    ADD CONSTRAINT secondary_revisions_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.server_managed_records
    ADD CONSTRAINT server_managed_records_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sign_in_challenges
    ADD CONSTRAINT sign_in_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT snapshots_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tls_hosts
    ADD CONSTRAINT tls_hosts_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tls_watches
    ADD CONSTRAINT tls_watches_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.totp_factors
    ADD CONSTRAINT totp_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tsig_keys
    ADD CONSTRAINT tsig_keys_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tsig_keys
    ADD CONSTRAINT tsig_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.user_preferences
    ADD CONSTRAINT user_preferences_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.zone_import_items
    ADD CONSTRAINT zone_import_items_import_id_fkey FOREIGN KEY (import_id) REFERENCES public.zone_imports(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.zone_imports
    ADD CONSTRAINT zone_imports_provider_config_id_fkey FOREIGN KEY (provider_config_id) REFERENCES public.provider_configs(id) ON DELETE CASCADE;
