import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import { newId } from "../platform/ids.ts";

/** Leaves a change for the channels that hear of changes, in the transaction that settles it. Without such a channel, nothing is stored. */
export async function reportChange(
  tx: EntityManager,
  { changeSetId, tokenId, now }: { changeSetId: string; tokenId: string | null; now: Date },
): Promise<void> {
  await sql`
    insert into change_reports (id, change_set_id, token_id, due_at)
    select ${newId()}::uuid, ${changeSetId}::uuid, ${tokenId}::uuid, ${now}::timestamptz
    where exists (select from notification_channels where enabled and 'zone.changed' = any (events))
  `.execute(queries(tx));
}
