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
  target,
  type StoredRequest,
} from "./request.ts";
import type { ChangePipeline } from "../changes/pipeline.ts";
import { failureOfSet } from "../changes/settle.ts";
import type { ZoneContext } from "../changes/zone-context.ts";
import { countSeen } from "../changes/state/live-queries.ts";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { AppError, notFound, Fault, faultToAppError } from "../../platform/errors.ts";
import { refuseLoss } from "../records/editing/reviewed-plan.ts";
import type { EditPlan } from "../records/editing/plan-edits.ts";
import type { Records } from "../records/service.ts";
import { requestNotice } from "./notices.ts";
import {
  authorGone,
  counts,
  mayChange,
  presentAuthor,
  refuseBeyondToken,
  reviewRefusal,
  reviewsOf,
  rrsetHash,
  touchedPlaces,
} from "./review.ts";
import { findVisible } from "./view.ts";
import { sql } from "kysely";
import type { ReviewPolicy } from "../changes/locks-and-reviews.ts";
import type { Logger } from "../../platform/log.ts";

interface Parts {
  database: Database;
  pipeline: ChangePipeline;
  records: Records;
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
}

/**
 * Applies change requests. It can be killed at any time, and applies each request once:
 *
 * 1. An attempt claims the request, and nothing else can be done with it meanwhile.
 * 2. The zone is planned anew while it is locked. What the author may do now, and whose approvals count now, is decided there.
 * 3. The change set names the request. The database holds at most one change set for each request.
 * 4. The request ends as its change set did, or can be applied again if that did nothing. If the process dies in between, the job ends it, once a repair knows the outcome.
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
   * approval; PROVIDER_ERROR
   */
  async apply(em: EntityManager, caller: Caller, { id, force }: { id: string; force: boolean }): Promise<void> {
    const request = await findVisible(em, caller, id);
    refuseEnding(request);
    if (request.author.userId !== caller.userId) {
      const refusal = await reviewRefusal(em, caller, request, request.places);
      if (refusal !== null) throw new AppError("FORBIDDEN", refusal);
    }
    await this.carryOut(request, { actor: caller, name: caller.username, force, caller });
    const ended = await findRequest(this.#fork(), id);
    if (ended?.state === "failed")
      throw new AppError("PROVIDER_ERROR", ended.reason ?? "The change was not made. See the domain's history.");
  }

  /** Applies a request. It is open again if nothing was sent to its zone. @throws AppError as `apply` */
  async carryOut(request: StoredRequest, starter: Starter): Promise<void> {
    const { id } = request;
    const token = randomUUID();
    if (!(await claim(this.#fork(), id, token, this.#parts.now()))) throw await this.#notClaimed(id);
    try {
      await this.#change(request, token, starter);
    } catch (error) {
      const set = await changeSetOf(this.#fork(), id);
      if (!set) {
        await release(this.#fork(), id, token, this.#parts.now());
        throw error;
      }
      // The outcome is being found out; the job ends the request then.
      if (set.state === "pending") throw error;
    }
    const reason = await this.finish(id, starter);
    if (reason !== null) throw new AppError("PROVIDER_ERROR", `Nothing was changed: ${reason}`);
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
      refuseLoss(plan.changes, await countSeen(tx, zone), { force: request.force || starter.force });
    return { plan, approvers };
  }

  /**
   * Ends a request as its change set did, unless that is pending. If the change set is known to have done nothing, the request can be applied
   * again; that change set stays in the history.
   * @returns why nothing was done; null if something was, or if there is nothing to end
   */
  async finish(id: string, { actor, name }: Pick<Starter, "actor" | "name">): Promise<string | null> {
    const { audit, notifications, now } = this.#parts;
    return await this.#fork().transactional(async (tx) => {
      const request = await lockRequest(tx, id, actor.userId);
      const set = await changeSetOf(tx, id);
      if (!request || request.closedAt !== null || !set || set.state === "pending") return null;
      const reason = failureOfSet(set);
      if (didNothing(set)) {
        await detachChangeSet(tx, id);
        if (request.applyingToken !== null) await release(tx, id, request.applyingToken, now());
        return reason;
      }
      const state = reason === null ? "applied" : "failed";
      await closeRequest(tx, id, { state, reason, now: now() });
      const after = { domainId: request.domainId, changeSetId: set.id, ...(reason === null ? {} : { reason }) };
      const action = reason === null ? "change_request.apply" : "change_request.fail";
      await audit.record(tx, actor, { action, ...target(id), after });
      const by = actor.userId === null ? null : { id: actor.userId, name: name ?? "" };
      const to = await this.#concerned(tx, request, reason !== null);
      const event = reason === null ? "change.applied" : "change.failed";
      await notifications.notify(tx, requestNotice(event, request, { by, note: reason, to }));
      return null;
    });
  }

  /** Ends a request that can no longer be applied as it was made, at the time set for it. */
  async fail(id: string, reason: string): Promise<void> {
    const { audit, notifications, now } = this.#parts;
    await this.#fork().transactional(async (tx) => {
      const request = await lockRequest(tx, id, null);
      if (!request || request.closedAt !== null || request.applyingToken !== null) return;
      await closeRequest(tx, id, { state: "failed", reason, now: now() });
      const after = { domainId: request.domainId, reason };
      await audit.record(tx, theService, { action: "change_request.fail", ...target(id), after });
      const to = await this.#concerned(tx, request, true);
      await notifications.notify(tx, requestNotice("change.failed", request, { by: null, note: reason, to }));
    });
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

function outdated({ state }: StoredRequest): AppError {
  const what = state === "approved" ? "was approved" : "was requested";
  return new AppError(
    "CONFLICT",
    `The zone has changed since the request ${what}, and so has what it would do. Read it again and have it approved again.`,
  );
}

function approvalGone(): AppError {
  return new AppError(
    "REVIEW_REQUIRED",
    "Those who approved the request may no longer review changes of this domain. Have it approved again.",
  );
}

function needsApproval(): AppError {
  return new AppError("REVIEW_REQUIRED", "The request needs an approval before it can be applied.");
}

/** An attempt that has not begun to change its zone by then belongs to a process that is gone. */
const staleMilliseconds = 120_000;
/** How long a provider or a busy zone is tried again after the set time. */
const patienceMilliseconds = 3_600_000;
const mostInRun = 200;

interface ScheduleParts {
  database: Database;
  applier: ChangeRequestApplier;
  review: ReviewPolicy;
  log: Logger;
  now: () => Date;
}

/** Applies requests at their time, and ends those whose process died. */
export class ChangeRequestSchedule {
  readonly #parts: ScheduleParts;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
  }

  /** Does what is due. @param signal ends the run after the request in flight */
  async runOnce(signal?: AbortSignal): Promise<void> {
    for (const attempt of await this.#attempts()) {
      if (signal?.aborted) return;
      await this.#settle(attempt);
    }
    for (const { id, apply_at: at } of await this.#due()) {
      if (signal?.aborted) return;
      await this.#apply(id, at ?? this.#parts.now());
    }
  }

  async #attempts() {
    return await queries(this.#parts.database.fork())
      .selectFrom("change_requests")
      .select(["id", "applying_token", "applying_at"])
      .where("applying_token", "is not", null)
      .orderBy("applying_at")
      .limit(mostInRun)
      .execute();
  }

  /** Ends an attempt as its change set did. One without a change set is given up once it is too old to be under way. */
  async #settle(attempt: { id: string; applying_token: string | null; applying_at: Date | null }): Promise<void> {
    const { database, applier, now } = this.#parts;
    const { id, applying_token: token, applying_at: since } = attempt;
    if (await changeSetOf(database.fork(), id)) await applier.finish(id, { actor: theService, name: null });
    else if (token !== null && since !== null && now().getTime() - since.getTime() > staleMilliseconds)
      await release(database.fork(), id, token, now());
  }

  /** Returns requests whose time has come, and that are approved or may be applied without an approval. */
  async #due() {
    const { database, review, now } = this.#parts;
    const rule = sql<string>`coalesce(d.review_required, ${review.fallback})`;
    return await queries(database.fork())
      .selectFrom("change_requests as r")
      .innerJoin("domains as d", "d.id", "r.domain_id")
      .leftJoin("users as author", "author.id", "r.author_id")
      .select(["r.id", "r.apply_at"])
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

  async #apply(id: string, at: Date): Promise<void> {
    const { database, applier, log, now } = this.#parts;
    const request = await findRequest(database.fork(), id);
    if (!request || request.closedAt !== null) return;
    try {
      await applier.carryOut(request, { actor: theService, name: null, force: false, caller: null });
    } catch (fault) {
      const error = faultToAppError(fault);
      if (error instanceof Fault)
        log.error({ err: fault, changeRequestId: id }, "a change request could not be applied");
      // A change set decides: it is being looked after.
      if (await changeSetOf(database.fork(), id)) return;
      const isLate = now().getTime() - at.getTime() > patienceMilliseconds;
      if (mayPass(error) && !isLate) return;
      await applier.fail(id, error instanceof Fault ? "An internal error occurred." : error.message);
    }
  }
}

/** Returns whether another attempt may succeed without anybody doing something. */
function mayPass({ code }: AppError): boolean {
  return code === "UNAVAILABLE" || code === "PROVIDER_ERROR" || code === "INTERNAL_SERVER_ERROR";
}
