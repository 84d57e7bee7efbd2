import type { z } from "zod";
import type { createRequestInput } from "./schemas.ts";
import type { Caller } from "../../access/caller.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import { storedMessage } from "../changes/pipeline.ts";
import { refuseLocked } from "../changes/locks-and-reviews.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import type { Enqueue } from "../../ops/jobs/runner.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { AppError, badField, notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Records } from "../records/service.ts";
import { requestNotice } from "./notices.ts";
import type { WantedRegistration } from "../../registry/registrars/plan.ts";
import { canonical } from "../../registry/registrars/plan.ts";
import type { Registrations } from "../../registry/registrars/registrations.ts";
import { confirmForLock, freshRegistration, registrationColumns, turnsLockOff } from "./registration.ts";
import { permitted } from "../../access/authenticator.ts";
import { counts, draftRequest, type FreshPlan, mayChange, reviewersOf, reviewRefusal, reviewsOf } from "./review.ts";
import {
  closeRequest,
  findRequest,
  lockRequest,
  planColumns,
  refuseEnding,
  target,
  type Place,
  type StoredPlan,
  type StoredRequest,
} from "./request.ts";
import { findVisible, pageOfRequests, presentPlan, requestDetails, type RequestFilter } from "./view.ts";
import { onePage, type Paging } from "../../database/query-helpers.ts";

/** The job that applies requests at their time. */
export const applyJobName = "requests.apply";

/** Requests of one domain that wait for a review or for their time. */
const mostOpen = 1_000;
/** The latest time a request can be scheduled for. */
const mostDaysAhead = 366;
const day = 24 * 3_600_000;

interface Parts {
  records: Records;
  registrations: Registrations;
  audit: Audit;
  notifications: Notifications;
  enqueue: Enqueue;
  now: () => Date;
}

type NewRequest = z.infer<typeof createRequestInput>;

/** What a new request wants, planned. */
interface Wanted {
  plan: StoredPlan;
  /** Null: it changes records. */
  registration: WantedRegistration | null;
  /** Whether it is applied only once approved. */
  proposed: boolean;
}

interface Verdict {
  id: string;
  note?: string | undefined;
}

/** Requests for changes: made, listed, shown, reviewed and withdrawn. `ChangeRequestApplier` applies them. */
export class ChangeRequests {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  list(em: EntityManager, caller: Caller, filter: RequestFilter) {
    return pageOfRequests(em, caller, filter);
  }

