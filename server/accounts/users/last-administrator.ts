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
  const administrators = await queries(tx)
    .selectFrom("users")
    .select("id")
    .where("role", "=", "admin")
    .where("disabled_at", "is", null)
    .orderBy("id")
    .forUpdate()
    .execute();
  if (administrators.length !== 1 || administrators[0]?.id !== userId) return;
  throw new AppError("CONFLICT", `The last administrator cannot be ${what}. Make another user an administrator first.`);
}
