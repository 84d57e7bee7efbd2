import { sql, type RawBuilder } from "kysely";
import { jsonTexts, queries, type EntityManager } from "../../../database/database.ts";
import { AppError, badField, notFound } from "../../../platform/errors.ts";

/**
 * Refuses a revision whose state is not stored. Those of every revision since the domain's `historyFrom` are, and older ones that have a
 * snapshot.
 * @param field the field that names the revision
 * @throws AppError HISTORY_GONE; BAD_REQUEST for a revision in the future
 */
export async function requireStored(
  em: EntityManager,
  domainId: string,
  revision: number,
  field: string,
): Promise<void> {
  const domain = await queries(em)
    .selectFrom("domains")
    .select(["revision", "history_from"])
    .where("id", "=", domainId)
    .executeTakeFirstOrThrow(() => notFound("domain"));
  if (revision > domain.revision) {
    throw badField([field], `\`${field}\` must be at most ${domain.revision}, the current revision.`);
  }
  if (revision >= domain.history_from) return;
  const bookmarked = await queries(em)
    .selectFrom("snapshots")
    .select("id")
    .where("domain_id", "=", domainId)
    .where("revision", "=", revision)
    .limit(1)
    .executeTakeFirst();
  if (bookmarked) return;
  throw new AppError(
    "HISTORY_GONE",
    `The zone at revision ${revision} is no longer stored. Use revision ${domain.history_from} or newer, or one that has a snapshot.`,
  );
}

/** Returns the record versions of a zone as a table expression: the live ones, or those alive at a revision. One index serves each part. */
export function versionsAt(domainId: string, revision: number | null): RawBuilder<unknown> {
  const live = sql`select * from records where domain_id = ${domainId} and until is null`;
  if (revision === null) return sql`(${live})`;
  return sql`(
    ${live} and since <= ${revision}
    union all select * from records where domain_id = ${domainId} and until > ${revision} and since <= ${revision}
  )`;
}

/** Returns all stored versions of the records of some names as a table expression. One index serves the live ones, and one those that ended. */
export function versionsNamed(domainId: string, names: readonly string[]): RawBuilder<unknown> {
  const isNamed = sql`domain_id = ${domainId}::uuid and name in (select value collate "C" from ${jsonTexts(names)})`;
  return sql`(
    select * from records where until is null and ${isNamed}
    union all select * from records where until is not null and ${isNamed}
  )`;
}
