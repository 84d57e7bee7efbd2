import { queries, type EntityManager } from "../database/database.ts";
import type { LiveRecord } from "./live-record.ts";
import { liveColumns, liveRecord } from "./live-queries.ts";
import { searchName } from "./search-name.ts";

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
  const { page, limit } = filter;
  const filtered = filter.type !== undefined || filter.search !== undefined;
  const total = filtered ? await countMatching(em, zone.id, filter) : zone.recordCount;
  const start = (page - 1) * limit;
  const size = Math.min(limit, Math.max(0, total - start));
  if (size === 0) return { records: [], total, page, limit };
  const fromEnd = start > total / 2;
  const direction = fromEnd ? "desc" : "asc";
  const rows = await matching(em, zone.id, filter)
    .select(liveColumns)
    .orderBy("name", direction)
    .orderBy("record_type", direction)
    .orderBy("record_id", direction)
    .limit(size)
    .offset(fromEnd ? total - start - size : start)
    .execute();
  if (fromEnd) rows.reverse();
  return { records: rows.map((row) => recordView(zone.id, liveRecord(row))), total, page, limit };
}

async function countMatching(em: EntityManager, domainId: string, filter: RecordFilter): Promise<number> {
  const { count } = await matching(em, domainId, filter)
    .select((eb) => eb.fn.countAll<string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function matching(em: EntityManager, domainId: string, { type, search }: RecordFilter) {
  return queries(em)
    .selectFrom("records")
    .where("domain_id", "=", domainId)
    .where("until", "is", null)
    .$if(type !== undefined, (query) => query.where("record_type", "=", type ?? ""))
    .$if(search !== undefined, (query) => query.where("name", "like", `%${searchName(search ?? "")}%`));
}

/** A record as answers show it. */
export function recordView(domainId: string, record: LiveRecord) {
  return { ...record, domainId };
}
