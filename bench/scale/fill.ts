import type { Run } from "../../tests/support/many-zones.ts";

/**
 * The records of the n-th zone: most zones are small, some have thousands of records, and the first has 100,000. Of 100,000 domains these are
 * 10,104,000.
 */
const sizeOf = `case when n = 1 then 100000 when n % 100 = 50 then 80 when n % 1000 = 1 then 10000 when n % 1000 between 2 and 10 then 3000
  when n % 1000 between 11 and 100 then 300 when n % 1000 between 101 and 400 then 80 else 20 end`;
/** The revisions of a zone of that size. */
const revisionsOf = `case when size >= 100000 then 5000 when size >= 10000 then 1000 when size >= 3000 then 200
  when size >= 300 then 20 when size >= 80 then 8 else 4 end`;

/** How the rows are written and the indexes built. */
export const loading = {
  connections: 5,
  // A replica checks no references and runs no triggers.
  options:
    "-c session_replication_role=replica -c maintenance_work_mem=800MB -c work_mem=256MB -c synchronous_commit=off",
};

/** Indexes are built after the rows. */
const bulky = ["domains", "records", "change_sets", "audit_entries", "snapshots", "change_requests"];

function isOfDomains(each: { tablename?: unknown }): boolean {
  return each.tablename === "domains";
}

/**
 * Fills an installation of 100,000 domains with 10,000,000 live records by a statement a table: zones from 20 to 100,000 records, of them 1,000
 * reverse zones, with owners, groups, tags, a million change sets with the versions that they replaced, 1.4 million audit entries, a million
 * snapshots, and what else grows with use. Ids are in the order of time, as the service makes them.
 *
 * @param config a provider configuration of kind `manual`
 */
