import { queries, type EntityManager } from "../../../database/database.ts";

/** Ends the invitations of a user who loses the right to invite. @returns the number that were still open */
export async function endInvitations(tx: EntityManager, userId: string, now: Date): Promise<number> {
  const { numUpdatedRows } = await queries(tx)
    .updateTable("invitations")
    .set({ ended_at: now })
    .where("created_by", "=", userId)
    .where("ended_at", "is", null)
    .whereRef("uses", "<", "max_uses")
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
