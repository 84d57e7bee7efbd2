import { sql } from "kysely";
import { lockUsers } from "./lock-users.ts";
import { queries, type EntityManager } from "../database/database.ts";

/** A token that ended. */
export interface EndedToken {
  id: string;
  user_id: string;
  name: string;
}

/** Takes a domain that is deleted from the tokens that are narrowed to it. Deletes and returns those that name no other. */
export async function endNarrowedTokens(tx: EntityManager, domainId: string): Promise<EndedToken[]> {
  const named = queries(tx)
    .selectFrom("personal_tokens")
    .select(["id", "user_id"])
    .where(sql<boolean>`domain_ids @> array[${domainId}]::uuid[]`)
    .orderBy("id");
  await lockUsers(
    tx,
    (await named.execute()).map(({ user_id: userId }) => userId),
  );
  const ids = (await named.forUpdate().execute()).map(({ id }) => id);
  if (ids.length === 0) return [];
  // After the lock: another deletion may have taken all others.
  const ended = await queries(tx)
    .deleteFrom("personal_tokens")
    .where("id", "in", ids)
    .where(sql<boolean>`domain_ids = array[${domainId}]::uuid[]`)
    .returning(["id", "user_id", "name"])
    .execute();
  await queries(tx)
    .updateTable("personal_tokens")
    .set({ domain_ids: sql`array_remove(domain_ids, ${domainId}::uuid)` })
    .where("id", "in", ids)
    .execute();
  return ended;
}
