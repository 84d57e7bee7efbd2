import { defineEntity, p } from "@mikro-orm/core";

export type ChangeSetState = "pending" | "applied" | "partial" | "failed";
export type ChangeSetKind =
  | "edit"
  | "bulk"
  | "import"
  | "sync"
  | "push"
  | "rollback"
  | "revert"
  | "replace"
  | "template";

/** One change to a zone: the intent while `pending`, then the outcome. */
export const ChangeSetSchema = defineEntity({
  name: "ChangeSet",
  tableName: "change_sets",
  properties: {
    id: p.uuid().primary(),
    domainId: p.uuid(),
    kind: p.text().$type<ChangeSetKind>(),
    state: p.text().$type<ChangeSetState>(),
    actorId: p.uuid().nullable(),
    /** Name of the TSIG key that was used. */
    tsigKey: p.text().nullable(),
    /** The personal token that was used. Kept after it has ended. */
    tokenId: p.uuid().nullable(),
    /** The change set of another zone that this one follows. */
    causedBy: p.uuid().nullable(),
    /** The revision that it created; null while pending or if nothing was applied. */
    revision: p.integer().nullable(),
    creates: p.integer(),
    updates: p.integer(),
    deletes: p.integer(),
    /** The planned changes and whether they are all-or-nothing. Stored only while pending, for repair. */
    intent: p.json().$type<unknown>().nullable(),
    /** Items that the provider refused. */
    failures: p.json().$type<unknown>().nullable(),
    /** Number of changes closed with unknown outcome, also listed in `failures`; null for none. */
    unknown: p.integer().nullable(),
    /** The change set that it reverts. */
    revertsId: p.uuid().nullable(),
    /** The item of a batch that it carries out. Unique, so that no item is carried out twice. */
    batchItemId: p.uuid().nullable(),
    /** The change request that it carries out. Unique, so that none is carried out twice. */
    changeRequestId: p.uuid().nullable(),
    /** Why the change was made, as its author wrote it. */
    message: p.text().nullable(),
    /** Whether the outcome was established by reading the zone back. */
    repaired: p.boolean(),
    createdAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
  },
});

/** The intent of one provider call. Stored while a change set with several calls is pending, for repair after a crash. */
export const ChangeSetCallSchema = defineEntity({
  name: "ChangeSetCall",
  tableName: "change_set_calls",
  properties: {
    id: p.bigint().primary(),
    changeSetId: p.uuid(),
    /** The record changes sent to the provider. */
    does: p.json().$type<unknown>(),
  },
});

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
    /** What the registration is to become; null: it changes records. */
    registration: p.json().$type<unknown>().nullable(),
    /** When the present attempt began to change the registration, after which only the registrar knows what was made; null: it did not. */
    sentAt: p.datetime().nullable(),
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

/** A change of a zone that channels are still to hear of. */
export const ChangeReportSchema = defineEntity({
  name: "ChangeReport",
  tableName: "change_reports",
  properties: {
    id: p.uuid().primary(),
    changeSetId: p.uuid(),
    /** The personal token that made it; null: a session, or the service. */
    tokenId: p.uuid().nullable(),
    /** The channel whose digest it waits for; null: a change that was just made. */
    channelId: p.uuid().nullable(),
    dueAt: p.datetime(),
  },
});

/** PTR records of one reverse zone that must follow a change set of another zone. Deleted once they do. */
export const ReverseFollowSchema = defineEntity({
  name: "ReverseFollow",
  tableName: "reverse_follows",
  properties: {
    id: p.uuid().primary(),
    changeSetId: p.uuid(),
    /** The reverse zone. */
    domainId: p.uuid(),
    actorId: p.uuid(),
    /** The addresses, see `FollowItem`. */
    items: p.json().$type<unknown>(),
    /** Failed attempts. */
    attempts: p.integer(),
    /** When the job tries next. */
    nextAt: p.datetime(),
    createdAt: p.datetime(),
  },
});
