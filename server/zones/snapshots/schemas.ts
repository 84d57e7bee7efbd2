import { z } from "zod";
import { comparisonHash, fieldChanges, newRevision, plannedChanges, reviewedHash } from "../records/change-schemas.ts";
import { dnsRecord } from "../records/schemas.ts";
import { failedChanges, recordName } from "../records/whole-zone-schemas.ts";
import { dataFields, explained, queriedRevision } from "../changes/schemas.ts";
import { id, line, optionalInteger, pageOf, paging, queryFlag, timestamp } from "../../api/schemas.ts";
import { changedTtl } from "../records/change-schemas.ts";

const domainId = id("The domain's id.");
const snapshotId = id("The snapshot's id.");
const trigger = z.enum(["manual", "scheduled", "on_change"], "This must be manual, scheduled or on_change.").meta({
  description: "What took the snapshot. `on_change`: a change to the whole zone, such as a sync or rollback.",
  example: "manual",
});

export const snapshot = z
  .object({
    id: snapshotId,
    domainId,
    version: z.int().meta({ description: "Sequence number within the domain, from 1.", example: 1 }),
    name: z
      .string()
      .nullable()
      .meta({ description: "What the person who took it calls it; null if nothing.", example: "Before the move" }),
    trigger,
    revision: z.int().meta({ description: "The zone's revision that it keeps.", example: 3 }),
    records: z
      .array(dnsRecord)
      .nullable()
      .meta({
        description:
          "The records at that time, by name and type. Null with `records=false`. Also null in lists and on creation for zones of " +
          "more than 1000 records, or more than 10000 on a page: get the snapshot by its id instead.",
      }),
    recordCount: z.int().meta({ description: "Number of records.", example: 60 }),
    createdBy: id("The user who took it; null for the service itself.").nullable(),
    createdAt: timestamp("When it was taken."),
  })
  .meta({ id: "Snapshot", description: "A zone's records at a point in time." });

export const snapshotPage = z
  .object({ snapshots: z.array(snapshot).meta({ description: "Newest first." }), ...pageOf })
  .meta({ id: "SnapshotPage", description: "A page of snapshots." });

export const listSnapshotsInput = z.strictObject({
  id: domainId,
  ...paging(20, 100),
  trigger: trigger.optional().meta({ description: "Only snapshots with this trigger." }),
  records: queryFlag("true", "`false` omits the records."),
});

export const createSnapshotInput = z.strictObject({
  id: domainId,
  trigger: trigger.default("manual"),
  name: line(100)
    .transform((name) => name.trim() || null)
    .nullable()
    .optional()
    .meta({
      description: "What you call it, at most 100 characters. Empty or null: nothing.",
      example: "Before the move",
    }),
});

export const getSnapshotInput = z.strictObject({
  id: domainId,
  snapshotId,
  page: optionalInteger({
    min: 1,
    max: 2_147_483_647,
    sentence: "This must be a whole number, at least 1.",
    description: "Page of the records, from 1. Default: all records. `recordCount` is the number on all pages.",
  }),
  limit: optionalInteger({
    min: 1,
    max: 500,
    sentence: "This must be a whole number from 1 to 500.",
    description: "Records per page, at most 500; 50 by default. Only with `page`.",
  }),
});

const snapshotSide = (description: string) =>
  id(description).optional().meta({ description, example: "01a1fb0f-6204-7000-abd4-276e976be8b7" });

export const diffInput = z.strictObject({
  id: domainId,
  from: snapshotSide("The snapshot to compare from. It may be the newer one. Or pass `fromRevision`."),
  to: snapshotSide("The snapshot to compare to. Or pass `toRevision`."),
  fromRevision: queriedRevision("The revision to compare from, instead of a snapshot. It may be the newer one."),
  toRevision: queriedRevision("The revision to compare to, instead of a snapshot."),
});

const comparedRecord = z
  .object({
    ...recordName.shape,
    ttl: z.int().meta({ description: "Time to live in seconds.", example: 3600 }),
    priority: z
      .int()
      .nullable()
      .meta({ description: "MX and SRV: the priority. Null for other types.", example: null }),
    proxied: z.boolean().meta({ description: "Whether the provider proxies the record.", example: false }),
    status: dataFields.status,
  })
  .meta({ id: "ComparedRecord", description: "A record's compared fields." });

export const snapshotDiff = z
  .object({
    added: z.array(comparedRecord).meta({ description: "Records only in `to`, or only in the domain compared with." }),
    removed: z.array(comparedRecord).meta({ description: "Records only in `from`, or only in this domain." }),
    modified: z.array(z.object({ before: comparedRecord, after: comparedRecord, changes: fieldChanges })).meta({
      description: "Records in both that differ.",
      example: [changedTtl],
    }),
  })
  .meta({
    id: "SnapshotDiff",
    description: "The differences between two snapshots of a domain, or between two domains.",
  });

export const compareInput = z.strictObject({
  id: domainId,
  with: id("The domain to compare with."),
});

const rollbackOptions = {
  dryRun: z
    .boolean("This must be true or false.")
    .default(false)
    .meta({ description: "Only returns what would change, in `plan`." }),
  force: z.boolean("This must be true or false.").default(false).meta({
    description: "Confirms changing more than 30 % of a zone with ten or more records, or removing all records.",
  }),
  planHash: reviewedHash,
  ...explained,
};

export const rollbackInput = z.strictObject({ id: domainId, snapshotId, ...rollbackOptions });

export const restoreInput = z.strictObject({
  id: domainId,
  revision: z
    .int("This must be a whole number, at least 0.")
    .min(0, "This must be a whole number, at least 0.")
    .max(2_147_483_647, "This must be a whole number of at most 2147483647.")
    .meta({ description: "The revision whose records to restore.", example: 41 }),
  ...rollbackOptions,
});

export const rollbackResult = z
  .object({
    success: z.boolean().meta({ description: "Whether all changes were made." }),
    snapshot: snapshot
      .nullable()
      .meta({ description: "The `on_change` snapshot taken after the rollback; null with `dryRun`." }),
    revision: newRevision,
    created: z.int().meta({ description: "Records created.", example: 2 }),
    updated: z.int().meta({ description: "Records changed.", example: 1 }),
    deleted: z.int().meta({ description: "Records deleted.", example: 0 }),
    failed: failedChanges.meta({
      description: "Changes that failed; with `dryRun`, changes that current rules forbid.",
      example: [],
    }),
    plan: plannedChanges
      .nullable()
      .meta({ description: "With `dryRun`, what would change; null otherwise.", example: null }),
    planHash: comparisonHash,
  })
  .meta({ id: "RollbackResult", description: "The result of a rollback." });
