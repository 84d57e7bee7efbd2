import { zoneFor } from "../../access/zone-access.ts";
import type { Caller } from "../../access/caller.ts";
import type { EntityManager } from "../../database/database.ts";
import type { Sent } from "../../database/statements.ts";
import type { ChangeInput } from "./change-schemas.ts";
import type { Chosen, Followers } from "../changes/follows.ts";
import { changedElsewhere, type ProviderComparison } from "../changes/state/compare-with-provider.ts";
import type { RecordInput } from "./editing/drafts.ts";
import {
  editsOf,
  planHash,
  refuseOtherPlan,
  refuseOtherRevision,
  planView,
  lossWarning,
  refuseLoss,
} from "./editing/reviewed-plan.ts";
import {
  planEdits,
  type EditPlan,
  providerRefusals,
  refusalError,
  refuseAll,
  refuseAtomic,
  refuseOutdated,
  sentence,
} from "./editing/plan-edits.ts";
import {
  applyAtomic,
  applyEach,
  applyEachBesideLocks,
  type Edit,
  type Judged,
  type PreparedEdit,
  type Refusal,
} from "./editing/edits.ts";
import { pageOfRecords, recordView, type RecordFilter } from "./list.ts";
import { sizeSeen, LiveNames } from "../changes/state/live-queries.ts";
import { lockWarning, type Explained } from "../changes/locks-and-reviews.ts";
import type { ApplyRequest, ChangePipeline, ChangeResult } from "../changes/pipeline.ts";
import type { ZoneContext } from "../changes/zone-context.ts";
import type { Pause } from "../../platform/pause.ts";
import {
  loweredNames,
  mirrorWarnings,
  notEndless,
  privateAddressWarnings,
  signatureWarnings,
  unproxiedWarnings,
} from "./warnings.ts";
import { inSlices } from "../../platform/slices.ts";
import { inputError } from "../../api/input-error.ts";
import { recordInput } from "./schemas.ts";
import { asWritten, isChallenge, type PlannedChange } from "../../dns/record.ts";
import { ProviderError } from "../../dns-providers/provider.ts";
import { AppError } from "../../platform/errors.ts";

/** Changes of a zone to plan. */
interface PlanInput {
  id: string;
  changes: ChangeInput[];
  /** The offered PTR changes to include. */
  reverse?: Chosen | undefined;
  /** Whether locked records are meant, too. */
  unlock?: boolean | undefined;
}

/** How often a page is read again that a change of the zone came into. */
const mostRepeats = 3;

/** Reads and edits the records of a zone. */
export class Records {
  readonly #pipeline: ChangePipeline;
  readonly #comparison: ProviderComparison;
  readonly #followers: Followers;
  readonly #now: () => Date;
  readonly #pause: Pause;

  constructor(
    pipeline: ChangePipeline,
    comparison: ProviderComparison,
    followers: Followers,
    time: { now: () => Date; pause: Pause },
  ) {
    this.#pipeline = pipeline;
    this.#comparison = comparison;
    this.#followers = followers;
    this.#now = time.now;
    this.#pause = time.pause;
  }

  /**
   * Returns a page of the records that the caller sees. Reads it again if the zone changed between its queries.
   * @throws AppError NOT_FOUND, BAD_REQUEST, HISTORY_GONE
   */
  async list(em: EntityManager, caller: Caller, input: Omit<RecordFilter, "now"> & { id: string }) {
    const { id, ...filter } = input;
    for (let repeats = mostRepeats; ; repeats--) {
      const zone = await zoneFor(em, caller, id, "read");
      const page = await pageOfRecords(em, zone, { ...filter, now: caller.at });
      if (filter.at !== undefined || page.revision === zone.revision || repeats === 0) return page;
    }
  }

  /** Creates a record. @throws AppError BAD_REQUEST, CONFLICT, FORBIDDEN, NOT_FOUND, PROVIDER_ERROR */
  async create(
    em: EntityManager,
    caller: Caller,
    { id, message, override, unlock, ...input }: RecordInput & Explained & { id: string },
  ) {
    const edit = { action: "create", input } as const;
    const result = await this.#pipeline.run(em, this.#request(caller, id, edit, { message, override, unlock }));
    return recordAfter(result) ?? missing();
  }

