import { fromJson, queries, type EntityManager } from "../../database/database.ts";
import type { Tables } from "../../database/tables/all.ts";
import { inOneTrip, oneByOne, withNext, statement, type Answer, type Later } from "../../database/statements.ts";
import type { ChangeOutcome, RecordChange } from "../../dns-providers/provider.ts";
import {
  asWritten,
  countActions,
  dataOf,
  isUnchanged,
  spellingOf,
  storedStrings,
  type LiveRecord,
  type PlannedChange,
  type RecordDraft,
  type Spelling,
} from "../../dns/record.ts";
import { isSignatureOverSoa, signatureOverSoa } from "../../dns/zone-file/type-names.ts";
import { idBefore, newId } from "../../platform/ids.ts";
import { flatMapped, inChunks, inSlices } from "../../platform/slices.ts";
import { bookmark } from "./bookmark.ts";
import { liveById, pageRows } from "./state/live-queries.ts";
import { isReported, lostLease, type Lease, type WatchedZone } from "./zone-context.ts";
import { announceZoneChange } from "./zone-watchers.ts";
import { sql, type CompiledQuery, type ExpressionBuilder } from "kysely";
import type { Actor } from "../../access/caller.ts";
import { entryStatement } from "../../notifications/audit/audit.ts";
import type { ChangeSetKind, ChangeSetState } from "../../database/tables/changes.ts";

/** What `soa_signed` of a domain stores: whether its live records include a signature over the SOA. */
const hasSignatureOverSoa = sql<boolean>`exists (
  select 1 from records signature
  where signature.domain_id = domains.id and signature.until is null and signature.status = 'active'
    and signature.record_type = 'RRSIG' and signature.name = '@' and signature.value ~* ${sql.lit(signatureOverSoa)}
)`;

interface Settled {
  revision: number;
  /** The revision that this change set made; null if it changed no record. */
  newRevision: number | null;
  changeSetId: string | null;
}

/**
 * Settles a change set in the caller's transaction: writes what really happened to the records, the history and the audit trail, and raises
 * the revision.
 * @returns the zone's revision afterwards, the one that this made, and the change set's id; null if nothing was to be changed.
 * @throws AppError UNAVAILABLE when the lease was lost; a pending change set then waits for a repair.
 */
export async function settle(tx: EntityManager, domainId: string, settlement: Settlement): Promise<Settled> {
  const { kind, changes, now } = settlement;
  const done = effects(changes, settlement.outcomes);
  const changeSetId = changes.length === 0 ? null : (settlement.changeSetId ?? settlement.ownId ?? newId());
  if (kind === "push" && changeSetId !== null) {
    await adoptOverwritten(tx, domainId, { ...settlement, ownId: idBefore(changeSetId) }, done);
  }
  const isLarge = done.length > rowsPerStatement;
  const { revision, mirrored, reported } = await write(tx, domainId, settlement, { done, changeSetId, isLarge });
  if (changeSetId !== null && done.length > 0) {
    if (reported) await reportChange(tx, { changeSetId, tokenId: settlement.actor.tokenId, now });
    announceZoneChange(tx, { domainId, revision, changeSetId, mirrored, reported });
  }
  return { revision, newRevision: done.length > 0 ? revision : null, changeSetId };
}

/**
 * Stores what the provider had where a push has overwritten it, as a sync: the history and a snapshot keep it, and the push can be reverted.
 * Until then the records here are those that the push has sent.
 */
async function adoptOverwritten(
  tx: EntityManager,
  domainId: string,
  settlement: Settlement,
  done: readonly PlannedChange[],
): Promise<void> {
  const ids = done.map(({ id }) => id);
  const live = new Map(await inChunks(ids, pageRows, async (some) => [...(await liveById(tx, domainId, some))]));
  const changes = await inSlices(flatMapped(done, ({ id, before }) => adopting(id, live.get(id), before)));
  if (changes.length === 0) return;
  const outcomes = changes.map(() => ({ ok: true }) as const);
  const { actorId, now } = settlement;
  const own = { about: undefined, changeSetId: undefined, cause: undefined, fingerprint: null, differences: undefined };
  await settle(tx, domainId, { ...settlement, ...own, kind: "sync", changes, outcomes });
  await bookmark(tx, domainId, { trigger: "on_change", createdBy: actorId, now });
}