  /** Returns a request, with its plan as the zone is now while it is not closed. @throws AppError NOT_FOUND */
  get(em: EntityManager, caller: Caller, id: string) {
    return requestDetails(em, caller, id, this.#parts);
  }

  /** Stores changes for a review, if they could be made now. @throws AppError as `Records.plan`; BAD_REQUEST for a bad `applyAt`, CONFLICT above the limit */
  async create(em: EntityManager, caller: Caller, input: NewRequest) {
    const { applyAt = null } = input;
    refuseBadTime(applyAt, this.#parts.now());
    const id = newId();
    await this.#store(em, caller, { ...input, applyAt, requestId: id, ...(await this.#wanted(em, caller, input)) });
    return await this.get(em.fork(), caller, id);
  }

  /** Plans what a new request wants, and decides whether it needs an approval in any case. @throws AppError */
  async #wanted(
    em: EntityManager,
    caller: Caller,
    { id, changes, registration, ...input }: NewRequest,
  ): Promise<Wanted> {
    if ((changes === undefined) === (registration === undefined))
      throw badField(["changes"], "Send either `changes` of records or a `registration`.");
    const { records, registrations } = this.#parts;
    const { reverse, unlock = false } = input;
    if (registration === undefined) {
      const requested = { domainId: id, changes: changes ?? [], reverse, unlock };
      const { planned, fresh: plan } = await draftRequest(em, records, caller, requested);
      refuseLocked(planned.changes, { mayUnlock: planned.zone.rights.changesProtected, unlock });
      if (planned.changes.length === 0) throw badField(["changes"], "These changes would change nothing.");
      return { plan, registration: null, proposed: !(await mayChange(em, caller, id, plan.places)) };
    }
    for (const field of ["reverse", "unlock"] as const)
      if (input[field] !== undefined) throw badField([field], "This belongs to changes of records. Leave it out.");
    const { wanted, draft } = await underRegistration(async () => {
      const canonicalized = canonical(registration);
      return { wanted: canonicalized, draft: await registrations.draft(em, caller, { id, ...canonicalized }) };
    });
    if (draft.changes.length === 0) throw badField(["registration"], "The registrar already has all of this.");
    // Nobody is there to confirm a session at a set time, so whoever approves does.
    const proposed = turnsLockOff({ registration: wanted }) && (input.applyAt ?? null) !== null;
    return { plan: registrationColumns(draft), registration: wanted, proposed };
  }

  async #store(
    em: EntityManager,
    caller: Caller,
    input: Omit<NewRequest, "registration"> & Wanted & { requestId: string; applyAt: Date | null },
  ): Promise<void> {
    const { requestId: id, id: domainId, title, changes, registration, reverse, applyAt } = input;
    const { force, unlock = false, proposed, plan } = input;
    const { audit, notifications, now } = this.#parts;
    await em.transactional(async (tx) => {
      const domain = await queries(tx)
        .selectFrom("domains")
        .select(["name", "view"])
        .where("id", "=", domainId)
        // Serializes parallel calls, so that they cannot exceed the limit together.
        .forNoKeyUpdate()
        .executeTakeFirst();
      if (!domain) throw notFound("domain");
      await refuseTooMany(tx, domainId);
      await queries(tx)
        .insertInto("change_requests")
        .values({
          id,
          domain_id: domainId,
          domain_name: qualifiedName(domain),
          author_id: caller.userId,
          token_id: caller.tokenId,
          ip: caller.ip,
          request_id: caller.requestId,
          state: "open",
          title,
          note: storedMessage(input.note),
          changes: JSON.stringify(changes ?? []),
          registration: registration && JSON.stringify(registration),
          reverse: reverse === undefined ? null : JSON.stringify(reverse),
          force,
          unlock,
          proposed,
          apply_at: applyAt,
          created_at: now(),
          ...planColumns(plan),
        })
        .execute();
      const { creates, updates, deletes } = plan;
      const about = registration === null ? { creates, updates, deletes } : { registration };
      const after = { domainId, title, ...about, changesHash: plan.changesHash, applyAt };
      await audit.record(tx, caller, { action: "change_request.create", ...target(id), after });
      const request = await known(tx, id);
      const to = await reviewersOf(tx, request, now());
      const by = { id: caller.userId, name: caller.username };
      await notifications.notify(tx, requestNotice("change.requested", request, { by, note: request.note, to }));
    });
  }

