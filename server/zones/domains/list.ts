import { sql, type Expression, type ExpressionBuilder, type Kysely, type RawBuilder, type SqlBool } from "kysely";
import { visibleDomains, type Visibility, type VisibleDomains } from "../../access/visible-domains.ts";
import { hasPermission, type Caller, type ZoneScope } from "../../access/caller.ts";
import { jsonTexts, queries, type EntityManager, repeated } from "../../database/database.ts";
import type { Tables } from "../../database/tables/all.ts";
import { escapeLike, hasTag, nameSearch, sliceOf, type NameSearch, type Slice } from "../../database/query-helpers.ts";
import { AppError, badField } from "../../platform/errors.ts";
import { ownerWithin, parseLabels, shown, parseNamedView, parseView, splitQualified } from "../../dns/names/names.ts";
import { lastChangesOf } from "../changes/history.ts";
import { givenView, namedDomain, theView } from "./identity.ts";
import { domainStatuses, listColumns, listView, type DomainStatus } from "./view.ts";
import { z } from "zod";
import { id, line, optionalFlag, paging, timestampInput } from "../../api/schemas.ts";

/** The sort fields of the domain list. */
const sorts = ["name", "expiresAt", "recordCount", "updatedAt", "drift", "provider"] as const;

export const tagCounts = z
  .object({
    tags: z
      .array(
        z.object({
          name: z.string().meta({
            description: "Tag, as most domains have it: `Prod` and `prod` are one.",
            example: "production",
          }),
          count: z.int().meta({ description: "Number of domains with this tag.", example: 4 }),
        }),
      )
      .meta({ description: "Sorted by name." }),
    groups: z
      .array(
        z.object({
          name: z.string().meta({ description: "Group label.", example: "Customers" }),
          count: z.int().meta({ description: "Number of domains in this group.", example: 4 }),
        }),
      )
      .meta({ description: "The groups in use, sorted by name." }),
    views: z
      .array(
        z.object({
          name: z.string().meta({ description: "View; empty: the default view.", example: "internal" }),
          count: z.int().meta({ description: "Number of domains in this view.", example: 4 }),
        }),
      )
      .meta({ description: "The views in use, sorted by name." }),
  })
  .meta({ id: "TagCounts", description: "The tags, groups and views in use." });

export const listDomainsInput = z
  .strictObject({
    ...paging(20, 100),
    status: z
      .enum(domainStatuses, "This must be active, expiring, expired or disabled.")
      .optional()
      .meta({ description: "Only domains with this status." }),
    group: line(100).optional().meta({ description: "Only domains in this group." }),
    ungrouped: optionalFlag("`true`: only domains without a group. `false`: only the others."),
    tag: line(50).optional().meta({ description: "Only domains with this tag, in any case." }),
    search: line(253).optional().meta({
      description:
        "Only domains whose name contains this text, in Unicode or A-labels. After `!`, the view begins with it.",
    }),
    name: line(1024, 1)
      .optional()
      .meta({
        description:
          "Only the domain with exactly this name, in Unicode or A-labels. A view may follow: `example.com!internal`. Without one, returns " +
          "the default view, or the only one. Returns 409 if there is no default view and several others.",
        example: "example.com",
      }),
    view: line(63)
      .optional()
      .meta({ description: "Only domains in this view; `default`: in the default view.", example: "internal" }),
    providerConfigId: id("Only domains with this provider configuration.").optional(),
    expiresFrom: timestampInput("Only domains that expire at or after this time.").optional(),
    expiresBefore: timestampInput("Only domains that expire before this time.").optional(),
    drift: optionalFlag(
      "`true`: only domains that differ from their provider or cannot be read there. `false`: only the others.",
    ),
    sort: z
      .enum(sorts.flatMap((field) => [field, `-${field}` as const]))
      .optional()
      .meta({
        description:
          "Sort order, then by name; a leading `-` reverses it. Unknown dates come last. `drift`: oldest difference " +
          "first. `provider`: by the name of the provider configuration. Default: `name`.",
        example: "-expiresAt",
      }),
  })
  .prefault({});

