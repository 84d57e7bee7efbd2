import { randomUUID } from "node:crypto";
import { permitted } from "../../access/authenticator.ts";
import { type Caller, theService, type Actor } from "../../access/caller.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import {
  beingApplied,
  changeSetOf,
  claim,
  closeRequest,
  detachChangeSet,
  didNothing,
  findRequest,
  heldRequest,
  lockRequest,
  refuseEnding,
  release,
  reopen,
  target,
  type StoredRequest,
} from "./request.ts";
import type { ChangePipeline } from "../changes/pipeline.ts";
import { failureOfSet } from "../changes/settle.ts";
import type { ZoneContext } from "../changes/zone-context.ts";
import { sizeSeen } from "../changes/state/live-queries.ts";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { AppError, notFound, Fault, faultToAppError } from "../../platform/errors.ts";
import { refuseLoss } from "../records/editing/reviewed-plan.ts";
import type { EditPlan } from "../records/editing/plan-edits.ts";
import type { Records } from "../records/service.ts";
import type { RegistrationDraft, Registrations } from "../../registry/registrars/registrations.ts";
import { requestNotice } from "./notices.ts";
import {
  ApprovalEnded,
  approvalGone,
  authorGone,
  counts,
  mayChange,
  needsApproval,
  Outdated,
  outdated,
  presentAuthor,
  refuseBeyondToken,
  refuseUnread,
  reviewRefusal,
  reviewersOf,
  reviewsOf,
  rrsetHash,
  touchedPlaces,
} from "./review.ts";
import {
  applicable,
  confirmForLock,
  judgeRegistration,
  markSending,
  NewRisk,
  nothingToApply,
  registrationColumns,
  storeForReaders,
  turnsLockOff,
  type RegistrationRequest,
} from "./registration.ts";
import { findVisible } from "./view.ts";
import { sql } from "kysely";
import type { ReviewPolicy } from "../changes/locks-and-reviews.ts";
import type { Logger } from "../../platform/log.ts";

interface Parts {
  database: Database;
  pipeline: ChangePipeline;
  records: Records;
  registrations: Registrations;
  review: ReviewPolicy;
  audit: Audit;
  notifications: Notifications;
  now: () => Date;
}

/** Who has a request applied: a user, or at its time the service. */
interface Starter {
  actor: Actor;
  name: string | null;
  /** Whether they may pass the safety threshold without an approval. */
  force: boolean;
  /** With their credential's limits; null: the service. */
  caller: Caller | null;
  /** The hash of the changes that they have read; undefined: they apply whatever was approved. */
  read?: string | undefined;
  /** Requires that their session was confirmed just now. */
  confirmed: () => Promise<void>;
}

/** Who ends a request. */
type Ender = Pick<Starter, "actor" | "name">;

const byService: Ender = { actor: theService, name: null };

/** Why a request failed whose change was being sent when the attempt ended, or the process. */
const interrupted =
  "Zonewright was interrupted while it changed the registration, so part of it may have been made. " +
  "Check the domain's expiry, which asks the registrar what it has, then request what is missing.";

/**
 * Applies change requests. It can be killed at any time, and applies each request once:
 *
 * 1. An attempt claims the request, and nothing else can be done with it meanwhile.
 * 2. The zone is planned anew while it is locked. What the author may do now, and whose approvals count now, is decided there.
 * 3. The change set names the request. The database holds at most one change set for each request.
 * 4. The request ends as its change set did, or can be applied again if that did nothing. If the process dies in between, the job ends it, once a repair knows the outcome.
 *
 * A registration has no zone to lock and no change set. The request says that its change is being sent before the first call to the registrar;
 * if the process dies after that, the job ends it as failed, since nobody knows what was made, and it is not sent twice.
 */
