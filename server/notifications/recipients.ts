import { sql } from "kysely";
import { jsonTexts, queries, type EntityManager } from "../database/database.ts";
import type { Notice } from "../platform/events.ts";

export interface Person {
  id: string;
  username: string;
  administrator: boolean;
  /** Whether in-app notifications are enabled. */
  inApp: boolean;
  /** Whether email notifications are enabled and the address is verified. */
  byMail: boolean;
}

/** Returns all named users who are not disabled, each once, with one query. */
export async function personsOf(em: EntityManager, named: readonly Notice["to"][]): Promise<Person[]> {
  const userIds = [...new Set(named.flatMap((to) => to.userIds ?? []))];
  const administrators = named.some((to) => to.administrators === true);
  if (userIds.length === 0 && !administrators) return [];
  const rows = await queries(em)
    .selectFrom("users")
    .select(["id", "username", "role", "email_verified_by", "notifications_enabled", "email_notifications_enabled"])
    .where("disabled_at", "is", null)
    .where((eb) =>
      eb.or([
        eb("id", "in", sql<string>`(select value::uuid from ${jsonTexts(userIds)})`),
        ...(administrators ? [eb("role", "=", "admin")] : []),
      ]),
    )
    .execute();
  return rows.map((row) => ({
    id: row.id,
    username: row.username,
    administrator: row.role === "admin",
    inApp: row.notifications_enabled,
    byMail: row.email_notifications_enabled && row.email_verified_by !== null,
  }));
}

/** Returns the persons addressed by a notice. */
export function among(persons: readonly Person[], { userIds = [], administrators = false }: Notice["to"]): Person[] {
  const ids = new Set(userIds);
  return persons.filter(({ id, administrator }) => ids.has(id) || (administrators && administrator));
}
