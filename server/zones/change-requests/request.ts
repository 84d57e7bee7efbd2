import { AppError } from "../../platform/errors.ts";
import { everyColumn } from "../../database/query-helpers.ts";
import { sql } from "kysely";
import type { Actor } from "../../access/caller.ts";
import type { Chosen } from "../changes/follows.ts";
import { fromJson, queries, type EntityManager } from "../../database/database.ts";
import type { ChangeRequestState } from "../../database/tables/changes.ts";
import type { ChangeInput } from "../records/change-schemas.ts";
import type { RecordDraft } from "../../dns/record.ts";
import type { WantedRegistration } from "../../registry/registrars/plan.ts";
import type { EndedSet } from "../changes/settle.ts";

/*
 * What a change request is, and its states. It is open until somebody approves it, and is applied from either state: an attempt claims it,
 * makes a change set that names it, and then closes it as `applied` or `failed`, or releases it if nothing was changed. Otherwise it is
 * closed as `rejected` or `withdrawn`. `review.ts` says what it would change and whose approvals count; `applier.ts` applies it.
 */

/** The name and type of a record. */
export type Place = Pick<RecordDraft, "name" | "recordType">;

/** A stored change request. */
export interface StoredRequest {
  id: string;
  number: number;
  /** Null once the domain is deleted. */
  domainId: string | null;
  /** With its view, as the domain is called now; once it is deleted, as it was called. */
  domainName: string;
  /** Who made it, and by which means. The user is null once deleted. */
  author: Actor;
  authorName: string | null;
  state: ChangeRequestState;
  title: string;
  note: string | null;
  changes: ChangeInput[];
  /** What the registration is to become, in canonical form; null: it changes records. */
  registration: WantedRegistration | null;
  reverse: Chosen | undefined;
  force: boolean;
  /** Whether it may change locked records: its author was allowed to, and said so. */
  unlock: boolean;
  /** The names and types that its plan touched. */
  places: Place[];
  /** The plan when it was made or last approved, as answers show it. */
  plan: unknown;
  changesHash: string;
  applyAt: Date | null;
  proposed: boolean;
  /** The attempt to apply it that is under way; null: none. */
  applyingToken: string | null;
  reason: string | null;
  creates: number;
  updates: number;
  deletes: number;
  commentCount: number;
  createdAt: Date;
  closedAt: Date | null;
}

/** Selects the name of a request's domain as it is now, since its view may have changed. Takes the alias of `change_requests`. */
export function presentName(alias: string) {
  const [id, stored] = ["domain_id", "domain_name"].map((column) => sql.ref(`${alias}.${column}`));
  return sql<string>`coalesce(
    (select d.name || case d.view when '' then '' else '!' || d.view end from domains d where d.id = ${id}), ${stored}
  )`;
}

/**
 * Returns a request, or null, with its row locked for the transaction. Call it first in a transaction: its domain, and everyone whom the
 * transaction may name or notify, are locked against deletion before it. A deletion locks them before their requests too, and
 * administrators by id. A single order prevents deadlocks.
 * @param userId who acts; null: the service
 */
export async function lockRequest(tx: EntityManager, id: string, userId: string | null): Promise<StoredRequest | null> {
  await sql`
    select from domains where id = (select domain_id from change_requests where id = ${id}) for key share
  `.execute(queries(tx));
  await sql`
    select from users where role = 'admin' or id in (
      select ${userId}::uuid
      union all select author_id from change_requests where id = ${id}
      union all select user_id from change_request_reviews where change_request_id = ${id}
      union all select d.owner_id from domains d join change_requests r on r.domain_id = d.id where r.id = ${id}
    ) order by id for key share
  `.execute(queries(tx));
  return await findRequest(tx, id, { lock: true });
}

