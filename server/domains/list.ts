import type { Expression, ExpressionBuilder, Kysely, SqlBool } from "kysely";
import { visibleDomains, type VisibleDomains } from "../assignments/access.ts";
import type { Caller } from "../auth/caller.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { Tables } from "../database/entities.ts";
import type { Paging } from "../database/one-page.ts";
import { repeated } from "../database/repeated-query.ts";
import { nameSearch, type NameSearch } from "../database/name-search.ts";
import { asSeen } from "./as-seen.ts";
import { hasStatus, type DomainStatus } from "./status.ts";
import { listColumns, listView } from "./view.ts";

export interface DomainFilter extends Paging {
  status?: DomainStatus | undefined;
  group?: string | undefined;
  tag?: string | undefined;
  search?: string | undefined;
}

/** A page of the domains that the caller may see, by name. */
export async function listDomains(em: EntityManager, caller: Caller, filter: DomainFilter, now: Date) {
  const { page, limit } = filter;
  const visible = await visibleDomains(em, caller);
  const search =
    filter.search === undefined ? null : await nameSearch(filter.search, () => internationalNames(em, visible));
  const offset = (page - 1) * limit;
  const query = (db: Kysely<Tables>) =>
    db
      .selectFrom("domains")
      .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
      .select(listColumns)
      .where((eb) => matches(eb, visible, filter, search, now))
      .orderBy("domains.name")
      .limit(limit)
      .offset(offset);
  const values = visible.anyAssigned ? null : valuesWithoutFilter(caller, filter);
  const rows = values
    ? await repeated(em, `domains of ${caller.role}`, [...values, limit, offset], query)
    : await query(queries(em)).execute();
  const count = await queries(em)
    .selectFrom("domains")
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .where((eb) => matches(eb, visible, filter, search, now))
    .executeTakeFirstOrThrow();
  const seen = await asSeen(em, rows, (row) => visible.seenOf(row));
  return { domains: seen.map((row) => listView(row, now)), total: Number(count.total), page, limit };
}

/** What the page without filters, which is asked for all the time, puts into its query; null under a filter. */
function valuesWithoutFilter(caller: Caller, { status, group, tag, search }: DomainFilter): string[] | null {
  if ([status, group, tag, search].some((value) => value !== undefined)) return null;
  return caller.role === "admin" ? [] : [caller.userId];
}

function matches(
  eb: ExpressionBuilder<Tables, "domains">,
  visible: VisibleDomains,
  filter: DomainFilter,
  search: NameSearch | null,
  now: Date,
): Expression<SqlBool> {
  const conditions = [visible.condition(eb)];
  if (filter.status !== undefined) conditions.push(hasStatus(eb, filter.status, now));
  if (filter.group !== undefined) conditions.push(eb("domains.group_name", "=", filter.group));
  if (filter.tag !== undefined) conditions.push(eb("domains.tags", "@>", eb.val([filter.tag])));
  if (search) conditions.push(eb("domains.name", search.operator, search.operand));
  return eb.and(conditions);
}

async function internationalNames(em: EntityManager, visible: VisibleDomains): Promise<string[]> {
  const rows = await queries(em)
    .selectFrom("domains")
    .select("name")
    .where("name", "like", "%xn--%")
    .where((eb) => visible.condition(eb))
    .execute();
  return rows.map(({ name }) => name);
}

/** The tags of the domains that the caller may see, with how many carry each. */
export async function countTags(em: EntityManager, caller: Caller) {
  const visible = await visibleDomains(em, caller);
  const carried = queries(em)
    .selectFrom("domains")
    .select((eb) => eb.fn<string>("unnest", ["domains.tags"]).as("tag"))
    .where((eb) => visible.condition(eb));
  const rows = await queries(em)
    .selectFrom(carried.as("carried"))
    .select((eb) => ["carried.tag as name", eb.fn.countAll<string>().as("count")])
    .groupBy("carried.tag")
    .orderBy("carried.tag")
    .execute();
  return { tags: rows.map(({ name, count }) => ({ name, count: Number(count) })) };
}
