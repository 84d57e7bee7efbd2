import { sql } from "kysely";
import { liveColumns, liveRecord } from "../changes/state/live-queries.ts";
import { jsonRows, queries, type EntityManager } from "../database/database.ts";
import type { LiveRecord } from "../dns/record.ts";
import { inChunks } from "../platform/slices.ts";

/** A name in a zone. */
export interface NameInZone {
  domainId: string;
  /** Relative to the zone. */
  name: string;
}

const namesPerQuery = 5_000;

export function placeKey({ domainId, name }: NameInZone): string {
  return `${domainId}\0${name}`;
}

/** Returns the live records that DNS has of names in any zones, by `placeKey`. @param types only records of these types */
export async function recordsAt(
  em: EntityManager,
  places: Iterable<NameInZone>,
  types: readonly string[] | null = null,
): Promise<Map<string, LiveRecord[]>> {
  const distinct = new Map<string, NameInZone>();
  for (const place of places) distinct.set(placeKey(place), place);
  const columns = sql.join(liveColumns.map((column) => sql.ref(`r.${column}`)));
  const ofTypes = types === null ? sql`true` : sql`r.record_type in (${sql.join(types.map((type) => sql.lit(type)))})`;
  const found = await inChunks([...distinct.values()], namesPerQuery, async (some) => {
    const rows = some.map(({ domainId, name }) => ({ d: domainId, n: name }));
    const { rows: records } = await sql<{ domain_id: string } & Parameters<typeof liveRecord>[0]>`
      select r.domain_id, ${columns}
      from ${jsonRows(rows)} as p (d uuid, n text)
      join records r on r.domain_id = p.d and r.name = p.n collate "C" and r.until is null and r.status = 'active' and ${ofTypes}
      order by r.record_id
    `.execute(queries(em));
    return records;
  });
  const byPlace = new Map<string, LiveRecord[]>();
  for (const row of found) {
    const key = placeKey({ domainId: row.domain_id, name: row.name });
    const known = byPlace.get(key);
    if (known) known.push(liveRecord(row));
    else byPlace.set(key, [liveRecord(row)]);
  }
  return byPlace;
}