export class ChangeRequestApplier {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Applies a request now.
   * @throws AppError NOT_FOUND; FORBIDDEN for others than the author and reviewers; CONFLICT if it was closed, is being applied, or would change
   * anything other than what was approved; REVIEW_REQUIRED if no approval counts; CONFIRMATION_REQUIRED above the safety threshold without an
   * approval; PROVIDER_ERROR; REAUTHENTICATION_REQUIRED to turn a transfer lock off without an approval
   * @param confirmed requires a confirmed session
   */
  async apply(
    em: EntityManager,
    caller: Caller,
    { id, force, changesHash }: { id: string; force: boolean; changesHash?: string | undefined },
    confirmed: () => Promise<void>,
  ): Promise<void> {
    const request = await findVisible(em, caller, id);
    refuseEnding(request);
    if (request.author.userId !== caller.userId) {
      const refusal = await reviewRefusal(em, caller, request, request.places);
      if (refusal !== null) throw new AppError("FORBIDDEN", refusal);
    }
    await this.carryOut(request, {
      actor: caller,
      name: caller.username,
      force,
      caller,
      read: changesHash,
      confirmed,
    });
    const ended = await findRequest(this.#fork(), id);
    if (ended?.state === "failed")
      throw new AppError("PROVIDER_ERROR", ended.reason ?? "The change was not made. See the domain's history.");
  }

  /** Applies a request. It is open again if nothing was sent to its zone. @throws AppError as `apply` */
  async carryOut(request: StoredRequest, starter: Starter): Promise<void> {
    const { id, domainId, registration } = request;
    const token = randomUUID();
    if (!(await claim(this.#fork(), id, token, this.#parts.now()))) throw await this.#notClaimed(id);
    if (registration !== null) {
      await this.#register({ ...request, domainId, registration }, token, starter);
      return;
    }
    try {
      await this.#change(request, token, starter);
    } catch (error) {
      const set = await changeSetOf(this.#fork(), id);
      if (!set) {
        await this.#giveUp(request, token, { starter, error });
        throw error;
      }
      // The outcome is being found out; the job ends the request then.
      if (set.state === "pending") throw error;
    }
    const reason = await this.finish(id, starter);
    if (reason !== null) throw new AppError("PROVIDER_ERROR", `Nothing was changed: ${reason}`);
  }

  /** Ends an attempt that changed nothing. An approved request whose approval no longer counts waits for its reviewers again. */
  async #giveUp(
    { id, applyAt }: Pick<StoredRequest, "id" | "applyAt">,
    token: string,
    { starter, error }: { starter: Starter; error: unknown },
  ): Promise<void> {
    const { now } = this.#parts;
    // At its set time, the job decides whether a request is what was approved, and ends it if not.
    const isLeftToJob = starter.caller === null || (error instanceof Outdated && applyAt !== null && applyAt > now());
    if (!(error instanceof ApprovalEnded) || isLeftToJob) {
      await release(this.#fork(), id, token, now());
      // A risk may go away by itself. If it stays, reviewers read of it before they approve again.
      if (error instanceof NewRisk) await storeForReaders(this.#fork(), id, registrationColumns(error.draft));
      return;
    }
    await this.#fork().transactional(async (tx) => {
      const held = await lockRequest(tx, id, starter.actor.userId);
      await release(tx, id, token, now());
      if (held?.applyingToken === token && (await reopen(tx, id)))
        await this.#askAgain(tx, held, starter, error.message);
    });
  }

  /** Writes into the audit trail that a request is open again, and notifies its reviewers. */
  async #askAgain(tx: EntityManager, request: StoredRequest, { actor }: Ender, reason: string): Promise<void> {
    const { audit, notifications, now } = this.#parts;
    const { id, domainId, author, authorName } = request;
    const after = { domainId, reason };
    await audit.record(tx, actor, { action: "change_request.reopen", ...target(id), after });
    const by = { id: author.userId, name: authorName ?? "" };
    const to = await reviewersOf(tx, request, now());
    await notifications.notify(tx, requestNotice("change.requested", request, { by, note: reason, to, again: true }));
  }

  async #notClaimed(id: string): Promise<AppError> {
    const request = await findRequest(this.#fork(), id);
    if (!request) return notFound("change request");
    if (request.closedAt !== null) return new AppError("CONFLICT", `The request is already ${request.state}.`);
    return beingApplied();
  }

  async #change(request: StoredRequest, token: string, starter: Starter): Promise<void> {
    const { pipeline, now } = this.#parts;
    const { id, domainId, changes } = request;
    if (domainId === null) throw notFound("domain");
    const author = await presentAuthor(this.#fork(), request, now());
    const { ip, requestId } = starter.actor;
    const caller = { ...author, ip, requestId };
    const approvedBy: string[] = [];
    const { planned } = await pipeline.run<EditPlan>(this.#fork(), {
      domainId,
      caller,
      need: "propose",
      kind: changes.length === 1 ? "edit" : "bulk",
      atomic: true,
      cause: { changeRequestId: id },
      message: request.title,
      unlock: request.unlock,
      about: { changeRequestId: id, appliedBy: starter.actor.userId, approvedBy },
      plan: async (tx, zone) => {
        const held = await heldRequest(tx, id, token);
        if (!held) throw beingApplied();
        if (held.author.userId === null) throw authorGone();
        const { plan, approvers } = await this.#judge(tx, held, zone, { caller, starter });
        approvedBy.splice(0, approvedBy.length, ...approvers);
        return { ...plan, reviewed: approvers.length > 0 };
      },
    });
    if (planned.changes.length === 0)
      throw new AppError("CONFLICT", "The zone already has all of these changes, so there is nothing to apply.");
  }

  /** Sends a request's registration to the registrar, and ends the request. It is open again if nothing was sent. @throws AppError */
  async #register(
    request: Omit<RegistrationRequest, "domainId"> & { domainId: string | null },
    token: string,
    starter: Starter,
  ): Promise<void> {
    const { now, registrations } = this.#parts;
    const { id, domainId, registration } = request;
    let isSending = false;
    let failure: { reason: string; touched: boolean } | null;
    try {
      if (domainId === null) throw notFound("domain");
      const author = await presentAuthor(this.#fork(), request, now());
      const { ip, requestId } = starter.actor;
      const caller = { ...author, ip, requestId };
      const wanted = { id: domainId, ...registration };
      const sent = registrations.carryOut(this.#fork(), caller, wanted, async (draft) => {
        const about = await this.#admit({ ...request, domainId }, draft, { token, starter });
        isSending = true;
        return about;
      });
      failure = await applicable(sent);
    } catch (error) {
      if (!isSending) {
        await this.#giveUp(request, token, { starter, error });
        throw error;
      }
      await this.endSent(id, token, interrupted, starter);
      throw error;
    }
    if (failure && !failure.touched) {
      await release(this.#fork(), id, token, now());
      throw new AppError("PROVIDER_ERROR", failure.reason);
    }
    await this.endSent(id, token, failure?.reason ?? null, starter);
  }

  /** Decides whether a registration is changed as its plan is now, and marks the request as being sent. @returns what the audit says of it */
  async #admit(
    request: RegistrationRequest,
    draft: RegistrationDraft,
    { token, starter }: { token: string; starter: Starter },
  ): Promise<object> {
    const { now, review } = this.#parts;
    const { id, domainId } = request;
    if (draft.changes.length === 0) throw nothingToApply();
    const { registration } = request;
    const judge = async (em: EntityManager, held: StoredRequest, confirmed: boolean) =>
      await judgeRegistration(em, { ...held, domainId, registration }, draft, {
        starter: { ...starter, confirmed },
        review,
        now: now(),
      });
    // A session is not looked up in a transaction, which would wait for itself on the embedded database.
    const mustConfirm = turnsLockOff(request) && (await judge(this.#fork(), request, true)).length === 0;
    if (mustConfirm) await confirmForLock(starter);
    return await this.#fork().transactional(async (tx) => {
      const held = await heldRequest(tx, id, token);
      if (!held) throw beingApplied();
      if (held.author.userId === null) throw authorGone();
      const approvedBy = await judge(tx, held, mustConfirm);
      await markSending(tx, id, now());
      return { message: request.title, changeRequestId: id, appliedBy: starter.actor.userId, approvedBy };
    });
  }

  /** Plans a request in its locked zone, and finds whose approvals count for exactly this plan. @throws AppError */
  async #judge(
    tx: EntityManager,
    request: StoredRequest,
    zone: ZoneContext,
    { caller, starter }: { caller: Caller; starter: Starter },
  ): Promise<{ plan: EditPlan; approvers: string[] }> {
    const { records, now } = this.#parts;
    const { changes, reverse } = request;
    const plan = await records.planIn(tx, caller, zone, { id: zone.id, changes, reverse });
    const changesHash = await rrsetHash(tx, zone.id, plan.changes, plan.followed?.hashed);
    refuseUnread(starter.read, changesHash, request);
    const state = { changesHash, places: touchedPlaces(plan.changes), at: now() };
    const approvers: string[] = [];
    for (const review of await reviewsOf(tx, request.id)) {
      if (review.userId !== null && (await counts(tx, review, request, state))) approvers.push(review.userId);
    }
    if (approvers.length > 0) return { plan, approvers };
    if (changesHash !== request.changesHash) throw outdated(request);
    if (request.state === "approved") throw approvalGone();
    // Without an approval, it is a direct edit of the author, and needs what that needs.
    if (request.proposed || !(await mayChange(tx, caller, zone.id, touchedPlaces(plan.changes)))) throw needsApproval();
    if (starter.actor.userId !== null && starter.actor.userId !== request.author.userId) throw needsApproval();
    permitted(caller, "records:write");
    if (starter.caller) await refuseBeyondToken(tx, starter.caller, plan);
    if (plan.changes.length > 1)
      refuseLoss(plan.changes, await sizeSeen(tx, zone, plan.changes), { force: request.force || starter.force });
    return { plan, approvers };
  }

