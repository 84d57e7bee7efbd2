import { queries, type EntityManager } from "../database/database.ts";
import { inOneTrip, oneByOne, withNext, type Answer, type Later } from "../database/one-trip.ts";
import { hasSignatureOverSoa } from "../database/server-managed-rows.ts";
import type { ChangeOutcome, RecordChange } from "../dns-providers/provider.ts";
import type { PlannedChange, RecordDraft } from "../dns/record.ts";
import { isSignatureOverSoa } from "../dns/server-managed.ts";
import { newId } from "../platform/ids.ts";
import { lostLease } from "./lease.ts";
import { mirrorsDueStatement } from "./mirror-due.ts";
import { isReported, reportChange } from "./report-change.ts";
import {
  historyStatements,
  rowsPerStatement,
  versionStatements,
  type WatchedZone,
  type Settlement,
} from "./settlement.ts";
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
  const { changes, now } = settlement;
  const done = effects(changes, settlement.outcomes);
  const changeSetId = changes.length === 0 ? null : (settlement.changeSetId ?? newId());
  const isLarge = done.length > rowsPerStatement;
  const { revision, mirrored, reported } = await write(tx, domainId, settlement, { done, changeSetId, isLarge });
  if (changeSetId !== null && done.length > 0) {
    if (reported) await reportChange(tx, { changeSetId, tokenId: settlement.actor.tokenId, now });
    announceZoneChange(tx, { domainId, revision, changeSetId, mirrored, reported });
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

/** @returns the zone afterwards @throws AppError UNAVAILABLE */
async function write(
  tx: EntityManager,
  domainId: string,
  settlement: Settlement,
  { done, changeSetId, isLarge }: Writing,
): Promise<WatchedZone> {
  const move = () => moveZone(tx, domainId, settlement, done).compile();
  const statements = (revision: number) => {
    const { closing, opening } = versionStatements(domainId, { revision, changes: done, now: settlement.now });
    const made = { changeSetId, done, revision: done.length > 0 ? revision : null };
    const history = historyStatements(tx, domainId, settlement, made);
    return { closing, others: [...opening, ...signatureStatements(tx, domainId, done), ...history] };
  };
  const due = (revision: number) =>
    done.length > 0 ? [() => mirrorsDueStatement({ domainId, revision, now: settlement.now })] : [];
  const { locked } = settlement;
  // Nothing else changes a locked zone or adds a mirror, and its records are as they were planned: no answer has to be read.
  if (locked && !isLarge) {
    const revision = locked.revision + (done.length > 0 ? 1 : 0);
    const { closing, others } = statements(revision);
    await withNext(tx, [move, ...closing, ...others, ...(locked.mirrored ? due(revision) : [])]);
    return { ...locked, revision };
  }
  const moved = await movedBy(tx, domainId, (await inOneTrip(tx, [move]))[0]);
  const { closing, others } = statements(moved.revision);
  const answers = await (isLarge ? oneByOne : inOneTrip)(tx, [...closing, ...others, ...due(moved.revision)]);
  // Fewer records end than planned where some had ended already: count them again.
  const ended = answers.slice(0, closing.length).reduce((sum, { numAffectedRows }) => sum + Number(numAffectedRows), 0);
  if (ended !== done.filter(({ before }) => before !== null).length) await recount(tx, domainId);
  return { ...moved, mirrored: done.length > 0 && Number(answers.at(-1)?.numAffectedRows) > 0 };
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
    .returning(isReported.as("reported"));
}

/** Returns what stores whether the zone has a signature over its SOA, once changes of one are written. */
function signatureStatements(tx: EntityManager, domainId: string, done: readonly PlannedChange[]): Later[] {
  if (!done.some(({ before, after }) => isSigning(before) || isSigning(after))) return [];
  const update = queries(tx).updateTable("domains").set({ soa_signed: hasSignatureOverSoa }).where("id", "=", domainId);
  return [() => update.compile()];
}

function isSigning(record: RecordDraft | null): boolean {
  return record !== null && isSignatureOverSoa(record);
}

/** @throws AppError UNAVAILABLE if the zone was not moved, because the lease was lost */
async function movedBy(
  tx: EntityManager,
  domainId: string,
  answer: Answer | undefined,
): Promise<Omit<WatchedZone, "mirrored">> {
  const [row] = (answer?.rows ?? []) as Omit<WatchedZone, "mirrored">[];
  if (row) return row;
  throw await lostLease(tx, domainId, "The change took too long. Its outcome will appear in the history shortly.");
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
