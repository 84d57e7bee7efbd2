import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import { newId } from "../platform/ids.ts";

/** Whether a channel hears of changes. */
export const isReported = sql<boolean>`exists (
  select from notification_channels where enabled and 'zone.changed' = any (events)
)`;

/** Leaves a change for the channels that hear of changes, in the transaction that settles it. */
export async function reportChange(
  tx: EntityManager,
  { changeSetId, tokenId, now }: { changeSetId: string; tokenId: string | null; now: Date },
): Promise<void> {
  await sql`
    insert into change_reports (id, change_set_id, token_id, due_at)
    values (${newId()}::uuid, ${changeSetId}::uuid, ${tokenId}::uuid, ${now}::timestamptz)
  `.execute(queries(tx));
}
