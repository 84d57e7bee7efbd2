import { z } from "zod";
import { line, shownId, shownRecordType } from "../../api/schemas.ts";
import { dnsRecord, recordInput, recordPatch } from "./schemas.ts";
import { dataFields, domainId, explained, recordData, recordId, unlock } from "../changes/schemas.ts";
import { inSlices, mapped } from "../../platform/slices.ts";

/** Inputs with more items than this are validated in slices. */
const manyItems = 500;

/**
 * Lets an input schema validate a long list in slices, without blocking the event loop. tRPC waits for a `parse` that returns a promise;
 * other methods of the schema stay as they are. The worker has refused invalid large bodies before, with their issues.
 * @param field the field that holds the list
 * @param most the most items that the schema allows
 */
export function parsedInSlices<S extends z.ZodObject>(schema: S, field: string, most: number): S {
  const declared: unknown = schema.shape[field];
  const list: unknown = declared instanceof z.ZodOptional ? declared.unwrap() : declared;
  if (!(list instanceof z.ZodArray)) throw new Error(`${field} is not a list.`);
  const parse = schema.parse.bind(schema);
  const parseSliced = async (value: Record<string, unknown>, items: readonly unknown[]) => {
    const rest = parse({ ...value, [field]: items.slice(0, 1) });
    const results = await inSlices(mapped(items, (item) => z.safeParse(list.element, item)));
    const parsed = results.flatMap((result) => (result.success ? [result.data] : []));
    const isValid = parsed.length === items.length && items.length <= most;
    return isValid ? { ...rest, [field]: parsed } : parse(value);
  };
  const sliced = (...[value, params]: Parameters<typeof parse>) => {
    const items = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[field] : undefined;
    if (!Array.isArray(items) || items.length <= manyItems) return parse(value, params);
    return parseSliced(value as Record<string, unknown>, items);
  };
  return Object.defineProperty(schema, "parse", { value: sliced });
}

/** A record before and after its TTL was changed, as examples show it. */
export const changedTtl = {
  before: {
    recordType: "A",
    name: "@",
    value: "192.0.2.1",
    strings: null,
    ttl: 300,
    priority: null,
    proxied: false,
    status: "active",
  },
  after: {
    recordType: "A",
    name: "@",
    value: "192.0.2.1",
    strings: null,
    ttl: 3600,
    priority: null,
    proxied: false,
    status: "active",
  },
  changes: { ttl: [300, 3600] },
};

/** The most records that a bulk call may create. */
const mostBulkRecords = 100;

/** A record of a bulk call. The call checks each by itself, so the schema takes anything; clients see what it should be. */
const bulkItem = z.unknown().meta({ override: { $ref: "#/components/schemas/RecordInput" } }) as unknown as z.ZodType<
  unknown,
  z.input<typeof recordInput>
>;

export const bulkInput = z.strictObject({
  id: domainId,
  records: z
    .array(bulkItem)
    .min(1, "Send at least one record.")
    .max(mostBulkRecords, `Send at most ${mostBulkRecords} records in one call.`)
    .meta({
      description: `1 to ${mostBulkRecords} records to create, each with the fields of \`createRecord\` and checked by itself.`,
    }),
  mode: z
    .enum(["each", "atomic"], "This must be each or atomic.")
    .default("each")
    .meta({ description: "`each`: a failed item does not stop the others. `atomic`: all records or none." }),
  ...explained,
});

/** Names the reverse zone that a part of an answer is about. */
export const ofReverseZone = {
  domainId: shownId("The reverse zone."),
  domainName: z.string().meta({
    description: "The reverse zone's name, with its view.",
    example: "2.0.192.in-addr.arpa",
  }),
};

export const reverseOutcomes = z
  .array(
    z
      .object({
        ...ofReverseZone,
        revision: z.int().nullable().meta({
          description: "The reverse zone's revision after the changes; null if none were made.",
          example: 7,
        }),
        error: z.string().nullable().meta({
          description: "Why not all PTR changes were made yet; they are retried in the background. Null if all were.",
          example: null,
        }),
      })
      .meta({ id: "ReverseOutcome", description: "What happened in a reverse zone." }),
  )
  .meta({ description: "One outcome per reverse zone whose PTR records follow." });