  /**
   * Approves the changes with this hash.
   * @throws AppError NOT_FOUND, FORBIDDEN for the author and others who are no reviewers, CONFLICT if the request was closed, is being applied,
   * or its changes are no longer those; REAUTHENTICATION_REQUIRED to let a transfer lock be turned off
   * @param confirmed requires a confirmed session
   */
  async approve(
    em: EntityManager,
    caller: Caller,
    { id, changesHash, note }: Verdict & { changesHash: string },
    confirmed: () => Promise<void>,
  ) {
    const request = await this.#reviewable(em, caller, id);
    const { registrations, audit, notifications, enqueue, now } = this.#parts;
    const { domainId, registration } = request;
    const of = registration === null ? "zone" : "registration";
    let plan: FreshPlan;
    if (domainId !== null && registration !== null) {
      permitted(caller, "registrations:write");
      if (turnsLockOff(request)) await confirmForLock({ caller, confirmed });
      plan = await freshRegistration(em, registrations, { ...request, domainId, registration }, now());
    } else {
      const fresh = await presentPlan(em, caller, request, this.#parts);
      if (!fresh.plan)
        throw new AppError(
          "CONFLICT",
          `The request cannot be applied to the zone as it is now: ${fresh.problem ?? ""}`,
        );
      ({ plan } = fresh);
    }
    if (plan.changesHash !== changesHash)
      throw new AppError(
        "CONFLICT",
        `The ${of} has changed since you read the request, and so has what it would do. Read it again, then approve its new \`changesHash\`.`,
      );
    const refusal = await reviewRefusal(em, caller, request, plan.places);
    if (refusal !== null) throw new AppError("FORBIDDEN", refusal);
    const columns = planColumns(plan);
    await em.transactional(async (tx) => {
      await openRequest(tx, id, caller);
      const earlier = await hasApproved(tx, caller, request, { changesHash, places: plan.places, at: now() });
      if (!earlier) await addReview(tx, caller, id, { verdict: "approve", changesHash, note, now: now() });
      await queries(tx)
        .updateTable("change_requests")
        .set({ state: "approved", ...columns })
        .where("id", "=", id)
        .execute();
      const after = { domainId: request.domainId, changesHash, note: storedMessage(note) };
      await audit.record(tx, caller, { action: "change_request.approve", ...target(id), after });
      if (!earlier) await notifications.notify(tx, this.#verdictNotice("change.approved", request, caller, note));
      if (request.applyAt !== null && request.applyAt <= now()) await enqueue(tx, applyJobName, {});
    });
    return await this.get(em.fork(), caller, id);
  }

  /** Rejects a request, also one that was approved. @throws AppError as `approve` */
  async reject(em: EntityManager, caller: Caller, { id, note }: Verdict) {
    const { audit, notifications, now } = this.#parts;
    const request = await this.#reviewable(em, caller, id);
    await em.transactional(async (tx) => {
      await openRequest(tx, id, caller);
      const approvers = (await reviewsOf(tx, id)).flatMap(({ userId }) => (userId === caller.userId ? [] : [userId]));
      await addReview(tx, caller, id, { verdict: "reject", changesHash: null, note, now: now() });
      await closeRequest(tx, id, { state: "rejected", now: now() });
      const after = { domainId: request.domainId, note: storedMessage(note) };
      await audit.record(tx, caller, { action: "change_request.reject", ...target(id), after });
      await notifications.notify(tx, this.#verdictNotice("change.rejected", request, caller, note, approvers));
    });
    return await this.get(em.fork(), caller, id);
  }

  /** Withdraws the caller's own request. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT if it was closed or is being applied */
  async withdraw(em: EntityManager, caller: Caller, id: string) {
    const { audit, now } = this.#parts;
    const request = await findVisible(em, caller, id);
    if (request.author.userId !== caller.userId)
      throw new AppError("FORBIDDEN", "Only its author can withdraw a request. Reject it instead.");
    refuseEnding(request);
    await em.transactional(async (tx) => {
      await openRequest(tx, id, caller);
      await closeRequest(tx, id, { state: "withdrawn", now: now() });
      const after = { domainId: request.domainId };
      await audit.record(tx, caller, { action: "change_request.withdraw", ...target(id), after });
    });
    return await this.get(em.fork(), caller, id);
  }

  /** Returns an open request that the caller may review. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
  async #reviewable(em: EntityManager, caller: Caller, id: string): Promise<StoredRequest> {
    const request = await findVisible(em, caller, id);
    // First: nobody reviews a request whose domain was deleted, and that is what its readers must know.
    refuseEnding(request);
    const refusal = await reviewRefusal(em, caller, request, request.places);
    if (refusal !== null) throw new AppError("FORBIDDEN", refusal);
    return request;
  }

  #verdictNotice(
    event: "change.approved" | "change.rejected",
    request: StoredRequest,
    caller: Caller,
    note: string | undefined,
    others: readonly (string | null)[] = [],
  ) {
    const by = { id: caller.userId, name: caller.username };
    return requestNotice(event, request, { by, note: storedMessage(note), to: [request.author.userId, ...others] });
  }
}

/** Names the fields of a registration, which a request has one level down, in what refuses them. */
async function underRegistration<T>(plan: () => Promise<T>): Promise<T> {
  try {
    return await plan();
  } catch (error) {
    if (!(error instanceof AppError) || error.issues === null) throw error;
    const issues = error.issues.map((issue) => ({ ...issue, path: ["registration", ...issue.path] }));
    throw new AppError(error.code, error.message, { issues, cause: error });
  }
}

async function known(tx: EntityManager, id: string): Promise<StoredRequest> {
  const request = await findRequest(tx, id);
  if (!request) throw notFound("change request");
  return request;
}

/** Locks a request that is to be reviewed or withdrawn. @throws AppError NOT_FOUND, CONFLICT if it was closed or is being applied */
async function openRequest(tx: EntityManager, id: string, { userId }: Caller): Promise<void> {
  const request = await lockRequest(tx, id, userId);
  if (!request) throw notFound("change request");
  refuseEnding(request);
}

/** Returns whether an earlier approval of exactly these changes by the caller still counts. */
async function hasApproved(
  tx: EntityManager,
  caller: Caller,
  request: StoredRequest,
  plan: { changesHash: string; places: readonly Place[]; at: Date },
): Promise<boolean> {
  for (const review of await reviewsOf(tx, request.id)) {
    const isSame = review.userId === caller.userId && review.changesHash === plan.changesHash;
    if (isSame && (await counts(tx, review, request, plan))) return true;
  }
  return false;
}

async function addReview(
  tx: EntityManager,
  caller: Caller,
  requestId: string,
  review: { verdict: "approve" | "reject"; changesHash: string | null; note: string | undefined; now: Date },
): Promise<void> {
  await queries(tx)
    .insertInto("change_request_reviews")
    .values({
      id: newId(),
      change_request_id: requestId,
      user_id: caller.userId,
      token_id: caller.tokenId,
      verdict: review.verdict,
      changes_hash: review.changesHash,
      note: storedMessage(review.note),
      created_at: review.now,
    })
    .execute();
}

/** @throws AppError BAD_REQUEST */
function refuseBadTime(applyAt: Date | null, now: Date): void {
  if (applyAt === null) return;
  if (applyAt <= now)
    throw badField(["applyAt"], "This must be in the future. Leave it out to apply the request by hand.");
  if (applyAt.getTime() > now.getTime() + mostDaysAhead * day)
    throw badField(["applyAt"], `This must be at most ${mostDaysAhead} days ahead.`);
}

async function refuseTooMany(tx: EntityManager, domainId: string): Promise<void> {
  const { total } = await queries(tx)
    .selectFrom("change_requests")
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .where("domain_id", "=", domainId)
    .where("closed_at", "is", null)
    .executeTakeFirstOrThrow();
  if (Number(total) >= mostOpen)
    throw new AppError("CONFLICT", `The domain has ${mostOpen} open requests, which is the limit. Close some first.`);
}

const mostComments = 1_000;

/** Comments on change requests, by everyone who may see them. */
export class RequestComments {
  readonly #audit: Audit;
  readonly #now: () => Date;

  constructor(audit: Audit, now: () => Date) {
    this.#audit = audit;
    this.#now = now;
  }

  /** Returns a page of comments, oldest first. @throws AppError NOT_FOUND */
  async list(em: EntityManager, caller: Caller, { id, page, limit }: Paging & { id: string }) {
    await findVisible(em, caller, id);
    const matching = queries(em)
      .selectFrom("change_request_comments as c")
      .leftJoin("users", "users.id", "c.user_id")
      .select(["c.id", "c.user_id", "users.username", "c.text", "c.created_at"])
      .where("c.change_request_id", "=", id)
      .orderBy("c.id");
    const { rows, total } = await onePage(matching, { page, limit });
    const comments = rows.map((row) => ({
      id: row.id,
      userId: row.user_id,
      user: row.username,
      text: row.text,
      createdAt: row.created_at,
    }));
    return { comments, total, page, limit };
  }

  /** Adds a comment, also to a closed request. @throws AppError NOT_FOUND, CONFLICT above the limit */
  async add(em: EntityManager, caller: Caller, { id, text }: { id: string; text: string }) {
    const { domainId } = await findVisible(em, caller, id);
    const comment = { id: newId(), createdAt: this.#now() };
    await em.transactional(async (tx) => {
      await lockRequest(tx, id, caller.userId);
      const counted = await queries(tx)
        .updateTable("change_requests")
        .set((eb) => ({ comment_count: eb("comment_count", "+", 1) }))
        .where("id", "=", id)
        .where("comment_count", "<", mostComments)
        .executeTakeFirst();
      if (counted.numUpdatedRows === 0n)
        throw new AppError("CONFLICT", `The request has ${mostComments} comments, which is the limit.`);
      await queries(tx)
        .insertInto("change_request_comments")
        .values({
          id: comment.id,
          change_request_id: id,
          user_id: caller.userId,
          text,
          created_at: comment.createdAt,
        })
        .execute();
      const after = { domainId, commentId: comment.id };
      await this.#audit.record(tx, caller, { action: "change_request.comment", ...target(id), after });
    });
    return { ...comment, userId: caller.userId, user: caller.username, text };
  }
}
