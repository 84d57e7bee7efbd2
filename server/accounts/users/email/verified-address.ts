import { queries, type EntityManager } from "../../../database/database.ts";
import type { User } from "../../../database/tables/users.ts";

/** Returns the address for mail about the account; null if there is none or it is unverified. */
export function verifiedAddress({ email, emailVerifiedBy }: Pick<User, "email" | "emailVerifiedBy">): string | null {
  return typeof emailVerifiedBy === "string" ? (email ?? null) : null;
}

/**
 * Marks an address that the user verified by a link as unverified: an intruder may have set it. Addresses vouched for by administrators and
 * identity providers stay verified.
 * @returns whether there was such an address
 */
export async function distrustOwnLink(tx: EntityManager, userId: string): Promise<boolean> {
  const { numUpdatedRows } = await queries(tx)
    .updateTable("users")
    .set({ email_verified_by: null })
    .where("id", "=", userId)
    .where("email_verified_by", "=", "link")
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
