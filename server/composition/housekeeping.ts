import {
  deleteEndedSessions,
  deleteExpiredChallenges,
  deleteExpiredKeys,
  deleteExpiredLinks,
} from "../accounts/auth/housekeeping.ts";
import { deleteOldDeliveries } from "../notifications/channels/deliveries.ts";
import type { Database } from "../database/database.ts";
import { deleteOldAnswers } from "../api/idempotency.ts";
import { deleteOldBatches } from "../batches/store.ts";
import { deleteOldUpdateAnswers } from "../dns-service/updates/update-answers.ts";
import { deleteExpiredFlows } from "../identity/housekeeping.ts";

const batchRetentionMilliseconds = 90 * 24 * 3_600_000;

/** Deletes expired sessions, challenges, links, sign-ins, keys, deliveries and stored responses, and old batches. */
export async function deleteExpired(database: Database, now: Date): Promise<void> {
  await deleteEndedSessions(database.fork(), now);
  await deleteExpiredChallenges(database.fork(), now);
  await deleteExpiredLinks(database.fork(), now);
  await deleteExpiredKeys(database.fork(), now);
  await deleteExpiredFlows(database.fork(), now);
  await deleteOldDeliveries(database.fork(), now);
  await deleteOldAnswers(database.fork(), now);
  await deleteOldUpdateAnswers(database.fork(), now);
  await deleteOldBatches(database.fork(), new Date(now.getTime() - batchRetentionMilliseconds));
}
