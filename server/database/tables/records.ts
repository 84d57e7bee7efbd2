import { defineEntity, p } from "@mikro-orm/core";

/**
 * One version of a record, alive from revision `since` until before revision `until`. The live record is the row whose
 * `until` is null. Rows are closed, never overwritten.
 */
export const RecordVersionSchema = defineEntity({
  name: "RecordVersion",
  tableName: "records",
  properties: {
    recordId: p.uuid().primary(),
    version: p.integer().primary(),
    domainId: p.uuid(),
    since: p.integer(),
    until: p.integer().nullable(),
    recordType: p.text(),
    /** Canonical, and so compared, sorted and found without case. */
    name: p.text(),
    value: p.text(),
    /** The name and the value as written, where their names have capitals. */
    writtenName: p.text().nullable(),
    writtenValue: p.text().nullable(),
    /** The strings of a TXT as a JSON array; null for the default split at 255 octets. See `storedStrings`. */
    strings: p.text().nullable(),
    /** Seconds. */
    ttl: p.integer(),
    priority: p.integer().nullable(),
    proxied: p.boolean(),
    status: p.text().$type<"active" | "disabled">(),
    comment: p.text().nullable(),
    /** Whether only the domain's owner and administrators may change or delete it. */
    locked: p.boolean().default(false),
    /** The user to ask about it. No foreign key: a deletion of the user clears it. */
    ownerId: p.uuid().nullable(),
    reviewAt: p.datetime().nullable(),
    /** The `reviewAt` that a reminder was sent for. Later versions have it, too. */
    reviewReminded: p.datetime().nullable(),
    /** When the record, not this version, was created. */
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A record that the provider maintains because it signs the zone, as last read and without versions. */
export const ServerManagedRecordSchema = defineEntity({
  name: "ServerManagedRecord",
  tableName: "server_managed_records",
  properties: {
    /** Derived from the domain and the record's content. */
    recordId: p.uuid().primary(),
    domainId: p.uuid(),
    recordType: p.text(),
    name: p.text(),
    value: p.text(),
    /** As in a record version. */
    writtenName: p.text().nullable(),
    writtenValue: p.text().nullable(),
    /** Seconds. */
    ttl: p.integer(),
    readAt: p.datetime(),
  },
});

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
