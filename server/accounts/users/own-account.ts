import type { EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import { User } from "../../database/tables/users.ts";

/**
 * Returns the account of a user who has just been authenticated. It may be gone: an instance can take a second to notice that another one
 * deleted it.
 * @throws AppError UNAUTHORIZED if the account no longer exists
 */
export async function ownAccount(em: EntityManager, userId: string): Promise<User> {
  const user = await em.findOne(User, { id: userId });
  if (user) return user;
  throw new AppError("UNAUTHORIZED", "This account no longer exists.");
}
