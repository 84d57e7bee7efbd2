import { queries, type EntityManager } from "../database/database.ts";

/** Keeps a domain from being deleted until the transaction ends. @returns its name; null where there is none with this id */
export async function holdDomain(tx: EntityManager, id: string): Promise<string | null> {
  const row = await queries(tx)
    .selectFrom("domains")
    .select("name")
    .where("id", "=", id)
    .forKeyShare()
    .executeTakeFirst();
  return row?.name ?? null;
}

/** The same by its canonical name. @returns its id */
export async function holdDomainNamed(tx: EntityManager, name: string): Promise<string | null> {
  const row = await queries(tx)
    .selectFrom("domains")
    .select("id")
    .where("name", "=", name)
    .forKeyShare()
    .executeTakeFirst();
  return row?.id ?? null;
}
