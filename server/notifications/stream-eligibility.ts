import { sql } from "kysely";
import { liveSessions, type Identified } from "../access/authenticator.ts";
import { jsonTexts, queries, type EntityManager } from "../database/database.ts";

/** Whether a stream may receive notifications. `off`: the user turned them off; null: the session or token has ended. */
export type StreamEligibility = "welcome" | "off" | null;

/** Returns the eligibility for each credential, in the same order. Runs at most one query for sessions and one for personal tokens. */
export async function standings(
  em: EntityManager,
  now: Date,
  holders: readonly { identified: Identified }[],
): Promise<StreamEligibility[]> {
  const callers = holders.map(({ identified }) => identified.caller);
  const sessionIds = callers.flatMap(({ sessionId }) => sessionId ?? []);
  const tokenIds = callers.flatMap(({ tokenId }) => tokenId ?? []);
  const enabled = new Map<string, boolean>();
  if (sessionIds.length > 0) {
    const rows = await liveSessions(em, now)
      .select(["sessions.id", "users.notifications_enabled"])
      .where("sessions.id", "in", sql<string>`(select value::uuid from ${jsonTexts(sessionIds)})`)
      .execute();
    for (const row of rows) enabled.set(row.id, row.notifications_enabled);
  }
  if (tokenIds.length > 0) {
    const rows = await queries(em)
      .selectFrom("personal_tokens")
      .innerJoin("users", "users.id", "personal_tokens.user_id")
      .select(["personal_tokens.id", "users.notifications_enabled"])
      .where("personal_tokens.id", "in", sql<string>`(select value::uuid from ${jsonTexts(tokenIds)})`)
      .where("users.disabled_at", "is", null)
      .execute();
    for (const row of rows) enabled.set(row.id, row.notifications_enabled);
  }
  return callers.map(({ sessionId, tokenId }) => {
    const wished = enabled.get(sessionId ?? tokenId ?? "");
    return wished === undefined ? null : wished ? "welcome" : "off";
  });
}
