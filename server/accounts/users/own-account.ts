import type { EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import { User } from "../../database/tables/users.ts";

/**
 * The account of somebody who was let in a moment ago. It may be gone: for a second nobody looks whether another instance has deleted it.
 * @throws AppError UNAUTHORIZED
 */
export async function ownAccount(em: EntityManager, userId: string): Promise<User> {
  const user = await em.findOne(User, { id: userId });
  if (user) return user;
  throw new AppError("UNAUTHORIZED", "This account does not exist any more.");
}
