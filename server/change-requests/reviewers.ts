import type { Caller } from "../access/caller.ts";
import { presentCaller } from "../access/present-caller.ts";
import { zoneFor } from "../access/zone-access.ts";
import { queries, type EntityManager } from "../database/database.ts";
import { AppError } from "../platform/errors.ts";
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

/** Returns why a caller may not review a request; null if they may. @param hosts every name that its changes touch */
export async function reviewRefusal(
  em: EntityManager,
  caller: Caller,
  { domainId, author }: Pick<StoredRequest, "domainId" | "author">,
  hosts: readonly string[],
): Promise<string | null> {
  if (author.userId === caller.userId) return "You made this request. Somebody else must review it.";
  const others = "Only the domain's reviewers can do this: its owner and administrators.";
  if (domainId === null) return others;
  try {
    const { reviews } = (await zoneFor(em, caller, domainId, "read")).rights;
    return hosts.every((host) => reviews.includes(host)) ? null : others;
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") return others;
    throw error;
  }
}

/** Returns whether a verdict is an approval of exactly these changes by somebody who may review them now. */
export async function counts(
  em: EntityManager,
  review: Review,
  request: Pick<StoredRequest, "domainId" | "author">,
  now: { changesHash: string; hosts: readonly string[]; at: Date },
): Promise<boolean> {
  if (review.verdict !== "approve" || review.userId === null || review.changesHash !== now.changesHash) return false;
  const actor = { userId: review.userId, tokenId: review.tokenId, ip: null, requestId: null };
  const reviewer = await presentCaller(em, actor, "requests:write", now.at);
  return reviewer !== null && (await reviewRefusal(em, reviewer, request, now.hosts)) === null;
}

/** Returns the users who may review a domain's changes, without the author. */
export async function reviewersOf(em: EntityManager, domainId: string, authorId: string | null): Promise<string[]> {
  const rows = await queries(em)
    .selectFrom("users")
    .select("users.id")
    .where("disabled_at", "is", null)
    .where((eb) =>
      eb.or([
        eb("role", "=", "admin"),
        eb("users.id", "=", eb.selectFrom("domains").select("owner_id").where("id", "=", domainId)),
      ]),
    )
    .execute();
  return rows.flatMap(({ id }) => (id === authorId ? [] : [id]));
}
