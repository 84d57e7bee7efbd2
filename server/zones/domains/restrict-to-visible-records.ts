import { sql } from "kysely";
import type { ZoneScope } from "../../access/zone-scope.ts";
import { queries, type EntityManager } from "../../database/database.ts";

/**
 * Restricts partly visible domains to the records that the caller sees: counts only those, in one query for all domains. Omits drift,
 * which describes the whole zone.
 */
export async function restrictToVisibleRecords<Row extends { id: string; record_count: number }>(
  em: EntityManager,
  rows: Row[],
  seenOf: (row: Row) => ZoneScope,
): Promise<Row[]> {
  const narrowed = rows.map((row) => ({ row, scope: seenOf(row) })).filter(({ scope }) => !scope.isAll);
  if (narrowed.length === 0) return rows;
  const each = narrowed.map(
    ({ row: { id }, scope }) => sql`
      select ${id}::text as id, count(*) as total from records
      where domain_id = ${id} and until is null and ${scope.condition()}`,
  );
  const counted = await sql<{ id: string; total: string }>`${sql.join(each, sql` union all `)}`.execute(queries(em));
  const totals = new Map(counted.rows.map(({ id, total }) => [id, Number(total)]));
  return rows.map((row) => {
    const total = totals.get(row.id);
    return total === undefined ? row : { ...row, record_count: total, drift_found_at: null, drift_error: null };
  });
}