/** Returns a request, or null. `lock` locks its row for the transaction; see {@link lockRequest}. */
export async function findRequest(em: EntityManager, id: string, { lock = false } = {}): Promise<StoredRequest | null> {
  const row = await queries(em)
    .selectFrom("change_requests as r")
    .leftJoin("users as author", "author.id", "r.author_id")
    .select(everyColumn("change_requests", "r"))
    .select(["author.username as author_name", presentName("r").as("present_name")])
    .where("r.id", "=", id)
    .$if(lock, (query) => query.forUpdate("r"))
    .executeTakeFirst();
  if (!row) return null;
  return {
    id: row.id,
    number: row.number,
    domainId: row.domain_id,
    domainName: row.present_name,
    author: { userId: row.author_id, tokenId: row.token_id, ip: row.ip, requestId: row.request_id },
    authorName: row.author_name,
    state: row.state,
    title: row.title,
    note: row.note,
    changes: withDates(fromJson(row.changes) as ChangeInput[]),
    registration: fromJson(row.registration) as WantedRegistration | null,
    reverse: (fromJson(row.reverse) ?? undefined) as Chosen | undefined,
    force: row.force,
    unlock: row.unlock,
    places: row.hosts.map((name, index) => ({ name, recordType: row.record_types[index] ?? "" })),
    plan: planWithDates(fromJson(row.plan) as { updates?: StoredUpdate[] } | null),
    changesHash: row.changes_hash,
    applyAt: row.apply_at,
    proposed: row.proposed,
    applyingToken: row.applying_token,
    reason: row.reason,
    creates: row.creates,
    updates: row.updates,
    deletes: row.deletes,
    commentCount: row.comment_count,
    createdAt: row.created_at,
    closedAt: row.closed_at,
  };
}

/** Revives what JSON stores as text. */
function withDates(changes: ChangeInput[]): ChangeInput[] {
  for (const change of changes) {
    if (change.action === "delete") continue;
    const { record } = change;
    if (record.reviewAt) record.reviewAt = new Date(record.reviewAt);
  }
  return changes;
}

interface StoredUpdate {
  changes: { reviewAt?: (Date | string | null)[] };
}

function planWithDates(plan: { updates?: StoredUpdate[] } | null): unknown {
  for (const { changes } of plan?.updates ?? []) {
    if (changes.reviewAt) changes.reviewAt = changes.reviewAt.map((at) => (at === null ? null : new Date(at)));
  }
  return plan;
}

/** What a plan amounts to, as a request stores it. */
export interface StoredPlan {
  places: Place[];
  plan: object;
  changesHash: string;
  creates: number;
  updates: number;
  deletes: number;
}

/** Returns the columns of a request that store a plan. */
export function planColumns({ places, plan, changesHash, creates, updates, deletes }: StoredPlan) {
  const hosts = places.map(({ name }) => name);
  const record_types = places.map(({ recordType }) => recordType);
  return { hosts, record_types, plan: JSON.stringify(plan), changes_hash: changesHash, creates, updates, deletes };
}

/** Closes a request that is open or approved. @returns whether this call closed it */
export async function closeRequest(
  tx: EntityManager,
  id: string,
  end: { state: ChangeRequestState; reason?: string | null; now: Date },
): Promise<boolean> {
  const closed = await queries(tx)
    .updateTable("change_requests")
    .set({
      state: end.state,
      reason: end.reason ?? null,
      closed_at: end.now,
      applying_token: null,
      applying_at: null,
    })
    .where("id", "=", id)
    .where("closed_at", "is", null)
    .executeTakeFirst();
  return closed.numUpdatedRows === 1n;
}

/** Marks a request as being applied. @returns whether nobody else is applying it */
export async function claim(em: EntityManager, id: string, token: string, now: Date): Promise<boolean> {
  const claimed = await queries(em)
    .updateTable("change_requests")
    .set({ applying_token: token, applying_at: now, sent_at: null })
    .where("id", "=", id)
    .where("closed_at", "is", null)
    .where("applying_token", "is", null)
    .executeTakeFirst();
  return claimed.numUpdatedRows === 1n;
}

/** Ends an attempt that changed nothing. If the author was deleted meanwhile, the request is withdrawn. */
export async function release(em: EntityManager, id: string, token: string, now: Date): Promise<void> {
  await sql`
    update change_requests set applying_token = null, applying_at = null, sent_at = null,
      state = case when author_id is null then 'withdrawn' else state end,
      reason = case when author_id is null then ${authorDeleted} else reason end,
      closed_at = case when author_id is null then ${now}::timestamptz else closed_at end
    where id = ${id} and applying_token = ${token}
  `.execute(queries(em));
}

