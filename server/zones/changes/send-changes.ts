import { sql } from "kysely";
import { fromJson, queries, type EntityManager } from "../../database/database.ts";
import {
  ProviderError,
  type ApplyResult,
  type BeforeCall,
  type ChangeOutcome,
  type DnsProvider,
  type RecordChange,
} from "../../dns-providers/provider.ts";
import { AppError } from "../../platform/errors.ts";
import { liveAtNames } from "./state/live-queries.ts";
import { newId } from "../../platform/ids.ts";
import {
  countActions,
  dataOf,
  isActive,
  recordKey,
  sameData,
  sameSpelling,
  servedChange,
  type PlannedChange,
  type RecordData,
} from "../../dns/record.ts";
import { causeColumns, failureOf, failuresText, type Cause } from "./settle.ts";
import type { ChangeSetKind } from "../../database/tables/changes.ts";
import { lostLease, type Lease } from "./zone-context.ts";
import { storeFollows, type Follow } from "./follows.ts";
import { callProvider } from "./provider-call.ts";
import { notDone } from "../../dns-providers/applying/apply-to-records.ts";

/** A zone whose records are sent to its provider. */
interface SentZone {
  id: string;
  providerZone: string;
  /** Fingerprint of the provider's content that the records here stand for. */
  fingerprint: string | null;
  /** Whether the provider signs the zone. */
  signed: boolean;
  provider: DnsProvider;
}

/** A change set about to be sent. */
interface ChangeSet {
  kind: ChangeSetKind;
  actorId: string;
  /** Name of the TSIG key that was used. */
  tsigKey: string | null;
  /** The personal token that was used. */
  tokenId: string | null;
  /** Why it is made, as its author wrote it. */
  message: string | null;
  changes: PlannedChange[];
  /** All of the changes or none. */
  atomic: boolean;
  cause?: Cause | undefined;
  /** What other zones must do afterwards. */
  follows?: readonly Follow[] | undefined;
  now: () => Date;
}

/**
 * Stores a change set as pending, so that a repair can settle it after a crash, with what other zones must do afterwards.
 * @returns the change set's id.
 * @throws AppError UNAVAILABLE when the lease was lost.
 */
export async function commitIntent(em: EntityManager, domainId: string, lease: Lease, set: ChangeSet): Promise<string> {
  return await em.transactional(async (tx) => {
    const id = await storeIntent(tx, domainId, lease, set);
    if (set.follows && set.actorId !== null)
      await storeFollows(tx, { id, actorId: set.actorId, now: set.now() }, set.follows);
    return id;
  });
}

async function storeIntent(em: EntityManager, domainId: string, lease: Lease, set: ChangeSet): Promise<string> {
  const id = newId();
  const { creates, updates, deletes } = countActions(set.changes);
  const { caused_by, reverts_id, batch_item_id, change_request_id } = causeColumns(set.cause);
  // Only while the lease is held: another process that took it may have moved the zone.
  const intended = await sql<{ id: string }>`
    insert into change_sets (id, domain_id, kind, state, actor_id, tsig_key, token_id, message, creates, updates, deletes, intent, repaired, caused_by, reverts_id, batch_item_id, change_request_id, created_at)
    select ${id}::uuid, id, ${set.kind}, 'pending', ${set.actorId}::uuid, ${set.tsigKey}::text, ${set.tokenId}::uuid, ${set.message}::text, ${creates}::int, ${updates}::int, ${deletes}::int,
      ${intentText(set)}::jsonb, false, ${caused_by}::uuid, ${reverts_id}::uuid, ${batch_item_id}::uuid, ${change_request_id}::uuid, ${set.now()}::timestamptz
    from domains where id = ${domainId} and lease_token = ${lease.token} and lease_until > now()
    returning id
  `.execute(queries(em));
  if (intended.rows.length === 0)
    throw await lostLease(em, domainId, "Planning took too long, and nothing was changed. Try again.");
  return id;
}

/**
 * Sends the changes of a pending change set to the provider.
 * @throws AppError PROVIDER_ERROR when nothing was changed, and when the outcome is unknown: the change set then stays pending.
 */