  /**
   * Ends a request as its change set did, unless that is pending. If the change set is known to have done nothing, the request can be applied
   * again; that change set stays in the history.
   * @returns why nothing was done; null if something was, or if there is nothing to end
   */
  async finish(id: string, starter: Ender): Promise<string | null> {
    const { now } = this.#parts;
    return await this.#fork().transactional(async (tx) => {
      const request = await lockRequest(tx, id, starter.actor.userId);
      const set = await changeSetOf(tx, id);
      if (!request || request.closedAt !== null || !set || set.state === "pending") return null;
      const reason = failureOfSet(set);
      if (didNothing(set)) {
        await detachChangeSet(tx, id);
        if (request.applyingToken !== null) await release(tx, id, request.applyingToken, now());
        return reason;
      }
      await this.#end(tx, request, { reason, starter, about: { changeSetId: set.id } });
      return null;
    });
  }

  /** Ends a request that can no longer be applied as it was made, at the time set for it. */
  async fail(id: string, reason: string): Promise<void> {
    await this.#fork().transactional(async (tx) => {
      const request = await lockRequest(tx, id, null);
      if (!request || request.closedAt !== null || request.applyingToken !== null) return;
      await this.#end(tx, request, { reason, starter: byService });
    });
  }

  /**
   * Ends a request whose registration was sent, unless another attempt holds it.
   * @param reason why it was not, or not wholly, made; null if it was
   */
  async endSent(id: string, token: string, reason: string | null, starter: Ender): Promise<void> {
    await this.#fork().transactional(async (tx) => {
      const request = await lockRequest(tx, id, starter.actor.userId);
      if (!request || request.closedAt !== null || request.applyingToken !== token) return;
      const { domainId, registration } = request;
      const isKnown = reason !== interrupted || domainId === null || registration === null;
      if (!isKnown) await this.#parts.registrations.noteSent(tx, domainId, registration);
      await this.#end(tx, request, { reason, starter, about: isKnown ? {} : { registration } });
    });
  }

  /** Closes a request, writes it into the audit trail and tells everyone concerned. @param ended with the reason why it failed; null: it was applied */
  async #end(
    tx: EntityManager,
    request: StoredRequest,
    { reason, starter, about = {} }: { reason: string | null; starter: Ender; about?: object },
  ): Promise<void> {
    const { audit, notifications, now } = this.#parts;
    const { id, domainId } = request;
    const { actor, name } = starter;
    await closeRequest(tx, id, { state: reason === null ? "applied" : "failed", reason, now: now() });
    const after = { domainId, ...about, ...(reason === null ? {} : { reason }) };
    const action = reason === null ? "change_request.apply" : "change_request.fail";
    await audit.record(tx, actor, { action, ...target(id), after });
    const by = actor.userId === null ? null : { id: actor.userId, name: name ?? "" };
    const to = await this.#concerned(tx, request, reason !== null);
    const event = reason === null ? "change.applied" : "change.failed";
    await notifications.notify(tx, requestNotice(event, request, { by, note: reason, to }));
  }

  /** Returns the author and everyone who reviewed a request. @param owner whether to add the domain's owner */
  async #concerned(tx: EntityManager, request: StoredRequest, owner: boolean): Promise<(string | null)[]> {
    const reviewers = (await reviewsOf(tx, request.id)).map(({ userId }) => userId);
    if (!owner) return [request.author.userId, ...reviewers];
    const domain = await queries(tx)
      .selectFrom("domains")
      .select("owner_id")
      .where("id", "=", request.domainId)
      .executeTakeFirst();
    return [request.author.userId, ...reviewers, domain?.owner_id ?? null];
  }

  #fork(): EntityManager {
    return this.#parts.database.fork();
  }
}

