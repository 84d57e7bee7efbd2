import { defineEntity, p } from "@mikro-orm/core";

export type ChangeSetState = "pending" | "applied" | "partial" | "failed";
export type ChangeSetKind = "edit" | "bulk" | "import" | "sync" | "rollback" | "revert" | "replace" | "template";

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
