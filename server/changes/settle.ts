import { sql } from "kysely";
import type { Actor } from "../access/actor.ts";
import { writeEntry } from "../audit/audit.ts";
import { jsonRows, jsonTexts, queries, type EntityManager } from "../database/database.ts";
import type { ChangeOutcome, RecordChange } from "../dns-providers/provider.ts";
import { noDrift } from "./state/found-drift.ts";
import { newId } from "../platform/ids.ts";
import { inChunks } from "../platform/slices.ts";
import { countActions, dataOf, storedStrings, type PlannedChange, type RecordDraft } from "../dns/record.ts";
import type { ChangeSetKind, ChangeSetState } from "../database/tables/change-sets.ts";
import { causeColumns, type Cause } from "./cause.ts";
import { announceZoneChange } from "./watch/announce.ts";
import { makeMirrorsDue } from "./mirror-due.ts";
import { isReported, reportChange } from "./report-change.ts";
import { failureOf, failuresText, type Failure } from "./failures.ts";
import { lostLease, type Lease } from "./lease.ts";

/** A statement of the embedded database blocks the event loop until it is done. */
const rowsPerStatement = 1_000;

/** The outcome of a change set. */
export interface Settlement {
  kind: ChangeSetKind;
  /** Whose change it is. */
  actorId: string | null;
  /** Who carried it out: the same user, or the service that repaired it. */
  actor: Actor;
  /** Why it was made, as its author wrote it. */
  message?: string | null | undefined;
  /** What the audit entry says besides the records, such as the snapshot that was restored. */
  about?: Readonly<Record<string, unknown>> | undefined;
  changes: readonly PlannedChange[];
  outcomes: readonly ChangeOutcome[];
  /** Null when the row lock of this transaction protects the zone. */
  lease: Lease | null;
  /** The fingerprint of the provider's content afterwards; null leaves the stored one. */
  fingerprint: string | null;
  /** The pending change set, which stores its cause; left out when there is none. */
  changeSetId?: string | undefined;
  /** What the change set is made for, if none is pending. */
  cause?: Cause | undefined;
  /** Whether the outcome was read back from the zone. */
  repaired: boolean;
  now: Date;
}

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
    .returning(sql<boolean>`exists (select from mirrors where mirrors.domain_id = domains.id)`.as("mirrored"))
    .returning(isReported.as("reported"))
    .executeTakeFirst();
  if (!moved) {
    throw await lostLease(tx, domainId, "The change took too long. Its outcome will appear in the history shortly.");
  }
  // Fewer records end than planned where some had ended already: count them again.
  const { revision, mirrored, reported } = moved;
  const isCounted =
    done.length === 0 || (await writeVersions(tx, domainId, { revision, changes: done, now })) === grows;
  if (!isCounted) await recount(tx, domainId);
  if (changes.length === 0) return { revision, changeSetId: null };
  const made = { revision: done.length > 0 ? revision : null, done, failures };
  const changeSetId = await recordChangeSet(tx, domainId, settlement, made);
  await recordTrail(tx, domainId, settlement, { ...made, changeSetId });
  if (done.length > 0) {
    // Under a lease the update above may have waited for a mirror that was being added, which it then does not see.
    const isDue = (mirrored || lease !== null) && (await makeMirrorsDue(tx, { domainId, revision, now })) > 0;
    if (reported) await reportChange(tx, { changeSetId, tokenId: settlement.actor.tokenId, now });
    announceZoneChange(tx, { domainId, revision, changeSetId, mirrored: isDue, reported });
  }
  return { revision, changeSetId };
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

/**
 * Writes changes that took place as new versions of their records: closes rows and opens others, overwrites none.
 * @returns how many live records the zone has gained; a record that had ended already is not counted again.
 */