  /** Changes a record. @param ifMatch the version that the caller has seen; null: any. @throws AppError as `create`, and PRECONDITION_FAILED */
  async update(
    em: EntityManager,
    caller: Caller,
    {
      id,
      recordId,
      message,
      override,
      unlock,
      ...patch
    }: Partial<RecordInput> & Explained & { id: string; recordId: string },
    ifMatch: number | null,
  ) {
    const edit = { action: "update", recordId, patch } as const;
    const result = await this.#pipeline.run(
      em,
      this.#request(caller, id, edit, { message, override, unlock, ifMatch }),
    );
    return recordAfter(result) ?? missing();
  }

  /** Deletes a record. @throws AppError as `update` */
  async delete(
    em: EntityManager,
    caller: Caller,
    { id, recordId, message, override, unlock }: Explained & { id: string; recordId: string },
    ifMatch: number | null,
  ): Promise<void> {
    const edit = { action: "delete", recordId } as const;
    const result = await this.#pipeline.run(
      em,
      this.#request(caller, id, edit, { message, override, unlock, ifMatch }),
    );
    recordAfter(result);
  }

  /** Returns the request that makes one edit. `ifMatch`: the version that the record must have; null: any. */
  #request(
    caller: Caller,
    domainId: string,
    edit: Edit,
    { ifMatch = null, ...explained }: Explained & { ifMatch?: number | null },
  ): ApplyRequest<EditPlan> {
    return {
      domainId,
      caller,
      need: "write",
      kind: "edit",
      ...explained,
      plan: async (tx, zone) => {
        const plan = await planEdits(tx, zone, [edit], applyEach);
        if (ifMatch !== null) refuseOutdated(plan.before, ifMatch);
        const [outcome] = plan.outcomes;
        if (outcome && !outcome.ok) throw refusalError(outcome);
        return await this.#withFollows(tx, caller, plan);
      },
    };
  }

  /** Adds what follows a plan. @param chosen the offered PTR changes to include */
  async #withFollows(em: EntityManager, caller: Caller, plan: EditPlan, chosen?: Chosen): Promise<EditPlan> {
    const followed = await this.#followers.plan(em, caller, plan.zone, plan.changes, chosen);
    return { ...plan, followed, follows: followed.follows };
  }

  /** Creates up to 100 records, each on its own or all or none. @throws AppError FORBIDDEN, NOT_FOUND, PROVIDER_ERROR; `atomic`: as `create` */
  async bulkCreate(
    em: EntityManager,
    caller: Caller,
    input: Explained & { id: string; records: unknown[]; mode: "each" | "atomic" },
  ) {
    const items = new BulkItems(input.records);
    const atomic = input.mode === "atomic";
    const result = await this.#pipeline.run<EditPlan>(em, {
      domainId: input.id,
      caller,
      need: "write",
      kind: "bulk",
      message: input.message,
      override: input.override,
      unlock: input.unlock,
      atomic,
      plan: async (tx, zone) => {
        const unlocking = { mayUnlock: zone.rights.changesProtected, unlock: input.unlock };
        let plan = await planEdits(tx, zone, items.edits, atomic ? applyAtomic : applyEachBesideLocks(unlocking));
        // If locks leave nothing to make, the pipeline asks whoever may unlock them to confirm.
        if (!atomic && plan.changes.length === 0 && unlocking.mayUnlock)
          plan = await planEdits(tx, zone, items.edits, applyEach);
        if (atomic) refuseAtomic(items.outcomes(plan), "records");
        return await this.#withFollows(tx, caller, plan);
      },
    });
    const { planned, outcomes, reverse } = result;
    if (atomic) refuseAll(items.outcomes(planned), planned.changes, outcomes, "records");
    const results = items.results(planned, providerRefusals(planned.changes, outcomes));
    const succeeded = results.filter(({ success }) => success).length;
    return { results, total: results.length, succeeded, reverse };
  }

  /** Plans changes, also those that the caller may only propose, judged as one set, with what to warn of. Asks no provider for its records. @throws AppError as `plan` */
  async draft(em: EntityManager, caller: Caller, input: PlanInput): Promise<EditPlan> {
    const planned = await this.#pipeline.dryRun<EditPlan>(em, {
      domainId: input.id,
      caller,
      need: "propose",
      plan: (reader, zone) => this.planIn(reader, caller, zone, input),
    });
    const { zone, changes, followed } = planned;
    const warnings = [
      ...planned.warnings,
      ...notEndless(await inSlices(unproxiedWarnings(zone.kind, changes))),
      ...(await inSlices(privateAddressWarnings(zone, changes))),
      ...(await signatureWarnings(em, zone, changes)),
      ...(await mirrorWarnings(em, zone, changes)),
      ...(await inSlices(loweredNames(zone.kind, changes))),
      ...(followed?.warnings ?? []).map(({ text }) => text),
    ];
    const locked = input.unlock ? null : lockWarning(changes);
    const loss = input.changes.length > 1 ? lossWarning(changes, await sizeSeen(em, zone, changes)) : null;
    return { ...planned, warnings: [...warnings, ...[locked, loss].filter((warning) => warning !== null)] };
  }

  /** Plans changes of a zone, judged as one set, and what follows them. @throws AppError as `plan` */
  async planIn(em: EntityManager, caller: Caller, zone: ZoneContext, input: PlanInput): Promise<EditPlan> {
    return await this.#withFollows(em, caller, await planAtomic(em, zone, editsOf(input.changes)), input.reverse);
  }

  /** Returns what changes would do, judged as one set, without making them. @throws AppError BAD_REQUEST, CONFLICT, FORBIDDEN, NOT_FOUND with `issues` */
  async plan(em: EntityManager, caller: Caller, input: PlanInput) {
    const { zone, changes, followed, warnings } = await this.draft(em, caller, input);
    if (await changedElsewhere(em, zone, this.#comparison, this.#now())) warnings.push(editedElsewhere);
    return {
      ...(await planView(changes)),
      warnings,
      reverse: followed?.listed ?? [],
      planHash: await planHash(zone, changes, followed?.hashed),
      revision: zone.revision,
    };
  }

  /**
   * Makes edits that are worked out from the zone's present records, all or none. Without edits nothing happens.
   * @returns the number of records that changed, the zone's revision afterwards, and whether the provider's name servers have the challenges
   * that were added; null if it does not say so, or none was @throws AppError as `plan`, PROVIDER_ERROR
   */
  async edit(
    em: EntityManager,
    caller: Caller,
    domainId: string,
    { ahead, derive, isUnserved, challengesWithin, ...why }: DerivedEdits,
  ) {
    let readAhead: LiveNames | undefined;
    const result = await this.#pipeline.run<EditPlan>(em, {
      domainId,
      caller,
      need: "write",
      kind: "edit",
      atomic: true,
      ...why,
      ahead: ahead && ((tx) => ahead(tx, (readAhead = new LiveNames(tx, domainId)))),
      plan: async (tx, zone) => {
        // What was read ahead is true while the row is locked.
        const live = (zone.locked && readAhead) ?? new LiveNames(tx, zone.id);
        return await this.#withFollows(
          tx,
          caller,
          await planAtomic(tx, { ...zone, isUnserved }, await derive(tx, zone, live), live),
        );
      },
    });
    refuseAll(result.planned.outcomes, result.planned.changes, result.outcomes, "changes");
    const { planned, revision, isSettled } = result;
    // By now nothing holds the zone.
    const settled =
      isSettled && challengesWithin !== undefined && hasNewChallenge(planned.changes)
        ? await untilSettled(isSettled, { milliseconds: challengesWithin, pause: this.#pause })
        : null;
    return { changed: planned.changes.length, revision, settled };
  }

  /** Refuses edits of a zone that does not exist yet, as `edit` would once it is there, and makes nothing. @throws AppError as `edit` */
  async refuseNew(em: EntityManager, caller: Caller, zone: ZoneContext, edits: readonly Edit[]): Promise<void> {
    const plan = await planAtomic(em, { ...zone, isUnserved: true }, edits, new LiveNames(em, zone.id));
    this.#pipeline.refuseNew(caller, zone, plan);
  }

  /**
   * Applies a reviewed plan. A single change needs no `force`, just as changing or deleting one record does not.
   * @throws AppError CONFLICT when the plan is outdated, CONFIRMATION_REQUIRED above the safety threshold
   */
  async apply(
    em: EntityManager,
    caller: Caller,
    input: PlanInput &
      Explained & { planHash: string; force: boolean; alongside?: ApplyRequest<EditPlan>["alongside"] },
  ) {
    const edits = editsOf(input.changes);
    const result = await this.#pipeline.run<EditPlan>(em, {
      domainId: input.id,
      caller,
      need: "write",
      kind: edits.length === 1 ? "edit" : "bulk",
      message: input.message,
      override: input.override,
      unlock: input.unlock,
      atomic: true,
      alongside: input.alongside,
      plan: async (tx, zone) => {
        // Checked first: a record deleted since then makes the plan outdated, which is not a 404.
        refuseOtherRevision(input.planHash, zone);
        const plan = await this.planIn(tx, caller, zone, input);
        await refuseOtherPlan(input.planHash, zone, plan.changes, plan.followed?.hashed);
        if (edits.length > 1) refuseLoss(plan.changes, await sizeSeen(tx, zone, plan.changes), input);
        return plan;
      },
    });
    const { planned, outcomes, revision, changeSetId, at, reverse } = result;
    refuseAll(planned.outcomes, planned.changes, outcomes, "changes");
    const byId = new Map(planned.changes.map((change) => [change.id, change]));
    const results = planned.outcomes.map((outcome, index) => {
      if (!outcome.ok) throw new Error("A plan with refusals is never applied.");
      const change = byId.get(outcome.id);
      const record = change
        ? afterChange(planned.zone.id, change, at)
        : outcome.before && recordView(planned.zone.id, outcome.before);
      return { success: true as const, action: edits[index]?.action ?? "update", recordId: outcome.id, record };
    });
    return { results, revision, changeSetId, reverse };
  }
}

