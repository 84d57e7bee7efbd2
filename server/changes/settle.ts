import { sql } from "kysely";
import type { Actor } from "../access/actor.ts";
import { writeEntry } from "../audit/audit.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { ChangeOutcome } from "../dns-providers/provider.ts";
import { noDrift } from "./state/found-drift.ts";
import { newId } from "../platform/ids.ts";
import { countActions, dataOf, type PlannedChange } from "../dns/live-record.ts";
import { growth, writeVersions } from "./commit.ts";
import type { ChangeSetKind, ChangeSetState } from "../database/tables/change-sets.ts";
import { failureOf, failuresText, type Failure } from "./failures.ts";
import { lostLease, type Lease } from "./lease.ts";
import { effects } from "./read-back.ts";

export interface Settlement {
  kind: ChangeSetKind;
  /** Whose change it is. */
  actorId: string | null;
  /** Who carries it out: the same, or the service that repairs it. */
  actor: Actor;
  /** What the trail tells beside the records, such as the snapshot that was gone back to. */
  about?: Readonly<Record<string, unknown>> | undefined;
  changes: readonly PlannedChange[];
  outcomes: readonly ChangeOutcome[];
  /** Null when the row lock of this transaction holds the zone. */
  lease: Lease | null;
  fingerprint: string | null;
  /** The pending change set; absent when none was needed. */
  changeSetId?: string | undefined;
  repaired: boolean;
  now: Date;
}

/**
 * Writes what really happened and raises the revision, in the caller's transaction.
 * @returns the zone's revision afterwards.
 * @throws AppError UNAVAILABLE when the lease was lost; the pending change set is then left to a repair.
 */
export async function settle(tx: EntityManager, domainId: string, settlement: Settlement): Promise<number> {
  const { changes, outcomes, lease, fingerprint, now } = settlement;
  const done = effects(changes, outcomes);
  const grows = growth(done);
  const failures = changes.flatMap((change, index) => {
    const outcome = outcomes[index];
    return outcome && !outcome.ok ? [failureOf(change, outcome.message)] : [];
  });
  const moved = await queries(tx)
    .updateTable("domains")
    .set((eb) => ({
      revision: done.length > 0 ? eb("revision", "+", 1) : eb.ref("revision"),
      record_count: eb.fn<number>("greatest", [eb("record_count", "+", grows), eb.lit(0)]),
      updated_at: done.length > 0 ? now : eb.ref("updated_at"),
      provider_fingerprint: fingerprint ?? eb.ref("provider_fingerprint"),
      ...(settlement.kind === "sync" ? noDrift : {}),
    }))
    .where("id", "=", domainId)
    .$if(lease !== null, (query) => query.where("lease_token", "=", lease?.token ?? null))
    .returning("revision")
    .executeTakeFirst();
  if (!moved) {
    throw await lostLease(
      tx,
      domainId,
      "The change took too long and its outcome is being established; look at the history shortly.",
    );
  }
  // What had ended already does not end once more.
  const isCounted = done.length === 0 || (await writeVersions(tx, domainId, moved.revision, done, now)) === grows;
  if (!isCounted) await recount(tx, domainId);
  if (changes.length > 0) {
    const revision = done.length > 0 ? moved.revision : null;
    const changeSetId = await recordChangeSet(tx, domainId, settlement, revision, failures);
    await recordTrail(tx, domainId, settlement, { changeSetId, revision, done, failures: failures.length });
  }
  return moved.revision;
}

async function recount(tx: EntityManager, domainId: string): Promise<void> {
  await queries(tx)
    .updateTable("domains")
    .set((eb) => ({
      record_count: eb
        .selectFrom("records")
        .select((count) => count.fn.countAll<number>().as("live"))
        .where("domain_id", "=", domainId)
        .where("until", "is", null),
    }))
    .where("id", "=", domainId)
    .execute();
}

async function recordChangeSet(
  tx: EntityManager,
  domainId: string,
  { kind, actorId, changes, outcomes, changeSetId, repaired, now }: Settlement,
  revision: number | null,
  failures: Failure[],
): Promise<string> {
  const outcome = {
    state: stateOf(outcomes, revision),
    unknown: outcomes.filter(isUnknown).length || null,
    revision,
    ...countActions(effects(changes, outcomes)),
    failures: failures.length === 0 ? null : failuresText(failures),
    repaired,
    finished_at: now,
  };
  if (changeSetId === undefined) {
    const id = newId();
    await queries(tx)
      .insertInto("change_sets")
      .values({ id, domain_id: domainId, kind, actor_id: actorId, created_at: now, ...outcome })
      .execute();
    return id;
  }
  await queries(tx)
    .with("noted", (db) => db.deleteFrom("change_set_calls").where("change_set_id", "=", changeSetId))
    .updateTable("change_sets")
    .set({ ...outcome, intent: sql`null` })
    .where("id", "=", changeSetId)
    .execute();
  return changeSetId;
}

function stateOf(outcomes: readonly ChangeOutcome[], revision: number | null): ChangeSetState {
  if (outcomes.every(({ ok }) => ok)) return "applied";
  // What may have been made has not failed.
  return revision === null && !outcomes.some(isUnknown) ? "failed" : "partial";
}

function isUnknown(outcome: ChangeOutcome): boolean {
  return !outcome.ok && outcome.unknown === true;
}

/** As many as the history shows of a change set. */
const toldRecords = 100;

interface Outcome {
  changeSetId: string;
  revision: number | null;
  done: readonly PlannedChange[];
  failures: number;
}

/** One entry of the audit trail for a whole change set: how much it did, and up to a hundred records as they were and are. */
async function recordTrail(
  tx: EntityManager,
  domainId: string,
  { kind, actor, about, repaired, now }: Pick<Settlement, "kind" | "actor" | "about" | "repaired" | "now">,
  { changeSetId, revision, done, failures }: Outcome,
): Promise<void> {
  const told = done.slice(0, toldRecords);
  await writeEntry(tx, now, actor, {
    action: `records.${kind}`,
    targetType: "domain",
    targetId: domainId,
    before: { records: told.flatMap(({ id, before }) => (before ? [{ id, ...dataOf(before) }] : [])) },
    after: {
      changeSetId,
      revision,
      ...countActions(done),
      failures,
      repaired,
      ...about,
      records: told.flatMap(({ id, after }) => (after ? [{ id, ...dataOf(after) }] : [])),
    },
  });
}
