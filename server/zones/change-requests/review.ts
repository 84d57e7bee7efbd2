import { permitted } from "../../access/authenticator.ts";
import { type Caller, presentCaller } from "../../access/caller.ts";
import {
  mayReview,
  outsideRights,
  rightsOf,
  zoneFor,
  coveringChanges,
  coversDomain,
} from "../../access/zone-access.ts";
import type { FollowedChange } from "../changes/follows.ts";
import { requestLockWarning } from "../changes/locks-and-reviews.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { asWritten, countActions, rrsetKey, type PlannedChange, type RecordDraft } from "../../dns/record.ts";
import { AppError } from "../../platform/errors.ts";
import type { EditPlan } from "../records/editing/plan-edits.ts";
import { planHash, planView } from "../records/editing/reviewed-plan.ts";
import type { Records } from "../records/service.ts";
import type { Place, StoredPlan, StoredRequest } from "./request.ts";
import { approvalCovers, changesAlike } from "../../registry/registrars/plan.ts";
import { createHash } from "node:crypto";
import { liveAtNames } from "../changes/state/live-queries.ts";
import { flatMapped, inSlices, mapped, sorted, type Steps } from "../../platform/slices.ts";
import { sql } from "kysely";

/*
 * How a change request is planned and reviewed. It is planned anew, with its author's present rights, whenever somebody reads, approves or
 * applies it. A verdict approves the RRsets as that plan leaves them, and counts as long as a new plan leaves the same.
 */

/** A request's plan as its zone is now. */
export interface FreshPlan extends StoredPlan {
  plan: Awaited<ReturnType<typeof planView>> & { warnings: string[] };
  /** Ties the plan to the zone's present revision; null for a registration. */
  planHash: string | null;
  /** The PTR changes that belong to it. */
  listed: FollowedChange[];
}

/** What a request for changes of records wants. */
type Requested = Pick<StoredRequest, "changes" | "unlock"> & { domainId: string; reverse: StoredRequest["reverse"] };

/** Plans changes as requests store and show them. The reviewers are warned of locked records also where the author may change them. */
export async function draftRequest(
  em: EntityManager,
  records: Records,
  author: Caller,
  { domainId: id, changes: wanted, reverse, unlock }: Requested,
): Promise<{ planned: EditPlan; fresh: FreshPlan }> {
  const planned = await records.draft(em, author, { id, changes: wanted, reverse, unlock: true });
  const lock = requestLockWarning(planned.changes, unlock);
  return { planned, fresh: await freshPlan(em, planned, lock === null ? [] : [lock]) };
}

async function freshPlan(em: EntityManager, planned: EditPlan, locks: readonly string[]): Promise<FreshPlan> {
  const { zone, changes, followed } = planned;
  const shared = new Map(followed?.warnings.map((warning) => [warning.text, warning.shared]));
  const warnings = [...locks, ...planned.warnings.map((text) => shared.get(text) ?? text)];
  return {
    places: touchedPlaces(changes),
    plan: { ...(await planView(changes)), warnings },
    changesHash: await rrsetHash(em, zone.id, changes, followed?.hashed),
    planHash: await planHash(zone, changes, followed?.hashed),
    listed: followed?.listed ?? [],
    ...countActions(changes),
  };
}

/** Returns the author of a request with their present rights. @throws AppError CONFLICT if they are gone or their token is */
export async function presentAuthor(em: EntityManager, request: StoredRequest, now: Date): Promise<Caller> {
  const author = await presentCaller(em, request.author, "requests:write", now);
  if (author) return author;
  throw authorGone();
}

/** An approved request was refused because no approval counts for what it would do now. */
export class ApprovalEnded extends AppError {}

/** What an approved request would do differs from what was approved, perhaps only for a moment. */
export class Outdated extends ApprovalEnded {}

/** The refusal of what would do something else than was approved or requested. */
export function outdated({ state, registration }: Pick<StoredRequest, "state" | "registration">): AppError {
  const isApproved = state === "approved";
  const what = isApproved ? "was approved" : "was requested";
  return new (isApproved ? Outdated : AppError)(
    "CONFLICT",
    `The ${registration ? "registration" : "zone"} has changed since the request ${what}, and so has what it would do. ` +
      "Read it again and have it approved again.",
  );
}

/** Refuses to apply anything other than what somebody has read. @param read its `changesHash`; undefined: they did not say */
export function refuseUnread(
  read: string | undefined,
  present: string,
  { registration }: Pick<StoredRequest, "registration">,
): void {
  if (read === undefined || changesAlike(read, present)) return;
  throw new AppError(
    "CONFLICT",
    `The ${registration ? "registration" : "zone"} has changed since you read the request, and so has what it would do. Read it again.`,
  );
}

export function approvalGone(): AppError {
  return new ApprovalEnded(
    "REVIEW_REQUIRED",
    "Those who approved the request may no longer review changes of this domain. Have it approved again.",
  );
}

export function needsApproval(): AppError {
  return new AppError("REVIEW_REQUIRED", "The request needs an approval before it can be applied.");
}

