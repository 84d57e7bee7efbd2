import type { z } from "zod";
import type { pushInput, syncInput } from "./whole-zone-schemas.ts";
import type { Caller } from "../../access/caller.ts";
import type { EntityManager } from "../../database/database.ts";
import { throughProvider } from "../../dns-providers/provider.ts";
import { AppError } from "../../platform/errors.ts";
import type { ProviderComparison } from "../changes/state/compare-with-provider.ts";
import type { ChangePipeline, Planned } from "../changes/pipeline.ts";
import type { ZoneContext } from "../changes/zone-context.ts";
import { lockWarning } from "../changes/locks-and-reviews.ts";
import {
  lossWarning,
  refuseLoss,
  countsView,
  planView,
  comparisonHash,
  refuseOtherComparison,
  refuseOtherZone,
} from "./editing/reviewed-plan.ts";
import { storeSplits } from "../changes/state/unread-splits.ts";
import type { ServedPlan } from "../../dns/desired-state.ts";
import { liveAtNames, LiveNames, pageRows, sizeOf, type ZoneSize } from "../changes/state/live-queries.ts";
import { dataOf, isActive, notesOf, type LiveRecord, type PlannedChange, type RecordDraft } from "../../dns/record.ts";
import { newViolations } from "../../dns/zone-rules.ts";
import { filtered, flatMapped, inChunks, inSlices, mapped } from "../../platform/slices.ts";
import { failure, withoutRefused, type Unmade } from "./judge-changes.ts";
import {
  kindOfZone,
  partingReadOnly,
  readOnlyAtProvider,
  readOnlyWarnings,
  restoring,
  type ReadOnlyChange,
} from "./provider-limits.ts";
import { signatureWarnings } from "./warnings.ts";

/** Ends the differences between a zone's records and what its provider serves: takes over the provider's records, or writes ours over them. */
export class Sync {
  readonly #pipeline: ChangePipeline;
  readonly #comparison: ProviderComparison;

  constructor(pipeline: ChangePipeline, comparison: ProviderComparison) {
    this.#pipeline = pipeline;
    this.#comparison = comparison;
  }

  /** Syncs a zone, or with `dryRun` plans a sync. @throws AppError CONFIRMATION_REQUIRED above the safety threshold, PROVIDER_ERROR, BAD_REQUEST for a zone without provider */
  async run(em: EntityManager, caller: Caller, input: z.infer<typeof syncInput>) {
    const { id, dryRun, force, message, unlock } = input;
    if (dryRun) {
      const planned = await this.#pipeline.dryRun(em, {
        domainId: id,
        caller,
        need: "manage",
        plan: async (reader, zone) => {
          refuseOtherZone(input, zone);
          const plan = await this.#plan(reader, zone, "sync from");
          const size = await sizeCompared(reader, zone, plan);
          return { ...plan, zone, size, broken: await brokenRules(reader, zone, plan.changes) };
        },
      });
      const { zone, changes, broken } = planned;
      const locked = unlock ? null : lockWarning(changes);
      const loss = lossWarning(changes, planned.size, "differences");
      const warnings = [locked, loss, ...broken].filter((warning) => warning !== null);
      const plan = { ...(await planView(changes)), warnings };
      return { ...answer(planned), revision: null, plan, planHash: await comparisonHash(zone, changes) };
    }
    const { planned, newRevision } = await this.#pipeline.run(em, {
      domainId: id,
      caller,
      need: "manage",
      kind: "sync",
      message,
      unlock,
      alreadyThere: true,
      resolution: force && caller.role === "admin" ? "acceptObserved" : "wait",
      bookmarkBefore: true,
      plan: async (reader, zone) => {
        refuseOtherZone(input, zone);
        const plan = await this.#plan(reader, zone, "sync from");
        await refuseOtherComparison(input, zone, plan.changes);
        refuseLoss(plan.changes, await sizeCompared(reader, zone, plan), { force, counted: "differences" });
        return plan;
      },
    });
    return { ...answer(planned), revision: newRevision, plan: null, planHash: null };
  }

  /**
   * Writes a zone's records over those of its provider, or with `dryRun` plans that. Changes that current rules forbid or the provider refuses are
   * listed in `failed`, and stay differences.
   * @throws AppError as `run`, and REVIEW_REQUIRED
   */
  async push(em: EntityManager, caller: Caller, input: z.infer<typeof pushInput>) {
    const { id, dryRun, force, message, override, unlock } = input;
    const plan = async (reader: EntityManager, zone: ZoneContext) => {
      refuseOtherZone(input, zone);
      return await this.#planPush(reader, zone);
    };
    if (dryRun) {
      const planned = await this.#pipeline.dryRun(em, { domainId: id, caller, need: "manage", plan });
      const { zone, changes, served, readOnly, unmade, overwritten } = planned;
      const locked = unlock ? null : lockWarning(changes);
      const loss = lossWarning(changes, served.synced, "differences");
      const warnings = [
        ...readOnlyWarnings(readOnly),
        ...(await signatureWarnings(em, zone, changes)),
        ...[locked, loss].filter((warning) => warning !== null),
      ];
      return {
        success: unmade.length === 0,
        changeSetId: null,
        revision: null,
        ...countsView(changes),
        unchanged: served.unchanged,
        failed: unmade.map(failure),
        plan: { ...(await planView(changes)), warnings },
        planHash: await comparisonHash(zone, overwritten, "push"),
      };
    }
    const { planned, outcomes, changeSetId, newRevision } = await this.#pipeline.run(em, {
      domainId: id,
      caller,
      need: "manage",
      kind: "push",
      message,
      override,
      unlock,
      resolution: force && caller.role === "admin" ? "acceptObserved" : "wait",
      plan: async (reader, zone) => {
        const pushed = await plan(reader, zone);
        await refuseOtherComparison(input, zone, pushed.overwritten, "push");
        refuseLoss(pushed.changes, pushed.served.synced, { force, counted: "differences" });
        return pushed;
      },
    });
    const refused = planned.changes.flatMap(({ before, after }, index) => {
      const outcome = outcomes[index];
      return outcome && !outcome.ok ? [{ record: after ?? before, reason: outcome.message }] : [];
    });
    const failed = [...refused, ...planned.unmade, ...planned.readOnly].map(failure);
    return {
      success: failed.length === 0,
      changeSetId,
      revision: newRevision,
      ...countsView(planned.changes.filter((_, index) => outcomes[index]?.ok)),
      unchanged: planned.served.unchanged,
      failed,
      plan: null,
      planHash: null,
    };
  }

  /** Plans the opposite of a sync, with the ids that one would give. What a sync would not take over, a push does not touch. @throws AppError */
  async #planPush(em: EntityManager, zone: ZoneContext): Promise<PushPlan> {
    const served = await this.#plan(em, zone, "push to");
    const there = await readOnlyAtProvider(zone, served.changes);
    const { changes: theirs, readOnly } = await inSlices(partingReadOnly(served.changes, zone.kind, there));
    const ours = await inSlices(mapped(theirs, (change) => overwriting(change, zone.at)));
    const kind = await kindOfZone(
      zone,
      ours.map(({ after }) => after?.ttl),
    );
    const present = await presentAtProvider(em, zone.id, theirs, ours);
    const made = await withoutRefused(em, { ...zone, kind: restoring(kind) }, present, ours);
    const ids = new Set(made.changes.map(({ id }) => id));
    return {
      ...made,
      served,
      readOnly,
      zone,
      overwritten: await inSlices(filtered(theirs, ({ id }) => ids.has(id))),
      signing: served.signing,
      differences: [...theirs, ...readOnly.map(({ change }) => change)],
    };
  }

  async #plan(em: EntityManager, zone: ZoneContext, use: string): Promise<ServedPlan> {
    const { provider } = zone;
    if (!provider) throw new AppError("BAD_REQUEST", `${zone.kind.name} has no provider to ${use}.`);
    const plan = await throughProvider(this.#comparison.plan(em, zone, provider));
    if (zone.splitsUnread) await storeSplits(em, zone.id, plan.learned);
    return plan;
  }
}

