import { sql } from "kysely";
import { jsonRows, queries, type EntityManager } from "../../database/database.ts";
import { liveColumns, liveRecord } from "../../zones/changes/state/live-queries.ts";
import type { LiveRecord } from "../../dns/record.ts";
import { AppError } from "../../platform/errors.ts";
import type { Touched } from "./applying/conflicts.ts";

/** A zone and the names whose records decide about a template's conflicts. */
export interface ZoneNames extends Touched {
  domainId: string;
}

/** Records that may be read below one delegation: more than a plan can change is refused. */
const mostBelow = 1_000;

/**
 * Returns the live records of some names in some zones, in one query, and those below delegations, in one query each.
 * @throws AppError CONFLICT if there are too many below a delegation
 */
export async function liveRecordsOf(
  em: EntityManager,
  zones: readonly ZoneNames[],
): Promise<Map<string, LiveRecord[]>> {
  const wanted = zones.flatMap(({ domainId, names }) => names.map((name) => ({ domain: domainId, name })));
  const rows = await queries(em)
    .selectFrom(
      sql<{ domain: string; name: string }>`${jsonRows(wanted)}`.as<"wanted">(sql`wanted (domain uuid, name text)`),
    )
    .innerJoin("records", (join) =>
      join
        .on(sql<boolean>`records.domain_id = wanted.domain`)
        .on(sql<boolean>`records.name = wanted.name collate "C"`)
        .on("records.until", "is", null)
        // A template conflicts with what DNS has.
        .on("records.status", "=", "active"),
    )
    .select(liveColumns.map((column) => `records.${column}` as const))
    .select("records.domain_id")
    .execute();
  const found = new Map<string, Map<string, LiveRecord>>(zones.map(({ domainId }) => [domainId, new Map()]));
  for (const row of rows) found.get(row.domain_id)?.set(row.record_id, liveRecord(row));
  for (const { domainId, trees } of zones) {
    for (const tree of trees) {
      for (const record of await below(em, domainId, tree)) found.get(domainId)?.set(record.id, record);
    }
  }
  return new Map([...found].map(([domainId, records]) => [domainId, [...records.values()]]));
}

async function below(em: EntityManager, domainId: string, tree: string): Promise<LiveRecord[]> {
  const rows = await queries(em)
    .selectFrom("records")
    .select(liveColumns)
    .where("domain_id", "=", domainId)
    .where("until", "is", null)
    .where("status", "=", "active")
    // Not `like`: a name may contain its wildcards.
    .where(sql<boolean>`right(name, ${tree.length + 1}) = ${`.${tree}`}`)
    .limit(mostBelow + 1)
    .execute();
  if (rows.length > mostBelow)
    throw new AppError(
      "CONFLICT",
      `More than ${mostBelow} records are below ${tree}, which the template delegates. Delete them first, or delegate another host.`,
    );
  return rows.map(liveRecord);
}
