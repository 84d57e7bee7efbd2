import { planZonefileInput, zonefileResult } from "../records/whole-zone-schemas.ts";
import { z } from "zod";
import { changeMessage } from "../changes/schemas.ts";
import { registration } from "../../registry/expiry/schemas.ts";
import { id, line, pageOf, queryFlag, shownId, prose, timestamp, timestampInput } from "../../api/schemas.ts";

const domainId = id("The domain's id.");
const groupName = line(100)
  .transform((name) => (name.trim() === "" ? null : name))
  .nullable()
  .optional()
  .meta({
    description: "Group label to filter by, at most 100 characters. Empty or null: no group.",
    example: "Customers",
  });
const tag = line(50, 1).meta({ description: "Tag, 1 to 50 characters.", example: "production" });
const tags = z.array(tag).max(50, "A domain can have at most 50 tags.");
const remindDays = z
  .array(
    z
      .int("This must be a whole number of days.")
      .min(0, "This must be at least 0 days before expiry.")
      .max(3650, "This must be at most 3650 days before expiry."),
  )
  .max(20, "A domain can have at most 20 reminders.");

const listFields = {
  id: shownId("The domain's id."),
  name: z.string().meta({ description: "Domain name in lower-case A-labels.", example: "example.com" }),
  view: z.string().meta({
    description: "View that distinguishes domains of one name, such as `internal`; empty: the default view.",
    example: "",
  }),
  ownerId: shownId("The owner; null if only administrators manage it.").nullable(),
  providerId: shownId("Kind of DNS provider; the id is fixed per kind."),
  providerConfigId: shownId("Provider configuration that serves the zone."),
  expiresAt: timestamp("When the registration expires; null if unknown.").nullable(),
  status: z.enum(["active", "expiring", "expired", "disabled"]).meta({
    description: "`expiring`: `expiresAt` is closer than the earliest reminder. `disabled`: set by a user.",
    example: "active",
  }),
  groupName: z
    .string()
    .nullable()
    .meta({ description: "Group label to filter by, at most 100 characters.", example: "Customers" }),
  tags: z.array(z.string()).meta({ description: "Tags.", example: ["production"] }),
  recordCount: z.int().meta({ description: "Number of records, without server-managed ones.", example: 12 }),
  signedBy: z
    .enum(["provider", "file"])
    .nullable()
    .meta({
      description:
        "DNSSEC. `provider`: the provider signs the zone and maintains its signatures. `file`: signed elsewhere, so every edit here invalidates " +
        "signatures. Null: not signed.",
      example: null,
    }),
  createdAt: timestamp("When the domain was added."),
  updatedAt: timestamp("When the domain or its records last changed."),
  driftedAt: timestamp(
    "When the zone was first found to differ from its provider, or to be unreadable there; null if neither.",
  )
    .nullable()
    .meta({ example: null }),
  driftError: z.string().nullable().meta({
    description: "Why the zone cannot be read at its provider, such as a missing zone file; null if it can.",
    example: null,
  }),
};

const lastChange = z
  .object({
    revision: z.int().meta({ description: "The revision that it made.", example: 7 }),
    at: timestamp("When it was made.").nullable(),
    actorId: shownId("The user who made it; null for the service itself.").nullable(),
    actor: z
      .string()
      .nullable()
      .meta({ description: "The user's name; null if the user was deleted.", example: "admin" }),
    tsigKey: z.string().nullable().meta({ description: "The TSIG key that was used; null for none.", example: null }),
  })
  .nullable()
  .optional()
  .meta({
    description:
      "The newest change of its records, as its history shows it. Null if there is none, unless you see the domain as a whole, and for personal " +
      "tokens without `records:read`. Only in lists of domains.",
  });

const domain = z
  .object({ ...listFields, lastChange })
  .meta({ id: "Domain", description: "A managed domain, as returned in lists." });

