import type { Kysely } from "kysely";
import type { Zone } from "../assignments/access.ts";
import type { Hosts } from "../assignments/hosts.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { Tables } from "../database/entities.ts";
import type { Paging } from "../database/one-page.ts";
import { repeated } from "../database/repeated-query.ts";
import { badField } from "../errors.ts";
import { parseOwner } from "../names/names.ts";
import { editableTypes, isEditableType } from "./record.ts";
import { ruleFor } from "./record-types.ts";
import type { LiveRecord } from "./live-record.ts";
import { liveColumns, liveRecord } from "./live-queries.ts";
import { nameSearch, type NameSearch } from "../database/name-search.ts";

/** What the text of a page without filters depends on: from which end it is read. */
const unfiltered = { asc: {}, desc: {} };

export interface RecordFilter extends Paging {
  type?: string | undefined;
  search?: string | undefined;
  /** The exact host, as a client writes it. */
  name?: string | undefined;
  /** The exact value, as a client writes it. */
  value?: string | undefined;
}

/**
 * A page of the live records that the caller sees, by name and type. Rows are counted only under a filter (the domain knows its size), and pages of
 * the second half are read from the end, so that the last page costs what the first does.
 */
export async function pageOfRecords(
  em: EntityManager,
  zone: Pick<Zone, "id" | "name" | "recordCount" | "rights">,
  filter: RecordFilter,
) {
  const { type, page, limit } = filter;
  const { sees } = zone.rights;
  const search =
    filter.search === undefined ? null : await nameSearch(filter.search, () => internationalNames(em, zone.id));
  const name = filter.name === undefined ? undefined : ownerOf(filter.name, zone.name);
  const values = filter.value === undefined ? undefined : spellings(filter.value, type);
  const filtered = [type, name, values].some((given) => given !== undefined) || search !== null || !sees.isAll;
  const matching = (db: Kysely<Tables>) => liveRecords(db, zone.id, { type, name, values, search, sees });
  const total = filtered ? await count(matching(queries(em))) : zone.recordCount;
  const start = (page - 1) * limit;
  const size = Math.min(limit, Math.max(0, total - start));
  if (size === 0) return { records: [], total, page, limit };
  const fromEnd = start > total / 2;
  const direction = fromEnd ? "desc" : "asc";
  const offset = fromEnd ? total - start - size : start;
  const query = (db: Kysely<Tables>) =>
    matching(db)
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
  return { records: rows.map((row) => recordView(zone.id, liveRecord(row))), total, page, limit };
}

/** @throws AppError BAD_REQUEST for what cannot be a record's name in the zone */
function ownerOf(name: string, zone: string): string {
  const parsed = parseOwner(name, zone);
  if (!parsed.ok) throw badField(["name"], parsed.message);
  return parsed.value;
}

/** A value as it was written, for types that are stored as they come, and in the canonical form of each type that takes it. */
function spellings(value: string, type: string | undefined): [type: string, value: string][] {
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
  /** Any of these; an empty type stands for each. */
  values: [type: string, value: string][] | undefined;
  search: NameSearch | null;
  sees: Hosts;
}

function liveRecords(db: Kysely<Tables>, domainId: string, { type, name, values, search, sees }: Conditions) {
  return db
    .selectFrom("records")
    .where("domain_id", "=", domainId)
    .where("until", "is", null)
    .$if(!sees.isAll, (query) => query.where(sees.condition()))
    .$if(type !== undefined, (query) => query.where("record_type", "=", type ?? ""))
    .$if(name !== undefined, (query) => query.where("name", "=", name ?? ""))
    .$if(values !== undefined, (query) =>
      query.where((eb) =>
        eb.or(
          (values ?? []).map(([of, value]) =>
            of === "" ? eb("value", "=", value) : eb.and([eb("record_type", "=", of), eb("value", "=", value)]),
          ),
        ),
      ),
    )
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
