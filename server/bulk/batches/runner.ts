import { setTimeout as sleep } from "node:timers/promises";
import { type Caller, presentCaller } from "../../access/caller.ts";
import { failureOfSet } from "../../zones/changes/settle.ts";
import { chosenToRevert, type Followers } from "../../zones/changes/follows.ts";
import type { ChangePipeline } from "../../zones/changes/pipeline.ts";
import type { RepairJob } from "../../zones/changes/repair.ts";
import { sizeSeen } from "../../zones/changes/state/live-queries.ts";
import type { Database, EntityManager } from "../../database/database.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { AppError, Fault, faultToAppError } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log.ts";
import { changesHash, refuseLoss } from "../../zones/records/editing/reviewed-plan.ts";
import { providerRefusals } from "../../zones/records/editing/plan-edits.ts";
import type { Batch, BatchPurposes, RecordsBatchKind } from "./batch.ts";
import { finishedNotice, progressNotice } from "./notices.ts";
import * as store from "./store.ts";

/** Domains changed concurrently. */
const atOnce = 4;
/** Items of a batch before the next batch has its turn. */
const itemsInTurn = 40;
/** A run ends by itself long before the queue would start another beside it. The next run goes on. */
const longestRunMilliseconds = 3_600_000;
const stopMilliseconds = 5_000;
/** Smaller batches announce only their end. */
const announcedItems = 20;
const announcedPercents = [75, 50, 25];

interface Parts {
  database: Database;
  pipeline: ChangePipeline;
  repair: RepairJob;
  followers: Followers;
  purposes: BatchPurposes;
  notifications: Notifications;
  log: Logger;
  now: () => Date;
}

/**
 * Carries out batches, domain by domain, each domain as one atomic change. It can be killed at any time:
 *
 * 1. An item is marked as begun before its domain is touched.
 * 2. The change set of a domain names the item. The database holds at most one change set for each item.
 * 3. A run first looks at the items that were begun and not ended. Without a change set, nothing was sent, and the item waits again. With
 *    one, its state is the item's outcome; while it is pending, the repair of the change pipeline finds out. If the zone shows that an
 *    interrupted change was never made, the item waits again, too.
 *
 * So a domain is changed once, even if two processes run the same batch. What else belongs to its changes is stored with the item's end.
 *
 * While an installation is upgraded, an instance of a later version may start a batch that this one does not know. It stays open, and the
 * later version carries it out: at once, or by its run of the next minute.
 */
export class BatchRunner {
  readonly #parts: Parts;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;
  /** Batches of a later version that the log has named. */
  readonly #left = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Goes on with what the last process left, without waiting until the queue notices that it is gone. */
  start(): void {
    const failed = (error: unknown) => this.#parts.log.error({ err: error }, "could not resume batches");
    void this.run(this.#stopping.signal).catch(failed);
  }

  /** Ends a run after the items in flight, and gives those a few seconds. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const ended = this.#running?.catch(() => undefined);
    await Promise.race([ended, sleep(stopMilliseconds, undefined, { ref: false })]);
  }

  /** Runs every open batch to its end, in turns. One run at a time in this process. @param signal ends the run after the items in flight */
  async run(signal?: AbortSignal): Promise<void> {
    while (this.#running) await this.#running.catch(() => undefined);
    const running = this.#run(signal);
    this.#running = running;
    try {
      await running;
    } finally {
      this.#running = null;
    }
  }

  async #run(signal: AbortSignal | undefined): Promise<void> {
    const until = performance.now() + longestRunMilliseconds;
    const resumed = new Set<string>();
    const goesOn = () => signal?.aborted !== true && performance.now() < until;
    for (let progressed = true; progressed && goesOn();) {
      progressed = false;
      for (const batch of await store.openBatches(this.#fork())) {
        if (!goesOn()) return;
        if (!store.isKnown(batch)) {
          this.#leave(batch);
          continue;
        }
        if (!resumed.has(batch.id)) await this.#resume(batch);
        resumed.add(batch.id);
        if (await this.#takeTurn(batch, goesOn)) progressed = true;
        await this.#conclude(batch);
      }
    }
  }

  /** Leaves a batch to the instances of the version that knows it. */
  #leave({ id, kind }: Batch): void {
    if (this.#left.has(id)) return;
    this.#left.add(id);
    this.#parts.log.warn({ batchId: id, kind }, "a job of a later version is left to instances of that version");
  }

  /** Ends the batch if it has no items left, and announces its progress. */
  async #conclude(batch: Batch): Promise<void> {
    const { notifications, purposes, now } = this.#parts;
    const title = purposes[batch.kind].title(batch.request);
    await this.#fork().transactional(async (tx) => {
      const ended = await store.endBatch(tx, batch.id, now());
      const counts = await store.countItems(tx, batch.id);
      if (ended) {
        const finished = await store.findBatch(tx, batch.id);
        if (finished) await notifications.notify(tx, finishedNotice(title, finished, counts));
        return;
      }
      const past = counts.total - counts.waiting - counts.running;
      const percent = announcedPercents.find((each) => past * 100 >= counts.total * each);
      if (counts.total < announcedItems || percent === undefined || counts.waiting === 0) return;
      if (await store.announce(tx, batch.id, percent))
        await notifications.notify(tx, progressNotice(title, batch, counts, percent));
    });
  }

