import { sql, type Selectable } from "kysely";
import type { Caller } from "../../access/caller.ts";
import { fromJson, jsonRows, queries, type EntityManager } from "../../database/database.ts";
import { onePage, type Paging } from "../../database/query-helpers.ts";
import type { Tables } from "../../database/tables/all.ts";
import { batchKinds, type BatchItemState, type BatchKind } from "../../database/tables/bulk.ts";
import { newId } from "../../platform/ids.ts";
import { inChunks } from "../../platform/slices.ts";
import type { Batch, ExplainedRequest, ItemCounts, NewItem } from "./batch.ts";

const itemsPerStatement = 1_000;

/** Stores a batch with its items, in the caller's transaction. @returns its id */
export async function storeBatch(
  tx: EntityManager,
  caller: Caller,
  batch: { kind: BatchKind; request: unknown; force: boolean; revertsId: string | null; now: Date },
  items: readonly NewItem[],
): Promise<string> {
  const id = newId();
  await queries(tx)
    .insertInto("batches")
    .values({
      id,
      kind: batch.kind,
      user_id: caller.userId,
      token_id: caller.tokenId,
      ip: caller.ip,
      request_id: caller.requestId,
      request: JSON.stringify(batch.request),
      force: batch.force,
      reverts_id: batch.revertsId,
      state: "running",
      announced: 0,
      created_at: batch.now,
    })
    .execute();
  const rows = items.map(({ domainId, planHash, detail, error }, position) => ({
    id: newId(),
    position,
    domain: domainId,
    state: (error === null ? "waiting" : "failed") satisfies BatchItemState,
    hash: planHash,
    detail,
    error,
  }));
  await inChunks(rows, itemsPerStatement, async (some) => {
    // A domain that was deleted in the meantime has no item.
    await sql`
      insert into batch_items (id, batch_id, position, domain_id, state, plan_hash, detail, error)
      select r.id, ${id}::uuid, r.position, d.id, r.state, r.hash, r.detail, r.error
      from ${jsonRows(some)} as r (id uuid, position int, domain uuid, state text, hash text, detail jsonb, error text)
      join domains d on d.id = r.domain
    `.execute(queries(tx));
    return [];
  });
  return id;
}

export async function findBatch(em: EntityManager, id: string): Promise<Batch | null> {
  const row = await queries(em).selectFrom("batches").selectAll().where("id", "=", id).executeTakeFirst();
  return row ? batchOf(row) : null;
}

/** Whose batches to list; those of everybody by default. */
export interface BatchesOf {
  userId?: string | undefined;
  /** Null for none: sessions have no token. */
  tokenId?: string | null | undefined;
}

/** Returns a page of batches of the kinds that this version knows, newest first. */
export async function pageOfBatches(em: EntityManager, { userId, tokenId }: BatchesOf, paging: Paging) {
  const { rows, total } = await onePage(
    queries(em)
      .selectFrom("batches")
      .selectAll()
      .where("kind", "in", batchKinds)
      .$if(userId !== undefined, (query) => query.where("user_id", "=", userId ?? ""))
      .$if(tokenId !== undefined, (query) => query.where("token_id", "=", tokenId ?? ""))
      .orderBy("id", "desc"),
    paging,
  );
  return { batches: rows.map(batchOf), total };
}

/** The counts of a batch without items: all of its domains were deleted. */
export const noItems: ItemCounts = { total: 0, waiting: 0, running: 0, done: 0, failed: 0, skipped: 0 };

/** Returns how many items of some batches are in which state. */
export async function countItemsOf(em: EntityManager, ids: readonly string[]): Promise<Map<string, ItemCounts>> {
  const counts = new Map<string, ItemCounts>();
  if (ids.length === 0) return counts;
  const rows = await queries(em)
    .selectFrom("batch_items")
    .select(["batch_id", "state"])
    .select((eb) => eb.fn.countAll<string>().as("items"))
    .where("batch_id", "in", ids)
    .groupBy(["batch_id", "state"])
    .execute();
  for (const { batch_id: id, state, items } of rows) {
    const before = counts.get(id) ?? noItems;
    counts.set(id, { ...before, total: before.total + Number(items), [state]: Number(items) });
  }
  return counts;
}

/** Returns the batches that are not finished, oldest first; also those of kinds that only a later version knows. */
export async function openBatches(em: EntityManager): Promise<Batch[]> {
  const rows = await queries(em)
    .selectFrom("batches")
    .selectAll()
    .where("finished_at", "is", null)
    .orderBy("id")
    .execute();
  return rows.map(batchOf);
}

/** Returns whether this version knows what a batch does. */
export function isKnown({ kind }: Batch): boolean {
  return batchKinds.includes(kind);
}