async function writeVersions(
  tx: EntityManager,
  domainId: string,
  { revision, changes, now }: { revision: number; changes: readonly PlannedChange[]; now: Date },
): Promise<number> {
  const closed = changes.flatMap((change) => (change.before ? [change.id] : []));
  const ended = await inChunks(closed, rowsPerStatement, (ids) =>
    queries(tx)
      .updateTable("records")
      .set({ until: revision })
      .where("record_id", "in", sql<string>`(select value::uuid from ${jsonTexts(ids)})`)
      .where("until", "is", null)
      .execute(),
  );
  const opened = changes.filter((change) => change.after !== null);
  await inChunks(opened, rowsPerStatement, async (some) => {
    const rows = some.map((change) => versionRow(change, now));
    // A rollback may restore a deleted record under its id: its version numbers go on.
    await sql`
      insert into records (
        record_id, version, domain_id, since, record_type, name, value, strings, ttl, priority, proxied, status, comment,
        locked, owner_id, review_at, review_reminded, created_at, updated_at
      )
      select r.id, greatest(r.v, last.version + 1), ${domainId}::uuid, ${revision}::int, r.t, r.n, r.d, r.g, r.s, r.p, r.x, 'active', r.c,
        r.l, (select u.id from users u where u.id = r.o), r.w, last.review_reminded, r.m, ${now}::timestamptz
      from ${jsonRows(rows)} as r (
        id uuid, v int, t text, n text, d text, g text, s int, p int, x boolean, c text, l boolean, o uuid, w timestamptz, m timestamptz
      )
      left join lateral (
        select version, review_reminded from records where record_id = r.id order by version desc limit 1
      ) last on true
    `.execute(queries(tx));
    return [];
  });
  return opened.length - ended.reduce((sum, { numUpdatedRows }) => sum + Number(numUpdatedRows), 0);
}

function versionRow({ id, before, after }: PlannedChange, now: Date) {
  return {
    id,
    v: (before?.version ?? 0) + 1,
    t: after?.recordType,
    n: after?.name,
    d: after?.value,
    g: storedStrings(after?.strings ?? null),
    s: after?.ttl,
    p: after?.priority,
    x: after?.proxied,
    c: after?.comment,
    l: after?.locked ?? false,
    o: after?.ownerId,
    w: after?.reviewAt,
    m: before?.createdAt ?? now,
  };
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

/** What a change set did. */
interface Made {
  /** Null when nothing took place. */
  revision: number | null;
  done: readonly PlannedChange[];
  failures: Failure[];
}

async function recordChangeSet(
  tx: EntityManager,
  domainId: string,
  { kind, actorId, actor, message = null, outcomes, changeSetId, cause, repaired, now }: Settlement,
  { revision, done, failures }: Made,
): Promise<string> {
  const outcome = {
    state: stateOf(outcomes, revision),
    unknown: outcomes.filter(isUnknown).length || null,
    revision,
    ...countActions(done),
    failures: failures.length === 0 ? null : failuresText(failures),
    repaired,
    finished_at: now,
  };
  if (changeSetId === undefined) {
    const id = newId();
    await queries(tx)
      .insertInto("change_sets")
      .values({
        id,
        domain_id: domainId,
        kind,
        actor_id: actorId,
        tsig_key: actor.tsigKey ?? null,
        message,
        created_at: now,
        ...causeColumns(cause),
        ...outcome,
      })
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
  // A change whose outcome is unknown has not failed.
  return revision === null && !outcomes.some(isUnknown) ? "failed" : "partial";
}

function isUnknown(outcome: ChangeOutcome): boolean {
  return !outcome.ok && outcome.unknown === true;
}

/** The history shows as many of a change set. */
const auditedRecords = 100;

/** Writes one audit entry for the change set: its counts, and up to a hundred records before and after. */
async function recordTrail(
  tx: EntityManager,
  domainId: string,
  {
    kind,
    actor,
    message,
    about,
    repaired,
    now,
  }: Pick<Settlement, "kind" | "actor" | "message" | "about" | "repaired" | "now">,
  { changeSetId, revision, done, failures }: Made & { changeSetId: string },
): Promise<void> {
  const audited = done.slice(0, auditedRecords);
  await writeEntry(tx, now, actor, {
    action: `records.${kind}`,
    targetType: "domain",
    targetId: domainId,
    before: { records: audited.flatMap(({ id, before }) => (before ? [{ id, ...auditedData(before) }] : [])) },
    after: {
      changeSetId,
      revision,
      ...(message ? { message } : {}),
      ...countActions(done),
      failures: failures.length,
      repaired,
      ...about,
      records: audited.flatMap(({ id, after }) => (after ? [{ id, ...auditedData(after) }] : [])),
    },
  });
}

/** Returns what the trail says of a record: its data, and its lock, owner and review date if it has them. */
function auditedData(record: RecordDraft): object {
  const { locked, ownerId, reviewAt } = record;
  return {
    ...dataOf(record),
    ...(locked ? { locked } : {}),
    ...(ownerId === null ? {} : { ownerId }),
    ...(reviewAt === null ? {} : { reviewAt: reviewAt.toISOString() }),
  };
}