export async function fillScale(run: Run, config: string): Promise<void> {
  const step = async (sql: string) => {
    const start = performance.now();
    await run(sql);
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    process.stderr.write(`${seconds} s: ${sql.trim().slice(0, 70).replaceAll(/\s+/g, " ")}\n`);
  };
  const together = async (statements: readonly string[]) => {
    const left = [...statements];
    const work = async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await step(next);
    };
    await Promise.all(Array.from({ length: loading.connections }, work));
  };
  await run(`create function scale_id(at timestamptz, seed text) returns uuid language sql stable as $$
    select overlay(overlay(overlay(md5(seed) placing lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') from 1 for 12)
      placing '7' from 13 for 1) placing '8' from 17 for 1)::uuid $$`);
  const indexes = await run(`select indexname, indexdef, conname, pg_get_constraintdef(c.oid) as condef, tablename
    from pg_indexes left join pg_constraint c on conname = indexname and contype in ('p', 'u')
    where tablename in (${bulky.map((table) => `'${table}'`).join(", ")}) and (conname is null or tablename = 'records')`);
  for (const { indexname, conname, tablename } of indexes as Record<string, string | null>[])
    await run(conname === null ? `drop index "${indexname}"` : `alter table ${tablename} drop constraint "${conname}"`);

  await step(`insert into users (id, username, password_hash, role, created_at)
    select ${personOf("n")}, 'person-' || lpad(n::text, 4, '0'), null,
      case when n % 100 = 0 then 'admin' else 'member' end, now() - interval '3 years' + n * interval '1 minute'
    from generate_series(0, 1999) n`);
  await step(`insert into provider_configs (id, kind, name, config, members_may_use)
    select scale_id(now(), 'config' || n), 'manual', 'Account ' || n, '{}', n % 10 = 0 from generate_series(1, 50) n`);
  await step(`insert into domains (id, name, view, provider_zone, provider_config_id, owner_id, group_name, tags, notes, expires_at, expiring_from, expiry_remind_days,
      auto_check_expiry, expiry_next_check_at, expiry_source, registrar, yearly_cost_hundredths, currency, record_count, revision, snapshot_sequence, snapshot_schedule,
      scheduled_snapshot_at, drift_checked_at, drift_found_at, drift_created, drift_updated, drift_deleted, status, created_at, updated_at)
    select scale_id(made, 'domain' || n), name, view, name || case when view = '' then '' else ' ' || view end,
      case when n % 2 = 0 then '${config}'::uuid else configs.ids[1 + n % 50] end,
      case when n % 10 < 7 then ${personOf(`(n::bigint * 7919) % 2000`)} end,
      'team-' || lpad(((n::bigint * 7919) % 500)::text, 3, '0'),
      array[case when n % 10 < 6 then 'production' when n % 10 < 8 then 'staging' else 'parked' end, 'customer-' || lpad(((n::bigint * 104729) % 2000)::text, 4, '0'),
        (array['europe', 'asia', 'america', 'africa', 'oceania'])[1 + n % 5]],
      case when n % 20 = 0 then 'Ask ' || md5(n::text) end,
      case when n % 20 <> 3 and name !~ 'arpa$' then ends end, case when n % 20 <> 3 and name !~ 'arpa$' then ends - interval '30 days' end, '{30,7,1}',
      name !~ 'arpa$', now() + interval '1 day' + n * interval '1 second', 'rdap', 'Registrar ' || n % 12, 900 + n % 4000, 'EUR', size, ${revisionsOf}, case when size >= 100000 then 1000 else 10 end,
      case when n % 10 = 0 then 'daily' else 'off' end, case when n % 10 = 0 then now() end,
      now() + n % 3600 * interval '1 second', case when n % 500 = 0 then now() - n * interval '1 minute' end, case when n % 500 = 0 then 1 end, case when n % 500 = 0 then 0 end,
      case when n % 500 = 0 then 0 end, case when n % 50 = 49 then 'disabled' else 'active' end, made, made + (now() - made) * (n * 7919::bigint % 1000 / 1000.0)
    from (select n, ${sizeOf} as size, now() - interval '3 years' + n * interval '15 minutes' as made,
        now() - interval '20 days' + (n::bigint * 7919) % 70000 * interval '15 minutes' as ends,
        case when n % 100 = 77 then 'internal' else '' end as view,
        case when n % 100 = 50 then (n / 100) % 256 || '.' || n / 25600 || '.10.in-addr.arpa'
          else (array['blue','red','north','south','data','cloud','shop','media','city','green','river','stone','light','metro','alpha','nova','prime','quick','solid','urban'])[1 + (n::bigint * 31) % 20]
            || (array['works','labs','house','group','store','news','bank','tech','care','food','games','market','travel','school','energy','motors','design','legal','sports','music'])[1 + (n::bigint * 7919) % 20]
            || n || (array['.example','.com.example','.org.example','.de.example','.net.example'])[1 + n % 5] end as name
      from generate_series(1, 100000) n) made,
      (select array_agg(id order by name) as ids from provider_configs where name like 'Account %') configs`);
  await together(definitions(indexes.filter(isOfDomains)));
  await step("analyze domains");
  await together([
    ...[0, 1, 2, 3, 4].map(
      (
        part,
      ) => `insert into records (record_id, version, domain_id, since, until, record_type, name, value, ttl, priority, proxied, status, comment, locked, owner_id, review_at, created_at, updated_at)
    select scale_id(d.created_at, 'record' || d.n || '-' || i), case when i - 10 between 1 and d.revision / 2 then 2 else 1 end, d.id,
      case when i - 10 between 1 and d.revision / 2 then (i - 10) * 2 else 1 end, null, t.type, t.name, t.value,
      case when i % 5 = 0 then 300 else 3600 end, case when t.type in ('MX', 'SRV') then 10 end, false, case when (d.n + i) % 1000 = 0 then 'disabled' else 'active' end,
      case when (d.n + i) % 100 = 1 then 'TICKET-' || (d.n * 31 + i) % 100000 end, (d.n + i) % 1000 = 7, case when (d.n + i) % 500 = 3 then d.owner_id end,
      case when (d.n + i) % 2000 = 9 then now() + d.n % 365 * interval '1 day' end, d.created_at, d.created_at
    ${recordRows("generate_series(1, d.record_count) i", `d.n % 5 = ${part}`)}`,
    ),
    // What the even revisions replaced.
    `insert into records (record_id, version, domain_id, since, until, record_type, name, value, ttl, priority, proxied, status, locked, created_at, updated_at)
    select scale_id(d.created_at, 'record' || d.n || '-' || i), 1, d.id, 1, (i - 10) * 2, t.type, t.name, t.value, 86400,
      case when t.type in ('MX', 'SRV') then 10 end, false, 'active', false, d.created_at, d.created_at
    ${recordRows("generate_series(11, least(d.record_count, 10 + d.revision / 2)) i")}`,
    // What odd revisions created and the next odd one deleted.
    `insert into records (record_id, version, domain_id, since, until, record_type, name, value, ttl, proxied, status, locked, created_at, updated_at)
    select scale_id(d.created_at, 'gone' || d.n || '-' || r), 1, d.id, r, r + 2, 'TXT', '_acme-challenge.h' || r, substr(md5(d.name || r) || md5(r || d.name), 1, 43), 300,
      false, 'active', false, d.created_at, d.created_at
    from (select *, row_number() over (order by created_at) as n from domains where record_count > 5) d, generate_series(3, d.revision - 2, 2) r`,
    `insert into change_sets (id, domain_id, kind, state, actor_id, revision, creates, updates, deletes, message, repaired, created_at, finished_at)
    select scale_id(at, 'set' || d.n || '-' || r), d.id, case when r = 1 then 'import' else 'edit' end, 'applied', ${personOf(`(d.n * 31 + r) % 2000`)}, r,
      case when r = 1 then d.record_count when r % 2 = 1 then 1 else 0 end, 1 - r % 2, case when r % 2 = 1 and r > 3 then 1 else 0 end,
      case when r % 5 = 0 then 'Move ' || md5(d.name || r) end, false, at, at
    ${revisionRows}`,
    `insert into audit_entries (id, at, actor_id, action, target_type, target_id, ip, request_id, before, after)
    select scale_id(at, 'entry' || d.n || '-' || r), at, ${personOf(`(d.n * 31 + r) % 2000`)}, case when r = 1 then 'records.import' else 'records.edit' end, 'domain', d.id,
      '192.0.2.' || r % 250, scale_id(at, 'call' || d.n || '-' || r)::text, '{"records": []}',
      jsonb_build_object('creates', 1, 'updates', 0, 'deletes', 0, 'failures', 0, 'repaired', false, 'revision', r, 'changeSetId', scale_id(at, 'set' || d.n || '-' || r),
        'records', jsonb_build_array(jsonb_build_object('id', scale_id(at, 'r' || d.n || '-' || r), 'ttl', 3600, 'name', 'h' || r, 'value', '10.' || r % 256 || '.1.1', 'proxied', false,
          'strings', null, 'priority', null, 'recordType', 'A')))
    ${revisionRows}`,
    `insert into audit_entries (id, at, actor_id, action, target_type, target_id, ip, request_id)
    select scale_id(at, 'login' || n), at, ${personOf(`n % 2000`)}, (array['user.login', 'user.update', 'token.create'])[1 + case when n % 50 < 48 then 0 else n % 2 + 1 end], 'user',
      ${personOf(`n % 2000`)}, '198.51.100.' || n % 250, scale_id(at, 'logged' || n)::text
    from (select n, now() - interval '3 years' + n * interval '188 seconds' as at from generate_series(1, 500000) n) each`,
    `insert into snapshots (id, domain_id, version, revision, name, trigger, record_count, created_by, created_at)
    select scale_id(at, 'snapshot' || d.n || '-' || v), d.id, v, greatest(1, (d.revision::bigint * v / d.snapshot_sequence)::int), case when v % 10 = 0 then 'Before ' || v end,
      (array['scheduled', 'on_change', 'manual'])[1 + case when v % 10 < 6 then 0 when v % 10 < 9 then 1 else 2 end], d.record_count, null, at
    from (select *, row_number() over (order by created_at) as n from domains where record_count > 5) d,
      lateral (select v, d.created_at + (now() - d.created_at) * v / (d.snapshot_sequence + 1) as at from generate_series(1, d.snapshot_sequence) v) each`,
    `insert into change_requests (id, domain_id, domain_name, author_id, state, title, changes, hosts, record_types, plan, creates, updates, deletes,
      changes_hash, force, proposed, created_at, closed_at)
    select scale_id(at, 'request' || n), id, name, ${personOf(`n % 2000`)},
      coalesce((array['open', 'approved', 'rejected', 'withdrawn', 'failed'])[1 + n % 100], 'applied'), 'Add a host', jsonb_build_array(repeat(md5(n::text), 10)),
      array['www'], array['A'], '{}', 1, 0, 0, md5(name), false, false, at, case when n % 100 > 1 then at end
    from (select id, name, created_at as at, row_number() over (order by created_at) as n from domains where record_count > 5) d`,
    `insert into delegations (domain_id, next_check_at, checked_at, facts) select id, now() + interval '1 day', now(), null from domains where view = ''
    on conflict do nothing`,
    `insert into delegation_findings (domain_id, code, name, record_type, subject, severity, message, present, notified, first_seen_at, last_seen_at)
    select id, 'lame', '@', 'NS', 'ns1.dns.example', case when n % 5 = 0 then 'error' else 'warning' end, 'It does not answer.', n % 10 < 8, true, now() - n % 90 * interval '1 day', now()
    from (select id, row_number() over () as n from domains where view = '') d where n % 20 = 0`,
    `insert into tls_hosts (domain_id, host, port, listed, not_before, not_after, issuer, fingerprint, checked_at)
    select id, host, 443, false, now() - interval '60 days', now() + ((hashtext(d.name || host) & 1023) - 10) * interval '2 hours', 'Let us Encrypt', md5(d.name || host), now()
    from domains d, unnest(array['www', '@', 'mail']) host where d.tags @> array['europe'] and d.view = '' and d.name !~ 'arpa$' on conflict do nothing`,
    `insert into personal_tokens (id, user_id, name, token_hash, permissions, created_at)
    select scale_id(now(), 'token' || n), ${personOf(`n % 2000`)}, 'Script ' || n, md5(n::text) || md5('t' || n), '{records:read}', now() - n * interval '1 hour'
    from generate_series(1, 5000) n`,
    `insert into assignments (id, user_id, domain_id, subdomain_pattern, access, record_types, created_at)
    select scale_id(d.created_at, 'assignment' || n || '-' || k), ${personOf(`(n * 31 + k * 7) % 1900`)}, d.id, (array['*', '*.dev', 'www', 'h*'])[1 + n % 4], (array['read', 'write'])[1 + n % 2], '{}', d.created_at
    from (select id, created_at, row_number() over (order by created_at) as n from domains where record_count > 5) d, generate_series(1, 3) k where n % 10 = 4 on conflict do nothing`,
    `insert into deliveries (id, user_id, notice, state, attempts, created_at, finished_at)
    select scale_id(at, 'delivery' || n), ${personOf(`n % 2000`)}, jsonb_build_object('title', 'A change', 'text', md5(n::text)), 'delivered', 1, at, at
    from (select n, now() - n * interval '40 seconds' as at from generate_series(1, 50000) n) each`,
  ]);
  await step("vacuum analyze records");
  await together(definitions(indexes.filter((each) => !isOfDomains(each))));
  await run("drop function scale_id");
}

