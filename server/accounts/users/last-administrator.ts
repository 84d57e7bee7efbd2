import { queries, type EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";

/**
 * Keeps an installation from locking itself out. Locks the rows of all administrators until the transaction ends, so that two of them cannot
 * remove each other at the same time.
 * @throws AppError CONFLICT if the user is the only administrator who can sign in
 */
export async function refuseLastAdministrator(
  tx: EntityManager,
  userId: string,
  what: "deleted" | "demoted" | "disabled",
): Promise<void> {
  if (!(await isLastAdministrator(tx, userId))) return;
  throw new AppError("CONFLICT", `The last administrator cannot be ${what}. Make another user an administrator first.`);
}

/** Returns whether a user is the only administrator who can sign in. Locks the rows of all administrators until the transaction ends. */
export async function isLastAdministrator(tx: EntityManager, userId: string): Promise<boolean> {
  const administrators = await queries(tx)
    .selectFrom("users")
    .select("id")
    .where("role", "=", "admin")
    .where("disabled_at", "is", null)
    .orderBy("id")
    .forUpdate()
    .execute();
  return administrators.length === 1 && administrators[0]?.id === userId;
}
