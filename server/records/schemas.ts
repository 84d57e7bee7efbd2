import { z } from "zod";
import { id, line, pageOf, paging, text, timestamp } from "../schemas.ts";
import { editableTypes } from "./record.ts";

const domainId = id("The domain's id.");
const recordId = id("The record's id.");

const typeField = z
  .enum(editableTypes, `This must be one of ${editableTypes.join(", ")}.`)
  .meta({ description: "Record type.", example: "A" });
const nameField = line(1024).meta({
  description:
    "Host part: `@` or empty for the apex, relative, or fully qualified. `*` only as the whole leftmost label.",
  example: "www",
});
const valueField = text(10_000).meta({
  description:
    "By type: A `192.0.2.1`, MX `10 mail.example.com`, SRV `0 5 5060 sip.example.com`, CAA `0 issue letsencrypt.org`, TXT the text itself.",
  example: "192.0.2.1",
});
const ttlField = z
  .int("This must be a whole number of seconds.")
  .min(0, "A TTL is at least 0.")
  .max(2_147_483_647, "A TTL is at most 2147483647 (RFC 2181).")
  .meta({
    description: "Time to live in seconds; where absent that of the RRset, else 3600. Holds for the whole RRset.",
    example: 3600,
  });
const priorityField = z
  .int("This must be a whole number.")
  .min(0, "A priority is at least 0.")
  .max(65_535, "A priority is at most 65535.")
  .nullable()
  .meta({
    description: "MX and SRV: completes a value without one; must agree with a value that has one.",
    example: null,
  });
const proxiedField = z
  .boolean("This must be true or false.")
  .meta({ description: "Whether the provider's proxy answers.", example: false });
const commentField = line(1000)
  .nullable()
  .meta({ description: "A note for people; not part of the DNS.", example: null });

const inputFields = {
  recordType: typeField,
  name: nameField,
  value: valueField,
  ttl: ttlField.optional(),
  priority: priorityField.optional(),
  proxied: proxiedField.optional(),
  comment: commentField.optional(),
};

export const recordInput = z
  .strictObject(inputFields)
  .meta({ id: "RecordInput", description: "What a record is to be." });
const recordPatch = recordInput.partial();

const dataFields = {
  recordType: z
    .string()
    .meta({ description: "Record type; also types beyond the eight that can be written.", example: "A" }),
  name: z.string().meta({ description: "Host part, `@` for the apex.", example: "www" }),
  value: z.string().meta({ description: "Canonical value.", example: "192.0.2.1" }),
  ttl: z.int().meta({ description: "Seconds.", example: 3600 }),
  priority: z.int().nullable().meta({ description: "MX and SRV: the priority, also within the value.", example: null }),
  proxied: z.boolean().meta({ description: "Whether the provider's proxy answers.", example: false }),
};

/** A record without identity. */
export const recordData = z.object(dataFields).meta({ id: "RecordData", description: "What a record says." });

export const dnsRecord = z
  .object({
    id: recordId,
    domainId,
    ...dataFields,
    status: z.enum(["active", "disabled"]).meta({ description: "State.", example: "active" }),
    createdAt: timestamp("When the record was made."),
    comment: z.string().nullable().meta({ description: "A note for people.", example: null }),
    updatedAt: timestamp("When this version of it was made."),
    version: z.int().meta({ description: "Raised by one with each change; the ETag.", example: 1 }),
  })
  .meta({ id: "DnsRecord", description: "A DNS record." });

export const recordPage = z
  .object({ records: z.array(dnsRecord).meta({ description: "By name and type." }), ...pageOf })
  .meta({ id: "RecordPage", description: "A page of records." });

export const listRecordsInput = z.strictObject({
  id: domainId,
  type: line(20)
    .transform((type) => type.toUpperCase())
    .optional()
    .meta({ description: "Only records of this type.", example: "MX" }),
  search: line(253).optional().meta({ description: "Part of the host.", example: "www" }),
  ...paging(50, 500),
});

export const createRecordInput = z.strictObject({ id: domainId, ...inputFields });

export const updateRecordInput = z.strictObject({ id: domainId, recordId, ...recordPatch.shape });

export const recordIdInput = z.strictObject({ id: domainId, recordId });

export const bulkInput = z.strictObject({
  id: domainId,
  records: z
    .array(z.unknown().meta({ type: "object", description: "A RecordInput, checked on its own." }))
    .min(1, "Give at least one record.")
    .max(100, "At most 100 records in one call.")
    .meta({ description: "Records to create: each has the fields of RecordInput." }),
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
          error: z.string().nullable().meta({ description: "Why not.", example: null }),
        }),
      )
      .meta({ description: "One for each input, in order." }),
    total: z.int().meta({ description: "Inputs.", example: 1 }),
    succeeded: z.int().meta({ description: "Records made.", example: 1 }),
  })
  .meta({ id: "BulkResult", description: "What became of each input." });

const change = z
  .strictObject({
    action: z
      .enum(["create", "update", "delete"], "This must be create, update or delete.")
      .meta({ description: "What to do.", example: "create" }),
    recordId: recordId.optional().meta({ description: "Update and delete: which record." }),
    record: z
      .strictObject(recordPatch.shape)
      .optional()
      .meta({ description: "Create: the whole record. Update: the fields that change." }),
  })
  .meta({ id: "Change", description: "One change." });

