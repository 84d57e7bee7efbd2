import { defineEntity, p } from "@mikro-orm/core";

export type SnapshotTrigger = "manual" | "scheduled" | "on_change";

/** A bookmark in a zone's history: its records are the versions alive at `revision`. */
export const SnapshotSchema = defineEntity({
  name: "Snapshot",
  tableName: "snapshots",
  properties: {
    id: p.uuid().primary(),
    domainId: p.uuid(),
    version: p.integer(),
    revision: p.integer(),
    /** Null: it has none. */
    name: p.text().nullable(),
    trigger: p.text().$type<SnapshotTrigger>(),
    recordCount: p.integer(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime(),
  },
});
