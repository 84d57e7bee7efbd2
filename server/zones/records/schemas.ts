import { z } from "zod";
import { id, line, pageOf, paging, queryFlag, shownId, text, timestamp, timestampInput } from "../../api/schemas.ts";
import { dataFields, domainId, explained, queriedRevision, recordId, unlock } from "../changes/schemas.ts";
import { isWritableType, canonicalType, unstorableReason } from "../../dns/zone-file/type-names.ts";
import { editableTypes, type TypeName } from "../../dns/record.ts";

const recordSorts = [
  "name",
  "-name",
  "type",
  "-type",
  "value",
  "-value",
  "ttl",
  "-ttl",
  "updatedAt",
  "-updatedAt",
] as const;

export type RecordSort = (typeof recordSorts)[number];

export const typeField = z
  .string("This must be a record type, such as A.")
  .max(20, "This must have at most 20 characters.")
  .overwrite((name) => canonicalType(name) ?? name)
  .refine(isWritableType, { error: ({ input }) => whyNotWritable(String(input)) })
  .meta({
    description:
      "Record type: its name, such as `A` or `LOC`, or `TYPE65280` (RFC 3597). Name servers make SOA, RRSIG, NSEC, NSEC3, NSEC3PARAM and " +
      "ZONEMD themselves, so these cannot be written.",
    example: "A",
  }) as unknown as z.ZodType<TypeName, TypeName>;

function whyNotWritable(type: string): string {
  const name = type.toUpperCase();
  const reason = unstorableReason(name);
  if (reason !== null) return `${name} ${reason}. Choose another type.`;
  if (canonicalType(name) !== null) return `${name} records are made by the name server itself. Choose another type.`;
  return `This must be a record type: ${editableTypes.join(", ")}, another name of a type in IANA's list, or TYPE and its number (RFC 3597).`;
}

const nameField = line(1024).meta({
  description:
    "Host name: relative to the domain or fully qualified; `@` or empty for the apex. `*` only as the whole leftmost label.",
  example: "www",
});
/** Control characters are left to the rule of the type, which says how to write them. No database holds a NUL. */
const valueField = z
  .string("This must be a text.")
  .max(10_000, "This must have at most 10000 characters.")
  .refine((value) => !value.includes("\0"), "Remove control characters.")
  .refine((value) => value.isWellFormed(), "This must be well-formed Unicode.")
  .meta({
    description:
      "Format by type: A `192.0.2.1`, MX `10 mail.example.com`, SRV `0 5 5060 sip.example.com`, CAA `0 issue letsencrypt.org`, TXT the plain text, " +
      "PTR `host.example.com`, HTTPS and SVCB `1 . alpn=h2`, TLSA `3 1 1 <hex>`, SSHFP `4 2 <hex>`, DS `60485 13 2 <hex>`, NAPTR as in a zone " +
      "file, DHCID Base64, other types as in a zone file (LOC `52 22 23 N 4 53 32 E 2m`), or as `\\# <octets> <hex>` (RFC 3597). Optional if `strings` is given.",
    example: "192.0.2.1",
  });
const stringsField = z
  .array(
    z
      .string("This must be a text.")
      .max(1020, "This must have at most 1020 characters.")
      .refine((value) => value.isWellFormed(), "This must be well-formed Unicode."),
    "This must be a list of strings, or null.",
  )
  .min(1, "A TXT record needs at least one string; for an empty text, send one empty string.")
  .max(2048, "A record can have at most 2048 strings.")
  .nullable()
  .meta({
    description:
      "TXT: the character-strings, at most 255 octets each. Default: the value, split every 255 octets. Write a backslash as `\\\\` " +
      "and a control character or an octet outside UTF-8 as `\\ddd`. `value` may be omitted; if given, it must match.",
    example: null,
  });
export const ttlField = z
  .int("This must be a whole number of seconds.")
  .min(0, "The TTL must be at least 0.")
  .max(2_147_483_647, "The TTL must be at most 2147483647 (RFC 2181).")
  .meta({
    description:
      "Time to live in seconds, for the whole RRset. Default: the RRset's present TTL, or 3600 for a new RRset.",
    example: 3600,
  });
