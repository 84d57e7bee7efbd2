import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { Zone } from "../access/zone-access.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { Paging } from "../database/one-page.ts";
import { repeated } from "../database/repeated-query.ts";
import { asWritten, type LiveRecord } from "../dns/record.ts";
import {
  liveColumns,
  liveRecord,
  managedColumns,
  managedRecord,
  managedRecords,
} from "../changes/state/live-queries.ts";
import { isServerManaged } from "../dns/server-managed.ts";
import { requireStored, versionsAt } from "../changes/state/past-zone.ts";
import { conditionsOf, type RecordConditions } from "./list-conditions.ts";
import { orderBy, type RecordSort } from "./list-order.ts";

/** The cache keys of the query for a page without filters, one for each end that it is read from. */
const unfiltered = { asc: {}, desc: {} };

export interface RecordFilter extends Paging, RecordConditions {
  sort: RecordSort;
  /** The revision whose records to list; left out: the present ones. */
  at?: number | undefined;
  /** `false` leaves out server-managed records. */
  serverManaged?: "true" | "false" | undefined;
  /** Whether to count the zone's records by type. */
  counts: "true" | "false";
  /** The time of the call. */
  now: Date;
}

type ListedZone = Pick<Zone, "id" | "name" | "revision" | "recordCount" | "signed" | "serverManagedCount" | "rights">;

/**
 * Returns a page of the records that the caller sees, followed by the server-managed ones, which earlier revisions do not have. Counts rows
 * only under a filter, since the domain stores its size. Pages of the second half are read from the end, so that the last page costs what
 * the first does.
 * @returns `revision`: that of the zone when the page was read, which may be newer than the counts
 * @throws AppError BAD_REQUEST, HISTORY_GONE
 */
export async function pageOfRecords(em: EntityManager, zone: ListedZone, filter: RecordFilter) {
  const { page, limit, sort, at = null } = filter;
  if (at !== null) await requireStored(em, zone.id, at, "at");
  const { sees } = zone.rights;
  const found = await conditionsOf(filter, { name: zone.name, sees, now: filter.now }, () =>
    internationalNames(em, zone.id, at),
  );
  const everything = { versions: sql<SqlBool>`true`, managed: sql<SqlBool>`true` };
  const list = { id: zone.id, signed: zone.signed, at, sort, ...(found ?? everything) };
  const isCounted = found !== null || at !== null;
  const versions = isCounted ? await countVersions(em, list) : zone.recordCount;
  const maintained = filter.serverManaged === "false" || at !== null ? 0 : zone.serverManagedCount;
  const managed = found && maintained > 0 ? await countManaged(em, list) : maintained;
  const seen = { ...list, versions: sees.condition(), managed: sees.condition() };
  const typeCounts = filter.counts === "true" ? await countTypes(em, seen, maintained > 0) : null;
  const start = (page - 1) * limit;
  const slice = sliceOf(versions, start, limit);
  const usual = found === null && at === null && sort === "name";
  const read = usual ? await usualSlice(em, list, slice) : await versionSlice(em, list, slice);
  const records = [...read.records, ...(await managedSlice(em, list, sliceOf(managed, start - versions, limit)))];
  const revision = at ?? read.revision ?? zone.revision;
  return { records, total: versions + managed, page, limit, revision, typeCounts };
}

/** What a list shows, and how. */
interface List {
  /** The domain. */
  id: string;
  signed: boolean;
  at: number | null;
  sort: RecordSort;
  /** The condition on records with versions. */
  versions: RawBuilder<SqlBool>;
  /** The condition on server-managed records. */
  managed: RawBuilder<SqlBool>;
}

/** The part of a list that a page shows, read from the nearer end. */
interface Slice {
  size: number;
  offset: number;
  fromEnd: boolean;
}

/** @param start where the page begins in this list; below 0 if it begins in the list before. */
function sliceOf(total: number, start: number, limit: number): Slice {
  const first = Math.max(0, start);
  const size = Math.max(0, Math.min(start + limit, total) - first);
  const fromEnd = first > total / 2;
  return { size, offset: fromEnd ? total - first - size : first, fromEnd };
}

