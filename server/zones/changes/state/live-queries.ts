import { sql, type CompiledQuery, type Kysely, type Selectable, type SelectQueryBuilder, type SqlBool } from "kysely";
import { ZoneScope } from "../../../access/caller.ts";
import { isEmbedded, jsonRows, jsonTexts, queries, type EntityManager } from "../../../database/database.ts";
import type { Tables } from "../../../database/tables/all.ts";
import {
  isActive,
  noNotes,
  unreadSplit,
  type LiveRecord,
  type PlannedChange,
  type Spelling,
} from "../../../dns/record.ts";
import { addToIndex, type LiveIndex } from "../../../dns/desired-state.ts";
import { inChunks, inPages, inSlices, mapped, sorted } from "../../../platform/slices.ts";
import type { Sent } from "../../../database/statements.ts";

/** The columns that have a value of their own in most records. */
const ownColumns = [
  "record_id",
  "record_type",
  "name",
  "value",
  "written_name",
  "written_value",
  "strings",
  "ttl",
  "priority",
  "comment",
  "owner_id",
  "review_at",
  "created_at",
] as const;

export const liveColumns = [...ownColumns, "version", "proxied", "status", "locked", "updated_at"] as const;

/** Names each column: a statement with `*` is not prepared. */
function columnsOf(table: string) {
  return sql.raw(liveColumns.map((column) => `${table}.${column}`).join(", "));
}

export type LiveRow = Pick<Selectable<Tables["records"]>, (typeof liveColumns)[number]>;

/** What is read of many records: null in place of what most have, which takes no time to send and to parse. */
const leanColumns = [
  ...ownColumns,
  sql<number | null>`nullif(version, 1)`.as("version"),
  sql<boolean | null>`nullif(proxied, false)`.as("proxied"),
  sql<LiveRow["status"] | null>`nullif(status, 'active')`.as("status"),
  sql<boolean | null>`nullif(locked, false)`.as("locked"),
  sql<Date | null>`nullif(updated_at, created_at)`.as("updated_at"),
] as const;

type UsualColumn = Exclude<keyof LiveRow, (typeof ownColumns)[number]>;
type LeanRow = Omit<LiveRow, UsualColumn> & { [Column in UsualColumn]: LiveRow[Column] | null };

export function liveRecord(row: LeanRow): LiveRecord {
  const record: LiveRecord = {
    id: row.record_id,
    version: row.version ?? 1,
    recordType: row.record_type,
    name: row.name,
    value: row.value,
    strings: row.strings === null || row.strings === unreadSplit ? null : (JSON.parse(row.strings) as string[]),
    ttl: row.ttl,
    priority: row.priority,
    proxied: row.proxied ?? false,
    status: row.status ?? "active",
    comment: row.comment,
    locked: row.locked ?? false,
    ownerId: row.owner_id,
    reviewAt: row.review_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at ?? row.created_at,
  };
  if (row.strings === unreadSplit && row.record_type === "TXT") record.splitUnread = true;
  return row.written_name === null && row.written_value === null ? record : { ...record, ...writtenIn(row) };
}

/** Returns how a stored record was written, as `Spelling`. */
function writtenIn(row: { written_name: string | null; written_value: string | null }): Spelling {
  return {
    ...(row.written_name === null ? {} : { writtenName: row.written_name }),
    ...(row.written_value === null ? {} : { writtenValue: row.written_value }),
  };
}

/** Returns live records by id. Looks up each by its id alone (`offset 0`): with the domain as well, an old plan may read the whole zone for each. */
export async function liveById(
  em: EntityManager,
  domainId: string,
  ids: readonly string[],
): Promise<Map<string, LiveRecord>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<LiveRow>`
    select ${columnsOf("found")} from ${jsonTexts(ids)} given cross join lateral (
      select domain_id, ${sql.raw(liveColumns.join(", "))} from records
      where record_id = given.value::uuid and until is null offset 0
    ) found
    where found.domain_id = ${domainId}
  `.execute(queries(em));
  return new Map(rows.map((row) => [row.record_id, liveRecord(row)]));
}

/** Returns all live records of some names, for the zone rules. Looks up each name by itself (`offset 0`): without statistics, a join would read the whole zone. */
export async function liveAtNames(
  em: EntityManager,
  domainId: string,
  names: readonly string[],
): Promise<LiveRecord[]> {
  if (names.length === 0) return [];
  const { rows } = await queries(em).executeQuery(liveAtNamesStatement(em, domainId, names));
  return rows.map(liveRecord);
}

