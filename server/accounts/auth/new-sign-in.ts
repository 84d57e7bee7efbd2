import { sql } from "kysely";

import { queries, type EntityManager } from "../../database/database.ts";
import type { TypedNotice } from "../../notifications/notify.ts";
import { clippedUserAgent, type ClientInfo } from "./sessions.ts";

/**
 * Returns the notice about a sign-in from a place that none of the user's sessions came from. Returns null for a known place and for an
 * account's first sign-in. Call it before creating the session.
 */
export async function newSignIn(em: EntityManager, userId: string, client: ClientInfo): Promise<TypedNotice | null> {
  const userAgent = clippedUserAgent(client);
  const row = await queries(em)
    .selectFrom("users")
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom("sessions")
            .select("sessions.id")
            .whereRef("sessions.user_id", "=", "users.id")
            .where(sql<boolean>`user_agent is not distinct from ${userAgent}::text`)
            .where(sql<boolean>`ip is not distinct from ${client.ip}::text`),
        )
        .as("known"),
    )
    .where("id", "=", userId)
    .where("last_login_at", "is not", null)
    .executeTakeFirst();
  if (!row || row.known) return null;
  return signInNotice(userId, { ...client, userAgent });
}

export function signInNotice(
  userId: string,
  { ip, userAgent }: Pick<ClientInfo, "ip" | "userAgent">,
): TypedNotice<"security.new_sign_in"> {
  const from = `${ip ?? "an unknown address"} with ${userAgent ?? "an unidentified program"}`;
  return {
    event: "security.new_sign_in",
    title: "New sign-in to your account",
    content: `Someone signed in from ${from}. If this was not you, change your password to end that session.`,
    level: "warning",
    metadata: { ip, userAgent },
    to: { userIds: [userId] },
  };
}
