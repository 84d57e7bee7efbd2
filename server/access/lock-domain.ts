import { queries, type EntityManager } from "../database/database.ts";
import { qualifiedName, splitQualified } from "../dns/names/views.ts";

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
 * @returns its id, or null if it does not exist or several views have the name
 */
export async function lockDomainNamed(tx: EntityManager, qualified: string): Promise<string | null> {
  const { name, view } = splitQualified(qualified);
  const rows = await queries(tx)
    .selectFrom("domains")
    .select(["id", "view"])
    .where("name", "=", name)
    .$if(view !== null, (query) => query.where("view", "=", view))
    .orderBy("view")
    .limit(2)
    .forKeyShare()
    .execute();
  const [first] = rows;
  return first && (first.view === "" || rows.length === 1) ? first.id : null;
}