/** Returns what reads the live records of some names, for `liveRecord`. */
function liveAtNamesStatement(em: EntityManager, domainId: string, names: readonly string[]): CompiledQuery<LiveRow> {
  return sql<LiveRow>`
    select ${columnsOf("found")} from ${jsonTexts([...new Set(names)])} given cross join lateral (
      select ${sql.raw(liveColumns.join(", "))} from records
      where domain_id = ${domainId} and until is null and name = given.value collate "C" offset 0
    ) found
  `.compile(queries(em));
}

/** Rows read at once: a statement of the embedded database blocks the event loop until it is done, about 35 milliseconds for 1,000 rows. */
export const pageRows = 250;
/** The same for whole zones on a server, where each statement costs a round trip. Its rows arrive in pieces of up to 64 KiB. */
const serverPageRows = 1_000;

/** Returns the whole zone, or the part of it in a scope. Only for work on whole zones: sync, export, import. */
export async function liveZone(em: EntityManager, domainId: string, scope: ZoneScope): Promise<LiveRecord[]> {
  const revision = await revisionOf(em, domainId);
  return revision === null ? [] : await zoneAt(em, domainId, revision, scope);
}

async function revisionOf(em: EntityManager, domainId: string): Promise<number | null> {
  const row = await queries(em).selectFrom("domains").select("revision").where("id", "=", domainId).executeTakeFirst();
  return row?.revision ?? null;
}

/** Returns the records of a scope that were alive at a revision, by name and type. */
export async function zoneAt(
  em: EntityManager,
  domainId: string,
  revision: number,
  scope: ZoneScope,
): Promise<LiveRecord[]> {
  const alive: LiveRecord[] = [];
  let isSorted = true;
  for await (const { rows, ended } of pagesAt(em, domainId, revision, scope)) {
    if (ended && rows.length > 0) isSorted = false;
    for (const row of rows) alive.push(liveRecord(row));
  }
  return isSorted ? alive : await inSlices(sorted(alive, byName));
}

/**
 * Yields pages of the rows that were alive at a revision: first those still alive, by name and type, then those that have ended since. They
 * are one consistent state even if the zone changes in between: a record that ends meanwhile is found among the ended.
 */
