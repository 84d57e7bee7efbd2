import express from "express";
import { Pool } from "pg";

/**
 * The baseline of the reads: a bare Express 5 handler with `pg`. It runs the service's statements for an administrator, except the session
 * lookup, and prints the same JSON, which a test compares. The statements are prepared, as in the service. No sign-in, limits, checks or
 * schemas. Runs as its own process with DATABASE_URL, PORT and DOMAIN_ID.
 */
const pool = new Pool({ connectionString: process.env["DATABASE_URL"], max: 10 });
const domainId = process.env["DOMAIN_ID"];
const kinds = new Map([
  ["manual", "5a1f0c52-7d0e-4c1b-9d0a-000000000001"],
  ["zonefile", "5a1f0c52-7d0e-4c1b-9d0a-000000000002"],
]);

const domainsSql = `select "domains"."id", "domains"."name", "domains"."view", "domains"."owner_id", "domains"."provider_config_id",
  "domains"."expires_at", "domains"."expiring_from", "domains"."status", "domains"."group_name", "domains"."tags", "domains"."record_count",
  "domains"."created_at", "domains"."updated_at", "domains"."provider_signed", "domains"."drift_found_at", "domains"."drift_error",
  "provider_configs"."kind", (not domains.provider_signed and exists (
    select 1 from records signature where signature.domain_id = domains.id and signature.until is null and signature.record_type = 'RRSIG' and signature.name = '@'
      and signature.value ~* '^(soa|type6) |^\\\\# [0-9]+ 0006')) as "signed_elsewhere"
  from "domains" inner join "provider_configs" on "provider_configs"."id" = "domains"."provider_config_id"
  where true order by "domains"."name" asc, "domains"."view" asc limit $1 offset $2`;
const countSql = `select count(*) as "total" from "domains" where true`;
const zoneSql = `select "id", "name", "view", "revision", "record_count", "provider_signed", "server_managed_count", "provider_config_id",
  "review_required", "review_acme", domains.id as "accessed_id", domains.owner_id as "owner_id", domains.protect_mail as "protect_mail",
  '[]'::json as "grants" from "domains" where "id" = $1`;
const recordsSql = `select "record_id", "version", "record_type", "name", "value", "strings", "ttl", "priority", "proxied", "status", "comment",
  "locked", "owner_id", "review_at", "created_at", "updated_at", (select "revision" from "domains" where "id" = $1) as "revision"
  from "records" where "domain_id" = $2 and "until" is null
  order by "name" asc, "record_type" asc, "record_id" asc limit $3 offset $4`;

const query = async (name: string, text: string, values: unknown[]) => (await pool.query({ name, text, values })).rows;

const app = express();

app.get("/api/domains", async (_req, res) => {
  const rows = await query("domains", domainsSql, [20, 0]);
  const { rows: counts } = await pool.query(countSql);
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
    signedBy: row.provider_signed ? "provider" : row.signed_elsewhere ? "elsewhere" : null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    driftedAt: row.drift_found_at,
    driftError: row.drift_error,
  }));
  res.json({ domains, total: Number(counts[0].total), page: 1, limit: 20 });
});

app.get("/api/domains/:id/records", async (_req, res) => {
  const [zone] = await query("zone", zoneSql, [domainId]);
  const rows = await query("records", recordsSql, [domainId, domainId, 50, 0]);
  const records = rows.map((row) => ({
    id: row.record_id,
    domainId,
    recordType: row.record_type,
    name: row.name,
    value: row.value,
    strings: row.strings,
    ttl: row.ttl,
    priority: row.priority,
    proxied: row.proxied,
    serverManaged: false,
    status: row.status,
    createdAt: row.created_at,
    comment: row.comment,
    locked: row.locked,
    ownerId: row.owner_id,
    reviewAt: row.review_at,
    updatedAt: row.updated_at,
    version: row.version,
  }));
  res.json({ records, total: zone.record_count, page: 1, limit: 50, revision: zone.revision, typeCounts: null });
});

app.listen(Number(process.env["PORT"]), "127.0.0.1", () => process.stdout.write("listening\n"));
