import { sql, type Kysely, type RawBuilder, type SqlBool } from "kysely";
import type { Zone } from "../access/zone-access.ts";
import type { Hosts } from "../access/hosts.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { Tables } from "../database/tables/all.ts";
import type { Paging } from "../database/one-page.ts";
import { repeated } from "../database/repeated-query.ts";
import { badField } from "../platform/errors.ts";
import { parseOwner } from "../dns/names/names.ts";
import { editableTypes, isEditableType, type LiveRecord } from "../dns/record.ts";
import { ruleFor } from "../dns/record-types.ts";
import { liveColumns, liveRecord } from "../changes/state/live-queries.ts";
import { isServerManaged } from "../dns/server-managed.ts";
import { managedColumns, managedRecord, managedRecords } from "../changes/state/managed-queries.ts";
import { nameSearch, type NameSearch } from "../database/name-search.ts";

/** The cache keys of the query for a page without filters, one for each end that it is read from. */
const unfiltered = { asc: {}, desc: {} };

export interface RecordFilter extends Paging {
  type?: string | undefined;
  search?: string | undefined;
  /** The exact host, as a client writes it. */
  name?: string | undefined;
  /** The exact value, as a client writes it. */
  value?: string | undefined;
  /** `false` leaves out server-managed records. */
  serverManaged?: "true" | "false" | undefined;
}

/**
 * Returns a page of the live records that the caller sees, by name and type, followed by the server-managed ones. Counts rows only under a
 * filter, since the domain stores its size. Pages of the second half are read from the end, so that the last page costs what the first does.
 */
export async function pageOfRecords(
  em: EntityManager,
  zone: Pick<Zone, "id" | "name" | "recordCount" | "signed" | "serverManagedCount" | "rights">,
  filter: RecordFilter,
) {
  const { type, page, limit } = filter;
  const { sees } = zone.rights;
  const search =
    filter.search === undefined ? null : await nameSearch(filter.search, () => internationalNames(em, zone.id));
  const name = filter.name === undefined ? undefined : ownerOf(filter.name, zone.name);
  const values = filter.value === undefined ? undefined : spellings(filter.value, type);
  const filtered = [type, name, values].some((given) => given !== undefined) || search !== null || !sees.isAll;
  const matching = { type, name, values, search, sees };
  const live = filtered ? await countLive(em, zone.id, matching) : zone.recordCount;
  const maintained = filter.serverManaged === "false" ? 0 : zone.serverManagedCount;
  const managed = filtered && maintained > 0 ? await countManaged(em, zone.id, matching) : maintained;
  const start = (page - 1) * limit;
  const records = [
    ...(await liveSlice(em, zone, matching, { filtered, ...sliceOf(live, start, limit) })),
    ...(await managedSlice(em, zone.id, matching, sliceOf(managed, start - live, limit))),
  ];
  return { records, total: live + managed, page, limit };
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

async function liveSlice(
  em: EntityManager,
  zone: Pick<Zone, "id" | "signed">,
  matching: Conditions,
  { filtered, size, offset, fromEnd }: Slice & { filtered: boolean },
) {
  if (size === 0) return [];
  const direction = fromEnd ? "desc" : "asc";
  const query = (db: Kysely<Tables>) =>
    liveRecords(db, zone.id)
      .$if(filtered, (found) => found.where(condition(matching)))
      .select(liveColumns)
      .orderBy("name", direction)
      .orderBy("record_type", direction)
      .orderBy("record_id", direction)
      .limit(size)
      .offset(offset);
  const rows = filtered
    ? await query(queries(em)).execute()
    : await repeated(em, unfiltered[direction], [zone.id, size, offset], query);
  if (fromEnd) rows.reverse();
  return rows.map(liveRecord).map((record) => recordView(zone.id, record, zone.signed && isServerManaged(record)));
}

async function managedSlice(
  em: EntityManager,
  domainId: string,
  matching: Conditions,
  { size, offset, fromEnd }: Slice,
) {
  if (size === 0) return [];
  const direction = fromEnd ? "desc" : "asc";
  const rows = await managedRecords(queries(em), domainId)
    .where(condition(matching))
    .select(managedColumns)
    .orderBy("name", direction)
    .orderBy("record_type", direction)
    .orderBy("record_id", direction)
    .limit(size)
    .offset(offset)
    .execute();
  if (fromEnd) rows.reverse();
  return rows.map((row) => recordView(domainId, managedRecord(row), true));
}

/** @throws AppError BAD_REQUEST for a name that no record of the zone can have */
function ownerOf(name: string, zone: string): string {
  const parsed = parseOwner(name, zone);
  if (!parsed.ok) throw badField(["name"], parsed.message);
  return parsed.value;
}

/** Returns a value as written, for types that are stored unchanged, and in the canonical form of each type that accepts it. */
export function spellings(value: string, type: string | undefined): [type: string, value: string][] {
  const types = type === undefined ? editableTypes : [type].filter(isEditableType);
  const canonical = types.flatMap((each): [string, string][] => {
    const written = ruleFor(each).write(value, null);
    return written.ok ? [[each, written.value.value]] : [];
  });
  return [["", value], ...canonical];
}

interface Conditions {
  type: string | undefined;
  name: string | undefined;
  /** Any of these; an empty type stands for all types. */
  values: [type: string, value: string][] | undefined;
  search: NameSearch | null;
  sees: Hosts;
}

/** Returns the condition on columns that live and server-managed records both have. */
function condition({ type, name, values, search, sees }: Conditions): RawBuilder<SqlBool> {
  const conditions: RawBuilder<unknown>[] = [sql`true`];
  if (!sees.isAll) conditions.push(sees.condition());
  if (type !== undefined) conditions.push(sql`record_type = ${type}`);
  if (name !== undefined) conditions.push(sql`name = ${name}`);
  if (values !== undefined) {
    const each = values.map(([of, value]) =>
      of === "" ? sql`value = ${value}` : sql`(record_type = ${of} and value = ${value})`,
    );
    conditions.push(sql`(${sql.join(each, sql` or `)})`);
  }
  if (search) conditions.push(sql`name ${sql.raw(search.operator)} ${search.operand}`);
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

function liveRecords(db: Kysely<Tables>, domainId: string) {
  return db.selectFrom("records").where("domain_id", "=", domainId).where("until", "is", null);
}

async function countLive(em: EntityManager, domainId: string, matching: Conditions): Promise<number> {
  const { total } = await liveRecords(queries(em), domainId)
    .where(condition(matching))
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(total);
}

async function countManaged(em: EntityManager, domainId: string, matching: Conditions): Promise<number> {
  const { total } = await managedRecords(queries(em), domainId)
    .where(condition(matching))
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(total);
}

async function internationalNames(em: EntityManager, domainId: string): Promise<string[]> {
  const rows = await queries(em)
    .selectFrom("records")
    .select("name")
    .distinct()
    .where("domain_id", "=", domainId)
    .where("until", "is", null)
    .where("name", "like", "%xn--%")
    .execute();
  return rows.map(({ name }) => name);
}

/** Returns a record as answers show it. */
export function recordView(domainId: string, record: LiveRecord, serverManaged = false) {
  return { ...record, domainId, serverManaged };
}