export const domainDetail = z
  .object({
    ...listFields,
    nameUnicode: z.string().meta({ description: "Domain name in Unicode.", example: "example.com" }),
    notes: z.string().nullable().meta({ description: "Free-text notes.", example: null }),
    expiryRemindDays: z
      .array(z.int())
      .meta({ description: "Days before expiry on which to remind.", example: [30, 7, 1] }),
    autoCheckExpiry: z.boolean().meta({ description: "Whether the expiry date is looked up automatically." }),
    expirySource: z
      .enum(["rdap", "whois", "registrar", "manual"])
      .nullable()
      .meta({ description: "Source of `expiresAt`; null if there is none yet.", example: "rdap" }),
    expiryCheckedAt: timestamp("When the expiry date was last looked up; null if never.").nullable(),
    registrar: z
      .string()
      .nullable()
      .meta({ description: "Registrar, as last looked up or imported; null if unknown.", example: "Example Inc." }),
    registration: registration
      .nullable()
      .meta({ description: "What the registry says about the name, as last looked up; null if it never was." }),
    registrarConfigId: id(
      "The registrar configuration whose account has the name; null: none is set. See `GET …/registration`.",
    )
      .nullable()
      .meta({ example: null }),
    yearlyCost: z.number().nullable().meta({
      description:
        "What the registration costs in a year; null if not entered, and for members who do not own the domain.",
      example: 12.5,
    }),
    currency: z.string().nullable().meta({ description: "Currency of `yearlyCost` (ISO 4217).", example: "EUR" }),
    snapshotSchedule: z
      .enum(["off", "daily", "weekly"])
      .meta({ description: "How often a snapshot is taken automatically." }),
    reverse: z.enum(["off", "offer", "follow"]).meta({
      description:
        "Whether PTR records follow the addresses of this zone. `offer`: plans list the PTR changes, to be chosen. `follow`: every edit, " +
        "plan and zone-file import makes them.",
      example: "off",
    }),
    reverseFollowGrant: z.boolean().meta({
      description:
        "Reverse zones: whether PTR records here may follow changes of people without rights in this zone. False for other zones.",
      example: false,
    }),
    protectMail: z.boolean().meta({
      description:
        "Whether only the owner and administrators may change MX records, apart from members whose assignment names the type MX.",
      example: false,
    }),
    reviewRequired: z.enum(["off", "members", "everyone"]).meta({
      description:
        "Whose changes of records need a review: nobody's, those of everyone but administrators, or everyone's. See `POST …/change-requests`.",
      example: "off",
    }),
    reviewIsDefault: z.boolean().meta({
      description:
        "Whether `reviewRequired` is the installation's `REVIEW_REQUIRED`, because the domain has no setting.",
      example: true,
    }),
    reviewAcme: z.boolean().meta({
      description: "Whether TXT records at `_acme-challenge` need a review, too.",
      example: false,
    }),
    drift: z
      .object({
        foundAt: timestamp("When the difference was first found."),
        created: z.int().meta({ description: "Records a sync would create.", example: 1 }),
        updated: z.int().meta({ description: "Records a sync would change.", example: 0 }),
        deleted: z.int().meta({ description: "Records a sync would delete.", example: 2 }),
      })
      .nullable()
      .meta({
        description:
          "Differences between the provider's records and the records here, as last checked. A sync resolves them. Null if there are none, if never checked, or if the zone is unreadable (`driftError`).",
        example: null,
      }),
    revision: z.int().meta({ description: "Revision of the records, incremented by each change.", example: 3 }),
    historyFrom: z.int().meta({
      description: "Oldest revision that can be read without a snapshot. `SNAPSHOT_RETENTION` raises it.",
      example: 0,
    }),
  })
  .meta({ id: "DomainDetail", description: "A managed domain." });

export const domainPage = z
  .object({ domains: z.array(domain).meta({ description: "Sorted by name." }), ...pageOf })
  .meta({ id: "DomainPage", description: "A page of domains." });

