import { sql } from "kysely";
import type { Caller } from "../../access/caller.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import {
  batchJobName,
  type Batch,
  type ExplainedRequest,
  type ItemCounts,
  type TemplateRequest,
  type BatchPurposes,
} from "../batches/batch.ts";
import {
  countItems,
  countItemsOf,
  findBatch,
  isKnown,
  noItems,
  pageOfBatches,
  stopBatch,
  storeBatch,
  type BatchesOf,
} from "../batches/store.ts";
import { storedMessage } from "../../zones/changes/pipeline.ts";
import { checkOverride } from "../../zones/changes/locks-and-reviews.ts";
import { readsEverything } from "../../access/zone-access.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { onePage, type Paging } from "../../database/query-helpers.ts";
import type { BatchItemState } from "../../database/tables/bulk.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import type { Enqueue } from "../../ops/jobs/runner.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { refuseLosses, planView } from "../../zones/records/editing/reviewed-plan.ts";
import { refuseLockedIn } from "../../zones/records/planned-zone.ts";
import { takingImportBack } from "../portfolio-imports.ts";
import { nothingFound, namesWithValue, type ReplaceRequest, readWanted } from "./find.ts";
import { planReplacement, withNameServer, planZonePart, ttlAt } from "./plan.ts";
import { revertTitle } from "../batches/notices.ts";
import { liveAtNames } from "../../zones/changes/state/live-queries.ts";
import { planInversion } from "../../zones/records/revert.ts";
import { kindOfZone } from "../../zones/records/provider-limits.ts";

interface Parts {
  connections: ProviderConnections;
  audit: Audit;
  enqueue: Enqueue;
  now: () => Date;
}

interface JobInput {
  jobId: string;
}