  /** Ends the items of an interrupted run. */
  async #resume(batch: Batch): Promise<void> {
    for (const item of await store.begunItems(this.#fork(), batch.id)) {
      if (item.state === "pending") await this.#parts.repair.settle(item.domain_id);
      const set = await store.changeSetOf(this.#fork(), item.id);
      if (!set) await store.giveBack(this.#fork(), item.id);
      // Without an error, the process died: with one, the provider did not answer, and would perhaps never.
      else if (item.error === null && neverMade(set)) await store.detachChangeSet(this.#fork(), item.id);
      else await this.#endAs(batch, item.id, set);
    }
  }

  /** @returns whether any item was carried out */
  async #takeTurn(batch: Batch, goesOn: () => boolean): Promise<boolean> {
    if (batch.state !== "running") return false;
    let left = itemsInTurn;
    let taken = 0;
    // A reverse zone that cannot be changed must not delay every domain: the rest of the turn leaves it to the job.
    const following = { late: false };
    const permission = batch.kind === "portfolio" ? "domains:write" : "records:write";
    const worker = async () => {
      while (left-- > 0 && goesOn()) {
        const caller = await presentCaller(this.#fork(), batch.actor, permission, this.#parts.now());
        if (!caller) return await store.stopBatch(this.#fork(), batch.id, callerGone);
        const item = await store.claimItem(this.#fork(), batch.id);
        if (!item) return;
        if (batch.kind === "portfolio" && !this.#parts.purposes.portfolio.knows({ ...item, request: batch.request })) {
          await store.giveBack(this.#fork(), item.id);
          return this.#leave(batch);
        }
        taken++;
        if (!(await this.#carryOut(batch, item, { caller, followLater: following.late }))) following.late = true;
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    return taken > 0;
  }

  /**
   * Changes the domain of an item, and ends the item. Leaves it begun if the database cannot be reached.
   * @returns whether PTR records followed, where they had to
   */
  async #carryOut(batch: Batch, item: store.ClaimedItem, how: Turn): Promise<boolean> {
    const { kind } = batch;
    try {
      if (kind === "portfolio") {
        await this.#changeDomain(batch, item, how.caller);
        return true;
      }
      const { changeSetId, revision, refusal, reverse } = await this.#change({ ...batch, kind }, item, how);
      await this.#end(batch, item.id, { changeSetId, revision, error: refusal });
      return reverse.every(({ error }) => error === null);
    } catch (fault) {
      const failure = faultToAppError(fault);
      // The database is away: the next run finds out what became of the item.
      if (failure instanceof Fault && failure.code === "UNAVAILABLE") throw fault;
      if (failure instanceof Fault)
        this.#parts.log.error({ err: fault, batchId: batch.id, domainId: item.domainId }, "a domain of a batch failed");
      const error = failure instanceof Fault ? internal : failure.message;
      const set = await store.changeSetOf(this.#fork(), item.id);
      if (set?.state === "pending") await store.noteUnknown(this.#fork(), item.id, error);
      else if (set) await this.#endAs(batch, item.id, set);
      else await this.#end(batch, item.id, { changeSetId: null, revision: null, error });
      return true;
    }
  }

  /** Changes what is known of a domain, and ends the item with that. */
  async #changeDomain({ request }: Batch, { id, domainId, detail }: store.ClaimedItem, caller: Caller): Promise<void> {
    await this.#fork().transactional(async (tx) => {
      await this.#parts.purposes.portfolio.change(tx, caller, { domainId, request, detail });
      await store.endItem(tx, id, { changeSetId: null, error: null });
    });
  }

  async #change(batch: Batch & { kind: RecordsBatchKind }, item: store.ClaimedItem, { caller, followLater }: Turn) {
    const purpose = this.#parts.purposes[batch.kind];
    const revertsId = purpose.reverted?.(item.detail);
    const { planned, outcomes, changeSetId, revision, reverse } = await this.#parts.pipeline.run(this.#fork(), {
      domainId: item.domainId,
      caller,
      need: "write",
      kind: batch.kind,
      atomic: true,
      cause: { batchItemId: item.id, ...(revertsId === undefined ? {} : { revertsId }) },
      message: batch.message ?? undefined,
      override: batch.override,
      unlock: batch.unlock,
      about: { batchId: batch.id },
      followLater,
      plan: async (tx, zone) => {
        const plan = await purpose.plan(tx, zone, { request: batch.request, detail: item.detail });
        const hashed = purpose.hashed?.(zone, plan.changes) ?? plan.changes;
        if (item.planHash !== null && (await changesHash(zone, hashed)) !== item.planHash)
          throw new AppError("CONFLICT", changedSince);
        if (plan.changes.length > 1) refuseLoss(plan.changes, await sizeSeen(tx, zone, plan.changes), batch);
        if (plan.detail !== undefined) await store.storeDetail(tx, item.id, plan.detail);
        const chosen = revertsId === undefined ? undefined : await chosenToRevert(tx, revertsId, { inJob: true });
        const { follows } = await this.#parts.followers.plan(tx, caller, zone, plan.changes, chosen);
        return { ...plan, follows };
      },
    });
    if (changeSetId === null && !purpose.hashed) throw new AppError("CONFLICT", "There was nothing left to change.");
    const [refusal = null] = providerRefusals(planned.changes, outcomes).values();
    return {
      changeSetId,
      revision,
      refusal: refusal === null ? null : refusalText(outcomes, refusal),
      reverse,
    };
  }

  /** Ends an item as its change set did, or leaves it begun while that is pending. */
  async #endAs(batch: Batch, itemId: string, set: ItemChangeSet): Promise<void> {
    if (set.state === "pending") return;
    await this.#end(batch, itemId, { changeSetId: set.id, revision: set.revision, error: failureOfSet(set) });
  }

  /** Ends an item together with what else belongs to its changes. @param end with the revision that the changes created */
  async #end(
    { kind }: Batch,
    itemId: string,
    { revision, ...end }: { changeSetId: string | null; revision: number | null; error: string | null },
  ): Promise<void> {
    await this.#fork().transactional(async (tx) => {
      const ended = await store.endItem(tx, itemId, end);
      if (ended && end.error === null && revision !== null && kind !== "portfolio")
        await this.#parts.purposes[kind].made?.(tx, ended.detail, revision);
    });
  }

  #fork(): EntityManager {
    return this.#parts.database.fork();
  }
}

/** How the items of a turn are carried out. */
interface Turn {
  caller: Caller;
  /** Whether to leave PTR records to the job. */
  followLater: boolean;
}

const callerGone =
  "The user who started it was deleted or disabled, or the personal token that started it is no longer valid.";
const internal = "An internal error occurred. The log of the service says more.";
const changedSince = "The zone was changed since the plan. Plan again.";

type ItemChangeSet = NonNullable<Awaited<ReturnType<typeof store.changeSetOf>>>;

/** Returns whether the zone was read back and shows that nothing of a change set was made. */
function neverMade({ state, repaired, unknown }: ItemChangeSet): boolean {
  return state === "failed" && repaired && unknown === null;
}

function refusalText(outcomes: readonly { ok: boolean }[], refusal: string): string {
  const done = outcomes.filter(({ ok }) => ok).length;
  return done === 0 ? refusal : `Only ${done} of ${outcomes.length} changes were made; see the history. ${refusal}`;
}