const priorityField = z
  .int("This must be a whole number.")
  .min(0, "The priority must be at least 0.")
  .max(65_535, "The priority must be at most 65535.")
  .nullable()
  .meta({
    description: "MX and SRV, 0 to 65535: required if the value has no priority. If it has one, the two must match.",
    example: null,
  });
const proxiedField = z
  .boolean("This must be true or false.")
  .meta({ description: "Whether the provider proxies the record.", example: false });
const statusField = z.enum(["active", "disabled"], "This must be active or disabled.").meta({
  description:
    "`disabled`: the record is kept here, but not at the provider, so that DNS does not have it. It breaks no rule of zones; enabling it is " +
    "checked like creating it. Default: `active`.",
  example: "active",
});
const commentField = line(1000)
  .nullable()
  .meta({ description: "Free-text note, at most 1000 characters. Not published in DNS.", example: null });

const lockedField = z.boolean("This must be true or false.").meta({
  description:
    "The domain's owner and administrators only: `true` locks the record, `false` clears its lock. Only they may then change or delete it, and " +
    "only with `unlock: true`.",
  example: false,
});

const ownerField = id("The record's contact: the id of a user who can see the domain. Null: no contact.")
  .nullable()
  .meta({ example: null });
const reviewField = timestampInput(
  "Review date. When it passes, the record's owner is reminded once, or the domain's owner if there is none. Null: never.",
)
  .nullable()
  .meta({ example: null });

const inputFields = {
  recordType: typeField,
  name: nameField,
  value: valueField.optional(),
  strings: stringsField.optional(),
  ttl: ttlField.optional(),
  priority: priorityField.optional(),
  proxied: proxiedField.optional(),
  status: statusField.optional(),
  comment: commentField.optional(),
  locked: lockedField.optional(),
  ownerId: ownerField.optional(),
  reviewAt: reviewField.optional(),
};

/** A record needs a value, or, for a TXT record, strings. */
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

export const recordInput = withValue(recordFields).meta({ id: "RecordInput", description: "A record to create." });
export const recordPatch = recordFields.partial();

const { status, ...ofData } = dataFields;

export const dnsRecord = z
  .object({
    id: shownId("The record's id."),
    domainId: shownId("The domain's id."),
    ...ofData,
    serverManaged: z.boolean().meta({
      description:
        "Whether the name server that signs the zone maintains the record (RRSIG, NSEC, DNSKEY at the apex …). Such a record is shown as " +
        "last read. It cannot be changed, and plans, snapshots, sync and `recordCount` ignore it.",
      example: false,
    }),
    status,
    createdAt: timestamp("When the record was created."),
    comment: z.string().nullable().meta({ description: "Free-text note. Not published in DNS.", example: null }),
    locked: z.boolean().meta({
      description:
        "Whether only the domain's owner and administrators may change or delete the record, and only with `unlock: true`.",
      example: false,
    }),
    ownerId: shownId("A user who can be asked about the record; null for none in particular.")
      .nullable()
      .meta({ example: null }),
    reviewAt: timestamp("When the record is to be looked at again; null: never.").nullable().meta({ example: null }),
    updatedAt: timestamp("When this version was created."),
    version: z.int().meta({ description: "Version number, incremented by each change. Also the ETag.", example: 1 }),
  })
  .meta({ id: "DnsRecord", description: "A DNS record." });

export const recordPage = z
  .object({
    records: z.array(dnsRecord).meta({ description: "In the order of `sort`; server-managed records come last." }),
    ...pageOf,
    revision: z.int().meta({
      description: "The zone revision that the page belongs to: `at` if given, else the one when it was read.",
      example: 42,
    }),
    typeCounts: z.record(z.string(), z.int()).nullable().meta({
      description:
        "With `counts=true`, the number of records of each type in the whole zone, whatever the filters. Null otherwise.",
      example: null,
    }),
  })
  .meta({ id: "RecordPage", description: "A page of records." });