/** Edits that are worked out from a zone's present records. */
interface DerivedEdits extends Explained, Pick<ApplyRequest<EditPlan>, "alongside" | "about" | "cause"> {
  /** Whether the zone is new and nothing serves it yet, so that its name servers may get their addresses later. */
  isUnserved?: boolean;
  /**
   * Milliseconds to wait until the provider's name servers have the ACME challenges that were added: a certificate authority is about to look
   * for them. Left out: does not wait.
   */
  challengesWithin?: number;
  /** Statements to send with the one that locks the zone. @param live for the records of names, the same that `derive` gets */
  ahead?: (tx: EntityManager, live: LiveNames) => readonly Sent[];
  /** Returns the edits. Nothing else changes the zone meanwhile. @param live for the records of names */
  derive: (em: EntityManager, zone: ZoneContext, live: LiveNames) => Promise<Edit[]>;
}

function missing(): never {
  throw new Error("A created or updated record always exists.");
}

/** @param live for derived edits, which the caller knows nothing of */
async function planAtomic(
  em: EntityManager,
  zone: ZoneContext,
  edits: readonly Edit[],
  live?: LiveNames,
): Promise<EditPlan> {
  const plan = await planEdits(em, zone, edits, applyAtomic, live);
  refuseAtomic(plan.outcomes, "changes", live === undefined);
  return plan;
}