/** Replaces a value in many zones: plans, starts, shows, stops and reverts. */
export class Replacements {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns what a replacement would do, zone by zone, without doing it. @throws AppError BAD_REQUEST, NOT_FOUND */
  async plan(em: EntityManager, caller: Caller, request: ReplaceRequest) {
    const plan = await planReplacement(em, this.#parts.connections, caller, request);
    const domains = [];
    for (const { domainId, domainName, providerId, changes, warnings, error } of plan.zones)
      domains.push({ domainId, domainName, providerId, ...(await planView(changes)), warnings, error });
    return { domains, warnings: plan.warnings, planHash: plan.planHash };
  }

  /**
   * Starts a reviewed replacement. Zones that cannot be changed are items that have failed.
   * @throws AppError CONFLICT when the plan is outdated, CONFIRMATION_REQUIRED above the safety threshold of any zone, BAD_REQUEST, NOT_FOUND
   */
  async apply(
    em: EntityManager,
    caller: Caller,
    input: ReplaceRequest & ExplainedRequest & { planHash: string; force: boolean },
  ) {
    const { planHash, force, ...asked } = input;
    checkOverride({ ...input, role: caller.role });
    const request = explained(asked, input);
    const plan = await planReplacement(em, this.#parts.connections, caller, request);
    if (plan.planHash !== planHash)
      throw new AppError(
        "CONFLICT",
        "The plan is outdated: zones have changed, or this is not what was planned. Plan again.",
      );
    const items = plan.zones.filter(({ hash, error }) => hash !== null || error !== null);
    if (items.length === 0) throw nothingFound();
    if (!force) refuseLosses(plan.zones);
    if (!input.unlock) refuseLockedIn(plan.zones);
    return await em.transactional(async (tx) => {
      const batch = { kind: "replace", request, force, revertsId: null, now: this.#parts.now() } as const;
      const jobId = await storeBatch(
        tx,
        caller,
        batch,
        items.map(({ domainId, hash, error }) => ({ domainId, planHash: hash, detail: null, error })),
      );
      await this.#begin(tx, caller, "apply", jobId, { ...request, force, domains: items.length });
      return { jobId };
    });
  }

  /** Returns a page of the jobs that the caller may see, newest first. */
  async list(em: EntityManager, caller: Caller, input: Paging) {
    const { batches, total } = await pageOfBatches(em, seenBy(caller), input);
    const counts = await countItemsOf(
      em,
      batches.map(({ id }) => id),
    );
    const jobs = batches.map((batch) => jobWith(batch, counts.get(batch.id) ?? noItems));
    return { jobs, total, page: input.page, limit: input.limit };
  }

  /** Returns a job and a page of its domains. @throws AppError NOT_FOUND */
  async get(em: EntityManager, caller: Caller, input: JobInput & Paging & { state?: BatchItemState | undefined }) {
    const batch = await ownBatch(em, caller, input.jobId);
    const matching = queries(em)
      .selectFrom("batch_items")
      .innerJoin("domains", "domains.id", "batch_items.domain_id")
      .select(["domains.id", "domains.name", "domains.view"])
      .select(["batch_items.state", "batch_items.change_set_id", "batch_items.error"])
      .where("batch_items.batch_id", "=", batch.id)
      .$if(input.state !== undefined, (query) => query.where("batch_items.state", "=", input.state ?? "done"))
      .orderBy("batch_items.position");
    const { rows, total } = await onePage(matching, input);
    const domains = rows.map((row) => ({
      domainId: row.id,
      domainName: qualifiedName(row),
      state: row.state,
      changeSetId: row.change_set_id,
      error: row.error,
    }));
    return { ...(await jobView(em, batch)), domains, total, page: input.page, limit: input.limit };
  }

  /** Begins no further domains. Those that were changed stay changed. Does nothing once the job has ended. @throws AppError NOT_FOUND */
  async stop(em: EntityManager, caller: Caller, { jobId }: JobInput) {
    const batch = await ownBatch(em, caller, jobId);
    if (batch.state === "running") {
      await em.transactional(async (tx) => {
        await stopBatch(tx, jobId, null);
        await this.#begin(tx, caller, "stop", jobId, {});
      });
    }
    return await jobView(em, (await findBatch(em.fork(), jobId)) ?? batch);
  }

  /**
   * Starts a job that reverts every change of a job that has not been reverted yet. Domains whose records were changed since are listed as
   * failed. What the job was confirmed to change needs no confirmation to be changed back; locks and reviews do, since they may be newer.
   * @throws AppError NOT_FOUND, CONFLICT while the job, a revert of it or a revert of that is running, or if there is nothing to revert
   */
  async revert(
    em: EntityManager,
    caller: Caller,
    { jobId, force: forced, ...why }: JobInput & ExplainedRequest & { force: boolean },
  ) {
    checkOverride({ ...why, role: caller.role });
    const batch = await ownBatch(em, caller, jobId);
    const force = forced || batch.force;
    if (batch.finishedAt === null)
      throw new AppError("CONFLICT", "The job is still running. Stop it, and revert it once it has stopped.");
    return await em.transactional(async (tx) => {
      await lockChain(tx, jobId);
      await refuseRunningRevert(tx, jobId);
      const taken = batch.kind === "portfolio" ? await takingImportBack(tx, caller, jobId) : null;
      const items = taken?.items ?? (await revertible(tx, jobId));
      if (items.length === 0) throw new AppError("CONFLICT", "The job has nothing left to revert.");
      const request = explained(taken?.request ?? (batch.request as object), why);
      const kind = taken ? ("portfolio" as const) : ("revert" as const);
      const revert = { kind, request, force, revertsId: jobId, now: this.#parts.now() };
      const reverting = await storeBatch(tx, caller, revert, items);
      await this.#begin(tx, caller, "revert", reverting, {
        revertsId: jobId,
        force,
        domains: items.length,
        ...explained({}, why),
      });
      return { jobId: reverting };
    });
  }

  /** Records what a user did with a job, and has the job looked at. A batch without open items ends in the run. */
  async #begin(tx: EntityManager, caller: Caller, verb: "apply" | "stop" | "revert", jobId: string, after: object) {
    const { audit, enqueue } = this.#parts;
    const event = { action: `replacement.${verb}`, targetType: "replacement", targetId: jobId } as const;
    await audit.record(tx, caller, { ...event, after: { ...after } });
    await enqueue(tx, batchJobName, {});
  }
}

/** Returns a request with its own message, override and unlock. */
function explained<T extends object>(request: T, why: ExplainedRequest): T & ExplainedRequest {
  const { message, override, unlock } = why;
  return {
    ...request,
    message: storedMessage(message) ?? undefined,
    override: override || undefined,
    unlock: unlock || undefined,
  };
}

/**
 * Returns whose jobs the caller may see: their own, and every one for administrators and auditors. A narrowed token sees those that it
 * started.
 */
function seenBy({ narrowing, role, userId, tokenId }: Caller): BatchesOf {
  if (narrowing !== null) return { tokenId };
  return readsEverything(role) ? {} : { userId };
}

/** Returns a job that the caller may see. @throws AppError NOT_FOUND, UNAVAILABLE if only a later version knows it */
async function ownBatch(em: EntityManager, caller: Caller, jobId: string): Promise<Batch> {
  const batch = await findBatch(em, jobId);
  const { userId, tokenId } = seenBy(caller);
  const isVisible =
    (userId === undefined || batch?.actor.userId === userId) &&
    (tokenId === undefined || batch?.actor.tokenId === tokenId);
  if (!batch || !isVisible) throw notFound("replacement");
  if (!isKnown(batch))
    throw new AppError("UNAVAILABLE", "A newer version of the service started this job. Try again after the upgrade.", {
      retryAfterSeconds: 30,
    });
  return batch;
}

const jobView = async (em: EntityManager, batch: Batch) => jobWith(batch, await countItems(em, batch.id));

function jobWith(batch: Batch, { total: all, ...counts }: ItemCounts) {
  const request = batch.request as Partial<ReplaceRequest & TemplateRequest>;
  const { recordType = null, value = null, newValue = null, newTtl = null, automaticTtl = false } = request;
  const { templateId = null, templateRevision = null } = request;
  return {
    jobId: batch.id,
    kind: batch.kind,
    state: batch.state,
    startedBy: batch.actor.userId,
    recordType,
    value,
    newValue,
    newTtl,
    automaticTtl,
    message: batch.message,
    templateId,
    templateRevision,
    revertsId: batch.revertsId,
    reason: batch.reason,
    progress: { domains: all, ...counts },
    createdAt: batch.createdAt,
    finishedAt: batch.finishedAt,
  };
}

/** Locks a job and those that it reverts in turn: of several calls at the same time, one starts a job. */
async function lockChain(tx: EntityManager, batchId: string): Promise<void> {
  await sql`
    with recursive chain as (
      select id, reverts_id from batches where id = ${batchId}
      union all
      select earlier.id, earlier.reverts_id from chain join batches earlier on earlier.id = chain.reverts_id
    )
    select from batches where id in (select id from chain) order by id for update
  `.execute(queries(tx));
}

/** @throws AppError CONFLICT while a revert is running, or a revert of it in turn */
async function refuseRunningRevert(tx: EntityManager, batchId: string): Promise<void> {
  const { rows } = await sql<{ id: string; reverts_id: string }>`
    with recursive reverts as (
      select id, reverts_id, finished_at from batches where reverts_id = ${batchId}
      union all
      select later.id, later.reverts_id, later.finished_at
      from reverts join batches later on later.reverts_id = reverts.id
    )
    select id, reverts_id from reverts where finished_at is null limit 1
  `.execute(queries(tx));
  const [running] = rows;
  if (!running) return;
  const isOwn = running.reverts_id === batchId;
  throw new AppError(
    "CONFLICT",
    isOwn
      ? `The job is already being reverted, by the job ${running.id}.`
      : `A revert of the job is being reverted, by the job ${running.id}. Wait until that one has ended.`,
  );
}

/**
 * Returns an item for each change of a batch that is in effect: what was reverted, and that revert reverted in turn, is. A revert made only in
 * part does not count.
 */
async function revertible(tx: EntityManager, batchId: string) {
  const { rows } = await sql<{ domain_id: string; id: string }>`
    with recursive chain as (
      select made.id as root, made.id, 0 as reverts
      from batch_items item join change_sets made on made.batch_item_id = item.id
      where item.batch_id = ${batchId} and made.revision is not null
      union all
      select chain.root, later.id, chain.reverts + 1
      from chain cross join lateral (
        select id from change_sets
        where reverts_id = chain.id and revision is not null and state = 'applied'
        order by id desc limit 1
      ) later
    )
    select item.domain_id, made.id
    from (select root from chain group by root having max(reverts) % 2 = 0) effective
    join change_sets made on made.id = effective.root
    join batch_items item on item.id = made.batch_item_id
    order by item.position
  `.execute(queries(tx));
  return rows.map(({ domain_id: domainId, id }) => {
    const detail: RevertedItem = { changeSetId: id };
    return { domainId, planHash: null, detail, error: null };
  });
}

interface RevertedItem {
  changeSetId: string;
}

/** Replacements, and reverts of batches. */
export const replacementPurposes: Pick<BatchPurposes, "replace" | "revert"> = {
  replace: {
    title: replacementTitle,
    async plan(em, zone, { request }) {
      const { wanted } = readWanted(request as ReplaceRequest);
      const names = withNameServer(zone, wanted, await namesWithValue(em, zone.id, wanted));
      const present = await liveAtNames(em, zone.id, names);
      const kind = await kindOfZone(zone, [ttlAt(zone.kind, wanted)]);
      return await planZonePart(em, { ...zone, kind }, wanted, present);
    },
  },
  revert: {
    title: (request) => revertTitle(replacementTitle(request)),
    plan: async (em, zone, { detail }) => await planInversion(em, zone, (detail as RevertedItem).changeSetId),
    reverted: (detail) => (detail as RevertedItem).changeSetId,
  },
};

function replacementTitle(request: unknown): string {
  const { recordType, value } = request as ReplaceRequest;
  return `Replacement of ${recordType} ${value}`;
}
