import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import { authorDeleted } from "./store.ts";

/** Withdraws the open requests of a domain that is being deleted. @returns how many */
export async function withdrawForDomain(tx: EntityManager, domainId: string, now: Date): Promise<number> {
  const withdrawn = await queries(tx)
    .updateTable("change_requests")
    .set({
      state: "withdrawn",
      applying_token: null,
      applying_at: null,
      reason: "The domain was deleted.",
      closed_at: now,
    })
    .where("domain_id", "=", domainId)
    .where("closed_at", "is", null)
    .executeTakeFirst();
  return Number(withdrawn.numUpdatedRows);
}

/**
 * Withdraws the open requests of a user who is being deleted. What only they approved is approved no longer.
 * @returns how many were withdrawn
 */
export async function withdrawForUser(tx: EntityManager, userId: string, now: Date): Promise<number> {
  const withdrawn = await queries(tx)
    .updateTable("change_requests")
    .set({ state: "withdrawn", reason: authorDeleted, closed_at: now })
    .where("author_id", "=", userId)
    .where("closed_at", "is", null)
    // One that is being applied ends as its change does.
    .where("applying_token", "is", null)
    .executeTakeFirst();
  await sql`
    update change_requests r set state = 'open'
    where r.state = 'approved'
      and exists (select from change_request_reviews v where v.change_request_id = r.id and v.user_id = ${userId})
      and not exists (
        select from change_request_reviews v
        where v.change_request_id = r.id and v.verdict = 'approve' and v.user_id <> ${userId}
      )
  `.execute(queries(tx));
  return Number(withdrawn.numUpdatedRows);
}
