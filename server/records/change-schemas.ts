import { z } from "zod";
import { line, queryFlag } from "../api/schemas.ts";
import { dnsRecord, recordInput, recordPatch } from "./schemas.ts";
import { dataFields, domainId, recordData, recordId } from "../changes/schemas.ts";

export const bulkInput = z.strictObject({
  id: domainId,
  records: z
    .array(z.unknown().meta({ override: { $ref: "#/components/schemas/CreateRecordBody" } }))
    .min(1, "Give at least one record.")
    .max(100, "At most 100 records in one call.")
    .meta({ description: "Records to create, each as for a single one and checked on its own." }),
  mode: z
    .enum(["each", "atomic"], "This must be each or atomic.")
    .default("each")
    .meta({ description: "`each`: a failed item does not stop the others. `atomic`: all or nothing." }),
});

export const bulkResult = z
  .object({
    results: z
      .array(
        z.object({
          success: z.boolean().meta({ description: "Whether the record was made." }),
          recordType: z.string().nullable().meta({ description: "As given.", example: "A" }),
          name: z.string().nullable().meta({ description: "As given.", example: "www" }),
          id: recordId.nullable(),
          error: z.string().nullable().meta({ description: "Why not; null when it was made.", example: null }),
        }),
      )
      .meta({ description: "One for each input, in order." }),
    total: z.int().meta({ description: "How many inputs there were.", example: 1 }),
    succeeded: z.int().meta({ description: "Records made.", example: 1 }),
  })
  .meta({ id: "BulkResult", description: "What became of each input." });

const action = <Action extends string>(name: Action) => z.literal(name).meta({ description: "What to do." });

const createChange = z
  .strictObject({ action: action("create"), record: recordInput })
  .meta({ id: "CreateChange", description: "Creates a record." });
const updateChange = z
  .strictObject({
    action: action("update"),
    recordId,
    record: z.strictObject(recordPatch.shape).meta({ description: "The fields that change; the others stay." }),
  })
  .meta({ id: "UpdateChange", description: "Changes fields of a record." });
const deleteChange = z
  .strictObject({ action: action("delete"), recordId })
  .meta({ id: "DeleteChange", description: "Deletes a record." });

const change = z
  .discriminatedUnion("action", [createChange, updateChange, deleteChange], {
    error: (issue) =>
      issue.code === "invalid_union" ? "`action` must be create, update or delete." : "This must be an object.",
  })
  .meta({ id: "Change", description: "One change: its `action` says which fields it takes." });

export type ChangeInput = z.output<typeof change>;

const changes = z
  .array(change)
  .min(1, "Give at least one change.")
  .max(1_000, "At most 1000 changes in one plan.")
  .meta({
    description: "Changes, judged together.",
    example: [
      { action: "create", record: { recordType: "A", name: "www", value: "192.0.2.1" } },
      { action: "update", recordId: "01a1fb0f-6204-7000-abd4-276e976be8b7", record: { ttl: 300 } },
    ],
  });

export const planInput = z.strictObject({ id: domainId, changes });

export const fieldChanges = z
  .record(
    z.string(),
    z.tuple([z.unknown(), z.unknown()]).meta({
      // Generators of OpenAPI 3.0 clients do not know `prefixItems`.
      override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
        delete jsonSchema["prefixItems"];
        Object.assign(jsonSchema, { type: "array", items: {}, minItems: 2, maxItems: 2 });
      },
    }),
  )
  .meta({ description: "By field: `[old, new]`.", example: { ttl: [300, 3600] } });

