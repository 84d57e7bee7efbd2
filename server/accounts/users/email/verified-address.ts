import { queries, type EntityManager } from "../../../database/database.ts";
import type { User } from "../../../database/tables/users.ts";

/** The address that mail about the account may go to; null where there is none or nobody has vouched for it. */
export function verifiedAddress({ email, emailVerifiedBy }: Pick<User, "email" | "emailVerifiedBy">): string | null {
  return typeof emailVerifiedBy === "string" ? (email ?? null) : null;
}

/**
 * Makes an address count as unverified that the user verified by a link: whoever had the account may have set it. What administrators and
 * identity providers vouched for stays.
 * @returns whether there was one
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