export function authorGone(): AppError {
  return new AppError(
    "CONFLICT",
    "The author of this request was deleted or disabled, or the personal token that made it is no longer valid. Request the change again.",
  );
}

/** Plans a request anew, with its author's present rights. @throws AppError as `Records.plan`, and CONFLICT */
export async function planRequest(
  em: EntityManager,
  records: Records,
  request: StoredRequest & { domainId: string },
  now: Date,
): Promise<FreshPlan> {
  const author = await presentAuthor(em, request, now);
  return (await draftRequest(em, records, author, request)).fresh;
}

/** Returns whether a caller may change records themselves, without a review. */
export async function mayChange(
  em: EntityManager,
  caller: Caller,
  domainId: string,
  places: readonly Place[],
): Promise<boolean> {
  const { rights } = await zoneFor(em, caller, domainId, "read");
  return places.every((place) => outsideRights(place, rights) === null);
}

/** Refuses a change without an approval to a personal token that could not make it itself. @throws AppError FORBIDDEN */
export async function refuseBeyondToken(em: EntityManager, caller: Caller, plan: EditPlan): Promise<void> {
  permitted(caller, "records:write");
  const { narrowing } = caller;
  if (narrowing === null) return;
  const { rights } = await zoneFor(em, caller, plan.zone.id, "read");
  const [reason] = touchedPlaces(plan.changes).flatMap((place) => outsideRights(place, rights) ?? []);
  if (reason !== undefined) throw new AppError("FORBIDDEN", reason);
  for (const { included, address, domainId, record } of plan.followed?.listed ?? []) {
    if (!included || domainId === null) continue;
    if (narrowing.domainIds?.includes(domainId) !== false && record && narrowing.scope.includes(record)) continue;
    throw new AppError(
      "FORBIDDEN",
      `The PTR record of ${address} would follow, which this token does not cover. Use one that does.`,
    );
  }
}

/** Leaves out what a reader may not see of the PTR changes in somebody else's plan. */
export async function listedFor(
  em: EntityManager,
  reader: Caller,
  listed: readonly FollowedChange[],
): Promise<FollowedChange[]> {
  const sees = new Map<string, (place: Place) => boolean>();
  const shown: FollowedChange[] = [];
  for (const change of listed) {
    const { domainId, record } = change;
    if (domainId === null) {
      shown.push(change);
      continue;
    }
    let maySee = sees.get(domainId);
    if (!maySee) {
      const rights = await rightsOf(em, reader, domainId);
      maySee = (place) => rights?.sees.includes(place) ?? false;
      sees.set(domainId, maySee);
    }
    if (record && maySee(record)) shown.push(change);
    else
      shown.push({
        ...change,
        domainId: null,
        domainName: null,
        action: null,
        recordId: null,
        record: null,
        before: null,
      });
  }
  return shown;
}

/** Returns the names that changes touch, before or after, each once. */
function touchedHosts(changes: readonly PlannedChange[]): string[] {
  const names = new Set<string>();
  for (const { before, after } of changes) {
    if (before) names.add(before.name);
    if (after) names.add(after.name);
  }
  return [...names];
}

/** Returns the names and types that changes touch, before or after, each once. */
export function touchedPlaces(changes: readonly PlannedChange[]): Place[] {
  const places = new Map<string, Place>();
  for (const { before, after } of changes)
    for (const record of [before, after])
      if (record) places.set(rrsetKey(record), { name: record.name, recordType: record.recordType });
  return [...places.values()];
}

/**
 * Returns a hash of the RRsets that changes touch, as they are and as they will be. Edits elsewhere in the zone leave it as it is.
 * @param following the changes of other zones that belong to the plan
 */
export async function rrsetHash(
  em: EntityManager,
  domainId: string,
  changes: readonly PlannedChange[],
  following: readonly string[] = [],
): Promise<string> {
  const live = await liveAtNames(em, domainId, touchedHosts(changes));
  return await inSlices(hashing(domainId, { live, changes, following }));
}

interface State {
  live: readonly (RecordDraft & { id: string })[];
  changes: readonly PlannedChange[];
  following: readonly string[];
}

/** Hashes the RRsets of a state of the touched names and the changes to it. Ids and the order of records do not count. */
export function* hashing(domainId: string, { live, changes, following }: State): Steps<string> {
  const touched = new Set(
    yield* flatMapped(changes, ({ before, after }) =>
      [before, after].flatMap((record) => (record ? [rrsetKey(record)] : [])),
    ),
  );
  const changed = new Set(yield* mapped(changes, ({ id }) => id));
  const present = live.filter((record) => touched.has(rrsetKey(record)));
  const staying = present.filter(({ id }) => !changed.has(id));
  const coming = yield* flatMapped(changes, ({ after }) => (after ? [after] : []));
  const hash = createHash("sha256").update(domainId);
  for (const records of [present, [...staying, ...coming]]) {
    hash.update("\n");
    for (const text of yield* sorted(yield* mapped(records, textOf), byText)) hash.update(text).update("\n");
  }
  for (const text of following.toSorted(byText)) hash.update(text).update("\n");
  return hash.digest("base64url");
}

