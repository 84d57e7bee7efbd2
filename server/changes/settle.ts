import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import { inOneTrip, oneByOne, type Answer } from "../database/one-trip.ts";
import type { ChangeOutcome, RecordChange } from "../dns-providers/provider.ts";
import type { PlannedChange } from "../dns/record.ts";
import { newId } from "../platform/ids.ts";
import { lostLease } from "./lease.ts";
import { makeMirrorsDue } from "./mirror-due.ts";
import { isReported, reportChange } from "./report-change.ts";
import { historyStatements, rowsPerStatement, versionStatements, type Settlement } from "./settlement.ts";
import { noDrift } from "./state/found-drift.ts";
import { announceZoneChange } from "./watch/announce.ts";

interface Settled {
  revision: number;
  changeSetId: string | null;
}

/**
 * Settles a change set in the caller's transaction: writes what really happened to the records, the history and the audit trail, and raises
 * the revision.
 * @returns the zone's revision afterwards, and the change set's id; null if nothing was to be changed.
 * @throws AppError UNAVAILABLE when the lease was lost; a pending change set then waits for a repair.
 */
export async function settle(tx: EntityManager, domainId: string, settlement: Settlement): Promise<Settled> {
  const { changes, lease, now } = settlement;
  const done = effects(changes, settlement.outcomes);
  const changeSetId = changes.length === 0 ? null : (settlement.changeSetId ?? newId());
  const isLarge = done.length > rowsPerStatement;
  const { moved, ended } = await write(tx, domainId, settlement, { done, changeSetId, isLarge });
  // Fewer records end than planned where some had ended already: count them again.
  if (ended !== done.filter(({ before }) => before !== null).length) await recount(tx, domainId);
  const { revision, mirrored, reported } = moved;
  if (changeSetId !== null && done.length > 0) {
    // Under a lease the zone's update may have waited for a mirror that was being added, which it then does not see.
    const isDue = (mirrored || lease !== null) && (await makeMirrorsDue(tx, { domainId, revision, now })) > 0;
    if (reported) await reportChange(tx, { changeSetId, tokenId: settlement.actor.tokenId, now });
    announceZoneChange(tx, { domainId, revision, changeSetId, mirrored: isDue, reported });
  }
  return { revision, changeSetId };
}

/** What `settle` writes. */
interface Writing {
  /** The changes that took place. */
  done: readonly PlannedChange[];
  changeSetId: string | null;
  isLarge: boolean;
}

/** @returns the moved zone, and how many versions of records ended @throws AppError UNAVAILABLE */
async function write(
  tx: EntityManager,
  domainId: string,
  settlement: Settlement,
  { done, changeSetId, isLarge }: Writing,
): Promise<{ moved: Moved; ended: number }> {
  const run = isLarge ? oneByOne : inOneTrip;
  const move = () => moveZone(tx, domainId, settlement, done).compile();
  const statements = (revision: number) => {
    const { closing, opening } = versionStatements(tx, domainId, { revision, changes: done, now: settlement.now });
    const made = { changeSetId, done, revision: done.length > 0 ? revision : null };
    return { closing, others: [...opening, ...historyStatements(tx, domainId, settlement, made)] };
  };
  const { lockedRevision } = settlement;
  // Nothing else changes a locked zone: what follows its new revision does not have to wait for the answer.
  if (lockedRevision !== null) {
    const { closing, others } = statements(lockedRevision + (done.length > 0 ? 1 : 0));
    const [first, ...answers] = await run(tx, [move, ...closing, ...others]);
    return { moved: await movedBy(tx, domainId, first), ended: affected(answers.slice(0, closing.length)) };
  }
  const moved = await movedBy(tx, domainId, (await inOneTrip(tx, [move]))[0]);
  const { closing, others } = statements(moved.revision);
  const answers = await run(tx, [...closing, ...others]);
  return { moved, ended: affected(answers.slice(0, closing.length)) };
}

/** A zone after its change. */
interface Moved {
  revision: number;
  mirrored: boolean;
  reported: boolean;
}

function moveZone(
  tx: EntityManager,
  domainId: string,
  { kind, lease, fingerprint, now }: Settlement,
  done: readonly PlannedChange[],
) {
  return queries(tx)
    .updateTable("domains")
    .set((eb) => ({
      revision: done.length > 0 ? eb("revision", "+", 1) : eb.ref("revision"),
      record_count: eb.fn<number>("greatest", [eb("record_count", "+", growth(done)), eb.lit(0)]),
      updated_at: done.length > 0 ? now : eb.ref("updated_at"),
      provider_fingerprint: fingerprint ?? eb.ref("provider_fingerprint"),
      ...(kind === "sync" ? noDrift : {}),
    }))
    .where("id", "=", domainId)
    .$if(lease !== null, (query) => query.where("lease_token", "=", lease?.token ?? null))
    .returning("revision")
    .returning(sql<boolean>`exists (select from mirrors where mirrors.domain_id = domains.id)`.as("mirrored"))
    .returning(isReported.as("reported"));
}

/** @throws AppError UNAVAILABLE if the zone was not moved, because the lease was lost */
async function movedBy(tx: EntityManager, domainId: string, answer: Answer | undefined): Promise<Moved> {
  const [row] = (answer?.rows ?? []) as Moved[];
  if (row) return row;
  throw await lostLease(tx, domainId, "The change took too long. Its outcome will appear in the history shortly.");
}

function affected(answers: readonly Answer[]): number {
  return answers.reduce((sum, { numAffectedRows }) => sum + Number(numAffectedRows), 0);
}

/** Returns what took place of some changes. An update that left neither record counts as a deletion. */
export function effects<Change extends RecordChange>(
  changes: readonly Change[],
  outcomes: readonly ChangeOutcome[],
): Change[] {
  return changes.flatMap((change, index) => {
    const outcome = outcomes[index];
    if (!outcome || outcome.ok) return outcome ? [change] : [];
    return outcome.gone ? [{ ...change, action: "delete", after: null }] : [];
  });
}

/** Returns how many records a zone gains by some changes. */
function growth(changes: readonly PlannedChange[]): number {
  return changes.reduce((sum, { action }) => sum + (action === "create" ? 1 : action === "delete" ? -1 : 0), 0);
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
