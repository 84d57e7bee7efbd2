import { queries, type EntityManager } from "../../database/database.ts";

/** Deletes sign-ins that no second factor completed in time, and what authenticators did not sign in time. */
export async function deleteExpiredChallenges(em: EntityManager, now: Date): Promise<void> {
  await queries(em).deleteFrom("passkey_challenges").where("expires_at", "<=", now).execute();
  await queries(em).deleteFrom("sign_in_challenges").where("expires_at", "<=", now).execute();
}
