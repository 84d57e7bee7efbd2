import { queries, type EntityManager } from "../../../database/database.ts";

/** Takes every second factor from an account, recovery codes included: for whoever has lost theirs. @returns how many factors there were */
export async function removeAllFactors(tx: EntityManager, userId: string): Promise<number> {
  let removed = 0n;
  for (const table of ["totp_factors", "email_factors", "passkeys"] as const) {
    const { numDeletedRows } = await queries(tx).deleteFrom(table).where("user_id", "=", userId).executeTakeFirst();
    removed += numDeletedRows;
  }
  await queries(tx).deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  return Number(removed);
}