function batchOf(row: Selectable<Tables["batches"]>): Batch {
  const request = fromJson(row.request);
  return {
    id: row.id,
    kind: row.kind,
    actor: { userId: row.user_id, tokenId: row.token_id, ip: row.ip, requestId: row.request_id },
    request,
    message: (request as ExplainedRequest).message ?? null,
    override: (request as ExplainedRequest).override ?? false,
    unlock: (request as ExplainedRequest).unlock ?? false,
    force: row.force,
    revertsId: row.reverts_id,
    state: row.state,
    reason: row.reason,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}

/** An item that is to be carried out. */
export interface ClaimedItem {
  id: string;
  domainId: string;
  planHash: string | null;
  detail: unknown;
}

/** Begins the next item of a batch. Returns null if none waits or the batch was stopped. */
export async function claimItem(em: EntityManager, batchId: string): Promise<ClaimedItem | null> {
  const { rows } = await sql<{ id: string; domain_id: string; plan_hash: string | null; detail: unknown }>`
    update batch_items set state = 'running' where id = (
      select i.id from batch_items i
      where i.batch_id = ${batchId} and i.state = 'waiting'
        and exists (select from batches b where b.id = i.batch_id and b.state = 'running')
      order by i.position limit 1 for update of i skip locked
    ) returning id, domain_id, plan_hash, detail
  `.execute(queries(em));
  const [row] = rows;
  if (!row) return null;
  return { id: row.id, domainId: row.domain_id, planHash: row.plan_hash, detail: fromJson(row.detail) };
}

/** Ends an item. One that has been carried out stays so, whoever says otherwise. @returns its detail, or null if it stays as it was */
export async function endItem(
  em: EntityManager,
  id: string,
  end: { changeSetId: string | null; error: string | null },
): Promise<{ detail: unknown } | null> {
  const { changeSetId, error } = end;
  const row = await queries(em)
    .updateTable("batch_items")
    .set({ state: error === null ? "done" : "failed", change_set_id: changeSetId, error })
    .where("id", "=", id)
    .where("state", "<>", "done")
    .returning("detail")
    .executeTakeFirst();
  return row ? { detail: fromJson(row.detail) } : null;
}

/** Replaces an item's detail, unless a change set carries it out already. */
export async function storeDetail(em: EntityManager, id: string, detail: unknown): Promise<void> {
  await sql`
    update batch_items set detail = ${JSON.stringify(detail)}::jsonb
    where id = ${id} and not exists (select from change_sets where batch_item_id = ${id})
  `.execute(queries(em));
}

/** Gives an item back that was begun but has not touched its domain. */
export async function giveBack(em: EntityManager, id: string): Promise<void> {
  await sql`
    update batch_items i set error = null, state = case when b.state = 'running' then 'waiting' else 'skipped' end
    from batches b where b.id = i.batch_id and i.id = ${id} and i.state = 'running'
  `.execute(queries(em));
}

/** Notes why the outcome of an item is not known yet. */
export async function noteUnknown(em: EntityManager, id: string, error: string): Promise<void> {
  await queries(em)
    .updateTable("batch_items")
    .set({ error })
    .where("id", "=", id)
    .where("state", "=", "running")
    .execute();
}

/** Lets an item be carried out again whose change set is known to have done nothing. That change set stays in the history. */
export async function detachChangeSet(em: EntityManager, itemId: string): Promise<void> {
  await em.transactional(async (tx) => {
    await queries(tx)
      .updateTable("change_sets")
      .set({ batch_item_id: null })
      .where("batch_item_id", "=", itemId)
      .where("state", "=", "failed")
      .execute();
    await giveBack(tx, itemId);
  });
}

/** Returns items that were begun and not ended. */
export async function begunItems(em: EntityManager, batchId: string) {
  return await queries(em)
    .selectFrom("batch_items")
    .leftJoin("change_sets", "change_sets.batch_item_id", "batch_items.id")
    .select(["batch_items.id", "batch_items.domain_id", "batch_items.error", "change_sets.state"])
    .where("batch_items.batch_id", "=", batchId)
    .where("batch_items.state", "=", "running")
    .execute();
}

/** Returns the change set of an item, or null. */
export async function changeSetOf(em: EntityManager, itemId: string) {
  const row = await queries(em)
    .selectFrom("change_sets")
    .select(["id", "state", "revision", "failures", "repaired", "unknown", "creates", "updates", "deletes"])
    .where("batch_item_id", "=", itemId)
    .executeTakeFirst();
  return row ?? null;
}

/** Begins no further items of a batch. @param reason null if a user stopped it */
export async function stopBatch(em: EntityManager, id: string, reason: string | null): Promise<void> {
  await em.transactional(async (tx) => {
    const stopped = await queries(tx)
      .updateTable("batches")
      .set({ state: "stopping", reason })
      .where("id", "=", id)
      .where("state", "=", "running")
      .returning("id")
      .executeTakeFirst();
    if (!stopped) return;
    await queries(tx)
      .updateTable("batch_items")
      .set({ state: "skipped" })
      .where("batch_id", "=", id)
      .where("state", "=", "waiting")
      .execute();
  });
}

/** Ends a batch that has no item left, in the caller's transaction. @returns whether this call ended it */
export async function endBatch(tx: EntityManager, id: string, now: Date): Promise<boolean> {
  const ended = await sql`
    update batches set finished_at = ${now}::timestamptz, state = case state when 'stopping' then 'stopped' else 'done' end
    where id = ${id} and finished_at is null
      and not exists (select from batch_items where batch_id = ${id} and state in ('waiting', 'running'))
  `.execute(queries(tx));
  return ended.numAffectedRows === 1n;
}

/** Notes a percentage as announced. @returns whether it was not announced before */
export async function announce(tx: EntityManager, id: string, percent: number): Promise<boolean> {
  const noted = await queries(tx)
    .updateTable("batches")
    .set({ announced: percent })
    .where("id", "=", id)
    .where("announced", "<", percent)
    .executeTakeFirst();
  return noted.numUpdatedRows === 1n;
}

export async function countItems(em: EntityManager, batchId: string): Promise<ItemCounts> {
  return (await countItemsOf(em, [batchId])).get(batchId) ?? noItems;
}

/** Deletes batches that finished before a time. Their changes stay in the history. */
export async function deleteOldBatches(em: EntityManager, before: Date): Promise<void> {
  await queries(em).deleteFrom("batches").where("finished_at", "<", before).execute();
}
