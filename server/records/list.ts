import type { Kysely } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import type { Tables } from "../database/entities.ts";
import { repeated } from "../database/repeated-query.ts";
import type { LiveRecord } from "./live-record.ts";
import { liveColumns, liveRecord } from "./live-queries.ts";
import { nameSearch, type NameSearch } from "../database/name-search.ts";

export interface RecordFilter {
  type?: string | undefined;
  search?: string | undefined;
  page: number;
  limit: number;
}

/**
 * A page of live records by name and type. Rows are counted only under a filter (the domain knows its size), and pages of
 * the second half are read from the end, so that the last page costs what the first does.
 */
export async function pageOfRecords(
  em: EntityManager,
  zone: { id: string; recordCount: number },
  filter: RecordFilter,
) {
  const { type, page, limit } = filter;
  const search =
    filter.search === undefined ? null : await nameSearch(filter.search, () => internationalNames(em, zone.id));
  const filtered = type !== undefined || search !== null;
  const total = filtered ? await count(liveRecords(queries(em), zone.id, type, search)) : zone.recordCount;
  const start = (page - 1) * limit;
  const size = Math.min(limit, Math.max(0, total - start));
  if (size === 0) return { records: [], total, page, limit };
  const fromEnd = start > total / 2;
  const direction = fromEnd ? "desc" : "asc";
  const offset = fromEnd ? total - start - size : start;
  const query = (db: Kysely<Tables>) =>
    liveRecords(db, zone.id, type, search)
      .select(liveColumns)
      .orderBy("name", direction)
      .orderBy("record_type", direction)
      .orderBy("record_id", direction)
      .limit(size)
      .offset(offset);
  const rows = filtered
    ? await query(queries(em)).execute()
    : await repeated(em, `records ${direction}`, [zone.id, size, offset], query);
  if (fromEnd) rows.reverse();
  return { records: rows.map((row) => recordView(zone.id, liveRecord(row))), total, page, limit };
}

function liveRecords(db: Kysely<Tables>, domainId: string, type: string | undefined, search: NameSearch | null) {
  return db
    .selectFrom("records")
    .where("domain_id", "=", domainId)
    .where("until", "is", null)
    .$if(type !== undefined, (query) => query.where("record_type", "=", type ?? ""))
    .$if(search !== null, (query) => (search ? query.where("name", search.operator, search.operand) : query));
}

async function count(matching: ReturnType<typeof liveRecords>): Promise<number> {
  const { total } = await matching.select((eb) => eb.fn.countAll<string>().as("total")).executeTakeFirstOrThrow();
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

/** A record as answers show it. */
export function recordView(domainId: string, record: LiveRecord) {
  return { ...record, domainId };
}
