import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import { jsonTexts } from "../database/json-rows.ts";
import type { Notice } from "./notify.ts";

/** The ids of those named who can be told in the application: each once, in one query, without whoever is disabled or does not wish it. */
export async function recipientsOf(em: EntityManager, { userIds = [], administrators = false }: Notice["to"]) {
  if (userIds.length === 0 && !administrators) return [];
  const rows = await queries(em)
    .selectFrom("users")
    .select("id")
    .where("disabled_at", "is", null)
    .where("notifications_enabled", "=", true)
    .where((eb) =>
      eb.or([
        eb("id", "in", sql<string>`(select value::uuid from ${jsonTexts(userIds)})`),
        ...(administrators ? [eb("role", "=", "admin")] : []),
      ]),
    )
    .execute();
  return rows.map(({ id }) => id);
}