export const listRecordsInput = z.strictObject({
  id: domainId,
  type: line(20)
    .transform((type) => type.toUpperCase())
    .optional()
    .meta({ description: "Only records of this type.", example: "MX" }),
  search: line(253).optional().meta({ description: "Only records whose name contains this text.", example: "www" }),
  filter: line(1_000, 1)
    .optional()
    .meta({
      description:
        "Only records whose name, value or comment contains this text, in any case. A text that ends with the domain's name is read as a " +
        "full name.",
      example: "192.0.2.",
    }),
  sort: z
    .enum(recordSorts, `This must be one of ${recordSorts.join(", ")}.`)
    .default("name")
    .meta({
      description: "Field to sort by, then by name and type; `-` for the reverse order.",
    }),
  at: queriedRevision(
    "Lists the records as they were at this revision of the zone, without server-managed ones. 410 if it is no longer stored.",
  ),
  counts: queryFlag("false", "`true` also returns `typeCounts`."),
  name: line(1024).optional().meta({
    description: "Only records of exactly this name: `@`, relative, or fully qualified.",
    example: "www",
  }),
  value: text(10_000).optional().meta({
    description:
      "Only records with exactly this value, in any notation. Without `type`, it is read as a value of each type.",
    example: "192.0.2.1",
  }),
  status: z
    .enum(["active", "disabled"], "This must be active or disabled.")
    .optional()
    .meta({ description: "Only records with this status." }),
  locked: queryFlag("false", "`true`: only locked records."),
  ownerId: id("Only records with this user as their owner.").optional(),
  reviewDue: queryFlag("false", "`true`: only records whose `reviewAt` has passed."),
  serverManaged: queryFlag("true", "`false` omits records that the name server maintains."),
  ...paging(50, 500),
});

/** Shorter texts have no trigram, so a search for them reads all records. */
const least = 3;
const tooShort = "Send at least 3 characters.";

export const searchRecordsInput = z.strictObject({
  search: line(253)
    .trim()
    .min(least, tooShort)
    .optional()
    .meta({
      description:
        "Part of a host, full name or value, in any case; at least 3 characters, without spaces around it. An IPv6 address " +
        "is found in any notation.",
      example: "www.exam",
    }),
  value: text(10_000).optional().meta({
    description: "The exact value, in any notation. Without `type`, it is read as a value of each type.",
    example: "192.0.2.1",
  }),
  host: line(253, 1).optional().meta({
    description:
      "The host relative to its domain: `www`, `@` for the apex, or a pattern in which `*` stands for any text: `*.shop`.",
    example: "www",
  }),
  comment: line(200).trim().min(least, tooShort).optional().meta({
    description: "Part of the comment, in any case; at least 3 characters, without spaces around it.",
    example: "ticket 4711",
  }),
  type: line(20)
    .transform((type) => type.toUpperCase())
    .optional()
    .meta({ description: "Only records of this type.", example: "MX" }),
  tag: line(50).optional().meta({ description: "Only domains with this tag, in any case." }),
  group: line(100).optional().meta({ description: "Only domains in this group." }),
  view: line(63).optional().meta({ description: "Only domains in this view; `default`: in the default view." }),
  ...paging(50, 100),
});

export const foundRecords = z
  .object({
    records: z
      .array(
        z
          .object({
            ...dnsRecord.shape,
            domainName: z.string().meta({
              description: "The domain's name, with its view: `example.com!internal`.",
              example: "example.com",
            }),
            providerId: shownId("The kind of the domain's provider, as in `Domain.providerId`."),
          })
          .meta({ id: "FoundRecord", description: "A DNS record and the name of its domain." }),
      )
      .meta({ description: "Sorted by domain, name and type." }),
    ...pageOf,
    total: z.int().meta({ description: "Number of matches, at most 10,000.", example: 1 }),
    totalIsExact: z.boolean().meta({
      description:
        "False if there are more than 10,000 matches. The list then has some 10,000 of them; narrow the search.",
      example: true,
    }),
  })
  .meta({ id: "FoundRecords", description: "A page of the records that a search found." });

export const createRecordInput = withValue(z.strictObject({ id: domainId, ...inputFields, ...explained }));

export const updateRecordInput = z.strictObject({
  id: domainId,
  recordId,
  ...recordPatch.shape,
  ...explained,
});

export const deleteRecordInput = z.strictObject({
  id: domainId,
  recordId,
  message: explained.message,
  override: queryFlag("false", explained.override.description ?? ""),
  unlock: queryFlag("false", unlock.description ?? ""),
});
