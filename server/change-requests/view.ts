import type { Caller } from "../access/caller.ts";
import { rightsOf } from "../access/zone-access.ts";
import { readsEverything } from "../database/tables/roles.ts";
import type { EntityManager } from "../database/database.ts";
import { AppError } from "../platform/errors.ts";
import type { ChangeInput } from "../records/change-schemas.ts";
import type { Records } from "../records/service.ts";
import { listedFor, planRequest, type FreshPlan } from "./planning.ts";
import type { Place } from "./rrset-hash.ts";
import { counts, reviewRefusal, reviewsOf, type Review } from "./reviewers.ts";
import { changeSetOf, type StoredRequest } from "./store.ts";
import { findVisible, requestSummary } from "./visible.ts";

interface Parts {
  records: Records;
  now: () => Date;
}

/** Returns a request, with its plan as the zone is now while it is not closed. @throws AppError NOT_FOUND */
export async function requestDetails(em: EntityManager, caller: Caller, id: string, parts: Parts) {
  const request = await findVisible(em, caller, id);
  const fresh = await presentPlan(em, caller, request, parts);
  const reviews = await reviewsOf(em, id);
  const set = await changeSetOf(em, id);
  const { changesHash = null, listed = [], planHash = null } = fresh.plan ?? {};
  const places = fresh.plan?.places ?? request.places;
  const shown = fresh.plan?.plan ?? (fresh.hidden ? null : (request.plan as FreshPlan["plan"]));
  const isReviewer = (await reviewRefusal(em, caller, request, places)) === null;
  const isOpen = request.closedAt === null && request.applyingToken === null;
  const isAuthor = request.author.userId === caller.userId;
  const judged = [];
  for (const review of reviews)
    judged.push(await reviewView(em, review, request, { changesHash, places, at: parts.now() }));
  return {
    ...requestSummary(request),
    note: request.note,
    changes: fresh.hidden ? [] : request.changes.map(changeView),
    plan: shown,
    reverse: isAuthor && caller.narrowing === null ? listed : await listedFor(em, caller, listed),
    planHash,
    changesHash,
    outdated: isOpen && changesHash !== request.changesHash,
    problem: fresh.problem,
    reason: request.reason,
    force: request.force,
    reviews: judged,
    changeSetId: set?.id ?? null,
    mayReview: isOpen && isReviewer,
    mayApply: isOpen && (isReviewer || isAuthor),
  };
}

/** Plans an open request anew. Says why where that fails, and hides a plan with names that the reader may not see. */
export async function presentPlan(
  em: EntityManager,
  caller: Caller,
  request: StoredRequest,
  { records, now }: Parts,
): Promise<{ plan: FreshPlan | null; problem: string | null; hidden: boolean }> {
  const { domainId, closedAt, applyingToken } = request;
  const isAuthor = request.author.userId === caller.userId;
  const rights = domainId === null ? null : await rightsOf(em, caller, domainId);
  // Records may have been taken away from the author since.
  const maySee = (places: readonly Place[]) => rights !== null && places.every((place) => rights.sees.includes(place));
  const isGone = domainId === null && (isAuthor || readsEverything(caller.role));
  if (domainId === null || closedAt !== null)
    return { plan: null, problem: null, hidden: !isGone && !maySee(request.places) };
  if (!maySee(request.places)) return { plan: null, problem: unseen, hidden: true };
  // The zone may have some or all of the changes already.
  if (applyingToken !== null) return { plan: null, problem: null, hidden: false };
  try {
    const plan = await planRequest(em, records, { ...request, domainId }, now());
    if (plan.creates + plan.updates + plan.deletes === 0)
      return { plan: null, problem: "The zone already has all of these changes.", hidden: false };
    return maySee(plan.places) ? { plan, problem: null, hidden: false } : { plan: null, problem: unseen, hidden: true };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { plan: null, problem: error.message, hidden: false };
  }
}

const unseen = "It concerns records that you may not see.";

async function reviewView(
  em: EntityManager,
  review: Review,
  request: StoredRequest,
  { changesHash, places, at }: { changesHash: string | null; places: readonly Place[]; at: Date },
) {
  const { userId, username, verdict, note, createdAt } = review;
  const valid = changesHash !== null && (await counts(em, review, request, { changesHash, places, at }));
  return { userId, user: username, verdict, note, changesHash: review.changesHash, counts: valid, createdAt };
}

function changeView(change: ChangeInput) {
  return {
    action: change.action,
    recordId: change.action === "create" ? null : change.recordId,
    record: change.action === "delete" ? null : { ...change.record },
  };
}
