import type { z } from "zod";
import type { searchRecordsInput } from "./schemas.ts";
import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { Caller } from "../../access/caller.ts";
import { likePattern, parseHostPattern } from "../../access/host-pattern.ts";
import { visibleDomains, type VisibleDomains } from "../../access/visible-domains.ts";
import { liveColumns, liveRecord } from "../changes/state/live-queries.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { escapeLike, hasTag } from "../../database/query-helpers.ts";
import { knownKind } from "../../dns-providers/kinds.ts";
import { ruleFor } from "../../dns/record-types.ts";
import { toALabel, withAsciiDots, parseView, qualifiedName, splitQualified } from "../../dns/names/names.ts";
import { AppError, badField } from "../../platform/errors.ts";
import { isServerManaged } from "../../dns/zone-file/type-names.ts";
import { recordView, spellings } from "./list.ts";

export type RecordSearch = z.infer<typeof searchRecordsInput>;

/** Counting and sorting stop here, so that a common text costs no more than a rare one. */
const mostFound = 10_000;
/** A search that takes longer is canceled, because it holds a connection. */
const longestSeconds = 10;

/**
 * Returns a page of the live records that match, over every zone that the caller may see, by domain and name. Of more than 10,000
 * matches, considers some 10,000.
 * @throws AppError BAD_REQUEST
 */
export async function searchRecords(em: EntityManager, caller: Caller, given: RecordSearch) {
  const { page, limit } = given;
  const filter = withNamedView(given);
  const asked = [filter.search, filter.value, filter.host, filter.comment];
  if (asked.every((each) => each === undefined))
    throw badField(
      ["search"],
      "Send `search`, `value`, `host` or `comment`. To list the records of one domain, use its own list.",
    );
  const visible = await visibleDomains(em, caller);
  const scope = scopeOf(visible, filter);
  const sources = filter.search === undefined ? [sql<SqlBool>`true`] : sourcesOf(filter.search);
  const found = sources.map(
    (source) => sql`(
      select r.record_id, r.domain_id, r.name, r.record_type from records r
      where r.until is null and ${source} and ${valueCondition(filter)} and ${scope}
      limit ${mostFound + 1}
    )`,
  );
  const offset = Math.min((page - 1) * limit, mostFound);
  const columns = sql.join(liveColumns.map((column) => sql.ref(`r.${column}`)));
  // `offset 0` has each domain looked up by its id: the planner expects as many as may be found, and would read all domains instead.
  const query = sql<FoundRow>`
    with considered as materialized (select * from (${sql.join(found, sql` union `)}) each_source limit ${mostFound + 1}),
    found as materialized (select * from considered where ${inDefaultView(filter)})
    select counted.total, counted.considered, d.name as domain_name, d.view as domain_view, d.provider_signed, d.kind, r.domain_id, ${columns}
    from (
      select (select count(*)::int from found) as total, (select count(*)::int from considered) as considered
    ) counted
    left join lateral (
      select found.record_id, found.domain_id from found
      cross join lateral (select name, view from domains where id = found.domain_id offset 0) d
      order by d.name, d.view, found.name, found.record_type, found.record_id
      limit ${Math.min(limit, mostFound - offset)} offset ${offset}
    ) shown on true
    left join records r on r.record_id = shown.record_id and r.until is null
    left join lateral (
      select domains.name, view, provider_signed, kind from domains
      join provider_configs on provider_configs.id = provider_config_id
      where domains.id = shown.domain_id offset 0
    ) d on true
    order by d.name, d.view, r.name, r.record_type, r.record_id
  `;
  const { rows } = await em.transactional(async (tx) => {
    await sql`set local statement_timeout = ${sql.lit(longestSeconds * 1000)}`.execute(queries(tx));
    return await query.execute(queries(tx)).catch((error: unknown) => {
      throw isTimeout(error) ? tooLong(error) : error;
    });
  });
  const { total = 0, considered = 0 } = rows[0] ?? {};
  const records = rows.flatMap((row) => (row.record_id === null ? [] : shownRecord(row)));
  return { records, total: Math.min(total, mostFound), totalIsExact: considered <= mostFound, page, limit };
}

/** PostgreSQL's query_canceled. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "57014";
}

function tooLong(cause: unknown): AppError {
  return new AppError("UNAVAILABLE", "The search took too long. Narrow it with a longer text, `type` or `tag`.", {
    cause,
  });
}

/** Moves a view that ends the searched text, `www.example.com!internal`, to the filter of the same name. */
function withNamedView(filter: RecordSearch): RecordSearch {
  const { name, view } = splitQualified(filter.search?.trim() ?? "");
  if (view === null || view === "" || filter.view !== undefined || !parseView(view).ok || name.length < 3)
    return filter;
  return { ...filter, search: name, view };
}

