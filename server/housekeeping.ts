import { deleteEndedSessions } from "./auth/housekeeping.ts";
import { PasswordReset } from "./auth/password-reset/entities.ts";
import { deleteExpiredChallenges } from "./auth/second-factors/housekeeping.ts";
import type { Database } from "./database/database.ts";
import { deleteOldDeliveries } from "./channels/deliveries.ts";
import { deleteExpiredTrips } from "./identity/housekeeping.ts";

/** Deletes what has ended or expired and is of no use to anybody. */
export async function deleteExpired(database: Database, now: Date): Promise<void> {
  await deleteEndedSessions(database.fork(), now);
  await deleteExpiredChallenges(database.fork(), now);
  await database.fork().nativeDelete(PasswordReset, { expiresAt: { $lt: now } });
  await deleteExpiredTrips(database.fork(), now);
  await deleteOldDeliveries(database.fork(), now);
}