/** Returns how many records a sync compares with what the provider serves. */
async function sizeCompared(
  em: EntityManager,
  { id }: ZoneContext,
  { changes, stored }: ServedPlan,
): Promise<ZoneSize> {
  if (changes.length === 0) return { records: 0, active: 0 };
  const { records, active } = await sizeOf(em, id);
  return { records: records - stored, active: active - stored };
}

/** What a push sends. `before` of its changes is what the provider has. */
interface PushPlan extends Planned {
  zone: ZoneContext;
  served: ServedPlan;
  /** The changes of the sync that `changes` are the opposite of. */
  overwritten: PlannedChange[];
  unmade: Unmade[];
  readOnly: ReadOnlyChange[];
}

/** Returns the opposite of a change that a sync would make. @param at when the provider's records were read */
function overwriting({ id, before, after }: PlannedChange, at: Date): PlannedChange {
  if (!after) return { action: "create", id, before: null, after: draftOf(before) };
  const { version, createdAt } = before ?? { version: 0, createdAt: at };
  const had: LiveRecord = { ...after, id, version: version + 1, createdAt, updatedAt: at };
  return before
    ? { action: "update", id, before: had, after: draftOf(before) }
    : { action: "delete", id, before: had, after: null };
}

function draftOf(record: LiveRecord): RecordDraft {
  return { ...dataOf(record), status: record.status, ...notesOf(record) };
}

/** Returns the records that the provider has at the names of a push's changes. */
async function presentAtProvider(
  em: EntityManager,
  domainId: string,
  theirs: readonly PlannedChange[],
  ours: readonly PlannedChange[],
): Promise<LiveRecord[]> {
  const names = new Set(theirs.flatMap(({ before, after }) => [before, after].flatMap((one) => one?.name ?? [])));
  const live = await inChunks([...names], pageRows, (some) => liveAtNames(em, domainId, some));
  const changed = new Set(theirs.map(({ id }) => id));
  return [...live.filter(({ id }) => !changed.has(id)), ...ours.flatMap(({ before }) => before ?? [])];
}

/** Enough to show what is wrong. */
const mostWarnings = 20;

/** Warns of zone rules that the provider's records break. They are kept as read. */
async function brokenRules(em: EntityManager, zone: ZoneContext, changes: readonly PlannedChange[]): Promise<string[]> {
  const changed = new Set(changes.map(({ id }) => id));
  const coming = Map.groupBy(
    changes.flatMap(({ after }) => after ?? []),
    ({ name }) => name,
  );
  const live = (await new LiveNames(em, zone.id).at([...coming.keys()])).filter(isActive);
  const present = Map.groupBy(live, ({ name }) => name);
  const warnings = await inSlices(
    flatMapped(coming, ([name, records]) => {
      const before = present.get(name) ?? [];
      const after = [...before.filter(({ id }) => !changed.has(id)), ...records];
      const violations = newViolations(name, before, after, null, zone.kind.apexCname);
      return violations.map(({ message }) => `Kept as the provider has it: ${message}`);
    }),
  );
  return warnings.slice(0, mostWarnings);
}

function answer({ changes, synced, unchanged }: ServedPlan) {
  return { synced, ...countsView(changes), unchanged };
}
