import { defineEntity, p } from "@mikro-orm/core";

export type ChangeRequestState = "open" | "approved" | "applied" | "rejected" | "withdrawn" | "failed";

/** Changes of a zone that somebody else looks at before they are made. */
export const ChangeRequestSchema = defineEntity({
  name: "ChangeRequest",
  tableName: "change_requests",
  properties: {
    id: p.uuid().primary(),
    /** Counts up, for people. */
    number: p.integer().autoincrement(),
    /** Null once the domain is deleted. */
    domainId: p.uuid().nullable(),
    /** With its view. */
    domainName: p.text(),
    /** Null once the user is deleted. */
    authorId: p.uuid().nullable(),
    /** The personal token, address and call that made it. */
    tokenId: p.uuid().nullable(),
    ip: p.text().nullable(),
    requestId: p.text().nullable(),
    state: p.text().$type<ChangeRequestState>(),
    title: p.text(),
    note: p.text().nullable(),
    /** The changes as the author sent them. */
    changes: p.json().$type<unknown>(),
    /** Which offered PTR changes to include; null: left out. */
    reverse: p.json().$type<unknown>().nullable(),
    /** Whether it may pass the safety threshold without an approval. */
    force: p.boolean(),
    /** Whether it may change locked records. */
    unlock: p.boolean().default(false),
    /** The names that its plan touched, relative to the domain. */
    hosts: p.array(),
    /** The type at each of `hosts`, which lists a name once for each of its types. */
    recordTypes: p.array(),
    /** The plan when the request was made or last approved. */
    plan: p.json().$type<unknown>(),
    creates: p.integer(),
    updates: p.integer(),
    deletes: p.integer(),
    /** Hash of the RRsets before and after that plan. */
    changesHash: p.text(),
    applyAt: p.datetime().nullable(),
    /** Whether the author could not write when making it, so that it is applied only once approved. */
    proposed: p.boolean(),
    /** The attempt that is applying it; null: none. */
    applyingToken: p.uuid().nullable(),
    applyingAt: p.datetime().nullable(),
    /** Why it failed or was withdrawn by the service. */
    reason: p.text().nullable(),
    commentCount: p.integer().default(0),
    createdAt: p.datetime(),
    /** When it was applied, rejected, withdrawn, or failed. */
    closedAt: p.datetime().nullable(),
  },
});

/** One verdict on a change request. */
export const ChangeRequestReviewSchema = defineEntity({
  name: "ChangeRequestReview",
  tableName: "change_request_reviews",
  properties: {
    id: p.uuid().primary(),
    changeRequestId: p.uuid(),
    /** Null once the user is deleted. */
    userId: p.uuid().nullable(),
    /** The personal token that was used. */
    tokenId: p.uuid().nullable(),
    verdict: p.text().$type<"approve" | "reject">(),
    /** What was approved. */
    changesHash: p.text().nullable(),
    note: p.text().nullable(),
    createdAt: p.datetime(),
  },
});

/** A comment on a change request. */
export const ChangeRequestCommentSchema = defineEntity({
  name: "ChangeRequestComment",
  tableName: "change_request_comments",
  properties: {
    id: p.uuid().primary(),
    changeRequestId: p.uuid(),
    /** Null once the user is deleted. */
    userId: p.uuid().nullable(),
    text: p.text(),
    createdAt: p.datetime(),
  },
});
