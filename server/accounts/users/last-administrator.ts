import { queries, type EntityManager } from "../../database/database.ts";
import { lockAccount } from "./lock-account.ts";
import { AppError } from "../../platform/errors.ts";

/**
 * Keeps an installation from locking itself out. Locks the rows of all administrators until the transaction ends, so that two of them cannot
 * remove each other at the same time.
 * @throws AppError CONFLICT if the user is the only administrator who can sign in
 */
async function refuseLastAdministrator(
  tx: EntityManager,
  userId: string,
  what: "deleted" | "demoted" | "disabled",
): Promise<void> {
  if (!(await isLastAdministrator(tx, userId))) return;
  throw new AppError("CONFLICT", `The last administrator cannot be ${what}. Make another user an administrator first.`);
}

/**
 * Locks the row of a user who is to lose their account or role, after those of all administrators if they are one. Other users are locked
 * alone, because whoever holds such a row may wait for an administrator's.
 * @throws AppError CONFLICT if the user is the only administrator who can sign in
 */
export async function lockLosing(
  tx: EntityManager,
  userId: string,
  what: "deleted" | "demoted" | "disabled",
): Promise<void> {
  if (await isAdministrator(tx, userId)) await refuseLastAdministrator(tx, userId, what);
  await lockAccount(tx, userId);
  // Promoted in between.
  if (await isAdministrator(tx, userId)) await refuseLastAdministrator(tx, userId, what);
}

/** Returns whether a user is an administrator now. Their role stays only while their row is locked. */
async function isAdministrator(tx: EntityManager, userId: string): Promise<boolean> {
  const user = await queries(tx).selectFrom("users").select("role").where("id", "=", userId).executeTakeFirst();
  return user?.role === "admin";
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