export const zoneOfInput = z.strictObject({
  name: line(1024, 1).meta({
    description:
      "Full host name, in Unicode or A-labels. A trailing dot is ignored. A view may follow: `www.example.com!internal`.",
    example: "www.example.com",
  }),
});

export const zoneOfName = z
  .object({
    domain,
    host: z.string().meta({ description: "Name relative to the domain; `@` for the apex.", example: "www" }),
  })
  .meta({ id: "ZoneOfName", description: "The domain that holds a host name." });

export const domainIdInput = z.strictObject({ id: domainId });

export const deleteDomainInput = z.strictObject({
  id: domainId,
  force: queryFlag(
    "false",
    "Deletes the domain even if secondaries that follow a catalog zone will drop it. Default: false.",
  ),
});

export const watchInput = z.strictObject({
  ids: z
    .array(id("A domain's id."))
    .min(1, "Name at least one domain.")
    .max(50, "At most 50 domains can be watched by one stream.")
    .meta({ description: "The domains to watch, 1 to 50. Those that you may not see are left out." }),
});

/** A message of a watched domain. */
export const watchedChange = z
  .object({
    domainId: shownId("The domain's id."),
    revision: z.int().meta({ description: "The revision that its records have now.", example: 42 }),
    changeSetId: shownId(
      "The change set that made the revision; null in the first message of a domain, and where no change set did.",
    ).nullable(),
  })
  .meta({ id: "WatchedChange", description: "A domain has another revision." });

export const createDomainInput = z.strictObject({
  name: line(1024, 1).meta({
    description: "Domain name, in Unicode or A-labels. A view may follow: `example.com!internal`.",
    example: "example.com",
  }),
  view: line(63).optional().meta({
    description:
      "View, if another domain has the same name: 1 to 63 of `a-z`, `0-9` and `-`. Empty or `default`: the default view.",
    example: "",
  }),
  providerConfigId: id("Provider configuration to serve the zone. Default: the embedded zone files.").optional(),
  expiresAt: timestampInput("When the registration expires.").nullable().optional(),
  groupName,
  tags: tags.optional().meta({
    description:
      "At most 50 tags. Duplicates are removed, also in another case; the first stays. Tags take the spelling that your other domains have, " +
      "unless it gives people rights.",
    example: ["production"],
  }),
});

export const planDomainInput = planZonefileInput
  .omit({ id: true, mode: true })
  .extend(createDomainInput.pick({ name: true, view: true, providerConfigId: true }).shape);

export const domainPlan = zonefileResult
  .extend({
    needsReview: z.boolean().meta({
      description:
        "Whether these changes would need a review, as in every domain of a server that requires one. You can add the domain all the same.",
      example: false,
    }),
    providerZone: z.string().meta({
      description: "Name of the zone at the provider. Domains of one provider configuration cannot share it.",
      example: "example.com",
    }),
  })
  .meta({ id: "DomainPlan", description: "What makes the zone of a new domain equal to a text." });

