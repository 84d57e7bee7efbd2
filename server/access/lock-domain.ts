import { queries, type EntityManager } from "../database/database.ts";

/** Locks a domain against deletion until the transaction ends. @returns its name, or null if it does not exist */
export async function lockDomain(tx: EntityManager, id: string): Promise<string | null> {
  const row = await queries(tx)
    .selectFrom("domains")
    .select("name")
    .where("id", "=", id)
    .forKeyShare()
    .executeTakeFirst();
  return row?.name ?? null;
}

/** Like {@link lockDomain}, by canonical name. @returns its id, or null if it does not exist */
export async function lockDomainNamed(tx: EntityManager, name: string): Promise<string | null> {
  const row = await queries(tx)
    .selectFrom("domains")
    .select("id")
    .where("name", "=", name)
    .forKeyShare()
    .executeTakeFirst();
  return row?.id ?? null;
}
