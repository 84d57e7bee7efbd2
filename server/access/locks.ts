import { queries, type EntityManager, jsonTexts } from "../database/database.ts";
import { parseView, qualifiedName, splitQualified } from "../dns/names/names.ts";
import { sql } from "kysely";

/** Locks a domain against deletion until the transaction ends. @returns its name and view, or null if it does not exist */
export async function lockDomain(tx: EntityManager, id: string): Promise<string | null> {
  const row = await queries(tx)
    .selectFrom("domains")
    .select(["name", "view"])
    .where("id", "=", id)
    .forKeyShare()
    .executeTakeFirst();
  return row ? qualifiedName(row) : null;
}

/**
 * Like {@link lockDomain}, by canonical name. A bare name means the default view, or the only one.
 * @returns its id, or null if it does not exist or several views have the name, which are then listed
 */
export async function lockDomainNamed(
  tx: EntityManager,
  given: string,
): Promise<{ id: string | null; views: string[] }> {
  const { name, view } = splitQualified(given);
  const parsed = view === null ? null : parseView(view);
  const rows = await queries(tx)
    .selectFrom("domains")
    .select(["id", "view"])
    .where("name", "=", name)
    .$if(parsed !== null, (query) => query.where("view", "=", parsed?.ok ? parsed.value : null))
    .orderBy("view")
    .forKeyShare()
    .execute();
  const [first, ...others] = rows;
  if (first && (first.view === "" || others.length === 0)) return { id: first.id, views: [] };
  return { id: null, views: rows.map((row) => qualifiedName({ name, view: row.view })) };
}

/**
 * Locks users against deletion until the transaction ends, those that are there. A transaction that notifies somebody about rows of theirs,
 * such as assignments or tokens, calls it before it locks these rows: sign-ins and changes of an account lock its row first, too. Domains are
 * locked before users.
 */
export async function lockUsers(tx: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    select from users where id in (select value::uuid from ${jsonTexts(ids)}) order by id for key share
  `.execute(queries(tx));
}
