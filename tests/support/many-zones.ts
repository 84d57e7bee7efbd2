import type { RestClient } from "./rest-client.ts";

/** Runs a statement without parameters and returns its rows. */
export type Run = (sql: string) => Promise<readonly Record<string, unknown>[]>;

/** The tables that `fillZones` fills, and which go on growing in use. */
export const growing = [
  "domains",
  "records",
  "change_sets",
  "audit_entries",
  "snapshots",
  "delegations",
  "delegation_findings",
  "change_requests",
] as const;

/** Ids in a filled installation. */
export interface FilledZones {
  /** A user with a hundredth of the domains. */
  owner: string;
  domain: string;
  config: string;
}

/** How large an installation is to be. */
export interface Size {
  domains: number;
  /** At least six. */
  recordsEach: number;
}

/**
 * Fills an installation with zones, records and their history by a statement a table, and has the planner count them. Indexes of records are
 * built after the rows, which takes a third of the time. Every domain belongs to one of 200 groups and has two tags; each hundredth is the
 * owner's.
 */
export async function fillZones(run: Run, { domains, recordsEach }: Size, owner: string): Promise<FilledZones> {
  const ownerId = await idOf(run, `users where username = '${owner}'`);
  await run(`insert into provider_configs (id, kind, name, config, members_may_use)
    select gen_random_uuid(), 'manual', 'Group ' || n, '{}', false from generate_series(1, 20) n`);
  await run(`insert into domains (id, name, provider_zone, provider_config_id, owner_id, group_name, tags, expires_at, expiring_from,
      expiry_remind_days, auto_check_expiry, record_count, revision, updated_at, drift_found_at)
    select gen_random_uuid(), 'd' || n || '.example', 'd' || n || '.example', configs.ids[1 + n % 20], case when n % 100 = 0 then '${ownerId}'::uuid end,
      'group' || n % 200, array['tag' || n % 50, 'all'], now() + n % 700 * interval '1 day', now() + n % 700 * interval '1 day' - interval '30 days',
      '{30}', false, ${recordsEach} + n % 5000, 1, now() - n * interval '1 minute', case when n % 500 = 0 then now() - n * interval '1 minute' end
    from generate_series(1, ${domains}) n, (select array_agg(id) as ids from provider_configs where kind = 'manual') configs`);
  const indexes = await run(`select indexname, indexdef from pg_indexes
    where tablename = 'records' and indexname not in (select conname from pg_constraint)`);
  for (const { indexname } of indexes) await run(`drop index "${String(indexname)}"`);
  // A replica checks no references and runs no triggers.
  await run(`do $fill$ begin set local session_replication_role = replica; insert into records (record_id, version, domain_id, since, record_type, name, value, ttl, priority, proxied, status, locked,
      owner_id, created_at, updated_at)
    select gen_random_uuid(), 1, d.id, 1,
      case n when 1 then 'MX' when 2 then 'TXT' when 3 then 'NS' when 4 then 'AAAA' when 5 then 'CNAME' else 'A' end,
      case when n < 4 then '@' else 'h' || n || '-' || substr(md5(d.name || n), 1, 6) end,
      case n when 1 then '10 mail' || substr(d.name, 2) when 2 then '"v=' || md5(d.name) || '"' when 3 then 'ns1.example.net' when 4 then '2001:db8::' || n
        when 5 then 'www.' || d.name else '10.' || n || '.' || length(d.name) || '.' || ascii(right(md5(d.name), 1)) end,
      3600, case n when 1 then 10 end, false, 'active', n = 6 and d.drift_found_at is not null, case when n = 7 and d.owner_id is not null then d.owner_id end,
      now(), now()
    from domains d, generate_series(1, ${recordsEach}) n; end $fill$`);
  for (const { indexdef } of indexes) await run(String(indexdef));
  await run(`insert into change_sets (id, domain_id, kind, state, actor_id, revision, creates, updates, deletes, repaired, created_at, finished_at)
    select gen_random_uuid(), id, 'import', 'applied', '${ownerId}', 1, ${recordsEach}, 0, 0, false, created_at, created_at from domains`);
  await run(`insert into audit_entries (id, at, actor_id, action, target_type, target_id, after)
    select gen_random_uuid(), now() - n * interval '1 minute', case when n % 9 = 0 then '${ownerId}'::uuid else md5((n % 50)::text)::uuid end,
      (array['domain.update', 'records.edit', 'records.import', 'user.login', 'user.update', 'token.create'])[1 + n % 6],
      (array['domain', 'domain', 'domain', 'user', 'user', 'token'])[1 + n % 6], id, jsonb_build_object('records', repeat(md5(n::text), 10))
    from (select id, row_number() over () as n from domains) d`);
  await run(`insert into snapshots (id, domain_id, version, revision, trigger, record_count, created_at)
    select gen_random_uuid(), id, 1, 1, 'on_change', ${recordsEach}, created_at from domains`);
  await run(`insert into delegations (domain_id, next_check_at, checked_at) select id, now() + interval '1 day', now() from domains
    on conflict do nothing`);
  await run(`insert into delegation_findings (domain_id, code, name, record_type, subject, severity, message, present, notified, first_seen_at, last_seen_at)
    select id, 'lame', '@', 'NS', 'ns1.example.net', 'warning', 'It does not answer.', true, true, now(), now() from domains`);
  await run(`insert into change_requests (id, domain_id, domain_name, author_id, state, title, changes, hosts, record_types, plan, creates, updates, deletes,
      changes_hash, force, proposed, created_at, closed_at)
    select gen_random_uuid(), id, name, case when n % 50 = 0 then '${ownerId}'::uuid end,
      coalesce((array['open', 'approved', 'rejected', 'withdrawn', 'failed'])[1 + n % 100], 'applied'), 'Add a host', jsonb_build_array(repeat(md5(n::text), 10)),
      array['www'], array['A'], '{}', 1, 0, 0, md5(name), false, false, now() - n * interval '1 minute',
      case when n % 100 > 1 then now() end
    from (select id, name, row_number() over () as n from domains) d`);
  await run("vacuum analyze");
  return {
    owner: ownerId,
    domain: await idOf(run, "domains where name = 'd100.example'"),
    config: await idOf(run, "provider_configs where name = 'Group 7'"),
  };
}