async function* pagesAt(
  em: EntityManager,
  domainId: string,
  revision: number,
  scope: ZoneScope,
): AsyncGenerator<{ rows: readonly LeanRow[]; ended: boolean }> {
  const size = isEmbedded(em) ? pageRows : serverPageRows;
  const versions = () =>
    queries(em)
      .selectFrom("records")
      .select(leanColumns)
      .where("domain_id", "=", domainId)
      .where("since", "<=", revision)
      .where(scope.condition())
      .limit(size);
  const live = inPages<LeanRow>(size, (last) =>
    versions()
      .where("until", "is", null)
      .$if(last !== null, (query) => query.where(isAfter(last)))
      .orderBy("name")
      .orderBy("record_type")
      .orderBy("record_id")
      .execute(),
  );
  const ids: string[] = [];
  for await (const rows of live) {
    for (const row of rows) ids.push(row.record_id);
    yield { rows, ended: false };
  }
  let seen: Set<string> | null = null;
  const ended = inPages<LeanRow & { until: number | null }>(size, (last) =>
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
  for await (const rows of ended) {
    if (rows.length === 0) return;
    seen ??= new Set(ids);
    yield { rows: rows.filter(({ record_id: id }) => seen?.has(id) === false), ended: true };
  }
}

function isAfter(last: LeanRow | null) {
  return sql<SqlBool>`(name, record_type, record_id) > (${last?.name}, ${last?.record_type}, ${last?.record_id}::uuid)`;
}

/** Parts in which the keys of versions are read, each by itself. */
const keyParts = 8;

/** A query of record versions, to which conditions are added. */
export type Versions = SelectQueryBuilder<Tables, "records", object>;

/** Returns all record versions that match, in any order. */
export async function versionsOf(em: EntityManager, where: (versions: Versions) => Versions): Promise<LiveRecord[]> {
  return await inSlices(mapped(await versionRows(em, where), liveRecord));
}

/**
 * Returns the rows of all record versions that match, in any order. One change may be of a whole zone, and no index orders what it changed: pages would each
 * read all of it. So of many the keys are read as text, and then the versions in chunks.
 */
export async function versionRows(em: EntityManager, where: (versions: Versions) => Versions): Promise<LiveRow[]> {
  const versions = where(queries(em).selectFrom("records"));
  const few = await versions
    .select(liveColumns)
    .limit(pageRows + 1)
    .execute();
  if (few.length <= pageRows) return few;
  const parts = Array.from({ length: keyParts }, (_, part) => part);
  const keys = await inChunks(parts, 1, async ([part]) => {
    const found = await versions
      .select(
        sql<string | null>`string_agg(record_id::text || ' ' || version, ',' order by record_id, version)`.as("keys"),
      )
      .where(sql<SqlBool>`get_byte(uuid_send(record_id), 15) % ${sql.lit(keyParts)} = ${part}`)
      .executeTakeFirst();
    return found?.keys?.split(",") ?? [];
  });
  return await inChunks(keys, pageRows, (some) => versionsByKey(em, some));
}

/** Returns versions of records. @param keys their ids and versions, with a space between */
async function versionsByKey(em: EntityManager, keys: readonly string[]): Promise<LiveRow[]> {
  const { rows } = await sql<LiveRow>`
    select found.* from ${jsonTexts(keys)} given cross join lateral (
      select ${sql.raw(liveColumns.join(", "))} from records
      where record_id = split_part(given.value, ' ', 1)::uuid and version = split_part(given.value, ' ', 2)::int offset 0
    ) found
  `.execute(queries(em));
  return rows;
}

/** Orders records as the database does: by octets. */
function byName(one: LiveRecord, other: LiveRecord): number {
  const [a, b] = [one, other].map(({ name, recordType, id }) => `${name}\0${recordType}\0${id}`);
  return (a ?? "") < (b ?? "") ? -1 : 1;
}

/** How many live records a zone has. */
export interface ZoneSize {
  records: number;
  /** Those that are not disabled. */
  active: number;
}

/** Changes of fewer records are no loss unless they end all of them. */
const countedFrom = 4;

/** A zone and what is to change in it. */
interface ChangingZone {
  id: string;
  recordCount: number;
  rights: { sees: ZoneScope };
  changes: readonly PlannedChange[];
}

/**
 * Returns how many live records of a zone the caller sees, which a loss is measured against. Active ones are counted only until the changes are
 * no loss of them; as many as there are records stands for more.
 */
export async function sizeSeen(
  em: EntityManager,
  { id, recordCount, rights }: Omit<ChangingZone, "changes">,
  changes: readonly PlannedChange[],
): Promise<ZoneSize> {
  const sizes = await sizesSeen(em, [{ id, recordCount, rights, changes }]);
  return sizes.get(id) ?? { records: 0, active: 0 };
}

/** {@link sizeSeen} for many zones, with one query. Records are not counted for changes that lose no share of them. */
export async function sizesSeen(em: EntityManager, zones: readonly ChangingZone[]): Promise<Map<string, ZoneSize>> {
  const sizes = new Map(
    zones.map(({ id, recordCount }): [string, ZoneSize] => [id, { records: recordCount, active: recordCount }]),
  );
  const whole = zones.filter(({ rights, changes }) => {
    const touched = changes.filter(({ before }) => before !== null);
    const isLoss = touched.some(({ after }) => after === null || !isActive(after));
    return rights.sees.isAll && (isLoss || touched.length >= countedFrom);
  });
  if (whole.length > 0) {
    const given = whole.map(({ id, changes }) => ({ id, enough: 10 + 4 * changes.length }));
    const { rows } = await sql<{ id: string; active: number }>`
      select given.id, (
        select count(*)::int from (
          select 1 from records where domain_id = given.id and until is null and status = 'active' limit given.enough
        ) found
      ) as active from ${jsonRows(given)} as given (id uuid, enough int)
    `.execute(queries(em));
    const active = new Map(rows.map((row) => [row.id, row.active]));
    for (const { id, enough } of given) {
      const found = active.get(id) ?? 0;
      const records = sizes.get(id)?.records ?? 0;
      sizes.set(id, { records, active: found < enough ? found : records });
    }
  }
  const inPart = zones.filter(({ rights }) => !rights.sees.isAll);
  if (inPart.length > 0) {
    const each = inPart.map(({ id, rights }) => sql`(domain_id = ${id} and ${rights.sees.condition()})`);
    const { rows } = await sql<{ domain_id: string; records: string; active: string }>`
      select domain_id, count(*) as records, count(*) filter (where status = 'active') as active from records
      where until is null and (${sql.join(each, sql` or `)}) group by domain_id
    `.execute(queries(em));
    const byId = new Map(rows.map((row) => [row.domain_id, row]));
    for (const { id } of inPart) {
      const { records, active } = byId.get(id) ?? { records: 0, active: 0 };
      sizes.set(id, { records: Number(records), active: Number(active) });
    }
  }
  return sizes;
}

/** Counts the live records of a zone. */
export async function sizeOf(em: EntityManager, domainId: string): Promise<ZoneSize> {
  const { records, active } = await queries(em)
    .selectFrom("records")
    .select(({ fn }) => [
      fn.countAll<string>().as("records"),
      fn.countAll<string>().filterWhere("status", "=", "active").as("active"),
    ])
    .where("domain_id", "=", domainId)
    .where("until", "is", null)
    .executeTakeFirstOrThrow();
  return { records: Number(records), active: Number(active) };
}

/** Returns the whole zone indexed by content, for a comparison. */
export async function indexedZone(em: EntityManager, domainId: string): Promise<LiveIndex> {
  const index: LiveIndex = new Map();
  const revision = await revisionOf(em, domainId);
  if (revision === null) return index;
  for await (const { rows } of pagesAt(em, domainId, revision, ZoneScope.all)) {
    for (const row of rows) addToIndex(index, liveRecord(row));
  }
  return index;
}

/** Returns the records of a scope alive at each of some revisions, by name and type. Uses two indexes: of live rows and of ended ones. */
export async function zonesAt(
  em: EntityManager,
  domainId: string,
  revisions: readonly number[],
  scope: ZoneScope,
): Promise<Map<number, LiveRecord[]>> {
  if (revisions.length === 0) return new Map();
  const { rows } = await sql<LiveRow & { revision: number }>`
    select at.revision, alive.*
    from ${jsonRows(revisions.map((revision) => ({ revision })))} as at (revision int)
    cross join lateral (
      select ${sql.raw(liveColumns.join(", "))} from records
        where domain_id = ${domainId} and until is null and since <= at.revision and ${scope.condition()}
      union all
      select ${sql.raw(liveColumns.join(", "))} from records
        where domain_id = ${domainId} and until > at.revision and since <= at.revision and ${scope.condition()}
    ) alive
    order by at.revision, alive.name, alive.record_type, alive.record_id
  `.execute(queries(em));
  const byRevision = Map.groupBy(rows, ({ revision }) => revision);
  return new Map([...byRevision].map(([revision, alive]) => [revision, alive.map(liveRecord)]));
}

/** Counts the records of a scope alive at each of some revisions: those begun until then less those ended. */
export async function countsAt(
  em: EntityManager,
  domainId: string,
  revisions: readonly number[],
  scope: ZoneScope,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ revision: number; total: string }>`
    select at.revision, sum(step.records) as total
    from ${jsonRows(revisions.map((revision) => ({ revision })))} as at (revision int)
    join (
      select since as revision, count(*) as records from records
        where domain_id = ${domainId} and ${scope.condition()} group by since
      union all
      select until, -count(*) from records
        where domain_id = ${domainId} and until is not null and ${scope.condition()} group by until
    ) step on step.revision <= at.revision
    group by at.revision
  `.execute(queries(em));
  return new Map(rows.map(({ revision, total }) => [revision, Number(total)]));
}