/** Returns the change that turns a live record into what the provider had. */
function adopting(id: string, live: LiveRecord | undefined, had: LiveRecord | null): PlannedChange[] {
  if (!had) return live ? [{ action: "delete", id, before: live, after: null }] : [];
  if (!live) return [{ action: "create", id, before: null, after: had }];
  return isUnchanged(live, had) ? [] : [{ action: "update", id, before: live, after: had }];
}

/** What `settle` writes. */
interface Writing {
  /** The changes that were made. */
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
  { lease, fingerprint, differences, now }: Settlement,
  done: readonly PlannedChange[],
) {
  return queries(tx)
    .updateTable("domains")
    .set((eb) => ({
      revision: done.length > 0 ? eb("revision", "+", 1) : eb.ref("revision"),
      record_count: eb.fn<number>("greatest", [eb("record_count", "+", growth(done)), eb.lit(0)]),
      updated_at: done.length > 0 ? now : eb.ref("updated_at"),
      provider_fingerprint: fingerprint ?? eb.ref("provider_fingerprint"),
      ...(differences && (differences.length === 0 ? noDrift : driftOf(eb, differences))),
    }))
    .where("id", "=", domainId)
    .$if(lease !== null, (query) => query.where("lease_token", "=", lease?.token ?? null))
    .returning("revision")
    .returning(isReported.as("reported"));
}

/** The columns of a zone without known drift. */
export const noDrift = {
  drift_found_at: null,
  drift_created: null,
  drift_updated: null,
  drift_deleted: null,
  drift_error: null,
};

/** Counts again the differences of a zone that was found to differ. If it was not, the next check finds and reports them. */
function driftOf(eb: ExpressionBuilder<Tables, "domains">, differences: readonly PlannedChange[]) {
  const { creates, updates, deletes } = countActions(differences);
  const ifFound = (count: number) => eb.case().when("drift_found_at", "is not", null).then(count).end();
  return {
    drift_created: ifFound(creates),
    drift_updated: ifFound(updates),
    drift_deleted: ifFound(deletes),
    drift_error: null,
  };
}

/** Returns the statement that stores whether the zone has a signature over its SOA, once changes of one are written. */
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

/** Returns which of some changes were made. An update that left neither record counts as a deletion. */
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

/** A statement of the embedded database blocks the event loop until it is done: 250 rows, with their indexes, for over 30 milliseconds. */
const rowsPerStatement = 100;

/** The outcome of a change set. */
interface Settlement {
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
  /** The zone before, if this transaction has locked its row; null if it has not. */
  locked: WatchedZone | null;
  /** The fingerprint of the provider's content afterwards; null leaves the stored one. */
  fingerprint: string | null;
  /** How the provider's zone differs from the records here afterwards, as changes that a sync would make; absent if that is not known. */
  differences?: readonly PlannedChange[] | undefined;
  /** The pending change set, which stores its cause; left out when there is none. */
  changeSetId?: string | undefined;
  /** The id for a change set that was never stored as pending. Default: a new one. */
  ownId?: string;
  /** What the change set is made for, if none is pending. */
  cause?: Cause | undefined;
  /** Whether the outcome was read back from the zone. */
  repaired: boolean;
  now: Date;
}

/**
 * Returns the statements that store changes as new versions of their records. They close rows and insert others, and overwrite none. A record
 * that was already closed is not closed again.
 */
function versionStatements(
  domainId: string,
  { revision, changes, now }: { revision: number; changes: readonly PlannedChange[]; now: Date },
): { closing: Later[]; opening: Later[] } {
  const closed = changes.flatMap((change) => (change.before ? [change.id] : []));
  const opened = changes.filter((change) => change.after !== null);
  return {
    closing: chunks(closed).map((ids) => () => closeStatement(ids, revision)),
    opening: chunks(opened).map((some) => () => openStatement(domainId, some, { revision, now })),
  };
}

function chunks<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / rowsPerStatement) }, (_, index) =>
    items.slice(index * rowsPerStatement, (index + 1) * rowsPerStatement),
  );
}

function closeStatement(ids: readonly string[], revision: number): CompiledQuery {
  return statement`
    update records set until = ${revision}
    where record_id in (select value::uuid from json_array_elements_text(${JSON.stringify(ids)}::json)) and until is null`;
}