export const updateDomainInput = z.strictObject({
  id: domainId,
  view: line(63)
    .optional()
    .meta({
      description:
        "Administrators only. Empty or `default`: the default view. At zone files, moves the records to the file of the new view; the old file stays. Elsewhere, changes nothing " +
        "at the provider.",
      example: "internal",
    }),
  providerConfigId: id(
    "Moves the zone: its records are written to the new provider first. Records that this provider manages itself, such as its name servers, " +
      "replace the domain's own. A snapshot is taken before.",
  ).optional(),
  ownerId: id(
    "Administrators only. The user who manages the domain, besides administrators; null for nobody. The owner before loses those rights, unless assignments give some.",
  )
    .nullable()
    .optional(),
  registrarConfigId: id(
    "Administrators only. The registrar configuration whose account has the name; null for none. The expiry date then comes from there, with the next lookup.",
  )
    .nullable()
    .optional(),
  expiresAt: timestampInput("When the registration expires; null for unknown.").nullable().optional(),
  groupName,
  tags: tags.optional().meta({
    description:
      "Replaces all tags; at most 50. Duplicates are removed, also in another case. Tags that the domain did not have take the spelling " +
      "that your other domains have, unless it gives people rights.",
  }),
  yearlyCost: z
    .number("This must be a number.")
    .min(0, "This must not be negative.")
    .max(10_000_000, "This must be at most 10000000.")
    .refine((cost) => Math.abs(cost * 100 - Math.round(cost * 100)) < 1e-6, "Use at most two decimals.")
    .nullable()
    .optional()
    .meta({
      description: "What the registration costs in a year, with at most two decimals; null for unknown.",
      example: 12.5,
    }),
  currency: z
    .string("This must be text.")
    .regex(/^[A-Z]{3}$/, "This must be a currency code of three letters, such as EUR (ISO 4217).")
    .nullable()
    .optional()
    .meta({ description: "Currency of `yearlyCost` (ISO 4217). Required with a cost.", example: "EUR" }),
  notes: prose(10_000).nullable().optional().meta({ description: "Free-text notes." }),
  status: z
    .enum(["active", "disabled"], "This must be active or disabled; expiring and expired follow from the expiry date.")
    .optional()
    .meta({ description: "`active` is shown as `expiring` or `expired`, depending on the expiry date." }),
  snapshotSchedule: z
    .enum(["off", "daily", "weekly"], "This must be off, daily or weekly.")
    .optional()
    .meta({ description: "How often a snapshot is taken automatically." }),
  reverse: z
    .enum(["off", "offer", "follow"], "This must be off, offer or follow.")
    .optional()
    .meta({
      description:
        "Whether PTR records follow the addresses of this zone. `offer`: plans list the PTR changes, to be chosen. `follow`: every edit, " +
        "plan and zone-file import makes them.",
      example: "follow",
    }),
  reverseFollowGrant: z
    .boolean("This must be true or false.")
    .optional()
    .meta({
      description:
        "Administrators only, for zones under `in-addr.arpa` or `ip6.arpa`. True lets PTR records here follow changes of people without " +
        "rights in this zone.",
    }),
  protectMail: z.boolean("This must be true or false.").optional().meta({
    description: "True leaves MX records to the owner, administrators, and members whose assignment names the type MX.",
  }),
  reviewRequired: z
    .enum(["off", "members", "everyone"], "This must be off, members or everyone.")
    .nullable()
    .optional()
    .meta({
      description:
        "Administrators only: whose changes of records need a review. `members`: everyone but administrators. Null: as `REVIEW_REQUIRED` says.",
      example: "everyone",
    }),
  reviewAcme: z
    .boolean("This must be true or false.")
    .optional()
    .meta({ description: "Administrators only: whether TXT records at `_acme-challenge` need a review, too." }),
  message: changeMessage.meta({
    description: "With `override`: why, at most 500 characters. The audit trail keeps it.",
    example: "The provider shuts down on Friday",
  }),
  override: z.boolean("This must be true or false.").optional().meta({
    description: "With a move, administrators only: moves a zone that requires reviews. `message` must say why.",
  }),
  force: z
    .boolean("This must be true or false.")
    .optional()
    .meta({
      description:
        "With `providerConfigId`: move even if secondaries that follow a catalog zone will drop the zone. Administrators: also move even if " +
        "the current provider cannot confirm pending changes. The history counts them as `unknown`, and the records move as shown here.",
    }),
});

export const expiryRemindInput = z.strictObject({
  id: domainId,
  expiryRemindDays: remindDays
    .optional()
    .meta({ description: "Days before expiry, 0 to 3650; at most 20. Duplicates are removed.", example: [30, 7, 1] }),
  autoCheckExpiry: z.boolean().optional().meta({ description: "Whether to look up the expiry date automatically." }),
});

export const setExpiryInput = z.strictObject({
  id: domainId,
  expiresAt: timestampInput("When the registration expires; null for unknown.").nullable(),
});
