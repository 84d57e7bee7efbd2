import type { z } from "zod";
import type { revertInput } from "./whole-zone-schemas.ts";
import type { Caller } from "../../access/caller.ts";
import { changedElsewhere, type ProviderComparison } from "../changes/state/compare-with-provider.ts";
import type { ChangePipeline, Planned } from "../changes/pipeline.ts";
import { lockWarning } from "../changes/locks-and-reviews.ts";
import type { ZoneContext } from "../changes/zone-context.ts";
import { sizeSeen, liveAtNames, liveById, pageRows, versionsOf } from "../changes/state/live-queries.ts";
import { chosenToRevert, type Followers, type FollowPlan } from "../changes/follows.ts";
import { type EntityManager, queries } from "../../database/database.ts";
import {
  planHash,
  refuseOtherPlan,
  refuseOtherRevision,
  countsView,
  planView,
  lossWarning,
  refuseLoss,
} from "./editing/reviewed-plan.ts";
import { providerRefusals, refuseHalfDone } from "./editing/plan-edits.ts";
import { loweredNames, privateAddressWarnings, signatureWarnings } from "./warnings.ts";
import { editedElsewhere } from "./service.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { inSlices, inChunks } from "../../platform/slices.ts";
import { outsideRights, type Rights } from "../../access/zone-access.ts";
import { aligningTtls, withSplitsOf } from "../../dns/desired-state.ts";
import {
  changedNotes,
  dataOf,
  isActive,
  isUnchanged,
  notesOf,
  recordKey,
  recordLabel,
  type LiveRecord,
  type PlannedChange,
  type RecordDraft,
} from "../../dns/record.ts";
import { withoutManaged } from "../../dns/zone-file/type-names.ts";
import { judgeChanges } from "./judge-changes.ts";
import { kindOfZone, partingReadOnly, readOnlyAtProvider, restoring } from "./provider-limits.ts";

type RevertInput = z.infer<typeof revertInput>;

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
   * Reverts a change set with a new one, all or nothing. With `dryRun`, returns the plan and its hash.
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
        if (inversion.changes.length > 1)
          refuseLoss(inversion.changes, await sizeSeen(tx, zone, inversion.changes), input);
        return inversion;
      },
    });
    const [refusal] = providerRefusals(planned.changes, outcomes).values();
    if (refusal !== undefined) {
      refuseHalfDone(outcomes, refusal);
      throw new AppError("CONFLICT", `Nothing was reverted: ${refusal}`);
    }
    return {
      changeSetId,
      revision,
      ...countsView(planned.changes),
      plan: null,
      planHash: null,
      reverse,
    };
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
    const loss = changes.length > 1 ? lossWarning(changes, await sizeSeen(em, zone, changes)) : null;
    const locked = input.unlock ? null : lockWarning(changes);
    warnings.push(...[locked, loss].filter((warning) => warning !== null));
    return {
      changeSetId: null,
      revision: zone.revision,
      ...countsView(changes),
      plan: { ...(await planView(changes)), warnings, reverse: followed.listed },
      planHash: await planHash(zone, changes, followed.hashed),
      reverse: [],
    };
  }
}

interface Inversion {
  changes: PlannedChange[];
  warnings: string[];
}

/**
 * Plans the opposite of a change set: deletes what it created, restores what it changed or deleted. Only what really happened counts,
 * because only that made versions of records.
 * @throws AppError NOT_FOUND, FORBIDDEN if any of its records is outside the rights; CONFLICT if records were changed since, it made no
 * changes, or the result would break a rule; HISTORY_GONE if its versions are no longer stored
 */