export type DomainFilter = z.output<typeof listDomainsInput>;

type DomainSort = NonNullable<DomainFilter["sort"]>;

/** Returns a page of the domains that the caller may see. */
export async function listDomains(em: EntityManager, caller: Caller, filter: DomainFilter, now: Date) {
  const { page, limit } = filter;
  const { rows, total } = await pageOfRows(em, await visibleDomains(em, caller), filter, now);
  return { domains: rows.map((row) => listView(row, now)), total, page, limit };
}

/**
 * Like {@link listDomains}, with who last changed the records of each domain, as its history shows it. Callers who see only some of a domain's
 * records learn nothing of its other changes.
 */
export async function listWithLastChanges(em: EntityManager, caller: Caller, filter: DomainFilter, now: Date) {
  const { page, limit } = filter;
  const visible = await visibleDomains(em, caller);
  const { rows, total } = await pageOfRows(em, visible, filter, now);
  const whole = hasPermission(caller, "records:read") ? rows.filter((row) => visible.seenOf(row).isAll) : [];
  const last = await lastChangesOf(
    em,
    whole.map(({ id }) => id),
  );
  const domains = rows.map((row) => Object.assign(listView(row, now), { lastChange: last.get(row.id) ?? null }));
  return { domains, total, page, limit };
}

async function pageOfRows(em: EntityManager, visible: VisibleDomains, filter: DomainFilter, now: Date) {
  const { page, limit } = filter;
  const view = filter.view === undefined ? {} : { view: givenView(filter.view) };
  const named = filter.name === undefined ? {} : await namedDomain(em, visible, filter.name, view.view);
  const wanted = { ...filter, ...view, ...named };
  const search = filter.search === undefined ? null : await searchOf(em, visible, filter.search);
  const condition = (eb: ExpressionBuilder<Tables, "domains">) => matches(eb, visible, wanted, search, now);
  const count = await queries(em)
    .selectFrom("domains")
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .where(condition)
    .executeTakeFirstOrThrow();
  const total = Number(count.total);
  const slice = sliceOf(total, (page - 1) * limit, limit);
  if (slice.size === 0) return { rows: [], total };
  const query = (db: Kysely<Tables>) => pageQuery(db, condition, slice, orderOf(visible, filter.sort ?? "name", slice));
  const rows = isUnfiltered(filter)
    ? await repeated(em, shapeOf(visible.visibility, slice), [...visible.parameters, slice.size, slice.offset], query)
    : await query(queries(em)).execute();
  if (slice.fromEnd) rows.reverse();
  const seen = await restrictToVisibleRecords(em, rows, (row) => visible.seenOf(row));
  return { rows: seen, total };
}

/** The cache keys of the query for a page without filters that is read from the end. */
const fromTheEnd = new WeakMap<Visibility, object>();

function shapeOf(visibility: Visibility, { fromEnd }: Slice): object {
  if (!fromEnd) return visibility;
  const shape = fromTheEnd.get(visibility) ?? {};
  fromTheEnd.set(visibility, shape);
  return shape;
}

/** The order of a list, read from either end. */
interface Order {
  columns: RawBuilder<unknown>;
  isByProvider: boolean;
}

/** Selects the domains of a page in its order. Skips rows by their names, which indexes have, and reads only those that it shows. */
function pageQuery(
  db: Kysely<Tables>,
  condition: (eb: ExpressionBuilder<Tables, "domains">) => Expression<SqlBool>,
  { size, offset }: Slice,
  { columns, isByProvider }: Order,
) {
  // No index orders domains by a name of another table. But one has the first of each configuration, among which are those of the page.
  const ofEach = (eb: ExpressionBuilder<Tables, "provider_configs">) =>
    eb
      .selectFrom("domains")
      .select(["domains.name", "domains.view"])
      .whereRef("domains.provider_config_id", "=", "provider_configs.id")
      .where(condition)
      .orderBy(columns)
      .limit(offset + size)
      .as("domains");
  const named = isByProvider
    ? db.selectFrom("provider_configs").innerJoinLateral(ofEach, (join) => join.onTrue())
    : db.selectFrom("domains").where(condition);
  return db
    .selectFrom(named.select(["domains.name", "domains.view"]).orderBy(columns).limit(size).offset(offset).as("page"))
    .innerJoin("domains", (join) =>
      join.onRef("domains.name", "=", "page.name").onRef("domains.view", "=", "page.view"),
    )
    .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
    .select(listColumns)
    .orderBy(columns);
}

