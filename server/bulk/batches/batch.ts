import type { Actor, Caller } from "../../access/caller.ts";
import type { Explained } from "../../zones/changes/locks-and-reviews.ts";
import type { ZoneContext } from "../../zones/changes/zone-context.ts";
import type { EntityManager } from "../../database/database.ts";
import type { BatchItemState, BatchKind, BatchState } from "../../database/tables/bulk.ts";
import type { PlannedChange } from "../../dns/record.ts";
import { z } from "zod";
import { shownId } from "../../api/schemas.ts";

export const startedJob = z
  .object({ jobId: shownId("The id of the job that carries it out. See `GET /api/records/replace/{jobId}`.") })
  .meta({ id: "StartedJob", description: "A job that was started." });

export const startedImport = z
  .object({
    ...startedJob.shape,
    undo: z
      .string()
      .nullable()
      .meta({
        description:
          "A table of all domains of the job with the values before, one row for each in the order of the plan. Import it with " +
          "`emptyCells: clear`. Null unless you asked for it.",
        example: null,
      }),
  })
  .meta({ id: "StartedImport", description: "An import that was started." });

/** The job that carries batches out. */
export const batchJobName = "batches.run";

/** A change of many domains that is being carried out. */
export interface Batch {
  id: string;
  kind: BatchKind;
  /** Who started it. The user is null once deleted. */
  actor: Actor;
  /** What was asked for, as its kind stores it. */
  request: unknown;
  /** Why the changes are made; null if the user did not say. */
  message: string | null;
  /** Whether its changes need no review, because an administrator said so. */
  override: boolean;
  /** Whether it may change locked records, of domains where its user may. */
  unlock: boolean;
  /** Whether it may pass the safety threshold. */
  force: boolean;
  /** The batch whose changes it reverts. */
  revertsId: string | null;
  state: BatchState;
  /** Why it was stopped; null if a user stopped it. */
  reason: string | null;
  createdAt: Date;
  finishedAt: Date | null;
}

/** What every kind of batch stores of a request, besides its own. */
export type ExplainedRequest = Explained;

/** What a batch of the kind `template` asks for, and its revert. Other parts belong to the templates. */
export interface TemplateRequest {
  templateId: string;
  templateRevision: number;
}

/** One domain of a batch to begin with: what shall be done there, and what it must amount to. */
export interface NewItem {
  domainId: string;
  /** Hash of the planned changes; null to accept what the domain's plan is when it is carried out. */
  planHash: string | null;
  /** What the plan of this domain depends on besides the request. */
  detail: unknown;
  /** Why it cannot be planned: the item has failed from the beginning. */
  error: string | null;
}

/** How many items are in which state. */
export type ItemCounts = Record<BatchItemState, number> & { total: number };

/**
 * What sets one kind of batch apart. The engine knows when a domain is changed, and that it is changed once; the kind knows how.
 */
export interface BatchPurpose {
  /**
   * Plans the changes of one domain while it is locked. Must come to the planned changes again unless the domain was changed.
   * @throws AppError to fail the domain
   */
  plan(em: EntityManager, zone: ZoneContext, item: { request: unknown; detail: unknown }): Promise<ItemPlan>;
  /**
   * Returns the part of a domain's changes that the hash of its plan covers, if the plan cannot know the rest. What was planned may then be
   * there already, which ends the item as done.
   */
  hashed?(zone: ZoneContext, changes: readonly PlannedChange[]): PlannedChange[];
  /** Returns the change set that an item reverts. */
  reverted?(detail: unknown): string;
  /**
   * Stores what else belongs to a domain's changes once they are made. Runs once for each item, in the transaction that ends it.
   * @param detail as planned
   * @param revision the revision that the changes created
   */
  made?(tx: EntityManager, detail: unknown, revision: number): Promise<void>;
  /** Returns what notifications call a batch. */
  title(request: unknown): string;
}

/** What sets a kind of batch apart that changes what is known of domains, not their records. */
export interface DomainPurpose {
  /** Whether this version knows all that an item asks for. Others are of a later version, whose instances carry them out. */
  knows(item: { request: unknown; detail: unknown }): boolean;
  /**
   * Changes one domain, in the transaction that ends its item. Must come to the planned change again unless the domain was changed.
   * @throws AppError to fail the domain
   */
  change(
    tx: EntityManager,
    caller: Caller,
    item: { domainId: string; request: unknown; detail: unknown },
  ): Promise<void>;
  /** Returns what notifications call a batch. */
  title(request: unknown): string;
}

interface ItemPlan {
  changes: PlannedChange[];
  /** Replaces the item's detail before anything is changed. Left out: it stays. */
  detail?: unknown;
}

/** Every kind of batch. */
export type BatchPurposes = Readonly<Record<RecordsBatchKind, BatchPurpose> & { portfolio: DomainPurpose }>;

/** The kinds that change records. */
export type RecordsBatchKind = Exclude<BatchKind, "portfolio">;
