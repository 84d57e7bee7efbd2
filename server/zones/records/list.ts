import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { ZoneScope } from "../../access/caller.ts";
import type { Zone } from "../../access/zone-access.ts";
import { queries, type EntityManager, repeated } from "../../database/database.ts";
import {
  type Paging,
  escapeLike,
  nameSearch,
  sliceOf,
  type NameSearch,
  type Slice,
} from "../../database/query-helpers.ts";
import { asWritten, editableTypes, type LiveRecord, type RecordStatus } from "../../dns/record.ts";
import {
  liveColumns,
  liveRecord,
  managedColumns,
  managedRecord,
  managedRecords,
} from "../changes/state/live-queries.ts";
import { isServerManaged, isWritableType } from "../../dns/zone-file/type-names.ts";
import { requireStored, versionsAt } from "../changes/state/past-zone.ts";
import { parseOwner, toALabel, withAsciiDots } from "../../dns/names/names.ts";
import { ruleFor } from "../../dns/record-types.ts";
import { badField } from "../../platform/errors.ts";
import type { RecordSort } from "./schemas.ts";

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

/** The columns of each order. Indexes serve `name` and `type`; the others sort the zone. */
const orders = {
  name: ["name", "record_type", "record_id"],
  type: ["record_type", "name", "record_id"],
  value: ["value", "name", "record_type", "record_id"],
  ttl: ["ttl", "name", "record_type", "record_id"],
  updatedAt: ["updated_at", "name", "record_type", "record_id"],
} as const;

/**
 * Returns the `order by` of a list. A descending order is the exact reverse.
 * @param fromEnd reverses it, to read the list from its end
 * @param updated the column that holds the time of the last change
 */
function orderBy(sort: RecordSort, fromEnd: boolean, updated: "updated_at" | "read_at" = "updated_at") {
  const direction = sql.raw(sort.startsWith("-") === fromEnd ? "asc" : "desc");
  const columns = orders[sort.replace("-", "") as keyof typeof orders].map((column): RawBuilder<unknown> => {
    // Texts keep capitals, which count only between those that are equal otherwise.
    if (column === "value") return sql`lower(value) collate "C" ${direction}, value collate "C" ${direction}`;
    return sql`${sql.ref(column === "updated_at" ? updated : column)} ${direction}`;
  });
  return sql.join(columns);
}

/** What a client filters a zone's records by. */
interface RecordConditions {
  type?: string | undefined;
  /** Part of a name. */
  search?: string | undefined;
  /** Part of a name, value or comment. */
  filter?: string | undefined;
  /** The exact host, as a client writes it. */
  name?: string | undefined;
  /** The exact value, as a client writes it. */
  value?: string | undefined;
  status?: RecordStatus | undefined;
  /** `true`: locked records only. */
  locked?: "true" | "false" | undefined;
  /** Records with this owner only. */
  ownerId?: string | undefined;
  /** `true`: records whose review date has passed only. */
  reviewDue?: "true" | "false" | undefined;
}

/** The SQL conditions on a zone's records: those with versions, and server-managed ones, which have no comments. */
interface SqlConditions {
  versions: RawBuilder<SqlBool>;
  managed: RawBuilder<SqlBool>;
}

/**
 * Returns the conditions of a filter, or null if every record matches.
 * @param internationalNames returns the zone's names that have A-labels
 * @throws AppError BAD_REQUEST for a name that no record of the zone can have
 */
async function conditionsOf(
  { type, search, filter, name, value, status, ...notes }: RecordConditions,
  zone: { name: string; sees: ZoneScope; now: Date },
  internationalNames: () => Promise<string[]>,
): Promise<SqlConditions | null> {
  const both: RawBuilder<SqlBool>[] = [];
  if (!zone.sees.isAll) both.push(zone.sees.condition());
  if (type !== undefined) both.push(sql`record_type = ${type}`);
  if (name !== undefined) both.push(sql`name = ${ownerOf(name, zone.name)}`);
  if (value !== undefined) {
    const each = spellings(value, type).map(([of, spelled]) =>
      of === "" ? sql`value = ${spelled}` : sql`(record_type = ${of} and value = ${spelled})`,
    );
    both.push(anyOf(each));
  }
  if (search !== undefined) both.push(matching(await nameSearch(search, internationalNames)));
  const stated = status === undefined ? [] : [sql<SqlBool>`status = ${status}`];
  const noted = [...stated, ...noteConditions(notes, zone.now)];
  // Server-managed records have no notes, and are active.
  const managed = noted.length === 0 || (status === "active" && noted.length === 1) ? both : [sql`false`];
  if (filter === undefined) {
    const isAll = both.length === 0 && noted.length === 0;
    return isAll ? null : { versions: allOf([...both, ...noted]), managed: allOf(managed) };
  }
  const host = matching(await hostSearch(filter, zone.name, internationalNames));
  const parts = partsOf(filter);
  const inField = (field: "value" | "comment") =>
    parts.map((part) => sql<SqlBool>`lower(${sql.ref(field)}) like ${`%${escapeLike(part)}%`}`);
  return {
    versions: allOf([...both, ...noted, anyOf([host, ...inField("value"), ...inField("comment")])]),
    managed: allOf([...managed, anyOf([host, ...inField("value")])]),
  };
}

function noteConditions(
  { locked, ownerId, reviewDue }: Pick<RecordConditions, "locked" | "ownerId" | "reviewDue">,
  now: Date,
): RawBuilder<SqlBool>[] {
  return [
    ...(locked === "true" ? [sql<SqlBool>`locked`] : []),
    ...(ownerId === undefined ? [] : [sql<SqlBool>`owner_id = ${ownerId}`]),
    ...(reviewDue === "true" ? [sql<SqlBool>`review_at <= ${now}`] : []),
  ];
}

function allOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
}

function anyOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
}

function matching({ operator, operand }: NameSearch): RawBuilder<SqlBool> {
  return sql<SqlBool>`name ${sql.raw(operator)} ${operand}`;
}

/** Returns the search for part of a host. A text that ends in the zone's own name is a full name. */
async function hostSearch(
  text: string,
  zone: string,
  internationalNames: () => Promise<string[]>,
): Promise<NameSearch> {
  const full = asciiName(text.trim()).replace(/\.$/, "");
  if (full === zone) return { operator: "like", operand: "@" };
  if (full.endsWith(`.${zone}`))
    return { operator: "like", operand: `%${escapeLike(full.slice(0, -zone.length - 1))}` };
  return await nameSearch(text, internationalNames);
}

/** Returns the lower-case forms in which a text may be stored: as typed, and as a name in A-labels. */
function partsOf(text: string): string[] {
  // Without a locale, the database lowers ASCII letters only.
  const ascii = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return [...new Set([ascii, text.toLowerCase(), asciiName(text)])];
}

function asciiName(text: string): string {
  return withAsciiDots(text.toLowerCase())
    .split(".")
    .map((label) => toALabel(label) ?? label)
    .join(".");
}

function ownerOf(name: string, zone: string): string {
  const parsed = parseOwner(name, zone);
  if (!parsed.ok) throw badField(["name"], parsed.message);
  return parsed.value;
}

/** Returns a value as written, for types that are stored unchanged, and in the canonical form of each type that accepts it. */
export function spellings(value: string, type: string | undefined): [type: string, value: string][] {
  const types = type === undefined ? editableTypes : [type].filter(isWritableType);
  const canonical = types.flatMap((each): [string, string][] => {
    const written = ruleFor(each).write(value, null);
    return written.ok ? [[each, written.value.value]] : [];
  });
  return [["", value], ...canonical];
}