/**
 * Restricts partly visible domains to the records that the caller sees: counts only those, in one query for all domains. Omits drift,
 * which describes the whole zone.
 */
export async function restrictToVisibleRecords<Row extends { id: string; record_count: number }>(
  em: EntityManager,
  rows: Row[],
  seenOf: (row: Row) => ZoneScope,
): Promise<Row[]> {
  const narrowed = rows.map((row) => ({ row, scope: seenOf(row) })).filter(({ scope }) => !scope.isAll);
  if (narrowed.length === 0) return rows;
  const each = narrowed.map(
    ({ row: { id }, scope }) => sql`
      select ${id}::text as id, count(*) as total from records
      where domain_id = ${id} and until is null and ${scope.condition()}`,
  );
  const counted = await sql<{ id: string; total: string }>`${sql.join(each, sql` union all `)}`.execute(queries(em));
  const totals = new Map(counted.rows.map(({ id, total }) => [id, Number(total)]));
  return rows.map((row) => {
    const total = totals.get(row.id);
    return total === undefined ? row : { ...row, record_count: total, drift_found_at: null, drift_error: null };
  });
}

/** Returns whether there are no filters. That page is requested most, and its SQL depends only on what the caller may see. */
function isUnfiltered({ page: _page, limit: _limit, ...filters }: DomainFilter): boolean {
  return Object.values(filters).every((value) => value === undefined);
}

function matches(
  eb: ExpressionBuilder<Tables, "domains">,
  visible: VisibleDomains,
  filter: DomainFilter,
  search: DomainSearch | null,
  now: Date,
): Expression<SqlBool> {
  const conditions = [visible.condition(eb)];
  if (filter.status !== undefined) conditions.push(hasStatus(eb, filter.status, now));
  if (filter.ungrouped !== undefined)
    conditions.push(eb("domains.group_name", filter.ungrouped === "true" ? "is" : "is not", null));
  if (filter.group !== undefined) conditions.push(eb("domains.group_name", "=", filter.group));
  if (filter.tag !== undefined) conditions.push(hasTag("domains", filter.tag));
  if (filter.name !== undefined) conditions.push(eb("domains.name", "=", filter.name));
  if (filter.view !== undefined) conditions.push(eb("domains.view", "=", filter.view));
  if (filter.providerConfigId !== undefined) {
    conditions.push(eb("domains.provider_config_id", "=", filter.providerConfigId));
  }
  if (filter.expiresFrom) conditions.push(eb("domains.expires_at", ">=", filter.expiresFrom));
  if (filter.expiresBefore) conditions.push(eb("domains.expires_at", "<", filter.expiresBefore));
  if (filter.drift === "true") conditions.push(eb("domains.drift_found_at", "is not", null), visible.wholly());
  if (filter.drift === "false") {
    conditions.push(eb.or([eb("domains.drift_found_at", "is", null), eb.not(visible.wholly())]));
  }
  if (search) conditions.push(eb("domains.name", search.name.operator, search.name.operand));
  if (search?.view === "") conditions.push(eb("domains.view", "=", ""));
  if (search?.view) conditions.push(eb("domains.view", "like", `${escapeLike(search.view)}%`));
  return eb.and(conditions);
}

