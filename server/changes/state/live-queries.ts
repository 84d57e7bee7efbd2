import { sql, type Selectable, type SqlBool } from "kysely";
import type { Hosts } from "../../access/hosts.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { jsonRows, jsonTexts } from "../../database/json-rows.ts";
import type { Tables } from "../../database/tables/all.ts";
import type { LiveRecord } from "../../dns/live-record.ts";
import { unreadSplit } from "../../dns/stored-strings.ts";
import { addToIndex, type LiveIndex } from "../../dns/zone-comparison.ts";
import { inPages, inSlices, sorted } from "../../platform/slices.ts";

export const liveColumns = [
  "record_id",
  "version",
  "record_type",
  "name",
  "value",
  "strings",
  "ttl",
  "priority",
  "proxied",
  "status",
  "comment",
  "created_at",
  "updated_at",
] as const;

type LiveRow = Pick<Selectable<Tables["records"]>, (typeof liveColumns)[number]>;

export function liveRecord(row: LiveRow): LiveRecord {
  const isUnread = row.strings === unreadSplit && row.record_type === "TXT";
  return {
    ...(isUnread ? { splitUnread: true } : {}),
    id: row.record_id,
    version: row.version,
    recordType: row.record_type,
    name: row.name,
    value: row.value,
    strings: row.strings === null || row.strings === unreadSplit ? null : (JSON.parse(row.strings) as string[]),
    ttl: row.ttl,
    priority: row.priority,
    proxied: row.proxied,
    status: row.status,
    comment: row.comment,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export async function liveById(
  em: EntityManager,
  domainId: string,
  ids: readonly string[],
): Promise<Map<string, LiveRecord>> {
  if (ids.length === 0) return new Map();
  const rows = await queries(em)
    .selectFrom("records")
    .select(liveColumns)
    .where("domain_id", "=", domainId)
    .where("until", "is", null)
    .where("record_id", "in", sql<string>`(select value::uuid from ${jsonTexts(ids)})`)
    .execute();
  return new Map(rows.map((row) => [row.record_id, liveRecord(row)]));
}

/** All live records of some names: what the zone rules look at. */
export async function liveAtNames(
  em: EntityManager,
  domainId: string,
  names: readonly string[],
): Promise<LiveRecord[]> {
  if (names.length === 0) return [];
  const rows = await queries(em)
    .selectFrom("records")
    .select(liveColumns)
    .where("domain_id", "=", domainId)
    .where("until", "is", null)
    .where("name", "in", sql<string>`(select value collate "C" from ${jsonTexts(names)})`)
    .execute();
  return rows.map(liveRecord);
}

/** So many rows are read at once: a statement of the embedded database holds the event loop until it is done. */
const pageRows = 1_000;

/** The whole zone, or some hosts of it. Only for what is about the whole zone: sync, export, whole-file import. */
export async function liveZone(em: EntityManager, domainId: string, hosts: Hosts): Promise<LiveRecord[]> {
  const zone = await queries(em).selectFrom("domains").select("revision").where("id", "=", domainId).executeTakeFirst();
  return zone ? await zoneAt(em, domainId, zone.revision, hosts) : [];
}

/**
 * The records of some hosts that were alive at a revision, by name and type. They are read in pages, and are one state all the same: a record that
 * ends meanwhile is found among those that ended since.
 */
export async function zoneAt(
  em: EntityManager,
  domainId: string,
  revision: number,
  hosts: Hosts,
): Promise<LiveRecord[]> {
  const alive = new Map<string, LiveRecord>();
  const versions = () =>
    queries(em)
      .selectFrom("records")
      .select(liveColumns)
      .where("domain_id", "=", domainId)
      .where("since", "<=", revision)
      .where(hosts.condition())
      .limit(pageRows);
  const live = inPages<LiveRow>(pageRows, (last) =>
    versions()
      .where("until", "is", null)
      .$if(last !== null, (query) => query.where(isAfter(last)))
      .orderBy("name")
      .orderBy("record_type")
      .orderBy("record_id")
      .execute(),
  );
  for await (const page of live) for (const row of page) alive.set(row.record_id, liveRecord(row));
  const ended = inPages<LiveRow & { until: number | null }>(pageRows, (last) =>
    versions()
      .select("until")
      .where("until", ">", revision)
      .$if(last !== null, (query) =>
        query.where(sql<SqlBool>`(until, record_id) > (${last?.until}::int, ${last?.record_id}::uuid)`),
      )
      .orderBy("until")
      .orderBy("record_id")
      .execute(),
  );
  let isSorted = true;
  for await (const page of ended) {
    isSorted &&= page.length === 0;
    for (const row of page) alive.set(row.record_id, liveRecord(row));
  }
  return isSorted ? [...alive.values()] : await inSlices(sorted([...alive.values()], byName));
}

/** Where a row stands in the order of pages. */
type Placed = Pick<LiveRow, "name" | "record_type" | "record_id">;

function isAfter(last: Placed | null) {
  return sql<SqlBool>`(name, record_type, record_id) > (${last?.name}, ${last?.record_type}, ${last?.record_id}::uuid)`;
}

/** The order of the database: by octets. */
function byName(one: LiveRecord, other: LiveRecord): number {
  const [a, b] = [one, other].map(({ name, recordType, id }) => `${name}\0${recordType}\0${id}`);
  return (a ?? "") < (b ?? "") ? -1 : 1;
}

/** How many live records of a zone the caller sees: what a loss of theirs is measured by. */
export async function countSeen(
  em: EntityManager,
  zone: { id: string; recordCount: number; rights: { sees: Hosts } },
): Promise<number> {
  const { sees } = zone.rights;
  if (sees.isAll) return zone.recordCount;
  const { total } = await queries(em)
    .selectFrom("records")
    .select(({ fn }) => fn.countAll<string>().as("total"))
    .where("domain_id", "=", zone.id)
    .where("until", "is", null)
    .where(sees.condition())
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** The whole zone by what its records say, for a comparison: as `recordText` has it, or `unreadText`. */
export async function indexedZone(em: EntityManager, domainId: string): Promise<LiveIndex> {
  const index: LiveIndex = new Map();
  const text = sql<string>`concat_ws(' ', name, record_type, ttl, coalesce(priority::text, '-'), proxied,
    case when strings <> '' then strings when strings = '' and record_type = 'TXT' then '?' else '-' end, value)`;
  const pages = inPages<Placed & { text: string }>(pageRows, (last) =>
    queries(em)
      .selectFrom("records")
      .select(["record_id", "name", "record_type", text.as("text")])
      .where("domain_id", "=", domainId)
      .where("until", "is", null)
      .$if(last !== null, (query) => query.where(isAfter(last)))
      .orderBy("name")
      .orderBy("record_type")
      .orderBy("record_id")
      .limit(pageRows)
      .execute(),
  );
  for await (const page of pages) for (const { record_id: id, text: said } of page) addToIndex(index, said, id);
  return index;
}

/** The records of some hosts alive at each of some revisions, by name and type. Two indexes serve it: of live rows, and of ended ones. */
export async function zonesAt(
  em: EntityManager,
  domainId: string,
  revisions: readonly number[],
  hosts: Hosts,
): Promise<Map<number, LiveRecord[]>> {
  if (revisions.length === 0) return new Map();
  const { rows } = await sql<LiveRow & { revision: number }>`
    select at.revision, alive.*
    from ${jsonRows(revisions.map((revision) => ({ revision })))} as at (revision int)
    cross join lateral (
      select ${sql.raw(liveColumns.join(", "))} from records
        where domain_id = ${domainId} and until is null and since <= at.revision and ${hosts.condition()}
      union all
      select ${sql.raw(liveColumns.join(", "))} from records
        where domain_id = ${domainId} and until > at.revision and since <= at.revision and ${hosts.condition()}
    ) alive
    order by at.revision, alive.name, alive.record_type, alive.record_id
  `.execute(queries(em));
  const byRevision = Map.groupBy(rows, ({ revision }) => revision);
  return new Map([...byRevision].map(([revision, alive]) => [revision, alive.map(liveRecord)]));
}

/** How many records of some hosts were alive at each of some revisions: what began until then less what ended. */
export async function countsAt(
  em: EntityManager,
  domainId: string,
  revisions: readonly number[],
  hosts: Hosts,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ revision: number; total: string }>`
    select at.revision, sum(step.records) as total
    from ${jsonRows(revisions.map((revision) => ({ revision })))} as at (revision int)
    join (
      select since as revision, count(*) as records from records
        where domain_id = ${domainId} and ${hosts.condition()} group by since
      union all
      select until, -count(*) from records
        where domain_id = ${domainId} and until is not null and ${hosts.condition()} group by until
    ) step on step.revision <= at.revision
    group by at.revision
  `.execute(queries(em));
  return new Map(rows.map(({ revision, total }) => [revision, Number(total)]));
}
