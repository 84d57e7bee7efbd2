import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import { jsonRows, jsonTexts } from "../database/json-rows.ts";
import type { PlannedChange } from "../dns/live-record.ts";
import { storedStrings } from "../dns/stored-strings.ts";
import { inChunks } from "../platform/slices.ts";

/** A statement of the embedded database holds the event loop until it is done. */
const rowsPerStatement = 1_000;

/**
 * Writes changes that have really happened as new versions at `revision`. Closes rows and opens others; never overwrites.
 * Must run in the transaction that also raised the domain to `revision`.
 * @returns by how many live records the zone has really grown: what has ended already is not counted again.
 */
export async function writeVersions(
  tx: EntityManager,
  domainId: string,
  revision: number,
  changes: readonly PlannedChange[],
  now: Date,
): Promise<number> {
  const closed = changes.flatMap((change) => (change.before ? [change.id] : []));
  const ended = await inChunks(closed, rowsPerStatement, (ids) =>
    queries(tx)
      .updateTable("records")
      .set({ until: revision })
      .where("record_id", "in", sql<string>`(select value::uuid from ${jsonTexts(ids)})`)
      .where("until", "is", null)
      .execute(),
  );
  const opened = changes.filter((change) => change.after !== null);
  await inChunks(opened, rowsPerStatement, async (some) => {
    await insertVersions(tx, domainId, revision, some, now);
    return [];
  });
  return opened.length - ended.reduce((sum, { numUpdatedRows }) => sum + Number(numUpdatedRows), 0);
}

/** A rollback may bring back a deleted record under its old id: its versions go on counting. */
async function insertVersions(
  tx: EntityManager,
  domainId: string,
  revision: number,
  changes: readonly PlannedChange[],
  now: Date,
) {
  const rows = changes.map(({ id, before, after }) => ({
    id,
    v: (before?.version ?? 0) + 1,
    t: after?.recordType,
    n: after?.name,
    d: after?.value,
    g: storedStrings(after?.strings ?? null),
    s: after?.ttl,
    p: after?.priority,
    x: after?.proxied,
    c: after?.comment,
    m: before?.createdAt ?? now,
  }));
  await sql`
    insert into records (record_id, version, domain_id, since, record_type, name, value, strings, ttl, priority, proxied, status, comment, created_at, updated_at)
    select r.id, greatest(r.v, (select max(version) + 1 from records where record_id = r.id)), ${domainId}::uuid, ${revision}::int, r.t, r.n, r.d, r.g, r.s, r.p, r.x, 'active', r.c, r.m, ${now}::timestamptz
    from ${jsonRows(rows)} as r (id uuid, v int, t text, n text, d text, g text, s int, p int, x boolean, c text, m timestamptz)
  `.execute(queries(tx));
}

/** How many records a zone gains by some changes. */
export function growth(changes: readonly PlannedChange[]): number {
  return changes.reduce((sum, { action }) => sum + (action === "create" ? 1 : action === "delete" ? -1 : 0), 0);
}