function textOf(record: RecordDraft): string {
  const { recordType, strings, ttl, priority, proxied, comment, ...rest } = record;
  const { status, locked, ownerId, reviewAt } = rest;
  const { name, value } = asWritten(record);
  // Hashes of earlier versions cover no status, and no other notes than the comment.
  const notes = locked || ownerId !== null || reviewAt !== null ? [locked, ownerId, reviewAt] : [];
  const others = status === "active" ? notes : [...notes, status];
  return JSON.stringify([name, recordType, value, strings, ttl, priority, proxied, comment, ...others]);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** What decides who may review a request. */
type Reviewed = Pick<StoredRequest, "domainId" | "author" | "registration">;

/** A verdict on a request. */
export interface Review {
  userId: string | null;
  username: string | null;
  tokenId: string | null;
  verdict: "approve" | "reject";
  changesHash: string | null;
  note: string | null;
  createdAt: Date;
}

/** Returns the verdicts on a request, oldest first. */
export async function reviewsOf(em: EntityManager, requestId: string): Promise<Review[]> {
  const rows = await queries(em)
    .selectFrom("change_request_reviews as v")
    .leftJoin("users", "users.id", "v.user_id")
    .select(["v.user_id", "users.username", "v.token_id", "v.verdict", "v.changes_hash", "v.note", "v.created_at"])
    .where("v.change_request_id", "=", requestId)
    .orderBy("v.id")
    .execute();
  return rows.map((row) => ({
    userId: row.user_id,
    username: row.username,
    tokenId: row.token_id,
    verdict: row.verdict,
    changesHash: row.changes_hash,
    note: row.note,
    createdAt: row.created_at,
  }));
}

/** Returns why a caller may not review a request; null if they may. @param places what its changes touch */
export async function reviewRefusal(
  em: EntityManager,
  caller: Caller,
  { domainId, author, registration }: Reviewed,
  places: readonly Place[],
): Promise<string | null> {
  if (author.userId === caller.userId) return "You made this request. Somebody else must review it.";
  const others =
    "Only the domain's reviewers can do this: its owner, administrators, and members whose assignments let them review all of these records.";
  const rights = domainId === null ? null : await rightsOf(em, caller, domainId);
  if (registration !== null)
    return rights?.owns === true
      ? null
      : "Only the domain's owner and administrators review changes of its registration.";
  return rights && places.every((place) => mayReview(place, rights)) ? null : others;
}

/** Returns whether a verdict is an approval of exactly these changes by somebody who may review them now. */
export async function counts(
  em: EntityManager,
  review: Review,
  request: Reviewed,
  now: { changesHash: string; places: readonly Place[]; at: Date },
): Promise<boolean> {
  const { verdict, userId, changesHash } = review;
  if (verdict !== "approve" || userId === null || changesHash === null) return false;
  if (!approvalCovers(changesHash, now.changesHash)) return false;
  const actor = { userId, tokenId: review.tokenId, ip: null, requestId: null };
  const permission = request.registration === null ? "requests:write" : "registrations:write";
  const reviewer = await presentCaller(em, actor, permission, now.at);
  return reviewer !== null && (await reviewRefusal(em, reviewer, request, now.places)) === null;
}

/** Selects the members whose assignments, taken together, let them review all records that a request touches. */
function assignedReviewers(requestId: string, at: Date) {
  const { spots, covers, kind, all } = coveringChanges("place", "d");
  return sql<string>`(
    select reviewer.user_id from (
      select a.user_id, place.name, place.record_type
      from change_requests r
      join domains d on d.id = r.domain_id
      join assignments a on a.review and (a.expires_at is null or a.expires_at > ${at}) and ${coversDomain("d")}
      cross join unnest(r.hosts, r.record_types) as place(name, record_type)
      cross join ${spots}
      where r.id = ${requestId} and r.registration is null and ${covers}
      group by a.user_id, place.name, place.record_type, ${kind}
      having ${all}
    ) reviewer
    group by reviewer.user_id
    having count(distinct (reviewer.name, reviewer.record_type)) =
      (select cardinality(hosts) from change_requests where id = ${requestId})
  )`;
}

/** Returns the users who may review a request, without its author. */
export async function reviewersOf(
  em: EntityManager,
  { id, domainId, author }: Pick<StoredRequest, "id" | "domainId" | "author">,
  at: Date,
): Promise<string[]> {
  const rows = await queries(em)
    .selectFrom("users")
    .select("users.id")
    .where("disabled_at", "is", null)
    .where("role", "<>", "auditor")
    .where((eb) =>
      eb.or([
        eb("role", "=", "admin"),
        eb("users.id", "=", eb.selectFrom("domains").select("owner_id").where("id", "=", domainId)),
        eb("users.id", "in", assignedReviewers(id, at)),
      ]),
    )
    .execute();
  return rows.flatMap(({ id }) => (id === author.userId ? [] : [id]));
}
