import { z } from "zod";
import { id, line, pageOf, paging, shownId, prose, timestamp, timestampInput } from "../schemas.ts";

const domainId = id("The domain's id.");
const groupName = line(100).meta({ description: "A label to filter by.", example: "Customers" });
const tag = line(50, 1).meta({ description: "A tag.", example: "production" });
const tags = z.array(tag).max(50, "A domain has at most 50 tags.");
const remindDays = z
  .array(
    z
      .int("This must be a whole number of days.")
      .min(0, "Days are counted before expiry, from 0.")
      .max(3650, "At most 3650 days."),
  )
  .max(20, "At most 20 reminders.");

/** What the list of domains can be ordered by. */
export const sorts = ["name", "expiresAt", "recordCount", "updatedAt", "drift", "provider"] as const;

const listFields = {
  id: shownId("The domain's id."),
  name: z.string().meta({ description: "Domain name in lower-case A-labels.", example: "example.com" }),
  providerId: shownId("The provider's kind; fixed for each kind."),
  providerConfigId: shownId("The provider configuration that holds the zone."),
  expiresAt: timestamp("When the registration ends; null where unknown.").nullable(),
  status: z
    .enum(["active", "expiring", "expired", "disabled"])
    .meta({ description: "`expiring`: within the longest reminder before `expiresAt`.", example: "active" }),
  groupName: z.string().nullable().meta({ description: "A label to filter by.", example: "Customers" }),
  tags: z.array(z.string()).meta({ description: "Tags to filter by.", example: ["production"] }),
  recordCount: z.int().meta({ description: "Live records, without server-managed ones.", example: 12 }),
  signedBy: z
    .enum(["provider", "file"])
    .nullable()
    .meta({
      description:
        "DNSSEC. `provider`: the provider signs the zone and maintains its signatures. `file`: signed elsewhere, so every edit here makes signatures " +
        "invalid. Null: not signed.",
      example: null,
    }),
  createdAt: timestamp("When the domain was added here."),
  driftedAt: timestamp(
    "When its records were first found to differ from what the provider serves, or the zone to be unreadable there; null: neither.",
  )
    .nullable()
    .meta({ example: null }),
  driftError: z.string().nullable().meta({
    description: "Why the zone cannot be read at its provider, such as a zone file that is missing; null: it can.",
    example: null,
  }),
};

const domain = z.object(listFields).meta({ id: "Domain", description: "A managed domain, as in lists." });

export const domainDetail = z
  .object({
    ...listFields,
    nameUnicode: z.string().meta({ description: "The name with its Unicode characters.", example: "example.com" }),
    ownerId: shownId("The member who owns it; null: administrators only.").nullable(),
    notes: z.string().nullable().meta({ description: "Free text.", example: null }),
    expiryRemindDays: z
      .array(z.int())
      .meta({ description: "Days before expiry at which to remind.", example: [30, 7, 1] }),
    autoCheckExpiry: z.boolean().meta({ description: "Whether the expiry date is looked up by itself." }),
    expirySource: z
      .enum(["rdap", "whois", "manual"])
      .nullable()
      .meta({ description: "Where `expiresAt` comes from; null: there is none yet.", example: "rdap" }),
    expiryCheckedAt: timestamp("The last look-up.").nullable(),
    registrar: z.string().nullable().meta({ description: "Registrar, as last looked up.", example: "Example Inc." }),
    snapshotSchedule: z.enum(["off", "daily", "weekly"]).meta({ description: "Snapshots made by themselves." }),
    drift: z
      .object({
        foundAt: timestamp("When it was first noticed."),
        created: z.int().meta({ description: "Records that a sync would make.", example: 1 }),
        updated: z.int().meta({ description: "Records that a sync would change.", example: 0 }),
        deleted: z.int().meta({ description: "Records that a sync would delete.", example: 2 }),
      })
      .nullable()
      .meta({
        description:
          "How the provider's records differ from those here, as last checked; null: they do not, nobody looked, or `driftError` says why they cannot be read. A sync settles it.",
        example: null,
      }),
    revision: z.int().meta({ description: "Raised by one with each change to the records.", example: 3 }),
    historyFrom: z.int().meta({
      description: "The oldest revision that can be read without a snapshot of it; raised by `SNAPSHOT_RETENTION`.",
      example: 0,
    }),
    updatedAt: timestamp("The last change to these data or to the records."),
  })
  .meta({ id: "DomainDetail", description: "A managed domain." });

export const domainPage = z
  .object({ domains: z.array(domain).meta({ description: "By name." }), ...pageOf })
  .meta({ id: "DomainPage", description: "A page of domains." });

