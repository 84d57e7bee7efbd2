import { effects } from "./read-back.ts";
import { sql } from "kysely";
import type { Actor } from "../audit/actor.ts";
import { queries, type EntityManager } from "../database/database.ts";
import { ProviderError, type ApplyResult, type ChangeOutcome, type DnsProvider } from "../dns-providers/provider.ts";
import { AppError, notFound } from "../errors.ts";
import { noDrift } from "../drift/due-zones.ts";
import { newId } from "../ids.ts";
import { recordTrail } from "./trail.ts";
import { countActions, growth, writeVersions } from "./commit.ts";
import { concernedBy } from "./concerned.ts";
import type { ChangeSetKind, ChangeSetState } from "./entities.ts";
import { domainExists, type Lease } from "./lease.ts";
import { callProvider } from "./provider-call.ts";
import { notingCalls } from "./sent-calls.ts";
import type { PlannedChange } from "../records/live-record.ts";

export interface SentZone {
  id: string;
  name: string;
  /** Mark of the provider's content that the records here stand for. */
  fingerprint: string | null;
}

/** A refused item, as the history keeps it. */
export interface Failure {
  action: "create" | "update" | "delete";
  recordType: string;
  name: string;
  value: string;
  error: string;
}

/**
 * Commits the intent, then calls the provider.
 * @throws AppError PROVIDER_ERROR when nothing was changed, or when nobody can say yet: then a repair settles it;
 * UNAVAILABLE when the lease was lost before anything was sent.
 */
export async function sendChanges(
  em: EntityManager,
  zone: SentZone,
  provider: DnsProvider,
  lease: Lease,
  set: { kind: ChangeSetKind; actorId: string; changes: PlannedChange[]; together: boolean; now: () => Date },
): Promise<ApplyResult & { changeSetId: string }> {
  const changeSetId = newId();
  const { creates, updates, deletes } = countActions(set.changes);
  // Only while the zone is still ours: whoever took it since may have moved it elsewhere.
  const intended = await sql<{ id: string }>`
    insert into change_sets (id, domain_id, kind, state, actor_id, creates, updates, deletes, intent, repaired, created_at)
    select ${changeSetId}::uuid, id, ${set.kind}, 'pending', ${set.actorId}::uuid, ${creates}::int, ${updates}::int, ${deletes}::int,
      ${JSON.stringify(intentOf(set))}::jsonb, false, ${set.now()}::timestamptz
    from domains where id = ${zone.id} and lease_token = ${lease.token} and lease_until > now()
    returning id
  `.execute(queries(em));
  if (intended.rows.length === 0)
    throw await lostZone(em, zone.id, "Planning took too long, and nothing was changed; try again.");
  return { changeSetId, ...(await carryOut(em, zone, provider, lease, changeSetId, set)) };
}

async function carryOut(
  em: EntityManager,
  zone: SentZone,
  provider: DnsProvider,
  lease: Lease,
  changeSetId: string,
  { changes, together, now }: { changes: PlannedChange[]; together: boolean; now: () => Date },
): Promise<ApplyResult> {
  const { sent, outcomesOf } = concernedBy(changes, together);
  try {
    const answer: ApplyResult =
      sent.length === 0
        ? { outcomes: [], before: null, after: null }
        : await callProvider(provider, zone.name, sent, {
            together,
            plannedOn: zone.fingerprint,
            mayStayOpen: true,
            beforeCall: notingCalls(em, zone.id, lease, { id: changeSetId, changes: sent }),
          });
    return { ...answer, outcomes: outcomesOf(answer.outcomes) };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.effect === "unknown") {
      await leaveOpen(em, changeSetId, { together, changes }, now());
      throw new AppError(
        "PROVIDER_ERROR",
        `${error.message} What came of it is not known yet; the zone will be read back.`,
        { cause: error },
      );
    }
    const failures = changes.map((change) => failure(change, error.message));
    await queries(em)
      .with("noted", (db) => db.deleteFrom("change_set_calls").where("change_set_id", "=", changeSetId))
      .updateTable("change_sets")
      .set({
        state: "failed",
        ...countActions([]),
        finished_at: now(),
        intent: null,
        failures: JSON.stringify(failures.slice(0, keptFailures)),
      })
      .where("id", "=", changeSetId)
      .where("state", "=", "pending")
      .execute();
    throw new AppError("PROVIDER_ERROR", error.message, { cause: error });
  }
}

/** As many as the history shows. */
const keptFailures = 100;

/** What a repair needs. */
export interface Intent {
  together: boolean;
  changes: PlannedChange[];
  /** Since when nobody here is at it any more, as an ISO time; left out until that is noticed. */
  openSince?: string | undefined;
}

function intentOf({ together, changes }: Intent): Intent {
  return { together, changes };
}

/** Keeps that what came of a change is to be read, but not before what is still under way has ended. */
export async function leaveOpen(em: EntityManager, changeSetId: string, intent: Intent, since: Date): Promise<void> {
  const left: Intent = { ...intentOf(intent), openSince: since.toISOString() };
  await queries(em)
    .updateTable("change_sets")
    .set({ intent: JSON.stringify(left) })
    .where("id", "=", changeSetId)
    .where("state", "=", "pending")
    .execute();
}

function failure(change: PlannedChange, error: string): Failure {
  const { recordType, name, value } = change.after ?? change.before;
  return { action: change.action, recordType, name, value, error };
}

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
  const failures = changes.flatMap((change, index) => {
    const outcome = outcomes[index];
    return outcome && !outcome.ok ? [failure(change, outcome.message)] : [];
  });
  const moved = await queries(tx)
    .updateTable("domains")
    .set((eb) => ({
      revision: done.length > 0 ? eb("revision", "+", 1) : eb.ref("revision"),
      record_count: eb("record_count", "+", growth(done)),
      updated_at: done.length > 0 ? now : eb.ref("updated_at"),
      provider_fingerprint: fingerprint ?? eb.ref("provider_fingerprint"),
      ...(settlement.kind === "sync" ? noDrift : {}),
    }))
    .where("id", "=", domainId)
    .$if(lease !== null, (query) => query.where("lease_token", "=", lease?.token ?? null))
    .returning("revision")
    .executeTakeFirst();
  if (!moved) {
    throw await lostZone(
      tx,
      domainId,
      "The change took too long and its outcome is being established; look at the history shortly.",
    );
  }
  if (done.length > 0) await writeVersions(tx, domainId, moved.revision, done, now);
  if (changes.length > 0) {
    const revision = done.length > 0 ? moved.revision : null;
    const changeSetId = await recordChangeSet(tx, domainId, settlement, revision, failures);
    await recordTrail(tx, domainId, settlement, { changeSetId, revision, done, failures: failures.length });
  }
  return moved.revision;
}

/** Why a zone is not ours any more: it is gone, or another process took the lease. */
async function lostZone(em: EntityManager, domainId: string, message: string): Promise<AppError> {
  if (!(await domainExists(em, domainId))) return notFound("domain");
  return new AppError("UNAVAILABLE", message, { retryAfterSeconds: 5 });
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
    failures: failures.length === 0 ? null : JSON.stringify(failures.slice(0, keptFailures)),
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