/** Returns a SQL condition for a status, which can use indexes. */
function hasStatus(eb: ExpressionBuilder<Tables, "domains">, status: DomainStatus, now: Date): Expression<SqlBool> {
  if (status === "disabled") return eb("domains.status", "=", "disabled");
  const enabled = eb("domains.status", "=", "active");
  if (status === "expired") return eb.and([enabled, eb("domains.expires_at", "<=", now)]);
  if (status === "expiring")
    return eb.and([enabled, eb("domains.expiring_from", "<=", now), eb("domains.expires_at", ">", now)]);
  return eb.and([enabled, eb.or([eb("domains.expiring_from", "is", null), eb("domains.expiring_from", ">", now)])]);
}

/** Returns the order of a sort, without revealing the record count or drift of a domain that the caller sees only in part. */
function orderOf(visible: VisibleDomains, sort: DomainSort, { fromEnd }: Slice): Order {
  const field = sort.replace(/^-/, "") as (typeof sorts)[number];
  const direction = (isDescending: boolean) => sql.raw(isDescending === fromEnd ? "asc" : "desc");
  const [to, then] = [direction(sort.startsWith("-")), direction(false)];
  if (field === "name") return { columns: sql`domains.name ${to}, domains.view ${to}`, isByProvider: false };
  const size = sql.ref("domains.record_count");
  const by = {
    expiresAt: sql.ref("domains.expires_at"),
    updatedAt: sql.ref("domains.updated_at"),
    recordCount: visible.ifWhole(size),
    drift: visible.ifWhole(sql.ref("domains.drift_found_at")),
    provider: sql.ref("provider_configs.name"),
  }[field];
  // Only what may be null says where nulls come: the indexes of the others are read from either end.
  const isNullable =
    !["updatedAt", "provider"].includes(field) && (field !== "recordCount" || visible.ifWhole(size) !== size);
  const nulls = sql.raw(isNullable ? (fromEnd ? "nulls first" : "nulls last") : "");
  const columns = sql`${by} ${to} ${nulls}, domains.name ${then}, domains.view ${then}`;
  return { columns, isByProvider: field === "provider" };
}

/**
 * Returns the longest domain that the caller may see and that holds a host name, with the host relative to it.
 * @throws AppError BAD_REQUEST, NOT_FOUND, CONFLICT if several views hold it and none is the default
 */
export async function findZoneOf(em: EntityManager, caller: Caller, hostName: string, now: Date) {
  const { name: host, view } = splitQualified(hostName);
  const parsed = parseLabels(host, true);
  if (!parsed.ok) throw badField(["name"], `The name must be a full host name, but ${parsed.message}.`);
  const wanted = view === null ? null : parseNamedView(view);
  if (wanted && !wanted.ok) throw badField(["name"], wanted.message);
  const name = parsed.value.labels.join(".");
  const suffixes = parsed.value.labels.map((_, index) => parsed.value.labels.slice(index).join("."));
  const visible = await visibleDomains(em, caller);
  const holding = queries(em)
    .selectFrom("domains")
    .where("domains.name", "in", suffixes)
    .$if(wanted !== null, (query) => query.where("domains.view", "=", wanted?.value ?? ""))
    .where((eb) => visible.condition(eb));
  const longest = holding
    .select("domains.name")
    .orderBy(sql`length(domains.name)`, "desc")
    .limit(1);
  const rows = await holding
    .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
    .select(listColumns)
    .where("domains.name", "=", longest)
    .orderBy("domains.view")
    .execute();
  const [first] = rows;
  if (!first) throw new AppError("NOT_FOUND", `No domain that you may see holds ${shown(hostName)}.`);
  const views = rows.map((each) => each.view);
  const chosen = theView(first.name, views);
  const row = rows.find((each) => each.view === chosen) ?? first;
  const [seen = row] = await restrictToVisibleRecords(em, [row], (each) => visible.seenOf(each));
  return { domain: listView(seen, now), host: ownerWithin(name, row.name) ?? "@" };
}

/** Conditions of a search: part of a name and, after an exclamation mark, the beginning of a view. */
interface DomainSearch {
  name: NameSearch;
  view: string | null;
}