function openStatement(
  domainId: string,
  changes: readonly PlannedChange[],
  { revision, now }: { revision: number; now: Date },
): CompiledQuery {
  const rows = JSON.stringify(changes.map((change) => versionRow(change, now)));
  // A rollback may restore a deleted record under its id: its version numbers go on.
  return statement`
    insert into records (
      record_id, version, domain_id, since, record_type, name, value, written_name, written_value, strings, ttl, priority, proxied, status, comment,
      locked, owner_id, review_at, review_reminded, created_at, updated_at
    )
    select r.id, greatest(r.v, last.version + 1), ${domainId}::uuid, ${revision}::int, r.t, r.n, r.d, r.wn, r.wd, r.g, r.s, r.p, r.x, r.a, r.c,
      r.l, (select u.id from users u where u.id = r.o), r.w, last.review_reminded, r.m, ${now}::timestamptz
    from json_to_recordset(${rows}::json) as r (
      id uuid, v int, t text, n text, d text, wn text, wd text, g text, s int, p int, x boolean, a text, c text, l boolean, o uuid, w timestamptz, m timestamptz
    )
    left join lateral (
      select version, review_reminded from records where record_id = r.id order by version desc limit 1
    ) last on true`;
}

function versionRow({ id, before, after }: PlannedChange, now: Date) {
  return {
    id,
    v: (before?.version ?? 0) + 1,
    t: after?.recordType,
    n: after?.name,
    d: after?.value,
    wn: after?.writtenName,
    wd: after?.writtenValue,
    g: storedStrings(after?.strings ?? null),
    s: after?.ttl,
    p: after?.priority,
    x: after?.proxied,
    a: after?.status,
    c: after?.comment,
    l: after?.locked ?? false,
    o: after?.ownerId,
    w: after?.reviewAt,
    m: before?.createdAt ?? now,
  };
}

/** What a change set did. */
interface Made {
  /** Null when nothing was to be changed, and nothing is to be written. */
  changeSetId: string | null;
  /** Null when nothing was made. */
  revision: number | null;
  done: readonly PlannedChange[];
}

type Failed = Made & { failures: Failure[] };

/** Returns the statements that store the change set and its audit entry. */
function historyStatements(
  tx: EntityManager,
  domainId: string,
  settlement: Settlement,
  { changeSetId, revision, done }: Made,
): Later[] {
  if (changeSetId === null) return [];
  const { changes, outcomes } = settlement;
  const failures = changes.flatMap((change, index) => {
    const outcome = outcomes[index];
    return outcome && !outcome.ok ? [failureOf(change, outcome.message)] : [];
  });
  const made = { changeSetId, revision, done, failures };
  return [() => changeSetStatement(tx, domainId, settlement, made), () => trailStatement(domainId, settlement, made)];
}

function changeSetStatement(
  tx: EntityManager,
  domainId: string,
  { kind, actorId, actor, message = null, outcomes, changeSetId, cause, repaired, now }: Settlement,
  { changeSetId: id, revision, done, failures }: Failed & { changeSetId: string },
): CompiledQuery {
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
    const { state, unknown, creates, updates, deletes } = outcome;
    const { reverts_id, caused_by, batch_item_id, change_request_id } = causeColumns(cause);
    return statement`
      insert into change_sets (
        id, domain_id, kind, actor_id, tsig_key, token_id, message, created_at, finished_at, reverts_id, caused_by, batch_item_id,
        change_request_id, state, unknown, revision, creates, updates, deletes, failures, repaired
      ) values (
        ${id}, ${domainId}, ${kind}, ${actorId}, ${actor.tsigKey ?? null}, ${actor.tokenId}, ${message}, ${now}, ${now}, ${reverts_id},
        ${caused_by}, ${batch_item_id}, ${change_request_id}, ${state}, ${unknown}, ${revision}, ${creates}, ${updates}, ${deletes},
        ${outcome.failures}, ${repaired}
      )`;
  }
  return queries(tx)
    .with("noted", (db) => db.deleteFrom("change_set_calls").where("change_set_id", "=", changeSetId))
    .updateTable("change_sets")
    .set({ ...outcome, intent: sql`null` })
    .where("id", "=", changeSetId)
    .compile();
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