export async function sendChanges(
  em: EntityManager,
  zone: SentZone,
  lease: Lease,
  { id, changes, atomic, now }: ChangeSet & { id: string },
): Promise<ApplyResult> {
  const { sent, outcomesOf } = providerPart(changes, atomic);
  try {
    const answer: ApplyResult =
      sent.length === 0
        ? { outcomes: [], before: null, after: null }
        : await callProvider(zone.provider, zone.providerZone, sent, {
            atomic,
            plannedOn: zone.fingerprint,
            signed: zone.signed,
            mayStayOpen: true,
            beforeCall: notingCalls(em, zone.id, lease, { id, changes: sent }),
          });
    return { ...answer, outcomes: outcomesOf(answer.outcomes) };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.effect === "unknown") {
      await leaveOpen(em, id, { atomic, changes }, now());
      throw new AppError(
        "PROVIDER_ERROR",
        `${error.message} The outcome is not known yet; the zone will be read back to find out.`,
        { cause: error },
      );
    }
    const failures = changes.map((change) => failureOf(change, error.message));
    await queries(em)
      .with("noted", (db) => db.deleteFrom("change_set_calls").where("change_set_id", "=", id))
      .updateTable("change_sets")
      .set({
        state: "failed",
        ...countActions([]),
        finished_at: now(),
        intent: null,
        failures: failuresText(failures),
      })
      .where("id", "=", id)
      .where("state", "=", "pending")
      .execute();
    throw new AppError("PROVIDER_ERROR", error.message, { cause: error });
  }
}

/** Returns deletions for records that the provider dropped by itself while it carried out `changes`. */
export async function droppedRecords(
  em: EntityManager,
  domainId: string,
  dropped: readonly RecordData[],
  changes: readonly PlannedChange[],
): Promise<PlannedChange[]> {
  if (dropped.length === 0) return [];
  const keys = new Set(dropped.map(recordKey));
  const planned = new Set(changes.map(({ id }) => id));
  const live = await liveAtNames(em, domainId, [...new Set(dropped.map(({ name }) => name))]);
  return live
    .filter((record) => isActive(record) && keys.has(recordKey(record)) && !planned.has(record.id))
    .map((before) => ({ action: "delete", id: before.id, before, after: null }));
}

/** A pending change set: what a repair needs to find out its outcome. */
export interface Intent {
  /** All of the changes or none. */
  atomic: boolean;
  changes: PlannedChange[];
  /** When it was first noticed that no call for it is in flight, as an ISO time; left out until then. */
  openSince?: string | undefined;
}

/** The stored form of an intent. `together` is its stored name for `atomic`, which 0.1 reads and writes too. */
interface StoredIntent extends Omit<Intent, "atomic"> {
  together: boolean;
}

/** Returns the stored form of an intent. */
function intentText({ atomic, changes, openSince }: Intent): string {
  return JSON.stringify({ together: atomic, changes, openSince } satisfies StoredIntent);
}

/** Leaves a change set pending. Its outcome is read back once in-flight calls have ended. */
export async function leaveOpen(em: EntityManager, changeSetId: string, intent: Intent, since: Date): Promise<void> {
  await queries(em)
    .updateTable("change_sets")
    .set({ intent: intentText({ ...intent, openSince: since.toISOString() }) })
    .where("id", "=", changeSetId)
    .where("state", "=", "pending")
    .execute();
}

/** Reads a stored intent. JSON has no dates, so those are revived. */
export function storedIntent(stored: unknown): Intent {
  const read = fromJson(stored);
  // Early versions stored a bare list of changes.
  const { together, ...intent } = (Array.isArray(read) ? { together: false, changes: read } : read) as StoredIntent;
  for (const { before, after } of intent.changes) {
    for (const record of [before, after]) {
      if (!record) continue;
      // 0.1 stored no strings, no status and no notes but the comment.
      record.strings ??= null;
      record.status ??= "active";
      record.locked ??= false;
      record.ownerId ??= null;
      record.reviewAt = record.reviewAt ? new Date(record.reviewAt) : null;
    }
    if (!before) continue;
    before.createdAt = new Date(before.createdAt);
    before.updatedAt = new Date(before.updatedAt);
  }
  return { ...intent, atomic: together };
}

