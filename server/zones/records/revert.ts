import type { Caller } from "../../access/caller.ts";
import { changedElsewhere, type ProviderComparison } from "../changes/state/compare-with-provider.ts";
import type { ChangePipeline, Planned } from "../changes/pipeline.ts";
import { lockWarning, type Explained } from "../changes/locks-and-reviews.ts";
import type { ZoneContext } from "../changes/zone-context.ts";
import { countSeen } from "../changes/state/live-queries.ts";
import { chosenToRevert, type Followers, type FollowPlan } from "../changes/follows.ts";
import type { EntityManager } from "../../database/database.ts";
import {
  planHash,
  refuseOtherPlan,
  refuseOtherRevision,
  countsView,
  planView,
  lossWarning,
  refuseLoss,
} from "./editing/reviewed-plan.ts";
import { providerRefusals, refuseHalfDone } from "./editing/refusals.ts";
import { planInversion, type Inversion } from "./inversion.ts";
import { loweredNames, privateAddressWarnings, signatureWarnings } from "./warnings.ts";
import { editedElsewhere } from "./service.ts";
import { AppError } from "../../platform/errors.ts";
import { inSlices } from "../../platform/slices.ts";

interface RevertInput extends Explained {
  id: string;
  changeSetId: string;
  dryRun: boolean;
  planHash?: string | undefined;
  force: boolean;
}

interface Reversal extends Inversion, Planned {
  followed: FollowPlan;
}

/** Reverts single change sets. */
export class Revert {
  readonly #pipeline: ChangePipeline;
  readonly #comparison: ProviderComparison;
  readonly #followers: Followers;
  readonly #now: () => Date;

  constructor(pipeline: ChangePipeline, comparison: ProviderComparison, followers: Followers, now: () => Date) {
    this.#pipeline = pipeline;
    this.#comparison = comparison;
    this.#followers = followers;
    this.#now = now;
  }

  /**
   * Makes the opposite of a change set as a new one, all or nothing. With `dryRun`, returns the plan and its hash.
   * @throws AppError as `planInversion`; CONFLICT if the plan is outdated or the provider refuses, CONFIRMATION_REQUIRED above the safety
   * threshold, PROVIDER_ERROR
   */
  async run(em: EntityManager, caller: Caller, input: RevertInput) {
    if (input.dryRun) return await this.#plan(em, caller, input);
    const { planned, outcomes, revision, changeSetId, reverse } = await this.#pipeline.run<Reversal>(em, {
      domainId: input.id,
      caller,
      need: "write",
      kind: "revert",
      atomic: true,
      message: input.message,
      override: input.override,
      unlock: input.unlock,
      cause: { revertsId: input.changeSetId },
      about: { revertsId: input.changeSetId },
      plan: async (tx, zone) => {
        if (input.planHash !== undefined) refuseOtherRevision(input.planHash, zone);
        const inversion = await this.#inversion(tx, caller, zone, input.changeSetId);
        const { changes, followed } = inversion;
        if (input.planHash !== undefined) await refuseOtherPlan(input.planHash, zone, changes, followed.hashed);
        if (inversion.changes.length > 1) refuseLoss(inversion.changes, await countSeen(tx, zone), input);
        return inversion;
      },
    });
    const [refusal] = providerRefusals(planned.changes, outcomes).values();
    if (refusal !== undefined) {
      refuseHalfDone(outcomes, refusal);
      throw new AppError("CONFLICT", `Nothing was reverted: ${refusal}`);
    }
    return { changeSetId, revision, ...countsView(planned.changes), plan: null, planHash: null, reverse };
  }

  /** Plans the opposite of a change set. PTR records that followed it follow this one, too: one undo. */
  async #inversion(em: EntityManager, caller: Caller, zone: ZoneContext, changeSetId: string): Promise<Reversal> {
    const inversion = await planInversion(em, zone, changeSetId);
    const chosen = await chosenToRevert(em, changeSetId);
    const followed = await this.#followers.plan(em, caller, zone, inversion.changes, chosen);
    return { ...inversion, followed, follows: followed.follows };
  }

  async #plan(em: EntityManager, caller: Caller, input: RevertInput) {
    const plan = async (reader: EntityManager, zone: ZoneContext): Promise<Reversal & { zone: ZoneContext }> => {
      if (input.planHash !== undefined) refuseOtherRevision(input.planHash, zone);
      return { ...(await this.#inversion(reader, caller, zone, input.changeSetId)), zone };
    };
    const request = { domainId: input.id, caller, need: "write", plan } as const;
    const { zone, changes, followed, ...planned } = await this.#pipeline.dryRun(em, request);
    const warnings = [
      ...planned.warnings,
      ...(await inSlices(privateAddressWarnings(zone, changes))),
      ...(await inSlices(loweredNames(zone.kind, changes))),
      ...(await signatureWarnings(em, zone, changes)),
      ...followed.warnings.map(({ text }) => text),
    ];
    if (await changedElsewhere(em, zone, this.#comparison, this.#now())) warnings.push(editedElsewhere);
    const loss = changes.length > 1 ? lossWarning(changes, await countSeen(em, zone)) : null;
    const locked = input.unlock ? null : lockWarning(changes);
    warnings.push(...[locked, loss].filter((warning) => warning !== null));
    return {
      changeSetId: null,
      revision: zone.revision,
      ...countsView(changes),
      plan: { ...(await planView(changes)), warnings },
      planHash: await planHash(zone, changes, followed.hashed),
      reverse: [],
    };
  }
}