export const editedElsewhere = "The zone was changed at its provider outside Zonewright. Sync it to see those changes.";

/** The items of a bulk call, read one by one: an item that cannot be read is refused and does not stop the others. */
class BulkItems {
  /** The edits of the items that could be read. */
  readonly edits: readonly Edit[];
  readonly #items: readonly unknown[];
  /** For each item, why it cannot be read; null if it can. */
  readonly #unreadable: readonly (Refusal | null)[];

  constructor(items: readonly unknown[]) {
    const parsed = items.map((item) => recordInput.safeParse(item));
    this.#items = items;
    this.edits = parsed.flatMap((item): Edit[] => (item.success ? [{ action: "create", input: item.data }] : []));
    this.#unreadable = parsed.map((item) =>
      item.success ? null : { ok: false, code: "BAD_REQUEST", issues: inputError(item.error).issues ?? [] },
    );
  }

  /** Returns one outcome for each item, from those of the edits. */
  outcomes(judged: Judged): (PreparedEdit | undefined)[] {
    const ofEdits = [...judged.outcomes];
    return this.#unreadable.map((refusal) => refusal ?? ofEdits.shift());
  }

  /** Returns the answer for each item. @param refusedByProvider the provider's reasons, by the id of the record */
  results(judged: Judged, refusedByProvider: ReadonlyMap<string, string>) {
    return this.outcomes(judged).map((outcome, index) => {
      const item = this.#items[index];
      const error = !outcome?.ok ? sentence(outcome?.issues ?? []) : (refusedByProvider.get(outcome.id) ?? null);
      return {
        success: error === null,
        recordType: textField(item, "recordType"),
        name: textField(item, "name"),
        id: error === null && outcome?.ok ? outcome.id : null,
        error,
      };
    });
  }
}

