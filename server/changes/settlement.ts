import { sql, type CompiledQuery } from "kysely";
import type { Actor } from "../access/actor.ts";
import { entryStatement } from "../audit/audit.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { Later } from "../database/one-trip.ts";
import { statement } from "../database/statement.ts";
import type { ChangeSetKind, ChangeSetState } from "../database/tables/change-sets.ts";
import type { ChangeOutcome } from "../dns-providers/provider.ts";
import { asWritten, countActions, dataOf, storedStrings, type PlannedChange, type RecordDraft } from "../dns/record.ts";
import { causeColumns, type Cause } from "./cause.ts";
import { failureOf, failuresText, type Failure } from "./failures.ts";
import type { Lease } from "./lease.ts";

/** A statement of the embedded database blocks the event loop until it is done. */
export const rowsPerStatement = 1_000;

/** A zone's revision, and who follows its changes. */
export interface WatchedZone {
  revision: number;
  /** Whether it has mirrors. */
  mirrored: boolean;
  /** Whether channels hear of its changes. */
  reported: boolean;
}

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
  /** The zone before, if this transaction has locked its row; null if it has not. */
  locked: WatchedZone | null;
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

/**
 * Returns what writes changes that took place as new versions of their records: closes rows and opens others, overwrites none. A record that
 * had ended already is not closed again.
 */
export function versionStatements(
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
  /** Null when nothing took place. */
  revision: number | null;
  done: readonly PlannedChange[];
}

type Failed = Made & { failures: Failure[] };

/** Returns what writes the change set and its audit entry. */
export function historyStatements(
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
        id, domain_id, kind, actor_id, tsig_key, message, created_at, finished_at, reverts_id, caused_by, batch_item_id,
        change_request_id, state, unknown, revision, creates, updates, deletes, failures, repaired
      ) values (
        ${id}, ${domainId}, ${kind}, ${actorId}, ${actor.tsigKey ?? null}, ${message}, ${now}, ${now}, ${reverts_id}, ${caused_by},
        ${batch_item_id}, ${change_request_id}, ${state}, ${unknown}, ${revision}, ${creates}, ${updates}, ${deletes},
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
