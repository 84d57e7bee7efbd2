import { queries, type EntityManager } from "../../database/database.ts";

/** Takes a user who is being deleted from the records that name them as owner, in all versions. @returns how many live records did */
export async function leaveRecords(tx: EntityManager, userId: string): Promise<number> {
  const live = await queries(tx)
    .selectFrom("records")
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .where("owner_id", "=", userId)
    .where("until", "is", null)
    .executeTakeFirstOrThrow();
  await queries(tx).updateTable("records").set({ owner_id: null }).where("owner_id", "=", userId).execute();
  return Number(live.total);
}
