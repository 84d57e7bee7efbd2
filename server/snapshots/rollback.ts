import { Hosts } from "../assignments/hosts.ts";
import type { Caller } from "../auth/caller.ts";
import { queries, type EntityManager } from "../database/database.ts";
import { AppError } from "../errors.ts";
import { needsConfirmation, planState } from "../records/desired-state.ts";
import { liveColumns, liveRecord } from "../records/live-queries.ts";
import type { ChangePipeline, HeldZone } from "../changes/pipeline.ts";
import { countsView, planView } from "../records/plan-view.ts";
import { withSplitsOf } from "../records/zone-comparison.ts";
import { keptThere, keptWarnings, limitIssues, withoutKept } from "../records/provider-limits.ts";
import { kindOfZone } from "../records/zone-limits.ts";
import { withoutManaged } from "../records/server-managed.ts";
import { signatureWarnings } from "../records/signature-warnings.ts";
import { findSnapshot, type Snapshots } from "./service.ts";

/** Makes a zone again what a snapshot says. */
export class Rollback {
  readonly #pipeline: ChangePipeline;
  readonly #snapshots: Snapshots;

  constructor(pipeline: ChangePipeline, snapshots: Snapshots) {
    this.#pipeline = pipeline;
    this.#snapshots = snapshots;
  }

  /**
   * Sends only what differs. What the provider refuses is told in `failed`; the new snapshot describes what the zone then is.
   * @throws AppError NOT_FOUND, CONFIRMATION_REQUIRED above the safety threshold, PROVIDER_ERROR
   */
  async run(
    em: EntityManager,
    caller: Caller,
    input: { id: string; snapshotId: string; dryRun: boolean; force: boolean },
  ) {
    const plan = (reader: EntityManager, zone: HeldZone) => planRollback(reader, zone, input.snapshotId);
    if (input.dryRun) {
      const { changes, kept, warnings } = await this.#pipeline.preview(em, {
        domainId: input.id,
        caller,
        need: "own",
        plan,
      });
      return {
        success: true,
        snapshot: null,
        ...countsView(changes),
        failed: [],
        plan: { ...planView(changes), warnings: [...warnings, ...keptWarnings(kept)] },
      };
    }
    const { planned, outcomes, snapshotId } = await this.#pipeline.run(em, {
      domainId: input.id,
      caller,
      need: "own",
      kind: "rollback",
      bookmarkAfter: true,
      about: { snapshotId: input.snapshotId },
      plan: async (reader, zone) => {
        const rollback = await plan(reader, zone);
        const reason = input.force ? null : needsConfirmation(rollback.changes, zone.recordCount);
        if (reason !== null) throw new AppError("CONFIRMATION_REQUIRED", reason);
        return rollback;
      },
    });
    const refused = planned.changes.flatMap(({ before, after }, index) => {
      const outcome = outcomes[index];
      return outcome && !outcome.ok ? [{ record: after ?? before, reason: outcome.message }] : [];
    });
    const failed = [...refused, ...planned.kept].map(({ record: { recordType, name, value, strings }, reason }) => ({
      recordType,
      name,
      value,
      strings,
      error: reason,
    }));
    const done = planned.changes.filter((_, index) => outcomes[index]?.ok);
    if (snapshotId === null) throw new Error("A rollback always makes a snapshot.");
    const seen = { sees: Hosts.all, signed: planned.signed };
    const snapshot = await this.#snapshots.brief(em.fork(), { id: input.id, snapshotId }, seen);
    return { success: failed.length === 0, snapshot, ...countsView(done), failed, plan: null };
  }
}

/** Plans the difference backwards, from the version rows that began or ended since the snapshot. */
async function planRollback(em: EntityManager, zone: HeldZone, snapshotId: string) {
  const { revision } = await findSnapshot(em, zone.id, snapshotId);
  const since = await queries(em)
    .selectFrom("records")
    .select(liveColumns)
    .where("domain_id", "=", zone.id)
    .where("since", ">", revision)
    .where("until", "is", null)
    .execute();
  const gone = await queries(em)
    .selectFrom("records")
    .select(liveColumns)
    .where("domain_id", "=", zone.id)
    .where("until", ">", revision)
    .where("since", "<=", revision)
    .execute();
  const live = withoutManaged(since.map(liveRecord), zone.signed);
  const wanted = planState(live, withSplitsOf(withoutManaged(gone.map(liveRecord), zone.signed), live));
  const plan = { ...wanted, ...withoutKept(wanted.changes, zone.kind, await keptThere(zone, wanted.changes)) };
  const kind = await kindOfZone(
    zone,
    plan.changes.map(({ after }) => after?.ttl),
  );
  const issues = plan.changes.flatMap(({ after }) => (after ? limitIssues(after, kind) : []));
  const [first] = issues;
  if (first) throw new AppError("BAD_REQUEST", `The snapshot cannot be restored at this provider: ${first.message}`);
  return { ...plan, signed: zone.signed, warnings: await signatureWarnings(em, zone, plan.changes) };
}