/** One audit entry for the change set: its counts, and up to a hundred records before and after. */
function trailStatement(
  domainId: string,
  {
    kind,
    actor,
    message,
    about,
    repaired,
    now,
  }: Pick<Settlement, "kind" | "actor" | "message" | "about" | "repaired" | "now">,
  { changeSetId, revision, done, failures }: Failed & { changeSetId: string },
): CompiledQuery {
  const audited = done.slice(0, auditedRecords);
  return entryStatement(now, actor, {
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

/** Returns what the trail says of a record: its data, whether it is disabled, and its lock, owner and review date if it has them. */
function auditedData(record: RecordDraft): object {
  const { status, locked, ownerId, reviewAt } = record;
  return {
    ...asWritten(dataOf(record)),
    ...(status === "disabled" ? { status } : {}),
    ...(locked ? { locked } : {}),
    ...(ownerId === null ? {} : { ownerId }),
    ...(reviewAt === null ? {} : { reviewAt: reviewAt.toISOString() }),
  };
}

/** What a change set is made for, besides its changes. */
export interface Cause {
  /** The change set that it reverts. */
  revertsId?: string;
  /** The change set of another zone that it follows. */
  causedBy?: string;
  /** The item of a batch that it carries out. The database refuses a second change set for one item. */
  batchItemId?: string;
  /** The change request that it carries out. The database refuses a second change set for one request. */
  changeRequestId?: string;
}

/** Returns the columns of a change set that store its cause. */
export function causeColumns({
  revertsId = null,
  causedBy = null,
  batchItemId = null,
  changeRequestId = null,
}: Nullable<Cause> = {}) {
  return {
    reverts_id: revertsId,
    caused_by: causedBy,
    batch_item_id: batchItemId,
    change_request_id: changeRequestId,
  };
}

type Nullable<T> = { [K in keyof T]: T[K] | null };

/** A change that was refused, as the history stores it. */
export interface Failure extends Spelling {
  action: "create" | "update" | "delete";
  recordType: string;
  name: string;
  value: string;
  error: string;
}

/** Returns the history's entry for a refused change. */
export function failureOf(change: PlannedChange, error: string): Failure {
  const record = change.after ?? change.before;
  const { recordType, name, value } = record;
  return { action: change.action, recordType, name, value, ...spellingOf(record), error };
}

/** The history shows as many of a change set. */
const storedFailures = 100;

/** Returns the stored form of failures. */
export function failuresText(failures: readonly Failure[]): string {
  return JSON.stringify(failures.slice(0, storedFailures));
}

/** A settled change set, as it is stored. */
export interface EndedSet {
  state: ChangeSetState;
  failures: unknown;
  unknown: number | null;
  creates: number;
  updates: number;
  deletes: number;
}

/** Returns why a change set did not make all of its changes; null if it did. */
export function failureOfSet({ state, failures, creates, updates, deletes }: EndedSet): string | null {
  if (state === "applied") return null;
  const stored: unknown = fromJson(failures);
  const [first] = (stored ?? []) as Failure[];
  const message = first?.error ?? "The change was not made.";
  const done = creates + updates + deletes;
  return done === 0 ? message : `Only ${done} changes were made; see the history. ${message}`;
}

/** Returns the statement that makes the mirrors of a domain due, in the transaction that settles its change. */
export function mirrorsDueStatement({
  domainId,
  revision,
  now,
}: {
  domainId: string;
  revision: number;
  now: Date;
}): CompiledQuery {
  return statement`
    update mirrors set wanted_revision = ${revision}, behind_since = coalesce(behind_since, ${now}::timestamptz),
      due_at = least(coalesce(due_at, ${now}::timestamptz), ${now}::timestamptz)
    where domain_id = ${domainId}::uuid
  `;
}

/** Leaves a change for the channels that hear of changes, in the transaction that settles it. */
async function reportChange(
  tx: EntityManager,
  { changeSetId, tokenId, now }: { changeSetId: string; tokenId: string | null; now: Date },
): Promise<void> {
  await sql`
    insert into change_reports (id, change_set_id, token_id, due_at)
    values (${newId()}::uuid, ${changeSetId}::uuid, ${tokenId}::uuid, ${now}::timestamptz)
  `.execute(queries(tx));
}
