import type { Actor } from "./actor.ts";
import type { Caller } from "./caller.ts";
import { narrowingOf, type NarrowingRow } from "./narrowing.ts";
import type { Permission } from "./permissions.ts";
import { queries, type EntityManager } from "../database/database.ts";

/**
 * Returns the caller behind work that goes on after their call, with the rights that they have now. Null if the user was deleted or
 * disabled, or if the personal token that started the work was deleted, has expired or lacks the permission. A session may end meanwhile.
 */
export async function presentCaller(
  em: EntityManager,
  actor: Actor,
  permission: Permission,
  now: Date,
): Promise<Caller | null> {
  const row = await queries(em)
    .selectFrom("users")
    .leftJoin("personal_tokens as token", (join) =>
      join.onRef("token.user_id", "=", "users.id").on("token.id", "=", actor.tokenId),
    )
    .select(["users.id", "users.username", "users.role", "token.permissions", "token.expires_at"])
    .select(["token.domain_ids", "token.host_pattern", "token.record_types"])
    .where("users.id", "=", actor.userId)
    .where("users.disabled_at", "is", null)
    .executeTakeFirst();
  if (!row) return null;
  const caller = { ...actor, userId: row.id, username: row.username, role: row.role, sessionId: null, at: now };
  if (actor.tokenId === null) return { ...caller, permissions: "all", narrowing: null };
  const isValid = row.permissions?.includes(permission) === true && (!row.expires_at || row.expires_at > now);
  const limited = {
    permissions: new Set(row.permissions as Permission[]),
    narrowing: narrowingOf(row as NarrowingRow),
  };
  return isValid ? { ...caller, ...limited } : null;
}
