import { queries, type EntityManager } from "../../database/database.ts";
import { notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { SnapshotTrigger } from "../../database/tables/records.ts";

/**
 * Makes a snapshot of the zone's present revision. Touches two rows, whatever the size of the zone; must run in a transaction.
 * @returns the snapshot's id. @throws AppError NOT_FOUND
 */
export async function bookmark(
  tx: EntityManager,
  domainId: string,
  author: { trigger: SnapshotTrigger; createdBy: string | null; now: Date; name?: string | null },
): Promise<string> {
  const domain = await queries(tx)
    .updateTable("domains")
    .set((eb) => ({ snapshot_sequence: eb("snapshot_sequence", "+", 1) }))
    .where("id", "=", domainId)
    .returning(["snapshot_sequence", "revision", "record_count"])
    .executeTakeFirst();
  if (!domain) throw notFound("domain");
  const id = newId();
  await queries(tx)
    .insertInto("snapshots")
    .values({
      id,
      domain_id: domainId,
      version: domain.snapshot_sequence,
      revision: domain.revision,
      name: author.name ?? null,
      trigger: author.trigger,
      record_count: domain.record_count,
      created_by: author.createdBy,
      created_at: author.now,
    })
    .execute();
  return id;
}