/** Statements that build dropped indexes again. */
function definitions(indexes: readonly Record<string, unknown>[]): string[] {
  return indexes.map(({ indexname, indexdef, conname, condef, tablename }) =>
    conname === null
      ? String(indexdef)
      : `alter table ${String(tablename)} add constraint "${String(indexname)}" ${String(condef)}`,
  );
}

/** The zones with their number and the content of each record number `i`. */
function recordRows(series: string, which = "true"): string {
  return `from (select *, row_number() over (order by created_at) as n, name ~ 'arpa$' as backwards from domains where record_count > 5) d
    cross join ${series}
    cross join lateral (select case when i > 2 and d.backwards then 'PTR' when i < 3 then 'NS' when i = 3 or i = 6 then 'A' when i = 4 then 'MX' when i in (5, 8, 9) then 'TXT' when i = 7 then 'CNAME'
        when i = 10 then 'CAA' when i % 10 < 5 then 'A' when i % 10 = 5 then 'AAAA' when i % 10 < 8 then 'CNAME' when i % 10 = 8 then 'TXT' else 'SRV' end as type) kind
    cross join lateral (select kind.type,
      case when i > 2 and d.backwards then i::text when i in (1, 2, 3, 4, 5, 10) then '@' when i = 6 then 'www' when i = 7 then 'mail' when i = 8 then '_dmarc' when i = 9 then 's1._domainkey'
        when kind.type = 'SRV' then '_sip._tcp.h' || i
        else (array['web','db','api','vpn','cache','node','app','build','git','edge'])[1 + i / 10 % 10] || i || case i % 7 when 0 then '.dev' when 1 then '.eu-west' else '' end end as name,
      case kind.type when 'PTR' then 'web' || i || '.host' || d.n || '.example' when 'NS' then 'ns' || i || '.dns.example' when 'MX' then '10 mx1.mail.example'
        when 'CAA' then '0 issue letsencrypt.org' when 'SRV' then '10 0 5060 sip' || d.n % 50 || '.voice.example'
        when 'CNAME' then case when i = 7 then 'ghs.mail.example' else 'lb-' || (d.n * 31 + i) % 400 || '.cdn.example' end
        when 'AAAA' then '2001:db8:' || to_hex(1 + d.n % 65535) || '::' || to_hex(i)
        when 'A' then case when (d.n + i) % 4 = 0 then '198.51.100.' || (d.n * 31 + i) % 250 else '10.' || (d.n * 7 + i / 256) % 256 || '.' || d.n % 256 || '.' || i % 256 end
        else case i when 5 then 'v=spf1 include:_spf.mail.example -all' when 8 then 'v=DMARC1; p=reject; rua=mailto:dmarc@mail.example'
          when 9 then 'v=DKIM1; k=rsa; p=' || encode(sha512(('a' || d.n)::bytea), 'base64') || encode(sha512(('b' || d.n)::bytea), 'base64')
          else 'site-verification=' || md5(d.n || '-' || i) end end as value) t
    where ${which}`;
}

/** The zones with their number, each with its revisions and when they were made. */
const revisionRows = `from (select *, row_number() over (order by created_at) as n from domains where record_count > 5) d,
      lateral (select r, d.created_at + (now() - d.created_at) * (r - 1) / d.revision as at from generate_series(1, d.revision) r) each`;

/** The id of one of 2,000 users. */
function personOf(number: string): string {
  return `('00000000-0000-7000-8000-' || lpad((${number})::text, 12, '0'))::uuid`;
}