const changes = z
  .array(change)
  .min(1, "Give at least one change.")
  .max(1_000, "At most 1000 changes in one plan.")
  .meta({ description: "Changes, judged together." });

export const planInput = z.strictObject({ id: domainId, changes });

export const fieldChanges = z
  .record(z.string(), z.tuple([z.unknown(), z.unknown()]))
  .meta({ description: "By field: `[old, new]`.", example: { ttl: [300, 3600] } });

export const planned = {
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
    .meta({ description: "Records that would change." }),
  deletes: z.array(z.object({ id: recordId, ...dataFields })).meta({ description: "Records that would go." }),
  warnings: z.array(z.string()).meta({ description: "What is legal but perhaps not meant.", example: [] }),
};

export const plan = z
  .object({
    ...planned,
    planHash: z
      .string()
      .meta({ description: "Give it to apply: it ties the plan to the zone as it is now.", example: "Qm9yaW5n…" }),
    revision: z.int().meta({ description: "The zone's revision that the plan starts from.", example: 3 }),
  })
  .meta({ id: "Plan", description: "What some changes would do." });

export const applyInput = z.strictObject({
  id: domainId,
  changes,
  planHash: line(100, 1).meta({ description: "From the plan.", example: "Qm9yaW5n…" }),
});

export const applied = z
  .object({
    results: z
      .array(
        z.object({
          success: z.boolean().meta({ description: "Whether it took place." }),
          action: z
            .enum(["create", "update", "delete"])
            .meta({ description: "What was asked for.", example: "create" }),
          recordId: recordId,
          record: dnsRecord.nullable().meta({ description: "The record as it is now; null when deleted." }),
          error: z.string().nullable().meta({ description: "What the provider said.", example: null }),
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
const force = z.boolean("This must be true or false.").default(false).meta({
  description: "Go on although more than 30 % of a zone of ten or more records would change, or all would go.",
});

export const syncInput = z.strictObject({ id: domainId, dryRun, force });

const counts = {
  created: z.int().meta({ description: "Records made.", example: 2 }),
  updated: z.int().meta({ description: "Records changed.", example: 1 }),
  deleted: z.int().meta({ description: "Records deleted.", example: 0 }),
};

const optionalPlan = z
  .object(planned)
  .nullable()
  .meta({ id: "DryRunPlan", description: "With dryRun: what would change. Else null." });

export const syncResult = z
  .object({
    synced: z.int().meta({ description: "Records that the provider has.", example: 60 }),
    ...counts,
    unchanged: z.int().meta({ description: "Records that were the same already.", example: 57 }),
    plan: optionalPlan,
  })
  .meta({ id: "SyncResult", description: "What a sync found." });

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
  dryRun,
});

export const zonefileResult = z
  .object({
    ...counts,
    unchanged: z.int().meta({ description: "Records that were the same already.", example: 57 }),
    warnings: planned.warnings,
    plan: optionalPlan,
  })
  .meta({ id: "ZonefileResult", description: "What a zone file brought." });

export const zonefileText = z
  .object({ zonefile: z.string().meta({ description: "RFC 1035 master file." }) })
  .meta({ id: "Zonefile", description: "A zone as a master file." });

export const domainIdInput = z.strictObject({ id: domainId });

export const historyInput = z.strictObject({ id: domainId, ...paging(20, 100) });

const historyChange = z.object({
  action: z.enum(["create", "update", "delete"]).meta({ description: "What happened.", example: "update" }),
  recordId,
  before: recordData.nullable().meta({ description: "Null for a create." }),
  after: recordData.nullable().meta({ description: "Null for a delete." }),
});

const historyFailure = z.object({
  action: z.enum(["create", "update", "delete"]).meta({ description: "What was tried.", example: "create" }),
  recordType: z.string().meta({ description: "Record type.", example: "A" }),
  name: z.string().meta({ description: "Host part.", example: "www" }),
  value: z.string().meta({ description: "Value.", example: "192.0.2.1" }),
  error: z.string().meta({ description: "What the provider said.", example: "refused" }),
});

export const history = z
  .object({
    entries: z
      .array(
        z
          .object({
            id: id("The change set's id."),
            kind: z
              .enum(["edit", "bulk", "import", "sync", "rollback"])
              .meta({ description: "How it came about.", example: "edit" }),
            state: z
              .enum(["pending", "applied", "partial", "failed"])
              .meta({ description: "`pending`: sent to the provider, outcome not known yet.", example: "applied" }),
            actorId: id("Who.").nullable(),
            actor: z.string().nullable().meta({ description: "Username.", example: "admin" }),
            revision: z.int().nullable().meta({ description: "The revision that it made.", example: 4 }),
            creates: z.int().meta({ description: "Records made.", example: 1 }),
            updates: z.int().meta({ description: "Records changed.", example: 0 }),
            deletes: z.int().meta({ description: "Records deleted.", example: 0 }),
            changes: z.array(historyChange).meta({ description: "The first 100 changes." }),
            failures: z.array(historyFailure).meta({ description: "What the provider refused, the first 100." }),
            repaired: z.boolean().meta({ description: "Whether the outcome was found by reading the zone back." }),
            createdAt: timestamp("When it began."),
            finishedAt: timestamp("When its outcome was known.").nullable(),
          })
          .meta({ id: "ChangeSet", description: "One change to a zone." }),
      )
      .meta({ description: "Newest first." }),
    ...pageOf,
  })
  .meta({ id: "History", description: "A page of changes." });