/** The part of a change set that is sent to the provider. */
interface ProviderPart {
  sent: RecordChange[];
  /** Returns the outcomes of all changes, from those of the changes sent. */
  outcomesOf: (answers: readonly ChangeOutcome[]) => ChangeOutcome[];
}

/**
 * Returns the part of planned changes that concerns the provider. A change of a comment does not, nor one of a disabled record; in an atomic
 * set such a change succeeds only if the provider refuses nothing. Pure.
 */
export function providerPart(changes: readonly PlannedChange[], atomic: boolean): ProviderPart {
  const parts = changes.map(partOf);
  return {
    sent: parts.flatMap((part) => part ?? []),
    outcomesOf: (answers) => {
      const refusal = atomic ? answers.find((answer) => !answer.ok) : undefined;
      const unsent: ChangeOutcome =
        refusal && !refusal.ok ? { ok: false, message: notDone(refusal.message) } : { ok: true };
      let next = 0;
      return parts.map((part): ChangeOutcome => {
        const outcome = part ? answers[next++] : unsent;
        return outcome ?? { ok: false, message: "The provider gave no answer." };
      });
    },
  };
}

/** Returns what the provider is to do for a change; null for nothing. */
function partOf(change: PlannedChange): RecordChange | null {
  const served = servedChange(change);
  if (served === null) return null;
  const { action, before, after } = served;
  if (action === "update" && sameData(before, after) && sameSpelling(before, after)) return null;
  if (action === "create") return { action, before: null, after: dataOf(after) };
  if (action === "update") return { action, before: dataOf(before), after: dataOf(after) };
  return { action, before: dataOf(before), after: null };
}

/** Returns a guard that lets no call out once another process may hold the zone. */
export function whileHeld(lease: Lease): BeforeCall {
  return async () => {
    if (!lease.isHeld()) throw lost();
    await Promise.resolve();
  };
}

/**
 * Returns a guard that stores what each call of a change set is to do before it is made, so that a repair after a crash can tell which
 * changes are ours. It lets no call out once another process may hold the zone. A call that does the whole set is not stored: it is carried
 * out whole or not at all.
 */
function notingCalls(
  em: EntityManager,
  domainId: string,
  lease: Lease,
  { id, changes }: { id: string; changes: readonly RecordChange[] },
): BeforeCall {
  const held = whileHeld(lease);
  return async (does) => {
    await held(does);
    if (does.length === 0 || isAll(changes, does)) return;
    const noted = await sql`
      insert into change_set_calls (change_set_id, does)
      select ${id}::uuid, ${JSON.stringify(does)}::jsonb
      from domains where id = ${domainId} and lease_token = ${lease.token} and lease_until > now()
    `
      .execute(queries(em))
      .catch((error: unknown) => {
        throw new ProviderError("The database could not be written to, so nothing more was sent. Try again.", "none", {
          cause: error,
        });
      });
    if (noted.numAffectedRows === 0n) throw lost();
  };
}

function lost(): ProviderError {
  return new ProviderError(
    "The change took too long and another one may hold the zone now, so nothing more was sent. Try again.",
    "none",
  );
}

/** Returns whether a call does all of the changes. */
function isAll(changes: readonly RecordChange[], does: readonly RecordChange[]): boolean {
  if (does.length < changes.length) return false;
  const effects = new Set(does.map(changeKey));
  return changes.every((change) => effects.has(changeKey(change)));
}

/** Without the TTL that `after` is to have, a call that gives a record another one first would pass for all of its change. */
function changeKey({ before, after }: RecordChange): string {
  return JSON.stringify([before && recordKey(before), after && [recordKey(after), after.ttl]]);
}

/** Returns what each started call of a change set was to do. */
export async function begunCalls(em: EntityManager, changeSetId: string): Promise<RecordChange[][]> {
  const rows = await queries(em)
    .selectFrom("change_set_calls")
    .select("does")
    .where("change_set_id", "=", changeSetId)
    .orderBy("id")
    .execute();
  const calls = rows.map(({ does }) => fromJson(does) as RecordChange[]);
  // 0.1 stored no strings.
  for (const { before, after } of calls.flat())
    for (const record of [before, after]) if (record) record.strings ??= null;
  return calls;
}