function viewPrefix(text: string): string {
  const parsed = parseView(text);
  return parsed.ok ? parsed.value : text.toLowerCase();
}

async function searchOf(em: EntityManager, visible: VisibleDomains, search: string): Promise<DomainSearch> {
  const { name, view } = splitQualified(search);
  return {
    name: await nameSearch(name, () => internationalNames(em, visible)),
    view: view === null || view === "" ? null : viewPrefix(view),
  };
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

/** Groups, and views, that are counted for one answer. */
const mostLabels = 1_000;

/** Returns the tags, groups and views of the domains that the caller may see, each with the number of domains. */
export async function countTags(em: EntityManager, caller: Caller) {
  const visible = await visibleDomains(em, caller);
  const carried = queries(em)
    .selectFrom("domains")
    .select((eb) => eb.fn<string>("unnest", ["domains.tags"]).as("tag"))
    .where((eb) => visible.condition(eb));
  const spelled = queries(em)
    .selectFrom(carried.as("carried"))
    .select((eb) => ["carried.tag", eb.fn.countAll<string>().as("count")])
    .groupBy("carried.tag");
  const tagged = queries(em)
    .selectFrom(spelled.as("spelled"))
    .select((eb) => [
      sql<string>`(array_agg(tag order by count desc, tag))[1]`.as("name"),
      eb.fn.sum<string>("count").as("count"),
      sql<boolean>`count(*) > 1`.as("isMixed"),
    ])
    .groupBy(sql`lower(tag)`)
    .orderBy("name");
  const labelled = (column: "group_name" | "view") =>
    queries(em)
      .selectFrom("domains")
      .select((eb) => [eb.ref(column).as("name"), eb.fn.countAll<string>().as("count")])
      .where((eb) => visible.condition(eb))
      .groupBy(column)
      .orderBy(column);
  // Two of these read every domain, which PostgreSQL does on two cores.
  const [rows, inGroups, named] = await Promise.all([
    tagged.execute(),
    labelled("group_name").execute(),
    labelled("view").where("view", "<>", "").execute(),
  ]);
  // Most domains are in the default view: the rest of all, which have been counted by group.
  const inDefault = sum(inGroups) - sum(named);
  const views = [...(inDefault > 0 ? [{ name: "", count: String(inDefault) }] : []), ...named];
  const groups = inGroups.filter(({ name }) => name !== null);
  return {
    tags: counted(await onceADomain(em, visible, rows)),
    groups: counted(groups.slice(0, mostLabels)),
    views: counted(views.slice(0, mostLabels)),
  };
}

/** Counts tags with several spellings again, by domains: earlier versions let a domain have two of them. */
async function onceADomain(
  em: EntityManager,
  visible: VisibleDomains,
  tags: readonly (Count & { name: string; isMixed: boolean })[],
): Promise<Count[]> {
  const mixed = tags.filter(({ isMixed }) => isMixed).map(({ name }) => name);
  if (mixed.length === 0) return [...tags];
  const named = sql<{ name: string }>`(select value as name from ${jsonTexts(mixed)})`;
  const rows = await queries(em)
    .selectFrom(named.as("mixed"))
    .select((eb) => [
      "mixed.name",
      eb
        .selectFrom("domains")
        .select((one) => one.fn.countAll<string>().as("count"))
        .where((one) => visible.condition(one))
        .where(hasTag("domains", sql.ref("mixed.name")))
        .as("count"),
    ])
    .execute();
  const counts = new Map(rows.map(({ name, count }) => [name, count]));
  return tags.map(({ name, count }) => ({ name, count: counts.get(name) ?? count }));
}

interface Count {
  name: string | null;
  count: string;
}

/** Returns the domains in all of some counts. */
function sum(counts: readonly Count[]): number {
  return counts.reduce((all, { count }) => all + Number(count), 0);
}

function counted(rows: readonly Count[]) {
  return rows.map(({ name, count }) => ({ name: name ?? "", count: Number(count) }));
}
