import { sql, type Kysely, type Selectable } from "kysely";
import type { ZoneScope } from "../../access/zone-scope.ts";
import { jsonTexts, queries, type EntityManager } from "../../database/database.ts";
import type { Tables } from "../../database/tables/all.ts";
import { noNotes, type LiveRecord } from "../../dns/record.ts";
import { writtenIn } from "./live-queries.ts";

// Server-managed records: those that a provider maintains because it signs the zone, as last read. They have no versions and no history.

export const managedColumns = [
  "record_id",
  "record_type",
  "name",
  "value",
  "written_name",
  "written_value",
  "ttl",
  "read_at",
] as const;

type ManagedRow = Pick<Selectable<Tables["server_managed_records"]>, (typeof managedColumns)[number]>;

/** Returns a server-managed record in the shape of others: version 1, created when it was read. */
export function managedRecord(row: ManagedRow): LiveRecord {
  const { record_id: id, record_type: recordType, name, value, ttl, read_at: at } = row;
  const data = { recordType, name, value, ...writtenIn(row), ttl, priority: null, proxied: false, strings: null };
  return { ...data, id, version: 1, status: "active", ...noNotes, createdAt: at, updatedAt: at };
}

export function managedRecords(db: Kysely<Tables>, domainId: string) {
  return db.selectFrom("server_managed_records").where("domain_id", "=", domainId);
}

export async function managedById(
  em: EntityManager,
  domainId: string,
  ids: readonly string[],
): Promise<Map<string, LiveRecord>> {
  if (ids.length === 0) return new Map();
  const rows = await managedRecords(queries(em), domainId)
    .select(managedColumns)
    .where("record_id", "in", sql<string>`(select value::uuid from ${jsonTexts(ids)})`)
    .execute();
  return new Map(rows.map((row) => [row.record_id, managedRecord(row)]));
}

/** Returns all server-managed records of some scope, for an export. */
export async function managedZone(em: EntityManager, domainId: string, scope: ZoneScope): Promise<LiveRecord[]> {
  const rows = await managedRecords(queries(em), domainId).select(managedColumns).where(scope.condition()).execute();
  return rows.map(managedRecord);
}
