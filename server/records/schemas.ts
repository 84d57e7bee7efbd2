import { z } from "zod";
import { line, pageOf, paging, queryFlag, shownId, text, timestamp } from "../api/schemas.ts";
import { dataFields, domainId, recordId } from "../changes/schemas.ts";
import { editableTypes } from "../dns/record.ts";

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
    "By type: A `192.0.2.1`, MX `10 mail.example.com`, SRV `0 5 5060 sip.example.com`, CAA `0 issue letsencrypt.org`, TXT the text itself. " +
    "Optional where `strings` is given.",
  example: "192.0.2.1",
});
const stringsField = z
  .array(text(1020), "This must be a list of texts, or null.")
  .min(1, "A TXT record has at least one string; an empty text is one empty string.")
  .max(2048, "At most 2048 strings in a record.")
  .nullable()
  .meta({
    description:
      "TXT: the character-strings, each of at most 255 octets. Needed only where the value is not to be cut at every 255 octets; null or left " +
      "out, it is. Write a backslash as `\\\\` and an octet that is not part of UTF-8 as `\\ddd`. `value` may be left out; if given, it must agree.",
    example: null,
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
  value: valueField.optional(),
  strings: stringsField.optional(),
  ttl: ttlField.optional(),
  priority: priorityField.optional(),
  proxied: proxiedField.optional(),
  comment: commentField.optional(),
};

/** What a record needs: its value, or for a TXT the strings of which it follows. */
type ValueOrStrings = { value: string } | { strings: string[] };

/** Refuses records that have neither value nor strings, in their types too. */
function withValue<Schema extends z.ZodType<{ value?: string | undefined; strings?: string[] | null | undefined }>>(
  schema: Schema,
) {
  const refined = schema.refine(({ value, strings = null }) => value !== undefined || strings !== null, {
    path: ["value"],
    message: "This is required.",
  });
  return refined as unknown as z.ZodType<z.output<Schema> & ValueOrStrings, z.input<Schema> & ValueOrStrings>;
}

const recordFields = z.strictObject(inputFields, "This must be an object with the fields of a record.");

export const recordInput = withValue(recordFields).meta({ id: "RecordInput", description: "What a record is to be." });
export const recordPatch = recordFields.partial();

export const dnsRecord = z
  .object({
    id: shownId("The record's id."),
    domainId: shownId("The domain's id."),
    ...dataFields,
    serverManaged: z.boolean().meta({
      description:
        "True where the name server that signs the zone maintains the record (RRSIG, NSEC, DNSKEY at the apex …). Such a record is shown as " +
        "last read. It cannot be changed and is not part of plans, snapshots, sync and `recordCount`.",
      example: false,
    }),
    status: z.enum(["active", "disabled"]).meta({ description: "Whether it is in use.", example: "active" }),
    createdAt: timestamp("When the record was made."),
    comment: z.string().nullable().meta({ description: "A note for people.", example: null }),
    updatedAt: timestamp("When this version of it was made."),
    version: z.int().meta({ description: "Raised by one with each change; the ETag.", example: 1 }),
  })
  .meta({ id: "DnsRecord", description: "A DNS record." });

export const recordPage = z
  .object({
    records: z.array(dnsRecord).meta({ description: "By name and type; server-managed records come last." }),
    ...pageOf,
  })
  .meta({ id: "RecordPage", description: "A page of records." });

export const listRecordsInput = z.strictObject({
  id: domainId,
  type: line(20)
    .transform((type) => type.toUpperCase())
    .optional()
    .meta({ description: "Only records of this type.", example: "MX" }),
  search: line(253).optional().meta({ description: "Part of the host.", example: "www" }),
  name: line(1024).optional().meta({
    description: "Only records of exactly this host: `@`, relative, or fully qualified.",
    example: "www",
  }),
  value: text(10_000).optional().meta({
    description:
      "Only records of exactly this value, in any spelling of its canonical form; without `type` it is tried as each type.",
    example: "192.0.2.1",
  }),
  serverManaged: queryFlag("true", "`false` leaves out the records that the name server maintains."),
  ...paging(50, 500),
});

export const createRecordInput = withValue(z.strictObject({ id: domainId, ...inputFields }));

export const updateRecordInput = z.strictObject({ id: domainId, recordId, ...recordPatch.shape });

export const recordIdInput = z.strictObject({ id: domainId, recordId });