type FoundRow = {
  total: number;
  considered: number;
  domain_name: string;
  domain_view: string;
  provider_signed: boolean;
  kind: string;
  domain_id: string;
} & Parameters<typeof liveRecord>[0];

function shownRecord(row: FoundRow) {
  const record = liveRecord(row);
  const domainName = qualifiedName({ name: row.domain_name, view: row.domain_view });
  const shown = recordView(row.domain_id, record, row.provider_signed && isServerManaged(record));
  return { ...shown, domainName, providerId: knownKind(row.kind).id };
}

/** Returns the condition on `records r` for the filters on its domain, and for what the caller may see. */
function scopeOf(visible: VisibleDomains, filter: RecordSearch): RawBuilder<SqlBool> {
  const { type, host, comment, tag, group, view } = filter;
  const conditions = [visible.records("r")];
  if (host !== undefined) conditions.push(hostCondition(host));
  if (comment !== undefined)
    conditions.push(sql<SqlBool>`lower(r.comment) like ${containing(comment.trim().toLowerCase())}`);
  if (type !== undefined) conditions.push(sql<SqlBool>`r.record_type = ${type}`);
  const ofDomain = [
    ...(tag === undefined ? [] : [hasTag("d", tag)]),
    ...(group === undefined ? [] : [sql`d.group_name = ${group}`]),
    ...(view === undefined || view === "" ? [] : [sql`d.view = ${viewOf(view)}`]),
  ];
  if (ofDomain.length > 0) {
    conditions.push(sql<SqlBool>`r.domain_id in (select d.id from domains d where ${sql.join(ofDomain, sql` and `)})`);
  }
  return sql.join(conditions, sql` and `);
}

/** @throws AppError BAD_REQUEST */
function hostCondition(host: string): RawBuilder<SqlBool> {
  const pattern = parseHostPattern(host.trim(), null);
  if (!pattern.ok) throw badField(["host"], pattern.message);
  if (!pattern.value.includes("*")) return sql<SqlBool>`r.name = ${pattern.value}`;
  return sql<SqlBool>`r.name like ${likePattern(pattern.value)}`;
}

/**
 * Returns the condition on what is found that its domain is in the default view. Most are, so that found domains are looked up one by one
 * (`offset 0`) instead of reading all.
 */
function inDefaultView({ view }: RecordSearch): RawBuilder<SqlBool> {
  if (view !== "") return sql<SqlBool>`true`;
  return sql<SqlBool>`exists (select from domains d where d.id = considered.domain_id and d.view = '' offset 0)`;
}

function viewOf(view: string): string {
  const parsed = parseView(view);
  if (!parsed.ok) throw badField(["view"], parsed.message);
  return parsed.value;
}

function valueCondition({ value, type }: RecordSearch): RawBuilder<SqlBool> {
  if (value === undefined) return sql<SqlBool>`true`;
  const each = spellings(value, type).map(([ofType, spelling]) =>
    ofType === "" ? sql`r.value = ${spelling}` : sql`(r.value = ${spelling} and r.record_type = ${ofType})`,
  );
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
}

/**
 * Returns conditions on `records r` that together find a text in hosts, values and full names. Each has an index of its own, so they are
 * separate queries. A text with a dot may begin in the host and end in the zone's name. An IPv6 address is also found as it is stored.
 */
function sourcesOf(search: string): RawBuilder<SqlBool>[] {
  const text = search.trim().toLowerCase();
  // Whole labels in Unicode are found as A-labels.
  const name = withAsciiDots(text)
    .replace(/\.$/, "")
    .split(".")
    .map((label) => toALabel(label) ?? label)
    .join(".");
  const address = ruleFor("AAAA").write(text, null);
  const parts = [text, name, ...(address.ok ? [address.value.value] : [])];
  const across = splitsOf(name).map(
    ([host, zone]) => sql<SqlBool>`(
      r.name <> '@' and r.name like ${`%${escapeLike(host)}`} and r.domain_id in (select d.id from domains d where d.name like ${`${escapeLike(zone)}%`})
    )`,
  );
  return [
    sql<SqlBool>`r.name like ${containing(name)}`,
    ...[...new Set(parts)].map((part) => sql<SqlBool>`lower(r.value) like ${containing(part)}`),
    sql<SqlBool>`r.domain_id in (select d.id from domains d where d.name like ${containing(name)})`,
    ...across,
  ];
}

function containing(part: string): string {
  return `%${escapeLike(part)}%`;
}

/** A name has at most 127 labels; a search rarely more than a few. */
const mostSplits = 8;

/** Returns the ways to split a name into the end of a host and the beginning of a zone, of the last labels only. */
function splitsOf(name: string): [host: string, zone: string][] {
  const labels = name.split(".");
  const splits = labels
    .slice(1)
    .map((_, index): [string, string] => [labels.slice(0, index + 1).join("."), labels.slice(index + 1).join(".")]);
  return splits.slice(-mostSplits).filter(([host, zone]) => host !== "" || zone !== "");
}