async function idOf(run: Run, rows: string): Promise<string> {
  const [{ id } = {}] = await run(`select id from ${rows}`);
  return String(id);
}

/** Values by parameter. */
export type Samples = Readonly<Record<string, string | readonly string[]>>;

/** What a parameter without an enumeration is tried with. `{…}` names something of the filled database. */
const samples: Samples = {
  revision: "1",
  page: "2",
  limit: "100",
  group: "group7",
  tag: ["tag7", "all"],
  name: "d77.example",
  view: "",
  search: ["d77", "77.ex", "h9-1", "10.9.12"],
  filter: ["h9", "10.9"],
  value: ["10.9.12.5", "mail77"],
  type: ["A", "MX"],
  at: "1",
  providerConfigId: "{config}",
  ownerId: "{owner}",
  userId: "{owner}",
  actorId: "{owner}",
  actorName: "admin",
  domainId: "{domain}",
  domain: "{domain}",
  targetId: "{domain}",
  targetType: "domain",
  action: "records.import",
  from: "2026-01-01T00:00:00Z",
  to: "2036-01-01T00:00:00Z",
  expiresFrom: "2027-01-01T00:00:00Z",
  expiresBefore: "2027-02-01T00:00:00Z",
  // The end of an earlier page.
  after: [],
  before: [],
};

/** What the lists of a zone's records are tried with instead. */
const recordSamples: Samples = { name: ["h9-1", "@"] };
/** What the search across zones is tried with instead: a tag that every domain has leaves nothing for an index to skip. */
const searchSamples: Samples = { tag: "tag7", host: ["h9-1a2b3c", "h9-1*"], comment: "moved" };

/** Lists without pages. */
const others = [
  "/api/domains/tags",
  "/api/domains/zone-of?name=h9.d100.example",
  "/api/records?host=h9-1a2b3c",
  "/api/records?host=h9-1*",
  "/api/records?comment=moved",
];
/** The search across zones asks for something. */
const search = new Set(["/records", "/v1/records"]);

interface Operation {
  parameters?: { name: string; in: string; schema: { enum?: string[]; anyOf?: { enum?: string[] }[] } }[];
}

/**
 * Returns every list of the API's document for a filled installation, plainly and with each value of each parameter.
 *
 * @param given values that this installation has, before those that `fillZones` gives it
 */
export async function listPaths(client: RestClient, named: FilledZones, given: Samples = {}): Promise<string[]> {
  const [text = ""] = [given["search"] ?? "h9-1"].flat();
  const { paths } = (await client.get("/api/openapi.json")).body as { paths: Record<string, { get?: Operation }> };
  const urls = Object.entries(paths).flatMap(([path, { get }]) => {
    const query = (get?.parameters ?? []).filter((parameter) => parameter.in === "query");
    if (!query.some(({ name }) => ["page", "after", "search"].includes(name))) return [];
    // Of what belongs to something, only what belongs to a domain.
    if (path.replace("/domains/{id}", "").includes("{")) return [];
    const url = `/api${path.replace("{id}", "{domain}")}?${search.has(path) ? `search=${encodeURIComponent(text)}&` : ""}`;
    const filtered = query.flatMap(({ name, schema }) => {
      const values = schema.enum ?? schema.anyOf?.flatMap((each) => each.enum ?? []) ?? [];
      const ofRecords = path.endsWith("{id}/records") ? recordSamples[name] : undefined;
      const own = search.has(path) ? searchSamples[name] : ofRecords;
      const tried = values.length > 0 ? values : (given[name] ?? own ?? samples[name]);
      if (tried === undefined) throw new Error(`Add a sample of ${name}, which ${path} is filtered by.`);
      return [tried].flat().map((value) => {
        const text = value.startsWith("{") ? value : encodeURIComponent(value);
        return search.has(path) && name === "search" ? `${url.split("?")[0]}?search=${text}` : `${url}${name}=${text}`;
      });
    });
    return [url].concat(filtered);
  });
  return [...urls, ...others].map((url) =>
    url.replace(/[?&]$/, "").replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name as keyof FilledZones]),
  );
}
