import express from "express";
import { Pool } from "pg";

/**
 * The baseline of the reads: what somebody else would write with Express 5 and `pg` for the same JSON, which a test compares. The plainest
 * statements, prepared; no sign-in, limits, checks or schemas. Runs as its own process with DATABASE_URL, PORT and DOMAIN_ID.
 */
const pool = new Pool({ connectionString: process.env["DATABASE_URL"], max: 10 });
const domainId = process.env["DOMAIN_ID"];
const kinds = new Map([
  ["manual", "5a1f0c52-7d0e-4c1b-9d0a-000000000001"],
  ["zonefile", "5a1f0c52-7d0e-4c1b-9d0a-000000000002"],
]);

const domainsSql = `select d.*, c.kind, l.revision as last_revision, l.finished_at, l.actor_id, l.tsig_key, u.username
  from domains d join provider_configs c on c.id = d.provider_config_id
  left join lateral (select * from change_sets s where s.domain_id = d.id and s.revision is not null order by s.revision desc limit 1) l on true
  left join users u on u.id = l.actor_id
  order by d.name, d.view limit $1 offset $2`;
const zoneSql = "select revision, record_count from domains where id = $1";
const recordsSql = `select * from records where domain_id = $1 and until is null
  order by name, record_type, record_id limit $2 offset $3`;

const foundSql = (
  condition: string,
  rows: string,
) => `select ${rows} from records r join domains d on d.id = r.domain_id
  where r.until is null and (${condition})`;
const partSql = "r.name || '.' || d.name ilike $1 or r.value ilike $1";
const foundRow =
  "r.*, d.name as domain_name, (select kind from provider_configs c where c.id = d.provider_config_id) as kind";
const found = "order by d.name, d.view, r.name, r.record_type, r.record_id limit 50";

interface RecordRow {
  [column: string]: unknown;
  record_id: string;
  domain_id: string;
}

/** A record in the service's JSON. */
function recordJson(row: RecordRow) {
  return {
    id: row.record_id,
    domainId: row.domain_id,
    recordType: row["record_type"],
    name: row["name"],
    value: row["value"],
    strings: row["strings"],
    ttl: row["ttl"],
    priority: row["priority"],
    proxied: row["proxied"],
    serverManaged: false,
    status: row["status"],
    createdAt: row["created_at"],
    comment: row["comment"],
    locked: row["locked"],
    ownerId: row["owner_id"],
    reviewAt: row["review_at"],
    updatedAt: row["updated_at"],
    version: row["version"],
  };
}

const query = async (name: string, text: string, values: unknown[]) => (await pool.query({ name, text, values })).rows;

const app = express();

app.get("/api/domains", async (_req, res) => {
  const rows = await query("domains", domainsSql, [20, 0]);
  const [counted] = (await pool.query("select count(*) from domains")).rows;
  const domains = rows.map((row) => ({
    id: row.id,
    name: row.name,
    view: row.view,
    ownerId: row.owner_id,
    providerId: kinds.get(row.kind),
    providerConfigId: row.provider_config_id,
    expiresAt: row.expires_at,
    status: row.status,
    groupName: row.group_name,
    tags: row.tags,
    recordCount: row.record_count,
    signedBy: row.provider_signed ? "provider" : row.soa_signed ? "file" : null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    driftedAt: row.drift_found_at,
    driftError: row.drift_error,
    lastChange:
      row.last_revision === null
        ? null
        : {
            revision: row.last_revision,
            at: row.finished_at,
            actorId: row.actor_id,
            actor: row.username,
            tsigKey: row.tsig_key,
          },
  }));
  res.json({ domains, total: Number(counted.count), page: 1, limit: 20 });
});

app.get("/api/domains/:id/records", async (_req, res) => {
  const [zone] = await query("zone", zoneSql, [domainId]);
  const rows = await query("records", recordsSql, [domainId, 50, 0]);
  const records = rows.map(recordJson);
  res.json({ records, total: zone.record_count, page: 1, limit: 50, revision: zone.revision, typeCounts: null });
});

app.get("/api/records", async ({ query: asked }, res) => {
  const { search, value } = asked as { search?: string; value?: string };
  const [condition, text] = search === undefined ? ["r.value = $1", value] : [partSql, `%${search}%`];
  const rows = await query(`found ${condition}`, `${foundSql(condition, foundRow)} ${found}`, [text]);
  const [counted] = await query(`counted ${condition}`, foundSql(condition, "count(*)"), [text]);
  const total = Number(counted.count);
  const records = rows.map((row) =>
    Object.assign(recordJson(row), { domainName: row.domain_name, providerId: kinds.get(row.kind) }),
  );
  res.json({ records, total: Math.min(total, 10_000), totalIsExact: total <= 10_000, page: 1, limit: 50 });
});

app.listen(Number(process.env["PORT"]), "127.0.0.1", () => process.stdout.write("listening\n"));
