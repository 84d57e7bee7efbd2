import { sql } from "kysely";
import { coversChange, coversDomain } from "../access/assigned.ts";
import type { Caller } from "../access/caller.ts";
import { presentCaller } from "../access/present-caller.ts";
import { mayReview, rightsOf } from "../access/zone-access.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { Place } from "./rrset-hash.ts";
import type { StoredRequest } from "./store.ts";

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
  { domainId, author }: Pick<StoredRequest, "domainId" | "author">,
  places: readonly Place[],
): Promise<string | null> {
  if (author.userId === caller.userId) return "You made this request. Somebody else must review it.";
  const others =
    "Only the domain's reviewers can do this: its owner, administrators, and members whose assignments let them review all of these records.";
  const rights = domainId === null ? null : await rightsOf(em, caller, domainId);
  return rights && places.every((place) => mayReview(place, rights)) ? null : others;
}

/** Returns whether a verdict is an approval of exactly these changes by somebody who may review them now. */
export async function counts(
  em: EntityManager,
  review: Review,
  request: Pick<StoredRequest, "domainId" | "author">,
  now: { changesHash: string; places: readonly Place[]; at: Date },
): Promise<boolean> {
  if (review.verdict !== "approve" || review.userId === null || review.changesHash !== now.changesHash) return false;
  const actor = { userId: review.userId, tokenId: review.tokenId, ip: null, requestId: null };
  const reviewer = await presentCaller(em, actor, "requests:write", now.at);
  return reviewer !== null && (await reviewRefusal(em, reviewer, request, now.places)) === null;
}

/** Selects the members whose assignments, taken together, let them review all records that a request touches. */
function assignedReviewers(requestId: string, at: Date) {
  return sql<string>`(
    select reviewer.user_id from (
      select a.user_id, count(distinct (place.name, place.record_type)) as covered, max(cardinality(r.hosts)) as places
      from change_requests r
      join domains d on d.id = r.domain_id
      join assignments a on a.review and (a.expires_at is null or a.expires_at > ${at}) and ${coversDomain("d")}
      cross join unnest(r.hosts, r.record_types) as place(name, record_type)
      where r.id = ${requestId} and ${coversChange("place", "d")}
      group by a.user_id
    ) reviewer where reviewer.covered = reviewer.places
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
