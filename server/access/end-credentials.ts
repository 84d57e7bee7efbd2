import { sql } from "kysely";
import { lockUsers } from "./lock-users.ts";
import { queries, type EntityManager } from "../database/database.ts";

/** A credential that ended, as the audit trail records it. */
interface EndedCredential {
  action: "token.delete" | "tsig_key.delete";
  targetType: "token" | "tsig_key";
  targetId: string;
  before: Readonly<Record<string, unknown>>;
}

/** Ends the credentials that are for a domain alone, before it is deleted. */
export async function endCredentials(tx: EntityManager, domainId: string): Promise<EndedCredential[]> {
  const named = queries(tx)
    .selectFrom("personal_tokens")
    .select(["id", "user_id"])
    .where(sql<boolean>`domain_ids @> array[${domainId}]::uuid[]`)
    .orderBy("id");
  const keys = queries(tx).selectFrom("tsig_keys").select("user_id").where("domain_id", "=", domainId);
  const owners = [...(await named.execute()), ...(await keys.execute())].map(({ user_id: userId }) => userId);
  await lockUsers(tx, owners);
  const tokenIds = (await named.forUpdate().execute()).map(({ id }) => id);
  return [...(await endKeys(tx, domainId)), ...(await endNarrowedTokens(tx, domainId, tokenIds))];
}

async function endKeys(tx: EntityManager, domainId: string): Promise<EndedCredential[]> {
  const ended = await queries(tx)
    .deleteFrom("tsig_keys")
    .where("domain_id", "=", domainId)
    .returning(["id", "user_id", "name", "key_name"])
    .execute();
  return ended.map(({ id, user_id: userId, name, key_name: keyName }) => ({
    action: "tsig_key.delete",
    targetType: "tsig_key",
    targetId: id,
    before: { userId, name, keyName, domainId },
  }));
}

/** Takes the domain from the locked tokens that are narrowed to it. Deletes and returns those that name no other. */
async function endNarrowedTokens(
  tx: EntityManager,
  domainId: string,
  ids: readonly string[],
): Promise<EndedCredential[]> {
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
  return ended.map(({ id, user_id: userId, name }) => ({
    action: "token.delete",
    targetType: "token",
    targetId: id,
    before: { userId, name, domainIds: [domainId] },
  }));
}
