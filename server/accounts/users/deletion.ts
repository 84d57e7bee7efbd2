import { queries, type EntityManager } from "../../database/database.ts";
import { AppError, badField } from "../../platform/errors.ts";
import { User } from "../../database/tables/users.ts";

/** Reassigns a user's domains to another user. @returns how many; @throws AppError CONFLICT if there are some and no new owner is named */
export async function reassignDomains(tx: EntityManager, user: User, reassignTo: string | undefined): Promise<number> {
  const owned = await queries(tx)
    .selectFrom("domains")
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .where("owner_id", "=", user.id)
    .executeTakeFirstOrThrow();
  const total = Number(owned.total);
  if (total === 0) return 0;
  if (reassignTo === undefined) {
    const count = total === 1 ? "1 domain" : `${total} domains`;
    throw new AppError(
      "CONFLICT",
      `${user.username} owns ${count}. Name the new owner in \`reassignTo\`, or delete the domains first.`,
    );
  }
  const heir = reassignTo === user.id ? null : await tx.findOne(User, { id: reassignTo, disabledAt: null });
  if (!heir) throw badField(["reassignTo"], "No user has this ID. Choose an existing user.");
  await queries(tx).updateTable("domains").set({ owner_id: heir.id }).where("owner_id", "=", user.id).execute();
  return total;
}

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