export async function planInversion(em: EntityManager, zone: ZoneContext, changeSetId: string): Promise<Inversion> {
  const { revision, at } = await madeAs(em, zone.id, changeSetId);
  const made = await changesMade(em, zone, revision);
  refuseBeyondRights(made, zone.rights);
  const ids = made.map(({ id }) => id);
  const names = [...new Set(made.flatMap(({ before, after }) => [before, after].flatMap((one) => one?.name ?? [])))];
  const live = new Map(await inChunks(ids, pageRows, async (some) => [...(await liveById(em, zone.id, some))]));
  const present = await inChunks(names, pageRows, (some) => liveAtNames(em, zone.id, some));
  refuseChangedSince(made, live, equalsSince(present, at));
  const inverted = inverse(await withSplits(made, present), live);
  const aligned = await inSlices(aligningTtls(present, inverted));
  const { changes, readOnly } = await inSlices(
    partingReadOnly(aligned, zone.kind, await readOnlyAtProvider(zone, aligned)),
  );
  if (readOnly.length > 0)
    throw notInvertible(readOnly.map(({ record, reason }) => `${recordLabel(record)}: ${reason}`));
  const kind = await kindOfZone(
    zone,
    changes.map(({ after }) => after?.ttl),
  );
  const refused = await judgeChanges(em, { ...zone, kind: restoring(kind) }, present, changes);
  if (refused.size > 0) throw notInvertible([...new Set([...refused.values()].flat())]);
  return { changes, warnings: ttlWarnings(changes, new Set(ids)) };
}

/** What a change set did to a record, notes included. */
interface Made {
  id: string;
  /** Null if it created the record. */
  before: LiveRecord | null;
  /** Null if it deleted the record. */
  after: LiveRecord | null;
}

/** Returns the revision that a change set created, and when it began. @throws AppError */
async function madeAs(
  em: EntityManager,
  domainId: string,
  changeSetId: string,
): Promise<{ revision: number; at: Date }> {
  const set = await queries(em)
    .selectFrom("change_sets")
    .innerJoin("domains", "domains.id", "change_sets.domain_id")
    .select(["change_sets.state", "change_sets.revision", "change_sets.created_at", "domains.history_from"])
    .where("change_sets.id", "=", changeSetId)
    .where("change_sets.domain_id", "=", domainId)
    .executeTakeFirst();
  if (!set) throw notFound("change set");
  if (set.state === "pending")
    throw new AppError("CONFLICT", "The outcome of this change is still unknown. Try again once it is settled.");
  if (set.revision === null)
    throw new AppError(
      "CONFLICT",
      "This change had no effect, because the provider refused it. There is nothing to revert.",
    );
  if (set.revision <= set.history_from)
    throw new AppError(
      "HISTORY_GONE",
      "The records of this change are no longer stored, so it cannot be reverted. Roll back to a snapshot, or change the records.",
    );
  return { revision: set.revision, at: set.created_at };
}

/** Reads what a revision did, from the versions that began or ended with it. */
async function changesMade(em: EntityManager, zone: ZoneContext, revision: number): Promise<Made[]> {
  const versions = async (edge: "since" | "until") => {
    const found = await versionsOf(em, (versions) =>
      versions.where("domain_id", "=", zone.id).where(edge, "=", revision),
    );
    return withoutManaged(found, zone.signed);
  };
  const made = new Map<string, Made>();
  for (const before of await versions("until")) made.set(before.id, { id: before.id, before, after: null });
  for (const after of await versions("since"))
    made.set(after.id, { id: after.id, before: made.get(after.id)?.before ?? null, after });
  return [...made.values()];
}

function refuseBeyondRights(made: readonly Made[], rights: Rights): void {
  if (rights.owns) return;
  const records = made.flatMap(({ before, after }) => [before, after].flatMap((record) => record ?? []));
  if (!records.some((record) => rights.sees.includes(record))) throw notFound("change set");
  // Records that the caller does not see are not named.
  if (records.some((record) => outsideRights(record, rights) !== null))
    throw new AppError(
      "FORBIDDEN",
      "This change includes records that your assignments do not let you change. Ask the domain's owner to revert it.",
    );
}

/**
 * Returns those records, by status and content, that can be ones created again. DNS has no active record twice. Disabled ones may be equal, and
 * count only if they are newer than the change set.
 */
function equalsSince(present: readonly LiveRecord[], at: Date): Map<string, LiveRecord> {
  const newer = present.filter((record) => isActive(record) || record.createdAt > at);
  return new Map(newer.map((record) => [statedKey(record), record]));
}

function statedKey(record: RecordDraft): string {
  return `${record.status} ${recordKey(record)}`;
}