export const plannedChanges = z
  .object({
    creates: z.array(recordData).meta({ description: "Records that would be made." }),
    updates: z
      .array(
        z.object({
          id: recordId,
          before: recordData,
          after: recordData,
          changes: fieldChanges,
        }),
      )
      .meta({
        description: "Records that would change.",
        example: [
          {
            id: "01a1fb0f-6204-7000-abd4-276e976be8b7",
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
    deletes: z
      .array(z.object({ id: recordId, ...dataFields }))
      .meta({ description: "Records that would go.", example: [] }),
    warnings: z.array(z.string()).meta({ description: "What is legal but perhaps not meant.", example: [] }),
  })
  .meta({ id: "PlannedChanges", description: "What would change." });

export const plan = z
  .object({
    ...plannedChanges.shape,
    planHash: z
      .string()
      .meta({ description: "Give it to apply: it ties the plan to the zone as it is now.", example: "Qm9yaW5n…" }),
    revision: z.int().meta({ description: "The zone's revision that the plan starts from.", example: 3 }),
  })
  .meta({ id: "Plan", description: "What some changes would do." });

const forceLoss = z.boolean("This must be true or false.").default(false).meta({
  description:
    "Go on although more than 30 % of a zone of ten or more records would be deleted or get other values, or all would go. A plan says when this is needed.",
});

export const applyInput = z.strictObject({
  id: domainId,
  changes,
  planHash: line(100, 1).meta({ description: "From the plan.", example: "Qm9yaW5n…" }),
  force: forceLoss,
});

export const applied = z
  .object({
    results: z
      .array(
        z.object({
          success: z.literal(true).meta({ description: "A plan takes place as a whole or not at all." }),
          action: z
            .enum(["create", "update", "delete"])
            .meta({ description: "What was asked for.", example: "create" }),
          recordId,
          record: dnsRecord.nullable().meta({ description: "The record as it is now; null when deleted." }),
        }),
      )
      .meta({ description: "One for each change, in order." }),
    revision: z.int().meta({ description: "The zone's revision now.", example: 4 }),
  })
  .meta({ id: "Applied", description: "What became of a plan." });

const dryRun = z
  .boolean("This must be true or false.")
  .default(false)
  .meta({ description: "Only show what would change." });
const force = z
  .boolean("This must be true or false.")
  .default(false)
  .meta({
    description:
      "Go on although more than 30 % of a zone of ten or more records would change, or all would go. An administrator's also ends earlier " +
      "changes that cannot be settled: what the provider serves then decides.",
  });

export const syncInput = z.strictObject({ id: domainId, dryRun, force });

const counts = {
  created: z.int().meta({ description: "Records made.", example: 2 }),
  updated: z.int().meta({ description: "Records changed.", example: 1 }),
  deleted: z.int().meta({ description: "Records deleted.", example: 0 }),
};

const optionalPlan = plannedChanges
  .nullable()
  .meta({ description: "With `dryRun`: what would change. Else null.", example: null });

export const syncResult = z
  .object({
    synced: z.int().meta({ description: "Records that the provider has.", example: 60 }),
    ...counts,
    unchanged: z.int().meta({ description: "Records that were the same already.", example: 57 }),
    plan: optionalPlan,
  })
  .meta({ id: "SyncResult", description: "What a sync found." });

export const zonefileExportInput = z.strictObject({
  id: domainId,
  revision: z.coerce
    .number<number>("This must be a whole number.")
    .int("This must be a whole number.")
    .min(0, "This must be 0 or more.")
    .max(2_147_483_647, "This must be at most 2147483647.")
    .optional()
    .meta({ description: "The domain's `revision` whose records to export; left out: the newest.", example: 0 }),
  serverManaged: queryFlag(
    "false",
    "`true` adds the records that the name server maintains, as last read; not with `revision`.",
  ),
});

export const zonefileInput = z.strictObject({
  id: domainId,
  zonefile: z
    .string()
    .min(1, "This must not be empty.")
    .meta({ description: "RFC 1035 master file.", example: "www 300 IN A 192.0.2.1\n" }),
  mode: z
    .enum(["merge", "replace"], "This must be merge or replace.")
    .default("merge")
    .meta({ description: "`merge` adds and updates; `replace` also deletes what the file does not have." }),
  ignoreOutOfZone: z.boolean("This must be true or false.").default(false).meta({
    description:
      "Leave out records whose names are outside the zone; a warning counts them and names their lines. Without it they refuse the file.",
  }),
  dryRun,
  force: forceLoss,
});

export const zonefileResult = z
  .object({
    ...counts,
    unchanged: z.int().meta({ description: "Records that were the same already.", example: 57 }),
    warnings: plannedChanges.shape.warnings,
    plan: optionalPlan,
  })
  .meta({ id: "ZonefileResult", description: "What a zone file brought." });

export const zonefileText = z
  .object({
    zonefile: z.string().meta({
      description: "RFC 1035 master file.",
      example:
        "$ORIGIN example.com.\n$TTL 3600\n@ IN SOA ns1.example.com. hostmaster.example.com. 7 7200 900 1209600 3600\n@ IN NS ns1.example.com.\nwww IN A 192.0.2.1\n",
    }),
  })
  .meta({ id: "Zonefile", description: "A zone as a master file." });
