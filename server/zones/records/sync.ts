import type { z } from "zod";
import type { syncInput } from "./whole-zone-schemas.ts";
import type { Caller } from "../../access/caller.ts";
import type { EntityManager } from "../../database/database.ts";
import { throughProvider } from "../../dns-providers/provider.ts";
import { AppError } from "../../platform/errors.ts";
import type { ProviderComparison } from "../changes/state/compare-with-provider.ts";
import type { ChangePipeline } from "../changes/pipeline.ts";
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
import { LiveNames } from "../changes/state/live-queries.ts";
import { isActive, type PlannedChange } from "../../dns/record.ts";
import { newViolations } from "../../dns/zone-rules.ts";
import { flatMapped, inSlices } from "../../platform/slices.ts";

/** Updates a zone's records to what its provider serves. */
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
          const plan = await this.#plan(reader, zone);
          return { ...plan, zone, broken: await brokenRules(reader, zone, plan.changes) };
        },
      });
      const { zone, changes, broken } = planned;
      const locked = unlock ? null : lockWarning(changes);
      const loss = lossWarning(changes, zone.recordCount, "differences");
      const warnings = [locked, loss, ...broken].filter((warning) => warning !== null);
      const plan = { ...(await planView(changes)), warnings };
      return { ...answer(planned), plan, planHash: await comparisonHash(zone, changes) };
    }
    const { planned } = await this.#pipeline.run(em, {
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
        const plan = await this.#plan(reader, zone);
        await refuseOtherComparison(input, zone, plan.changes);
        refuseLoss(plan.changes, zone.recordCount - plan.stored, { force, counted: "differences" });
        return plan;
      },
    });
    return { ...answer(planned), plan: null, planHash: null };
  }

  async #plan(em: EntityManager, zone: ZoneContext): Promise<ServedPlan> {
    const { provider } = zone;
    if (!provider) throw new AppError("BAD_REQUEST", `${zone.kind.name} has no provider to sync from.`);
    const plan = await throughProvider(this.#comparison.plan(em, zone, provider));
    if (zone.splitsUnread) await storeSplits(em, zone.id, plan.learned);
    return plan;
  }
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