function textField(value: unknown, field: "recordType" | "name"): string | null {
  if (typeof value !== "object" || value === null || !(field in value)) return null;
  const found = (value as Record<string, unknown>)[field];
  return typeof found === "string" ? found : null;
}

/** Returns the record that a single edit left; null if it deleted the record. @throws AppError PROVIDER_ERROR when the provider refused the edit */
function recordAfter({ planned, outcomes, at }: ChangeResult<EditPlan>) {
  const [edit] = planned.outcomes;
  if (!edit?.ok) return null;
  // Other changes align the TTL of the record's RRset; the history shows their outcomes.
  const index = planned.changes.findIndex(({ id }) => id === edit.id);
  const [change, outcome] = [planned.changes[index], outcomes[index]];
  if (!change) return edit.before && recordView(planned.zone.id, edit.before);
  if (!outcome?.ok) throw new AppError("PROVIDER_ERROR", outcome?.message ?? "refused");
  return afterChange(planned.zone.id, change, at);
}

/** Returns the record as a change leaves it. */
function afterChange(domainId: string, { id, before, after }: PlannedChange, now: Date) {
  if (!after) return null;
  const version = (before?.version ?? 0) + 1;
  return {
    ...asWritten(after),
    id,
    domainId,
    version,
    serverManaged: false,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
}

/** Returns whether changes publish an ACME challenge. */
function hasNewChallenge(changes: readonly PlannedChange[]): boolean {
  return changes.some(({ after }) => after !== null && after.status !== "disabled" && isChallenge(after));
}

/** Milliseconds between questions; the last one repeats. */
const pauses = [1_000, 2_000, 2_000, 5_000];

/**
 * Waits until a provider's name servers have a change. A failure to ask is none of the change, which was made.
 * @param milliseconds the longest wait
 * @returns false if they have it later; null if the provider could not be asked
 */
async function untilSettled(
  isSettled: () => Promise<boolean>,
  { milliseconds, pause }: { milliseconds: number; pause: Pause },
): Promise<boolean | null> {
  const ends = performance.now() + milliseconds;
  let paused = 0;
  try {
    for (let looks = 0; ; looks++) {
      if (await before(ends, isSettled())) return true;
      const next = pauses[Math.min(looks, pauses.length - 1)] ?? 0;
      if (paused + next > milliseconds || performance.now() > ends) return false;
      await pause(next);
      paused += next;
    }
  } catch (error) {
    if (error instanceof ProviderError) return null;
    throw error;
  }
}

/** Returns an answer; false if there is none in time. */
async function before(ends: number, answer: Promise<boolean>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), ends - performance.now());
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