/** @throws AppError CONFLICT that names the records, and what they are now */
function refuseChangedSince(
  made: readonly Made[],
  live: ReadonlyMap<string, LiveRecord>,
  equals: ReadonlyMap<string, LiveRecord>,
): void {
  const moved = made.flatMap(({ id, before, after }): string[] => {
    const now = live.get(id);
    if (after) {
      if (!now) return [`${recordLabel(after)} was deleted since.`];
      return hasStayed(now, { before, after })
        ? []
        : [`${recordLabel(after)} was changed since: it is now ${described(now)}.`];
    }
    const again = now ?? (before && equals.get(statedKey(before)));
    return again && before ? [`${recordLabel(before)} was created again since: it is now ${described(again)}.`] : [];
  });
  if (moved.length === 0) return;
  const more = moved.length === 1 ? "" : ` (and ${moved.length - 1} more, see issues)`;
  throw new AppError("CONFLICT", `Nothing was reverted: ${moved[0]}${more} Revert the later changes first.`, {
    issues: listed(moved),
  });
}

function described(record: LiveRecord): string {
  const status = record.status === "active" ? "" : `, ${record.status}`;
  const comment = record.comment === null ? "" : `, comment “${record.comment}”`;
  return `${recordLabel(record)}, TTL ${record.ttl}${status}${comment}`;
}

/** Fills in how texts from 0.1 are split, which their ended versions do not say. */
async function withSplits(made: readonly Made[], present: readonly LiveRecord[]): Promise<Made[]> {
  const ended = made.flatMap(({ before }) => before ?? []);
  const read = new Map((await inSlices(withSplitsOf(ended, present))).map((record) => [record.id, record]));
  return made.map((one) => ({ ...one, before: read.get(one.id) ?? null }));
}

function inverse(made: readonly Made[], live: ReadonlyMap<string, LiveRecord>): PlannedChange[] {
  const changes = made.map(({ id, before, after }): PlannedChange[] => {
    const now = live.get(id);
    if (now && before) return [{ action: "update", id, before: now, after: undone(now, { before, after }) }];
    if (now) return [{ action: "delete", id, before: now, after: null }];
    return before ? [{ action: "create", id, before: null, after: draftOf(before) }] : [];
  });
  const order = ["delete", "update", "create"];
  return changes.flat().toSorted((a, b) => order.indexOf(a.action) - order.indexOf(b.action));
}

function draftOf(record: LiveRecord): RecordDraft {
  return { ...dataOf(record), status: record.status, ...notesOf(record) };
}

type Sides = Pick<Made, "before" | "after">;

/** Returns whether a record still is what a change set made of it. Its lock, owner and review date may have changed, unless the set set them. */
function hasStayed(now: LiveRecord, { before, after }: Sides): boolean {
  if (!after) return false;
  return isUnchanged(now, { ...draftOf(after), ...othersNotes(now, { before, after }) });
}

/** Returns a record as it was before a change set, with the notes that others made since. */
function undone(now: LiveRecord, { before, after }: Sides): RecordDraft {
  return before ? { ...draftOf(before), ...othersNotes(now, { before, after }) } : draftOf(now);
}

/** Returns those of a record's lock, owner and review date that a change set left alone, as they are now. */
function othersNotes(now: LiveRecord, { before, after }: Sides) {
  const set = before && after ? changedNotes(before, after) : {};
  const { locked, ownerId, reviewAt } = now;
  return {
    ...("locked" in set ? {} : { locked }),
    ...("ownerId" in set ? {} : { ownerId }),
    ...("reviewAt" in set ? {} : { reviewAt }),
  };
}

/** Warns of other records that take the TTL of a restored one, because an RRset has one TTL. */
function ttlWarnings(changes: readonly PlannedChange[], reverted: ReadonlySet<string>): string[] {
  return changes.flatMap(({ id, after }) =>
    after && !reverted.has(id) ? [`${recordLabel(after)} also takes the TTL ${after.ttl}: an RRset has one TTL.`] : [],
  );
}

function notInvertible(reasons: readonly string[]): AppError {
  return new AppError("CONFLICT", `Nothing was reverted: ${reasons[0]}`, { issues: listed(reasons) });
}

const mostListed = 100;

function listed(messages: readonly string[]) {
  return messages.slice(0, mostListed).map((message) => ({ path: ["changeSetId"], message }));
}