export const bulkResult = z
  .object({
    results: z
      .array(
        z.object({
          success: z.boolean().meta({ description: "Whether the record was created." }),
          recordType: shownRecordType("As sent.").nullable(),
          name: z.string().nullable().meta({ description: "As sent.", example: "www" }),
          id: recordId.nullable(),
          error: z.string().nullable().meta({ description: "Why the item failed; null on success.", example: null }),
        }),
      )
      .meta({ description: "One result per item, in the order sent." }),
    total: z.int().meta({ description: "Number of items sent.", example: 1 }),
    succeeded: z.int().meta({ description: "Records created.", example: 1 }),
    reverse: reverseOutcomes,
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

/** The most changes in one plan. */
export const mostChanges = 10_000;

export const changes = z
  .array(change)
  .min(1, "Send at least one change.")
  .max(mostChanges, `Send at most ${mostChanges} changes in one plan.`)
  .meta({
    description: `1 to ${mostChanges} changes, checked together against the resulting zone.`,
    example: [
      { action: "create", record: { recordType: "A", name: "www", value: "192.0.2.1" } },
      { action: "update", recordId: "01a1fb0f-6204-7000-abd4-276e976be8b7", record: { ttl: 300 } },
    ],
  });

export const reverse = z
  .union(
    [z.boolean(), z.array(line(45, 1)).max(2_000, "Choose at most 2000 addresses.")],
    "This must be true, false, or a list of addresses.",
  )
  .optional()
  .meta({
    description:
      "If the domain's `reverse` is `offer`: the PTR changes to include, as `true` for all or a list of their `address`. Default: none. With " +
      "`follow`, all are included in any case. Send the same to apply the plan.",
    override: { oneOf: [{ type: "boolean" }, { type: "array", items: { type: "string" }, maxItems: 2000 }] },
    example: ["192.0.2.1"],
  });

export const planInput = parsedInSlices(
  z.strictObject({ id: domainId, changes, reverse, unlock }),
  "changes",
  mostChanges,
);

/** Two values of a field: before and after. */
function oldAndNew<Value>(field: string, value: z.ZodType<Value>) {
  return z
    .tuple([value, value])
    .optional()
    .meta({
      description: `The old and the new ${field}; absent if unchanged.`,
      // Generators of OpenAPI 3.0 clients do not know `prefixItems`.
      override: ({ jsonSchema }: { jsonSchema: { prefixItems?: unknown[] } }) => {
        const [items = {}] = jsonSchema.prefixItems ?? [];
        delete jsonSchema.prefixItems;
        Object.assign(jsonSchema, { type: "array", items, minItems: 2, maxItems: 2 });
      },
    });
}

const { comment, locked, ownerId, reviewAt } = dnsRecord.shape;

export const fieldChanges = z
  .object({
    recordType: oldAndNew("record type", dataFields.recordType),
    name: oldAndNew("name", dataFields.name),
    value: oldAndNew("value", dataFields.value),
    strings: oldAndNew("character-strings", dataFields.strings),
    ttl: oldAndNew("TTL in seconds", dataFields.ttl),
    priority: oldAndNew("priority", dataFields.priority),
    proxied: oldAndNew("`proxied`", dataFields.proxied),
    status: oldAndNew("`status`", dataFields.status),
    comment: oldAndNew("comment", comment),
    locked: oldAndNew("`locked`", locked),
    ownerId: oldAndNew("contact", ownerId),
    reviewAt: oldAndNew("review date", reviewAt),
  })
  .meta({ id: "FieldChanges", description: "Changed fields, each as `[old, new]`.", example: { ttl: [300, 3600] } });

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
            ...changedTtl,
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

export const followedChange = z
  .object({
    address: z.string().meta({ description: "The address. Choose the change by it.", example: "192.0.2.1" }),
    domainId: shownId("The reverse zone; null if you may not see it.").nullable(),
    domainName: z.string().nullable().meta({
      description: "The reverse zone's name, with its view; null if you may not see it.",
      example: "2.0.192.in-addr.arpa",
    }),
    action: z
      .enum(["create", "update", "delete"])
      .nullable()
      .meta({ description: "The change of the PTR record; null if you may not see it.", example: "create" }),
    recordId: shownId("The PTR record's id; null for `create`, or if you may not see it.")
      .nullable()
      .meta({ example: null }),
    record: recordData.nullable().meta({
      description: "The PTR record after the change, or the deleted one; null if you may not see it.",
      example: {
        recordType: "PTR",
        name: "1",
        value: "www.example.com",
        strings: null,
        ttl: 3600,
        priority: null,
        proxied: false,
        status: "active",
      },
    }),
    before: recordData.nullable().meta({
      description: "For `update`, the PTR record before it; null otherwise, or if you may not see it.",
      example: null,
    }),
    included: z.boolean().meta({ description: "Whether applying the plan makes this change.", example: true }),
    reason: z.string().nullable().meta({
      description: "Why the change cannot be included; null if it is, or can be.",
      example: null,
    }),
  })
  .meta({ id: "ReverseChange", description: "A change of a PTR record that belongs to a plan." });

const followedChanges = z.array(followedChange).meta({
  description: "Changes of PTR records that belong to the plan. Empty if the domain's `reverse` is `off`.",
  example: [],
});

/** What a revert or an import would change, also in reverse zones. */
export const followedPlan = z
  .object({
    ...plannedChanges.shape,
    reverse: followedChanges.meta({
      description:
        "Changes of PTR records that belong to the plan. Empty if the domain's `reverse` is `off`, unless PTR records followed the change " +
        "that is reverted.",
      example: [],
    }),
  })
  .meta({ id: "FollowedPlan", description: "The planned changes, with those of PTR records." });

const commented = z
  .object({ ...dataFields, comment: dnsRecord.shape.comment })
  .meta({ id: "CommentedRecord", description: "A record's data and its comment." });

/** The plan of a text, which may have comments. */
export const filePlan = z
  .object({
    ...followedPlan.shape,
    creates: z.array(commented).meta({ description: "Records to create." }),
    updates: z
      .array(z.object({ ...plannedChanges.shape.updates.element.shape, after: commented }))
      .meta({ description: "Records to change.", example: [] }),
  })
  .meta({ id: "FilePlan", description: "The planned changes of an import, with the comments that records get." });

export const plan = z
  .object({
    ...plannedChanges.shape,
    reverse: followedChanges,
    planHash: z.string().meta({
      description: "Send it to `POST …/records/apply`. It ties the plan to the zone's present state.",
      example: "Qm9yaW5n…",
    }),
    revision: z.int().meta({ description: "The zone revision the plan is based on.", example: 3 }),
  })
  .meta({ id: "Plan", description: "The effect of the changes, and the hash to apply them." });

export const forceLoss = z.boolean("This must be true or false.").default(false).meta({
  description:
    "Confirms deleting or replacing more than 30 % of a zone with ten or more records, or all records. A plan's warnings say when it is needed.",
});

/** The field `planHash` of imports, syncs and rollbacks. */
export const reviewedHash = line(100, 1).optional().meta({
  description:
    "`planHash` of a dry run: makes exactly the changes of its `plan`, or returns 409. Not allowed with `dryRun`.",
  example: "3.Qm9yaW5n…",
});

/** The field `revision` in the answers of imports, syncs, pushes and rollbacks. */
export const newRevision = z.int().nullable().meta({
  description: "The zone revision that this call made; null if it changed no record, and with `dryRun`.",
  example: 4,
});

/** The field `planHash` in the answers of imports, syncs and rollbacks. */
export const comparisonHash = z.string().nullable().meta({
  description:
    "With `dryRun`, the hash of `plan`: repeat the call with it to make exactly these changes. Null otherwise.",
  example: null,
});

export const applyInput = parsedInSlices(
  z.strictObject({
    id: domainId,
    changes,
    reverse,
    planHash: line(100, 1).meta({ description: "`planHash` of the plan.", example: "Qm9yaW5n…" }),
    force: forceLoss,
    ...explained,
  }),
  "changes",
  mostChanges,
);

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
    changeSetId: shownId(
      "The change set in the domain's history; null if the changes left every record as it was, which adds no revision.",
    ).nullable(),
    reverse: reverseOutcomes,
  })
  .meta({ id: "Applied", description: "The result of an applied plan." });
