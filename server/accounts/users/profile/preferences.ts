import type { z } from "zod";
import type { Caller } from "../../../access/caller.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import { AppError } from "../../../platform/errors.ts";
import { lockOwnAccount } from "../lock-account.ts";
import type { preferences, updatePreferencesInput } from "./schemas.ts";

type Preferences = z.infer<typeof preferences>;

const none: Preferences = { pinnedZones: [], savedSearches: [], columns: {} };
const mostBytes = 64 * 1024;

/** Returns what a user chose for their own pages; empty lists if nothing. */
export async function readPreferences(em: EntityManager, userId: string): Promise<Preferences> {
  const row = await queries(em)
    .selectFrom("user_preferences")
    .select("preferences")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return { ...none, ...(row?.preferences as Partial<Preferences> | undefined) };
}

/**
 * Stores the given fields and keeps the others. The account's lock orders writers in two browsers.
 * @throws AppError BAD_REQUEST if all of them together are too large
 */
export async function writePreferences(
  em: EntityManager,
  caller: Caller,
  given: z.infer<typeof updatePreferencesInput>,
): Promise<Preferences> {
  return await em.transactional(async (tx) => {
    await lockOwnAccount(tx, caller);
    const next = { ...(await readPreferences(tx, caller.userId)) };
    if (given.pinnedZones) next.pinnedZones = given.pinnedZones;
    if (given.savedSearches) next.savedSearches = given.savedSearches;
    if (given.columns) next.columns = given.columns;
    const json = JSON.stringify(next);
    if (Buffer.byteLength(json) > mostBytes)
      throw new AppError(
        "BAD_REQUEST",
        "Your preferences would exceed 64 KiB. Remove a pinned zone or a saved search.",
      );
    await queries(tx)
      .insertInto("user_preferences")
      .values({ user_id: caller.userId, preferences: json })
      .onConflict((on) => on.column("user_id").doUpdateSet({ preferences: json }))
      .execute();
    return next;
  });
}