/** Has an approved request wait for a review again. @returns whether it was approved */
export async function reopen(tx: EntityManager, id: string): Promise<boolean> {
  const reopened = await queries(tx)
    .updateTable("change_requests")
    .set({ state: "open" })
    .where("id", "=", id)
    .where("state", "=", "approved")
    .executeTakeFirst();
  return reopened.numUpdatedRows === 1n;
}

const authorDeleted = "Its author was deleted.";

/** Locks a request for the transaction that begins to apply it. @returns null if the attempt no longer holds it */
export async function heldRequest(tx: EntityManager, id: string, token: string): Promise<StoredRequest | null> {
  const held = await queries(tx)
    .selectFrom("change_requests")
    .select("id")
    .where("id", "=", id)
    .where("applying_token", "=", token)
    .where("closed_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  return held ? await findRequest(tx, id) : null;
}

/** Returns the change set that carries a request out, or null. */
export async function changeSetOf(em: EntityManager, requestId: string) {
  const row = await queries(em)
    .selectFrom("change_sets")
    .select(["id", "state", "failures", "unknown", "creates", "updates", "deletes"])
    .where("change_request_id", "=", requestId)
    .executeTakeFirst();
  return row ?? null;
}

/** Parts a request from a change set that is known to have done nothing. */
export async function detachChangeSet(tx: EntityManager, id: string): Promise<void> {
  await queries(tx)
    .updateTable("change_sets")
    .set({ change_request_id: null })
    .where("change_request_id", "=", id)
    .where("state", "=", "failed")
    .execute();
}

/** @throws AppError CONFLICT if the request was closed or is being applied */
export function refuseEnding({ closedAt, applyingToken, state, reason }: StoredRequest): void {
  const why = state === "withdrawn" && reason !== null ? ` ${reason}` : "";
  if (closedAt !== null) throw new AppError("CONFLICT", `The request is already ${state}.${why}`);
  if (applyingToken !== null) throw beingApplied();
}

export function beingApplied(): AppError {
  return new AppError("CONFLICT", "This request is being applied. Read it again in a few seconds.");
}

/** Returns how audit entries name a request. */
export function target(id: string) {
  return { targetType: "change_request", targetId: id } as const;
}

/** Returns whether a change set is known to have changed nothing. */
export function didNothing({ state, unknown, creates, updates, deletes }: EndedSet): boolean {
  return state === "failed" && unknown === null && creates + updates + deletes === 0;
}

/** Withdraws the open requests of a domain that is being deleted. @returns how many */
export async function withdrawForDomain(tx: EntityManager, domainId: string, now: Date): Promise<number> {
  const withdrawn = await queries(tx)
    .updateTable("change_requests")
    .set({
      state: "withdrawn",
      domain_name: presentName("change_requests"),
      applying_token: null,
      applying_at: null,
      reason: "The domain was deleted.",
      closed_at: now,
    })
    .where("domain_id", "=", domainId)
    .where("closed_at", "is", null)
    .executeTakeFirst();
  return Number(withdrawn.numUpdatedRows);
}

/**
 * Withdraws the open requests of a user who is being deleted. What only they approved is approved no longer.
 * @returns how many were withdrawn
 */
export async function withdrawForUser(tx: EntityManager, userId: string, now: Date): Promise<number> {
  const withdrawn = await queries(tx)
    .updateTable("change_requests")
    .set({ state: "withdrawn", reason: authorDeleted, closed_at: now })
    .where("author_id", "=", userId)
    .where("closed_at", "is", null)
    // One that is being applied ends as its change does.
    .where("applying_token", "is", null)
    .executeTakeFirst();
  await sql`
    update change_requests r set state = 'open'
    where r.state = 'approved'
      and exists (select from change_request_reviews v where v.change_request_id = r.id and v.user_id = ${userId})
      and not exists (
        select from change_request_reviews v
        where v.change_request_id = r.id and v.verdict = 'approve' and v.user_id <> ${userId}
      )
  `.execute(queries(tx));
  return Number(withdrawn.numUpdatedRows);
}
