import express from "express";
import { Pool } from "pg";

/**
 * What the reads are measured against: a bare Express 5 handler with `pg`, running the same SQL and printing the same
 * JSON, without sign-in, checks or schemas. Started as a process of its own: DATABASE_URL, PORT, DOMAIN_ID.
 */
const pool = new Pool({ connectionString: process.env["DATABASE_URL"], max: 10 });
const domainId = process.env["DOMAIN_ID"];
const zonefileKind = "5a1f0c52-7d0e-4c1b-9d0a-000000000002";

const domainsSql = `select "domains"."id", "domains"."name", "domains"."provider_config_id", "domains"."expires_at",
  "domains"."expiring_from", "domains"."status", "domains"."group_name", "domains"."tags", "domains"."record_count", "domains"."created_at", "provider_configs"."kind"
  from "domains" inner join "provider_configs" on "provider_configs"."id" = "domains"."provider_config_id"
  where true order by "domains"."name" limit $1 offset $2`;
const countSql = `select count(*) as "total" from "domains" where true`;
const zoneSql = `select "id", "name", "revision", "record_count", "provider_config_id" from "domains" where "id" = $1 and true`;
const recordsSql = `select "record_id", "version", "record_type", "name", "value", "ttl", "priority", "proxied", "status", "comment",
  "created_at", "updated_at" from "records" where "domain_id" = $1 and "until" is null
  order by "name" asc, "record_type" asc, "record_id" asc limit $2 offset $3`;

const app = express();

app.get("/api/domains", async (_req, res) => {
  const { rows } = await pool.query(domainsSql, [20, 0]);
  const count = await pool.query(countSql);
  const domains = rows.map((row) => ({
    id: row.id,
    name: row.name,
    providerId: zonefileKind,
    providerConfigId: row.provider_config_id,
    expiresAt: row.expires_at,
    status: row.status,
    groupName: row.group_name,
    tags: row.tags,
    recordCount: row.record_count,
    createdAt: row.created_at,
  }));
  res.json({ domains, total: Number(count.rows[0].total), page: 1, limit: 20 });
});

app.get("/api/domains/:id/records", async (_req, res) => {
  const zone = await pool.query(zoneSql, [domainId]);
  const { rows } = await pool.query(recordsSql, [domainId, 50, 0]);
  const records = rows.map((row) => ({
    id: row.record_id,
    version: row.version,
    recordType: row.record_type,
    name: row.name,
    value: row.value,
    ttl: row.ttl,
    priority: row.priority,
    proxied: row.proxied,
    status: row.status,
    comment: row.comment,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    domainId,
  }));
  res.json({ records, total: zone.rows[0].record_count, page: 1, limit: 50 });
});

app.listen(Number(process.env["PORT"]), "127.0.0.1", () => process.stdout.write("listening\n"));