/** The live records of a zone that nothing else changes meanwhile, each name read once. */
export class LiveNames {
  readonly #em: EntityManager;
  readonly #domainId: string;
  readonly #read = new Map<string, LiveRecord[]>();

  constructor(em: EntityManager, domainId: string) {
    this.#em = em;
    this.#domainId = domainId;
  }

  /** Returns all live records of some names. */
  async at(names: readonly string[]): Promise<LiveRecord[]> {
    const wanted = [...new Set(names)];
    const missing = wanted.filter((name) => !this.#read.has(name));
    const found = await inChunks(missing, pageRows, (some) => liveAtNames(this.#em, this.#domainId, some));
    this.#remember(missing, found);
    return wanted.flatMap((name) => this.#read.get(name) ?? []);
  }

  /** Returns what reads names ahead, together with other statements of the transaction. */
  ahead(names: readonly string[]): Sent {
    return {
      statement: () => liveAtNamesStatement(this.#em, this.#domainId, names),
      answered: ({ rows }) => this.#remember(names, (rows as LiveRow[]).map(liveRecord)),
    };
  }

  #remember(names: readonly string[], records: readonly LiveRecord[]): void {
    const found = Map.groupBy(records, ({ name }) => name);
    for (const name of names) this.#read.set(name, found.get(name) ?? []);
  }
}

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