/** An attempt that has not begun to change its zone by then belongs to a process that is gone. */
const staleMilliseconds = 120_000;
/** How long a registrar may take with a change, with all attempts, before its process counts as gone. */
const sendingMilliseconds = 1_800_000;
/** How long a provider or a busy zone is tried again after the first attempt, which an approval or an outage may have delayed. */
const patienceMilliseconds = 3_600_000;
const mostInRun = 200;

interface ScheduleParts {
  database: Database;
  applier: ChangeRequestApplier;
  review: ReviewPolicy;
  log: Logger;
  now: () => Date;
}

/** An attempt that is under way, or whose process is gone. */
interface Attempt {
  id: string;
  applying_token: string | null;
  applying_at: Date | null;
  sent_at: Date | null;
}

/** Applies requests at their time, and ends those whose process died. */
export class ChangeRequestSchedule {
  readonly #parts: ScheduleParts;
  /** When each request that is due was first tried in vain. A restart gives it another hour. */
  readonly #firstTried = new Map<string, number>();

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
  }

  /** Does what is due. @param signal ends the run after the request in flight */
  async runOnce(signal?: AbortSignal): Promise<void> {
    for (const attempt of await this.#attempts()) {
      if (signal?.aborted) return;
      await this.#settle(attempt);
    }
    const due = await this.#due();
    const isDue = new Set(due.map(({ id }) => id));
    for (const id of this.#firstTried.keys()) if (!isDue.has(id)) this.#firstTried.delete(id);
    for (const { id } of due) {
      if (signal?.aborted) return;
      await this.#apply(id);
    }
  }

  async #attempts() {
    return await queries(this.#parts.database.fork())
      .selectFrom("change_requests")
      .select(["id", "applying_token", "applying_at", "sent_at"])
      .where("applying_token", "is not", null)
      .orderBy("applying_at")
      .limit(mostInRun)
      .execute();
  }

  /** Ends an attempt as its change set did. One without a change set is given up once it is too old to be under way. */
  async #settle(attempt: Attempt): Promise<void> {
    const { database, applier, now } = this.#parts;
    const { id, applying_token: token, applying_at: since, sent_at: sent } = attempt;
    const isOlder = (at: Date | null, milliseconds: number) =>
      at !== null && now().getTime() - at.getTime() > milliseconds;
    if (await changeSetOf(database.fork(), id)) await applier.finish(id, byService);
    else if (token === null) return;
    else if (sent !== null) {
      if (isOlder(sent, sendingMilliseconds)) await applier.endSent(id, token, interrupted, byService);
    } else if (isOlder(since, staleMilliseconds)) await release(database.fork(), id, token, now());
  }

  /** Returns requests whose time has come, and that are approved or may be applied without an approval. */
  async #due() {
    const { database, review, now } = this.#parts;
    const rule = sql<string>`coalesce(d.review_required, ${review.fallback})`;
    return await queries(database.fork())
      .selectFrom("change_requests as r")
      .innerJoin("domains as d", "d.id", "r.domain_id")
      .leftJoin("users as author", "author.id", "r.author_id")
      .select("r.id")
      .where("r.closed_at", "is", null)
      .where("r.applying_token", "is", null)
      .where("r.apply_at", "<=", now())
      .where((eb) =>
        eb.or([
          eb("r.state", "=", "approved"),
          eb.and([
            eb("r.proposed", "=", false),
            eb.or([eb(rule, "=", "off"), eb.and([eb(rule, "=", "members"), eb("author.role", "=", "admin")])]),
          ]),
        ]),
      )
      .orderBy("r.apply_at")
      .orderBy("r.id")
      .limit(mostInRun)
      .execute();
  }

  async #apply(id: string): Promise<void> {
    const { database, applier, log } = this.#parts;
    const request = await findRequest(database.fork(), id);
    if (!request || request.closedAt !== null) return;
    try {
      await applier.carryOut(request, { ...byService, force: false, caller: null, confirmed: noSession });
    } catch (fault) {
      const error = faultToAppError(fault);
      if (error instanceof Fault)
        log.error({ err: fault, changeRequestId: id }, "a change request could not be applied");
      // A change set decides: it is being looked after.
      if (await changeSetOf(database.fork(), id)) return;
      if ((mayPass(error) || fault instanceof NewRisk) && !this.#isGivenUp(id)) return;
      await applier.fail(id, error instanceof Fault ? "An internal error occurred." : error.message);
    }
  }

  /** Notes an attempt in vain. @returns whether a request has been tried for long enough */
  #isGivenUp(id: string): boolean {
    const now = this.#parts.now().getTime();
    const first = this.#firstTried.get(id) ?? now;
    this.#firstTried.set(id, first);
    return now - first > patienceMilliseconds;
  }
}

function noSession(): Promise<void> {
  return Promise.reject(new AppError("FORBIDDEN", "This needs a person with a confirmed session."));
}

/** Returns whether another attempt may succeed without anybody doing something. */
function mayPass({ code }: AppError): boolean {
  return code === "UNAVAILABLE" || code === "PROVIDER_ERROR" || code === "INTERNAL_SERVER_ERROR";
}
