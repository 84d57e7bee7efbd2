import { type SelectQueryBuilder, sql, type RawBuilder, type SqlBool } from "kysely";
import { jsonTexts, queries, type EntityManager } from "./database.ts";
import { toUnicodeName, withAsciiDots } from "../dns/names/names.ts";
import { entities, type Tables } from "./tables/all.ts";
import { UniqueConstraintViolationException } from "@mikro-orm/core";
import { type AppError, isLockConflict } from "../platform/errors.ts";
import { setTimeout as sleep } from "node:timers/promises";

/** Escapes text for a `like` pattern so that it matches literally: `_` is valid in names but a wildcard in patterns. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

/** Returns the condition that a domain has a tag, in whatever case. @param domains the table or its alias */
export function hasTag(domains: string, tag: string | RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(`${domains}.folded_tags`)} @> fold_tags(array[${tag}]::text[])`;
}

export interface Paging {
  /** From 1. */
  page: number;
  limit: number;
}

/** The part of a list that a page shows, read from the nearer end. */
export interface Slice {
  size: number;
  offset: number;
  fromEnd: boolean;
}

/** Returns the part of a list of `total` rows that a page shows. @param start where the page begins in this list; below 0 if it begins in the list before. */
export function sliceOf(total: number, start: number, limit: number): Slice {
  const first = Math.max(0, start);
  const size = Math.max(0, Math.min(start + limit, total) - first);
  const fromEnd = first > total / 2;
  return { size, offset: fromEnd ? total - first - size : first, fromEnd };
}

/** Returns one page of a query's rows, in its order, and the total count. */
export async function onePage<DB, TB extends keyof DB, Row>(
  found: SelectQueryBuilder<DB, TB, Row>,
  { page, limit }: Paging,
): Promise<{ rows: Row[]; total: number }> {
  const rows = await found
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  const counting = found.clearSelect().clearOrderBy();
  const [counted] = await counting
    .$castTo<{ total: string }>()
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .execute();
  return { rows, total: Number(counted?.total ?? 0) };
}

/**
 * Returns one page of a query's rows, newest first, and the total count. Skips rows by their ids, which indexes have, from the nearer end, and
 * reads only those of the page.
 *
 * @param found has no order
 * @param id the column of ids, which are in the order of time
 */
export async function newestPage<DB, TB extends keyof DB, Row>(
  found: SelectQueryBuilder<DB, TB, Row>,
  id: `${TB & string}.id`,
  { page, limit }: Paging,
): Promise<{ rows: Row[]; total: number }> {
  const keys = found.clearSelect();
  const [counted] = await keys
    .$castTo<{ total: string }>()
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .execute();
  const total = Number(counted?.total ?? 0);
  const { size, offset, fromEnd } = sliceOf(total, (page - 1) * limit, limit);
  if (size === 0) return { rows: [], total };
  const key = sql.ref<string>(id);
  const direction = fromEnd ? "asc" : "desc";
  const ids = keys.select(key.as("id")).orderBy(key, direction).limit(size).offset(offset);
  const rows = await found
    .where(sql<SqlBool>`${key} in (${ids})`)
    .orderBy(key, direction)
    .execute();
  return { rows: fromEnd ? rows.toReversed() : rows, total };
}

/** The right-hand side of a condition on a stored name. */
export type NameSearch = { operator: "like"; operand: string } | { operator: "in"; operand: RawBuilder<string> };

/**
 * Returns the condition that finds stored names containing a typed text, matched literally. Part of a U-label does not map to part of the
 * A-label (RFC 3492), so non-ASCII text is matched against the decoded internationalized names.
 */
export async function nameSearch(search: string, internationalNames: () => Promise<string[]>): Promise<NameSearch> {
  const part = withAsciiDots(search.normalize("NFKC")).toLowerCase();
  if (/^\p{ASCII}*$/u.test(part)) return { operator: "like", operand: `%${escapeLike(part)}%` };
  const found = (await internationalNames()).filter((name) => toUnicodeName(name).includes(part));
  return { operator: "in", operand: sql`(select value from ${jsonTexts(found)})` };
}

const columns = new Map<string, readonly string[]>(
  entities.map(({ meta }) => [meta.tableName, Object.keys(meta.properties).map(columnName)]),
);

/** The ORM names columns alike. */
function columnName(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns all columns of a table by their names. Unlike one with `selectAll`, a repeated statement with these is prepared. */
export function everyColumn<Table extends keyof Tables, Alias extends string = Table>(
  table: Table,
  alias: Alias | Table = table,
): `${Alias}.${keyof Tables[Table] & string}`[] {
  const names = columns.get(table) ?? [];
  return names.map((name) => `${alias}.${name}` as `${Alias}.${keyof Tables[Table] & string}`);
}

/** Awaits a write that may violate a unique index. @param taken returns the error to throw in that case; the cause names the index */
export async function mapUniqueViolation<T>(write: Promise<T>, taken: (cause: Error) => AppError): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) throw taken(error);
    throw error;
  }
}

/** Shorter than the second after which PostgreSQL looks for a deadlock: this side ends before the other is chosen. */
const lockMilliseconds = 250;
const mostAttempts = 40;
const longestPauseMilliseconds = 200;

/**
 * Runs a transaction that needs many rows, which others lock in other orders. If a row is not free soon, it gives back all locks and starts
 * anew, so that the others finish.
 * @throws Error of the last attempt, after about ten seconds
 */
export async function givingWay<Result>(
  em: EntityManager,
  work: (tx: EntityManager) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await em.fork().transactional(async (tx) => {
        await sql`set local lock_timeout = ${sql.lit(lockMilliseconds)}`.execute(queries(tx));
        return await work(tx);
      });
    } catch (error) {
      if (!isLockConflict(error) || attempt === mostAttempts) throw error;
    }
    await sleep(Math.random() * longestPauseMilliseconds);
  }
}
