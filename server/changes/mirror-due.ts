import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";

/** Makes the mirrors of a domain due, in the transaction that settles its change. */
export async function makeMirrorsDue(
  tx: EntityManager,
  { domainId, revision, now }: { domainId: string; revision: number; now: Date },
): Promise<void> {
  await sql`
    update mirrors set wanted_revision = ${revision}, behind_since = coalesce(behind_since, ${now}::timestamptz),
      due_at = least(coalesce(due_at, ${now}::timestamptz), ${now}::timestamptz)
    where domain_id = ${domainId}::uuid
  `.execute(queries(tx));
}
