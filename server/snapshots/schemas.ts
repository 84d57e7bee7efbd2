import { z } from "zod";
import { fieldChanges, plannedChanges } from "../records/change-schemas.ts";
import { dnsRecord } from "../records/schemas.ts";
import { shownStrings } from "../changes/schemas.ts";
import { id, pageOf, paging, queryFlag, timestamp } from "../api/schemas.ts";

const domainId = id("The domain's id.");
const snapshotId = id("The snapshot's id.");
const trigger = z
  .enum(["manual", "scheduled", "on_change"], "This must be manual, scheduled or on_change.")
  .meta({ description: "What made it.", example: "manual" });

export const snapshot = z
  .object({
    id: snapshotId,
    domainId,
    version: z.int().meta({ description: "Counts the domain's snapshots, from 1.", example: 1 }),
    trigger,
    records: z
      .array(dnsRecord)
      .nullable()
      .meta({
        description:
          "The records at that point in time, by name and type. Null with `records=false`, and in lists and on creation for zones of " +
          "more than 1000 records, or more than 10000 on a page: read the snapshot by its id then.",
      }),
    recordCount: z.int().meta({ description: "How many records it has.", example: 60 }),
    createdBy: id("Who made it.").nullable(),
    createdAt: timestamp("When it was made."),
  })
  .meta({ id: "Snapshot", description: "A zone's records at a point in time." });

export const snapshotPage = z
  .object({ snapshots: z.array(snapshot).meta({ description: "Newest first." }), ...pageOf })
  .meta({ id: "SnapshotPage", description: "A page of snapshots." });

export const listSnapshotsInput = z.strictObject({
  id: domainId,
  ...paging(20, 100),
  trigger: trigger.optional().meta({ description: "Only snapshots made by this." }),
  records: queryFlag("true", "`false` leaves the records out."),
});

export const createSnapshotInput = z.strictObject({ id: domainId, trigger: trigger.default("manual") });

export const snapshotIdInput = z.strictObject({ id: domainId, snapshotId });

export const diffInput = z.strictObject({
  id: domainId,
  from: id("The earlier snapshot; it may also be the later one."),
  to: id("The snapshot to compare with."),
});

const recordName = z
  .object({
    recordType: z.string().meta({ description: "Record type.", example: "A" }),
    name: z.string().meta({ description: "Host part.", example: "www" }),
    value: z.string().meta({ description: "Canonical value.", example: "192.0.2.1" }),
    strings: shownStrings,
  })
  .meta({ id: "RecordName", description: "A record, by what tells it apart." });

const comparedRecord = z
  .object({
    ...recordName.shape,
    ttl: z.int().meta({ description: "Time to live in seconds.", example: 3600 }),
    priority: z.int().nullable().meta({ description: "MX and SRV.", example: null }),
    proxied: z.boolean().meta({ description: "Whether the provider's proxy answers.", example: false }),
  })
  .meta({ id: "ComparedRecord", description: "A record as it is compared." });

export const snapshotDiff = z
  .object({
    added: z.array(comparedRecord).meta({ description: "In `to` only." }),
    removed: z.array(comparedRecord).meta({ description: "In `from` only." }),
    modified: z.array(z.object({ before: comparedRecord, after: comparedRecord, changes: fieldChanges })).meta({
      description: "In both, with differences.",
      example: [
        {
          before: {
            recordType: "A",
            name: "@",
            value: "192.0.2.1",
            strings: null,
            ttl: 300,
            priority: null,
            proxied: false,
          },
          after: {
            recordType: "A",
            name: "@",
            value: "192.0.2.1",
            strings: null,
            ttl: 3600,
            priority: null,
            proxied: false,
          },
          changes: { ttl: [300, 3600] },
        },
      ],
    }),
  })
  .meta({ id: "SnapshotDiff", description: "What differs between two snapshots of a domain." });

export const rollbackInput = z.strictObject({
  id: domainId,
  snapshotId,
  dryRun: z.boolean("This must be true or false.").default(false).meta({ description: "Only show what would change." }),
  force: z.boolean("This must be true or false.").default(false).meta({
    description: "Go on although more than 30 % of a zone of ten or more records would change, or all would go.",
  }),
});

export const rollbackResult = z
  .object({
    success: z.boolean().meta({ description: "Whether everything took place." }),
    snapshot: snapshot
      .nullable()
      .meta({ description: "The new `on_change` snapshot of what the zone then is; null with dryRun." }),
    created: z.int().meta({ description: "Records brought back.", example: 2 }),
    updated: z.int().meta({ description: "Records set back.", example: 1 }),
    deleted: z.int().meta({ description: "Records removed.", example: 0 }),
    failed: z
      .array(
        z.object({
          ...recordName.shape,
          error: z
            .string()
            .meta({ description: "What the provider said, or which rule forbids it.", example: "refused" }),
        }),
      )
      .meta({ description: "What could not be done; with `dryRun`, what today's rules forbid.", example: [] }),
    plan: plannedChanges
      .nullable()
      .meta({ description: "With `dryRun`: what would change. Else null.", example: null }),
  })
  .meta({ id: "RollbackResult", description: "What a rollback did." });
