import type { Caller } from "../../access/caller.ts";
import { rightsOf, readsEverything } from "../../access/zone-access.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import type { ChangeInput } from "../records/change-schemas.ts";
import type { Records } from "../records/service.ts";
import type { Registrations } from "../../registry/registrars/registrations.ts";
import { presentRegistration, shownRegistration } from "./registration.ts";
import { counts, listedFor, planRequest, reviewRefusal, reviewsOf, type FreshPlan, type Review } from "./review.ts";
import { changeSetOf, findRequest, presentName, type Place, type StoredRequest } from "./request.ts";
import { sql, type Selectable } from "kysely";
import { visibleDomains } from "../../access/visible-domains.ts";
import { newestPage, type Paging } from "../../database/query-helpers.ts";
import type { Tables } from "../../database/tables/all.ts";
import type { ChangeRequestState } from "../../database/tables/changes.ts";

interface Parts {
  records: Records;
  registrations: Registrations;
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
  const readsRegistration = caller.permissions === "all" || caller.permissions.has("registrations:read");
  const judged = [];
  for (const review of reviews)
    judged.push(await reviewView(em, review, request, { changesHash, places, at: parts.now() }));
  return {
    ...requestSummary(request),
    note: request.note,
    changes: fresh.hidden ? [] : request.changes.map(changeView),
    registration: fresh.hidden || !readsRegistration ? null : request.registration,
    plan: request.registration === null ? shown : null,
    registrationPlan:
      request.registration === null || shown === null || !readsRegistration ? null : shownRegistration(shown),
    reverse: isAuthor && caller.narrowing === null ? listed : await listedFor(em, caller, listed),
    planHash,
    changesHash,
    outdated: isOpen && changesHash !== request.changesHash,
    problem: fresh.problem,
    reason: request.reason,
    force: request.force,
    unlock: request.unlock,
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
  { records, registrations, now }: Parts,
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
    const { registration } = request;
    const plan =
      registration === null
        ? await planRequest(em, records, { ...request, domainId }, now())
        : await presentRegistration(em, registrations, { ...request, domainId, registration }, now());
    if (plan.creates + plan.updates + plan.deletes === 0) {
      const has =
        registration === null
          ? "The zone already has all of these changes."
          : "The registrar already has all of this. If it was changed since, check the domain's expiry, which asks it again.";
      return { plan: null, problem: has, hidden: false };
    }
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

export interface RequestFilter extends Paging {
  state?: ChangeRequestState | undefined;
  domain?: string | undefined;
  mine: "true" | "false";
  toReview: "true" | "false";
}

const summary = [
  "r.id",
  "r.number",
  "r.domain_id",
  presentName("r").as("domain_name"),
  "r.author_id",
  "author.username as author_name",
  "r.state",
  "r.applying_token",
  "r.title",
  "r.creates",
  "r.updates",
  "r.deletes",
  "r.apply_at",
  "r.comment_count",
  "r.created_at",
  "r.closed_at",
] as const;

const places = { names: "r.hosts", types: "r.record_types" };

/** A caller who sees more domains than these sees so many of the requests that no index helps to find them. */
const fewDomains = 1_000;

/** Returns the requests that a caller may see: their own, and those whose records they may all see. */
export async function visibleRequests(em: EntityManager, caller: Caller) {
  const visible = await visibleDomains(em, caller);
  const toReview = sql<boolean>`(r.state = 'open' and r.applying_token is null and r.author_id is distinct from ${caller.userId}
    and ${visible.reviews("r.domain_id", places)} and (r.registration is null or ${visible.owns("r.domain_id")}))`;
  const domains = queries(em)
    .selectFrom("domains")
    .select("domains.id")
    .where((eb) => visible.condition(eb));
  const isEveryone = readsEverything(caller.role) && caller.narrowing === null;
  const isMany = !isEveryone && (await domains.limit(fewDomains + 1).execute()).length > fewDomains;
  const shown = visible.places("r.domain_id", places);
  // An array, so that an index finds the requests of a few domains. Of many it would be compared item by item with each request.
  const covered = isMany
    ? sql<boolean>`(seen.id is not null and (seen.wholly or ${shown}))`
    : sql<boolean>`(r.domain_id = any(array(${domains})) and ${shown})`;
  const found = queries(em)
    .selectFrom("change_requests as r")
    .leftJoin("users as author", "author.id", "r.author_id")
    .$if(isMany, (query) =>
      query.leftJoin(domains.select(visible.plainlyWholly().as("wholly")).as("seen"), "seen.id", "r.domain_id"),
    )
    .$if(!readsEverything(caller.role), (query) =>
      query.where((eb) => eb.or([eb("r.author_id", "=", caller.userId), covered])),
    )
    // A narrowed token sees requests of the records it covers, whoever made them.
    .$if(caller.narrowing !== null, (query) => query.where(covered));
  return { found, toReview };
}

/** Returns a page of the requests that the caller may see, newest first, and how many are open. */
export async function pageOfRequests(em: EntityManager, caller: Caller, filter: RequestFilter) {
  const { found, toReview } = await visibleRequests(em, caller);
  const { state, domain, page, limit } = filter;
  const matching = found
    .select(summary)
    .$if(state !== undefined, (query) => query.where("r.state", "=", state ?? "open"))
    .$if(domain !== undefined, (query) => query.where("r.domain_id", "=", domain ?? null))
    .$if(filter.mine === "true", (query) => query.where("r.author_id", "=", caller.userId))
    .$if(filter.toReview === "true", (query) => query.where(toReview));
  const { rows, total } = await newestPage(matching, "r.id", { page, limit });
  const counted = await found
    .select(({ fn }) => [
      fn.countAll<string>().filterWhere("r.state", "=", "open").as("open"),
      fn.countAll<string>().filterWhere("r.state", "=", "approved").as("approved"),
      sql<string>`count(*) filter (where ${toReview})`.as("to_review"),
    ])
    .where("r.closed_at", "is", null)
    .executeTakeFirstOrThrow();
  const counts = {
    open: Number(counted.open),
    approved: Number(counted.approved),
    toReview: Number(counted.to_review),
  };
  return { requests: rows.map(summaryView), counts, total, page, limit };
}

type SummaryRow = Pick<
  Selectable<Tables["change_requests"]>,
  | "id"
  | "number"
  | "domain_id"
  | "domain_name"
  | "author_id"
  | "state"
  | "applying_token"
  | "title"
  | "creates"
  | "updates"
  | "deletes"
  | "apply_at"
  | "comment_count"
  | "created_at"
  | "closed_at"
> & { author_name: string | null };

function summaryView(row: SummaryRow) {
  return {
    id: row.id,
    number: row.number,
    state: row.state,
    applying: row.applying_token !== null,
    title: row.title,
    domainId: row.domain_id,
    domainName: row.domain_name,
    authorId: row.author_id,
    author: row.author_name,
    creates: row.creates,
    updates: row.updates,
    deletes: row.deletes,
    applyAt: row.apply_at,
    commentCount: row.comment_count,
    createdAt: row.created_at,
    closedAt: row.closed_at,
  };
}

/** Returns a request's fields as lists show them. */
function requestSummary(request: StoredRequest) {
  const { id, number, state, title, domainId, domainName, creates, updates, deletes } = request;
  const { applyAt, commentCount, createdAt, closedAt } = request;
  return {
    id,
    number,
    state,
    applying: request.applyingToken !== null,
    title,
    domainId,
    domainName,
    authorId: request.author.userId,
    author: request.authorName,
    creates,
    updates,
    deletes,
    applyAt,
    commentCount,
    createdAt,
    closedAt,
  };
}

/** Returns a request that the caller may see. @throws AppError NOT_FOUND */
export async function findVisible(em: EntityManager, caller: Caller, id: string): Promise<StoredRequest> {
  const { found } = await visibleRequests(em, caller);
  const seen = await found.select("r.id").where("r.id", "=", id).executeTakeFirst();
  const request = seen && (await findRequest(em, id));
  if (!request) throw notFound("change request");
  return request;
}
