import { defineEntity, p } from "@mikro-orm/core";

export type ChangeSetState = "pending" | "applied" | "partial" | "failed";
export type ChangeSetKind = "edit" | "bulk" | "import" | "sync" | "rollback";

/** One change to a zone: the intent while `pending`, then what became of it. */
export const ChangeSetSchema = defineEntity({
  name: "ChangeSet",
  tableName: "change_sets",
  properties: {
    id: p.uuid().primary(),
    domainId: p.uuid(),
    kind: p.text().$type<ChangeSetKind>(),
    state: p.text().$type<ChangeSetState>(),
    actorId: p.uuid().nullable(),
    /** The revision that it made; null while pending and when nothing came of it. */
    revision: p.integer().nullable(),
    creates: p.integer(),
    updates: p.integer(),
    deletes: p.integer(),
    /** The planned changes and whether all or none are to be made, kept only while pending: what a repair needs. */
    intent: p.json().$type<unknown>().nullable(),
    /** Items that the provider refused. */
    failures: p.json().$type<unknown>().nullable(),
    /** How many changes it was given up to find out about; null: none. They are among the failures. */
    unknown: p.integer().nullable(),
    /** Whether the outcome was established by reading the zone back. */
    repaired: p.boolean(),
    createdAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
  },
});

/** What one call to a provider was to do, kept while its change set is pending and takes several: for the repair after a crash. */
export const ChangeSetCallSchema = defineEntity({
  name: "ChangeSetCall",
  tableName: "change_set_calls",
  properties: {
    id: p.bigint().primary(),
    changeSetId: p.uuid(),
    /** Changes of records, as the provider is told of them. */
    does: p.json().$type<unknown>(),
  },
});
