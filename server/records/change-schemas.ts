import { z } from "zod";
import { line, queryFlag } from "../api/schemas.ts";
import { mostBulkRecords } from "./bulk.ts";
import { dnsRecord, recordInput, recordPatch } from "./schemas.ts";
import { dataFields, domainId, recordData, recordId } from "../changes/schemas.ts";

export const bulkInput = z.strictObject({
  id: domainId,
  records: z
    .array(z.unknown().meta({ override: { $ref: "#/components/schemas/CreateRecordBody" } }))
    .min(1, "Send at least one record.")
    .max(mostBulkRecords, `Send at most ${mostBulkRecords} records in one call.`)
    .meta({
      description: `1 to ${mostBulkRecords} records to create, each with the fields of \`createRecord\` and checked by itself.`,
    }),
  mode: z
    .enum(["each", "atomic"], "This must be each or atomic.")
    .default("each")
    .meta({ description: "`each`: a failed item does not stop the others. `atomic`: all records or none." }),
});

export const bulkResult = z
  .object({
    results: z
      .array(
        z.object({
          success: z.boolean().meta({ description: "Whether the record was created." }),
          recordType: z.string().nullable().meta({ description: "As sent.", example: "A" }),
          name: z.string().nullable().meta({ description: "As sent.", example: "www" }),
          id: recordId.nullable(),
          error: z.string().nullable().meta({ description: "Why the item failed; null on success.", example: null }),
        }),
      )
      .meta({ description: "One result per item, in the order sent." }),
    total: z.int().meta({ description: "Number of items sent.", example: 1 }),
    succeeded: z.int().meta({ description: "Records created.", example: 1 }),
  })
  .meta({ id: "BulkResult", description: "The result of a bulk create." });

const action = <Action extends string>(name: Action) => z.literal(name).meta({ description: "The kind of change." });

const createChange = z
  .strictObject({ action: action("create"), record: recordInput })
  .meta({ id: "CreateChange", description: "Creates a record." });
const updateChange = z
  .strictObject({
    action: action("update"),
    recordId,
    record: z
      .strictObject(recordPatch.shape)
      .meta({ description: "The fields to change; omitted fields keep their values." }),
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
  .meta({ id: "Change", description: "A change to a record; `action` selects its fields." });

export type ChangeInput = z.output<typeof change>;

const changes = z
  .array(change)
  .min(1, "Send at least one change.")
  .max(1_000, "Send at most 1000 changes in one plan.")
  .meta({
    description: "1 to 1000 changes, checked together against the resulting zone.",
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
  .meta({ description: "Changed fields, each as `[old, new]`.", example: { ttl: [300, 3600] } });

export const plannedChanges = z
  .object({
    creates: z.array(recordData).meta({ description: "Records to create." }),
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
        description: "Records to change.",
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
      .meta({ description: "Records to delete.", example: [] }),
    warnings: z
      .array(z.string())
      .meta({ description: "Warnings about changes that are valid but may be unintended.", example: [] }),
  })
  .meta({ id: "PlannedChanges", description: "The planned changes." });

export const plan = z
  .object({
    ...plannedChanges.shape,
    planHash: z.string().meta({
      description: "Send it to `POST …/records/apply`. It ties the plan to the zone's present state.",
      example: "Qm9yaW5n…",
    }),
    revision: z.int().meta({ description: "The zone revision the plan is based on.", example: 3 }),
  })
  .meta({ id: "Plan", description: "The effect of the changes, and the hash to apply them." });

const forceLoss = z.boolean("This must be true or false.").default(false).meta({
  description:
    "Confirms deleting or replacing more than 30 % of a zone with ten or more records, or all records. A plan's warnings say when it is needed.",
});

export const applyInput = z.strictObject({
  id: domainId,
  changes,
  planHash: line(100, 1).meta({ description: "`planHash` of the plan.", example: "Qm9yaW5n…" }),
  force: forceLoss,
});

export const applied = z
  .object({
    results: z
      .array(
        z.object({
          success: z.literal(true).meta({ description: "Always true: a plan is applied as a whole or not at all." }),
          action: z
            .enum(["create", "update", "delete"])
            .meta({ description: "The requested change.", example: "create" }),
          recordId,
          record: dnsRecord.nullable().meta({ description: "The record after the change; null if deleted." }),
        }),
      )
      .meta({ description: "One result per change, in the order sent." }),
    revision: z.int().meta({ description: "The zone revision after the changes.", example: 4 }),
  })
  .meta({ id: "Applied", description: "The result of an applied plan." });

const dryRun = z
  .boolean("This must be true or false.")
  .default(false)
  .meta({ description: "Only returns what would change, in `plan`." });
const force = z
  .boolean("This must be true or false.")
  .default(false)
  .meta({
    description:
      "Confirms changing more than 30 % of a zone with ten or more records, or removing all. From an administrator, it also closes earlier " +
      "changes whose outcome is unknown: the provider's records then decide.",
  });

export const syncInput = z.strictObject({ id: domainId, dryRun, force });

const counts = {
  created: z.int().meta({ description: "Records created.", example: 2 }),
  updated: z.int().meta({ description: "Records changed.", example: 1 }),
  deleted: z.int().meta({ description: "Records deleted.", example: 0 }),
};

const optionalPlan = plannedChanges
  .nullable()
  .meta({ description: "With `dryRun`, what would change; null otherwise.", example: null });

export const syncResult = z
  .object({
    synced: z.int().meta({ description: "Records at the provider.", example: 60 }),
    ...counts,
    unchanged: z.int().meta({ description: "Records that were already equal.", example: 57 }),
    plan: optionalPlan,
  })
  .meta({ id: "SyncResult", description: "The result of a sync." });

export const zonefileExportInput = z.strictObject({
  id: domainId,
  revision: z.coerce
    .number<number>("This must be a whole number.")
    .int("This must be a whole number.")
    .min(0, "This must be 0 or more.")
    .max(2_147_483_647, "This must be at most 2147483647.")
    .optional()
    .meta({ description: "Domain revision to export. Default: the latest.", example: 0 }),
  serverManaged: queryFlag(
    "false",
    "`true` adds the records that the name server maintains, as last read. Not allowed with `revision`.",
  ),
});

export const zonefileInput = z.strictObject({
  id: domainId,
  zonefile: z
    .string()
    .min(1, "This must not be empty.")
    .meta({ description: "RFC 1035 master file.", example: "www 300 IN A 192.0.2.1\n" }),
  mode: z.enum(["merge", "replace"], "This must be merge or replace.").default("merge").meta({
    description: "`merge` adds and updates records; `replace` also deletes records that are not in the file.",
  }),
  ignoreOutOfZone: z.boolean("This must be true or false.").default(false).meta({
    description:
      "Skips records outside the zone; a warning counts them and names their lines. If false, such a record refuses the file.",
  }),
  dryRun,
  force: forceLoss,
});

export const zonefileResult = z
  .object({
    ...counts,
    unchanged: z.int().meta({ description: "Records that were already equal.", example: 57 }),
    warnings: plannedChanges.shape.warnings,
    plan: optionalPlan,
  })
  .meta({ id: "ZonefileResult", description: "The result of a zone-file import." });

export const zonefileText = z
  .object({
    zonefile: z.string().meta({
      description: "RFC 1035 master file.",
      example:
        "$ORIGIN example.com.\n$TTL 3600\n@ IN SOA ns1.example.com. hostmaster.example.com. 7 7200 900 1209600 3600\n@ IN NS ns1.example.com.\nwww IN A 192.0.2.1\n",
    }),
  })
  .meta({ id: "Zonefile", description: "A zone as a master file." });
