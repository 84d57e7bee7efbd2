import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { ZoneScope } from "../access/zone-scope.ts";
import { escapeLike } from "../database/escape-like.ts";
import { nameSearch, type NameSearch } from "../database/name-search.ts";
import { parseOwner, toALabel, withAsciiDots } from "../dns/names/names.ts";
import { ruleFor } from "../dns/record-types.ts";
import { editableTypes, type RecordStatus } from "../dns/record.ts";
import { isWritableType } from "../dns/server-managed.ts";
import { badField } from "../platform/errors.ts";

/** What a client filters a zone's records by. */
export interface RecordConditions {
  type?: string | undefined;
  /** Part of a name. */
  search?: string | undefined;
  /** Part of a name, value or comment. */
  filter?: string | undefined;
  /** The exact host, as a client writes it. */
  name?: string | undefined;
  /** The exact value, as a client writes it. */
  value?: string | undefined;
  /** Records with this status only. */
  status?: RecordStatus | undefined;
  /** `true`: locked records only. */
  locked?: "true" | "false" | undefined;
  /** Records with this owner only. */
  ownerId?: string | undefined;
  /** `true`: records whose review date has passed only. */
  reviewDue?: "true" | "false" | undefined;
}

/** The SQL conditions on a zone's records: those with versions, and server-managed ones, which have no comments. */
export interface SqlConditions {
  versions: RawBuilder<SqlBool>;
  managed: RawBuilder<SqlBool>;
}

/**
 * Returns the conditions of a filter, or null if every record matches.
 * @param internationalNames returns the zone's names that have A-labels
 * @throws AppError BAD_REQUEST for a name that no record of the zone can have
 */
export async function conditionsOf(
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
