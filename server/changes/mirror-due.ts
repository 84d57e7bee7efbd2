import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";

/** Makes the mirrors of a domain due, in the transaction that settles its change. @returns how many there are */
export async function makeMirrorsDue(
  tx: EntityManager,
  { domainId, revision, now }: { domainId: string; revision: number; now: Date },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update mirrors set wanted_revision = ${revision}, behind_since = coalesce(behind_since, ${now}::timestamptz),
      due_at = least(coalesce(due_at, ${now}::timestamptz), ${now}::timestamptz)
    where domain_id = ${domainId}::uuid
  `.execute(queries(tx));
  return Number(numAffectedRows);
}