export const tagCounts = z
  .object({
    tags: z
      .array(
        z.object({
          name: z.string().meta({ description: "The tag.", example: "production" }),
          count: z.int().meta({ description: "Domains that carry it.", example: 4 }),
        }),
      )
      .meta({ description: "By name." }),
  })
  .meta({ id: "TagCounts", description: "Tags in use." });

export const listDomainsInput = z
  .strictObject({
    ...paging(20, 100),
    status: z
      .enum(["active", "expiring", "expired", "disabled"], "This must be active, expiring, expired or disabled.")
      .optional()
      .meta({ description: "Only domains in this state." }),
    group: line(100).optional().meta({ description: "Only domains of this group." }),
    tag: line(50).optional().meta({ description: "Only domains with this tag." }),
    search: line(253).optional().meta({ description: "Part of the name, in Unicode or A-labels." }),
    name: line(1024, 1)
      .optional()
      .meta({ description: "Only the domain of exactly this name, in Unicode or A-labels.", example: "example.com" }),
    providerConfigId: id("Only domains of this provider configuration.")
      .optional()
      .meta({ description: "Only domains of this provider configuration." }),
    drift: z
      .preprocess(
        (given: boolean | "true" | "false" | undefined) => (typeof given === "boolean" ? String(given) : given),
        z.enum(["true", "false"], "This must be true or false.").optional(),
      )
      .meta({
        description:
          "`true`: only domains that differ from what their provider serves, or cannot be read there; `false`: only others.",
      }),
    sort: z
      .enum(sorts.flatMap((field) => [field, `-${field}` as const]))
      .optional()
      .meta({
        description:
          "Order of the list, by name where equal; `-` before it reverses it. Unknown dates come last. `drift`: the oldest difference " +
          "first. `provider`: by the name of the provider configuration. Default: `name`.",
        example: "-expiresAt",
      }),
  })
  .prefault({});

export const zoneOfInput = z.strictObject({
  name: line(1024, 1).meta({
    description: "A full host name, in Unicode or A-labels; a trailing dot is ignored.",
    example: "www.example.com",
  }),
});

export const zoneOfName = z
  .object({
    domain,
    host: z.string().meta({ description: "The name relative to the domain; `@` for the apex.", example: "www" }),
  })
  .meta({ id: "ZoneOfName", description: "The managed domain that a host name belongs to." });

export const domainIdInput = z.strictObject({ id: domainId });

export const createDomainInput = z.strictObject({
  name: line(1024, 1).meta({ description: "Domain name; Unicode becomes A-labels.", example: "example.com" }),
  providerConfigId: id("Where its DNS is served; the embedded zone files where absent.").optional(),
  expiresAt: timestampInput("When the registration ends.").nullable().optional(),
  groupName: groupName.nullable().optional(),
  tags: tags.optional().meta({ description: "Tags; doubles are dropped.", example: ["production"] }),
});

export const updateDomainInput = z.strictObject({
  id: domainId,
  providerConfigId: id(
    "Moves the zone: its records are written to the new provider first. Records that the provider keeps as its own, such as its name servers, " +
      "take the place of those of the domain, with a snapshot of the state before.",
  ).optional(),
  expiresAt: timestampInput("When the registration ends; null: unknown.").nullable().optional(),
  groupName: groupName.nullable().optional(),
  tags: tags.optional().meta({ description: "Replaces all tags." }),
  notes: prose(10_000).nullable().optional().meta({ description: "Free text." }),
  status: z
    .enum(["active", "disabled"], "This must be active or disabled; expiring and expired follow from the date.")
    .optional()
    .meta({ description: "`active` becomes `expiring` or `expired` by the date." }),
  snapshotSchedule: z
    .enum(["off", "daily", "weekly"], "This must be off, daily or weekly.")
    .optional()
    .meta({ description: "Snapshots made by themselves." }),
  force: z
    .boolean("This must be true or false.")
    .optional()
    .meta({
      description:
        "With `providerConfigId`, for administrators: move although changes are open of which the present provider does not tell what came. " +
        "The history tells them as `unknown`, and the records move as they are shown.",
    }),
});

export const expiryRemindInput = z.strictObject({
  id: domainId,
  expiryRemindDays: remindDays
    .optional()
    .meta({ description: "Days before expiry; doubles are dropped.", example: [30, 7, 1] }),
  autoCheckExpiry: z.boolean().optional().meta({ description: "Whether to look the date up by itself." }),
});

export const setExpiryInput = z.strictObject({
  id: domainId,
  expiresAt: timestampInput("When the registration ends; null: unknown.").nullable(),
});
