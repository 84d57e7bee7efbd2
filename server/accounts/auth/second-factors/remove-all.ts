import { queries, type EntityManager } from "../../../database/database.ts";

/** Removes every second factor of an account, and its recovery codes, for a user who lost them. @returns the number of factors removed */
export async function removeAllFactors(tx: EntityManager, userId: string): Promise<number> {
  let removed = 0n;
  for (const table of ["totp_factors", "email_factors", "passkeys"] as const) {
    const { numDeletedRows } = await queries(tx).deleteFrom(table).where("user_id", "=", userId).executeTakeFirst();
    removed += numDeletedRows;
  }
  await queries(tx).deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  return Number(removed);
}