type Row = Parameters<typeof liveRecord>[0] & { revision: number | null };

/** The slice of a zone's present records by name, whose query text is built once. */
async function usualSlice(em: EntityManager, list: List, { size, offset, fromEnd }: Slice) {
  if (size === 0) return { records: [], revision: null };
  const direction = fromEnd ? "desc" : "asc";
  const rows = await repeated<Row>(em, unfiltered[direction], [list.id, list.id, size, offset], (db) =>
    db
      .selectFrom("records")
      .select(liveColumns)
      .select((row) => row.selectFrom("domains").select("revision").where("id", "=", list.id).as("revision"))
      .where("domain_id", "=", list.id)
      .where("until", "is", null)
      .orderBy("name", direction)
      .orderBy("record_type", direction)
      .orderBy("record_id", direction)
      .limit(size)
      .offset(offset),
  );
  return shown(rows, list, fromEnd);
}

/** The slice of a zone's records under a filter, in another order or at a revision. Sorts ids and reads only the rows that it shows. */
async function versionSlice(em: EntityManager, list: List, { size, offset, fromEnd }: Slice) {
  if (size === 0) return { records: [], revision: null };
  const order = orderBy(list.sort, fromEnd);
  const { rows } = await sql<Row>`
    select ${sql.join(liveColumns.map((column) => sql.ref(column)))},
      (select revision from domains where id = ${list.id}) as revision
    from (
      select record_id, version from ${versionsAt(list.id, list.at)} as versions where ${list.versions}
      order by ${order} limit ${size} offset ${offset}
    ) as page
    join records using (record_id, version)
    order by ${order}
  `.execute(queries(em));
  return shown(rows, list, fromEnd);
}

function shown(rows: Row[], { id, signed }: List, fromEnd: boolean) {
  if (fromEnd) rows.reverse();
  const records = rows.map(liveRecord).map((record) => recordView(id, record, signed && isServerManaged(record)));
  return { records, revision: rows[0]?.revision ?? null };
}

async function managedSlice(em: EntityManager, { id, sort, managed }: List, { size, offset, fromEnd }: Slice) {
  if (size === 0) return [];
  const rows = await managedRecords(queries(em), id)
    .where(managed)
    .select(managedColumns)
    .orderBy(orderBy(sort, fromEnd, "read_at"))
    .limit(size)
    .offset(offset)
    .execute();
  if (fromEnd) rows.reverse();
  return rows.map((row) => recordView(id, managedRecord(row), true));
}

async function countVersions(em: EntityManager, { id, at, versions }: List): Promise<number> {
  const { rows } = await sql<{ total: string }>`
    select count(*) as total from ${versionsAt(id, at)} as versions where ${versions}
  `.execute(queries(em));
  return Number(rows[0]?.total ?? 0);
}

async function countManaged(em: EntityManager, { id, managed }: List): Promise<number> {
  const { total } = await managedRecords(queries(em), id)
    .where(managed)
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(total);
}

async function countTypes(
  em: EntityManager,
  { id, at, versions, managed }: List,
  hasManaged: boolean,
): Promise<Record<string, number>> {
  const also = hasManaged
    ? sql`union all select record_type from server_managed_records where domain_id = ${id} and ${managed}`
    : sql``;
  const { rows } = await sql<{ record_type: string; total: string }>`
    select record_type, count(*) as total
    from (select record_type from ${versionsAt(id, at)} as versions where ${versions} ${also}) as typed
    group by record_type order by record_type
  `.execute(queries(em));
  return Object.fromEntries(rows.map(({ record_type: type, total }) => [type, Number(total)]));
}

async function internationalNames(em: EntityManager, domainId: string, at: number | null): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct name from ${versionsAt(domainId, at)} as versions where name like '%xn--%'
  `.execute(queries(em));
  return rows.map(({ name }) => name);
}

/** Returns a record as answers show it. */
export function recordView(domainId: string, record: LiveRecord, serverManaged = false) {
  return { ...asWritten(record), domainId, serverManaged };
}
