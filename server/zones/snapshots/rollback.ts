import type { z } from "zod";
import type { restoreInput, rollbackInput } from "./schemas.ts";
import { type Caller, ZoneScope } from "../../access/caller.ts";
import type { EntityManager } from "../../database/database.ts";
import { planningState, withSplitsOf } from "../../dns/desired-state.ts";
import { failure, withoutRefused } from "../records/judge-changes.ts";
import { requireStored } from "../changes/state/past-zone.ts";
import { liveAtNames, sizeOf, versionsOf } from "../changes/state/live-queries.ts";
import { lockWarning } from "../changes/locks-and-reviews.ts";
import {
  lossWarning,
  refuseLoss,
  countsView,
  planView,
  comparisonHash,
  refuseOtherComparison,
  refuseOtherZone,
} from "../records/editing/reviewed-plan.ts";
import type { ChangePipeline } from "../changes/pipeline.ts";
import type { ZoneContext } from "../changes/zone-context.ts";
import {
  kindOfZone,
  partingReadOnly,
  readOnlyAtProvider,
  readOnlyWarnings,
  restoring,
  asHeld,
} from "../records/provider-limits.ts";
import { withoutManaged } from "../../dns/zone-file/type-names.ts";
import { signatureWarnings } from "../records/warnings.ts";
import { inSlices } from "../../platform/slices.ts";
import { findSnapshot, type Snapshots } from "./service.ts";

/** What a zone is restored to. */
type Target = { snapshotId: string } | { revision: number };

/** Restores a zone to a snapshot or a revision. */
export class Rollback {
  readonly #pipeline: ChangePipeline;
  readonly #snapshots: Snapshots;

  constructor(pipeline: ChangePipeline, snapshots: Snapshots) {
    this.#pipeline = pipeline;
    this.#snapshots = snapshots;
  }

  /**
   * Restores the records that differ. Changes that current rules forbid or the provider refuses are listed in `failed`. The new snapshot
   * describes the resulting zone.
   * @throws AppError NOT_FOUND, HISTORY_GONE, CONFIRMATION_REQUIRED above the safety threshold, PROVIDER_ERROR
   */
  async run(em: EntityManager, caller: Caller, input: z.infer<typeof rollbackInput> | z.infer<typeof restoreInput>) {
    const plan = (reader: EntityManager, zone: ZoneContext) => {
      refuseOtherZone(input, zone);
      return planRollback(reader, zone, input);
    };
    if (input.dryRun) {
      const request = { domainId: input.id, caller, need: "manage", plan } as const;
      const { zone, changes, readOnly, unmade, warnings } = await this.#pipeline.dryRun(em, request);
      const locked = input.unlock ? null : lockWarning(changes);
      const loss = lossWarning(changes, await sizeOf(em, zone.id), "differences");
      return {
        success: unmade.length === 0,
        snapshot: null,
        revision: null,
        ...countsView(changes),
        failed: unmade.map(failure),
        plan: {
          ...(await planView(changes)),
          warnings: [
            ...warnings,
            ...readOnlyWarnings(readOnly),
            ...[locked, loss].filter((warning) => warning !== null),
          ],
        },
        planHash: await comparisonHash(zone, changes),
      };
    }
    const {
      planned,
      outcomes,
      snapshotId,
      newRevision: revision,
    } = await this.#pipeline.run(em, {
      domainId: input.id,
      caller,
      need: "manage",
      kind: "rollback",
      message: input.message,
      override: input.override,
      unlock: input.unlock,
      bookmarkAfter: true,
      about: "snapshotId" in input ? { snapshotId: input.snapshotId } : { toRevision: input.revision },
      plan: async (reader, zone) => {
        const rollback = await plan(reader, zone);
        await refuseOtherComparison(input, zone, rollback.changes);
        refuseLoss(rollback.changes, await sizeOf(reader, zone.id), { force: input.force, counted: "differences" });
        return rollback;
      },
    });
    const refused = planned.changes.flatMap(({ before, after }, index) => {
      const outcome = outcomes[index];
      return outcome && !outcome.ok ? [{ record: after ?? before, reason: outcome.message }] : [];
    });
    const failed = [...refused, ...planned.unmade, ...planned.readOnly].map(failure);
    const done = planned.changes.filter((_, index) => outcomes[index]?.ok);
    if (snapshotId === null) throw new Error("A rollback always makes a snapshot.");
    const seen = { sees: ZoneScope.all, signed: planned.zone.signed };
    const snapshot = await this.#snapshots.brief(em.fork(), { id: input.id, snapshotId }, seen);
    const success = failed.length === 0;
    return { success, snapshot, revision, ...countsView(done), failed, plan: null, planHash: null };
  }
}

/**
 * Plans a rollback from the version rows that began or ended since the snapshot or revision.
 * @throws AppError NOT_FOUND, BAD_REQUEST, HISTORY_GONE
 */
async function planRollback(em: EntityManager, zone: ZoneContext, target: Target) {
  const revision =
    "revision" in target ? target.revision : (await findSnapshot(em, zone.id, target.snapshotId)).revision;
  const since = await versionsOf(em, (versions) =>
    versions.where("domain_id", "=", zone.id).where("since", ">", revision).where("until", "is", null),
  );
  const gone = await versionsOf(em, (versions) =>
    versions.where("domain_id", "=", zone.id).where("until", ">", revision).where("since", "<=", revision),
  );
  // After the reads: the retention may have deleted what they needed meanwhile, and says so first.
  if ("revision" in target) await requireStored(em, zone.id, revision, "revision");
  const live = withoutManaged(since, zone.signed);
  const split = await inSlices(withSplitsOf(withoutManaged(gone, zone.signed), live));
  const held = await inSlices(asHeld(split, zone.kind));
  const wanted = await inSlices(planningState(live, held.records, "none"));
  const there = await readOnlyAtProvider(zone, wanted.changes);
  const plan = {
    ...wanted,
    warnings: held.warnings,
    ...(await inSlices(partingReadOnly(wanted.changes, zone.kind, there))),
  };
  const kind = await kindOfZone(
    zone,
    plan.changes.map(({ after }) => after?.ttl),
  );
  const names = plan.changes.flatMap(({ before, after }) => [before, after].flatMap((record) => record?.name ?? []));
  const present = await liveAtNames(em, zone.id, [...new Set(names)]);
  const made = await withoutRefused(em, { ...zone, kind: restoring(kind) }, present, plan.changes);
  const warnings = [...plan.warnings, ...(await signatureWarnings(em, zone, made.changes))];
  return { ...plan, ...made, warnings, zone };
}
