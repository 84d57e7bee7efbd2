import { z } from "zod";
import { id, line, queryFlag, shownId, shownRecordType } from "../../api/schemas.ts";
import { readableFormats, writableFormats } from "../../dns/formats/formats.ts";
import { domainId, changeMessage, explained, shownStrings, unlock } from "../changes/schemas.ts";
import {
  followedPlan,
  plannedChanges,
  filePlan,
  forceLoss,
  newRevision,
  reviewedHash,
  comparisonHash,
  reverseOutcomes,
} from "./change-schemas.ts";

/** Owners whose records a replacement can leave as they are. */
const leftOwners = ["keys", "tokens", "external-dns", "acme"] as const;
export type LeftOwner = (typeof leftOwners)[number];

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

export const syncInput = z.strictObject({
  id: domainId,
  dryRun,
  force,
  planHash: reviewedHash,
  message: changeMessage,
  unlock,
});

const counts = {
  created: z.int().meta({ description: "Records created.", example: 2 }),
  updated: z.int().meta({ description: "Records changed.", example: 1 }),
  deleted: z.int().meta({ description: "Records deleted.", example: 0 }),
};

const optionalPlan = plannedChanges
  .nullable()
  .meta({ description: "With `dryRun`, what would change; null otherwise.", example: null });

const optionalFollowedPlan = followedPlan
  .nullable()
  .meta({ description: "With `dryRun`, what would change; null otherwise.", example: null });

export const syncResult = z
  .object({
    synced: z.int().meta({ description: "Records at the provider.", example: 60 }),
    ...counts,
    unchanged: z.int().meta({ description: "Records that were already equal.", example: 57 }),
    revision: newRevision,
    plan: optionalPlan,
    planHash: comparisonHash,
  })
  .meta({ id: "SyncResult", description: "The result of a sync." });

export const recordName = z
  .object({
    recordType: shownRecordType("Record type."),
    name: z.string().meta({ description: "Name relative to the domain.", example: "www" }),
    value: z.string().meta({ description: "Canonical value.", example: "192.0.2.1" }),
    strings: shownStrings,
  })
  .meta({ id: "RecordName", description: "A record, by the fields that identify it." });

export const pushInput = z.strictObject({
  id: domainId,
  dryRun,
  force,
  planHash: reviewedHash,
  ...explained,
});

/** A change that was not made. */
export const failedChanges = z.array(
  z.object({
    ...recordName.shape,
    error: z
      .string()
      .meta({ description: "The provider's message, or the rule that forbids the change.", example: "refused" }),
  }),
);

export const pushResult = z
  .object({
    success: z.boolean().meta({ description: "Whether all differences are gone." }),
    changeSetId: id(
      "The new change set, which a revert undoes. Null with `dryRun`, and if there was nothing to do.",
    ).nullable(),
    revision: newRevision,
    created: z.int().meta({ description: "Records created at the provider.", example: 1 }),
    updated: z.int().meta({ description: "Records changed at the provider.", example: 1 }),
    deleted: z.int().meta({ description: "Records deleted at the provider.", example: 1 }),
    unchanged: z.int().meta({ description: "Records that were already equal.", example: 57 }),
    failed: failedChanges.meta({
      description:
        "Changes that failed: there the provider still has its own records, and the zone differs. With `dryRun`, changes that current rules forbid.",
      example: [],
    }),
    plan: optionalPlan.meta({
      description: "With `dryRun`, what would change at the provider; null otherwise.",
      example: null,
    }),
    planHash: comparisonHash,
  })
  .meta({ id: "PushResult", description: "The result of a push." });

export const revertInput = z.strictObject({
  id: domainId,
  changeSetId: id("The change set's id, from the history."),
  dryRun,
  planHash: line(100, 1)
    .optional()
    .meta({ description: "`planHash` of a dry run: reverts exactly what it showed.", example: "Qm9yaW5n…" }),
  force: forceLoss,
  ...explained,
});

export const revertResult = z
  .object({
    changeSetId: id("The new change set; null with `dryRun`.").nullable(),
    ...counts,
    revision: z.int().meta({ description: "The zone revision after the call.", example: 4 }),
    plan: optionalFollowedPlan,
    planHash: z
      .string()
      .nullable()
      .meta({ description: "With `dryRun`, the hash to apply exactly this plan; null otherwise.", example: null }),
    reverse: reverseOutcomes,
  })
  .meta({ id: "RevertResult", description: "The result of reverting a change set." });

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

export const exportInput = z.strictObject({
  ...zonefileExportInput.shape,
  format: z
    .enum(writableFormats, `This must be one of ${writableFormats.join(", ")}.`)
    .default("zonefile")
    .meta({
      description:
        "`zonefile` is an RFC 1035 master file, `octodns` YAML for octoDNS, `csv` and `tsv` tables with a header, `terraform` the resources of " +
        "the domain's provider with `import` blocks, `dnscontrol` a `dnsconfig.js`.",
      example: "csv",
    }),
});

export const exportedText = z
  .object({
    content: z.string().meta({
      description: "The records in this format. What it cannot hold is in its comments.",
      example: "name,type,ttl,priority,value\nwww,A,300,,192.0.2.1\n",
    }),
  })
  .meta({ id: "ExportedRecords", description: "A zone's records in a format of other tools." });

export const zonefileInput = z.strictObject({
  id: domainId,
  zonefile: z
    .string()
    .min(1, "This must not be empty.")
    .meta({
      description:
        "RFC 1035 master file, also as Cloudflare, GoDaddy, Microsoft DNS, cPanel, tools for Route 53 and dumps of BIND write it, or a text in " +
        "another `format`. A warning names each reading that is not literal, with its lines.",
      example: "www 300 IN A 192.0.2.1\n",
    }),
  format: z
    .enum(readableFormats, `This must be one of ${readableFormats.join(", ")}.`)
    .default("auto")
    .meta({
      description:
        "Format of `zonefile`. `auto` recognizes it. `dig` is what dig or drill printed, `octodns` YAML for octoDNS, `csv` and `tsv` tables with " +
        "columns by their header or guessed, `terraform` resources with literal values. Mode `replace` keeps records of types that a format does " +
        "not have.",
    }),
  lenient: z
    .boolean("This must be true or false.")
    .default(false)
    .meta({
      description:
        "Splits strings over 255 octets and keeps records that break a rule, each with a warning, instead of refusing the file. What the " +
        "provider or its name servers cannot hold is still refused.",
    }),
  mode: z.enum(["merge", "replace"], "This must be merge or replace.").default("merge").meta({
    description: "`merge` adds and updates records; `replace` also deletes records that are not in the file.",
  }),
  ignoreOutOfZone: z.boolean("This must be true or false.").default(false).meta({
    description:
      "Skips records outside the zone; a warning counts them and names their lines. If false, such a record refuses the file.",
  }),
  ignore: z
    .array(line(600, 3))
    .max(200, "Send at most 200 patterns.")
    .default([])
    .meta({
      description:
        "Records that are not this text's business, as patterns `name/type` or `name/type/value` in which `*` stands for any characters. They " +
        "stay as they are, and the text's own records that match are left out. An RRset has one TTL: others of theirs in the text take it.",
      example: ["_acme-challenge*/TXT", "*.dev/A"],
    }),
  leave: z
    .array(z.enum(leftOwners, `This must be one of ${leftOwners.join(", ")}.`))
    .max(10, "Send at most 10 owners.")
    .default([])
    .meta({
      description:
        "Others whose records stay as they are: `keys` leaves records whose newest version a TSIG key wrote, `tokens` those that a personal token " +
        "wrote, unless by an import or a change request, `external-dns` those that external-dns marks as its own by TXT records, `acme` TXT " +
        "records at `_acme-challenge`. A warning counts them.",
      example: ["keys", "acme"],
    }),
  dryRun,
  force: forceLoss,
  planHash: reviewedHash,
  ...explained,
});

export const planZonefileInput = zonefileInput.omit({
  dryRun: true,
  force: true,
  planHash: true,
  message: true,
  override: true,
});

export const zonefileResult = z
  .object({
    ...counts,
    unchanged: z.int().meta({ description: "Records that were already equal.", example: 57 }),
    left: z.int().meta({ description: "Records left as they are because of `ignore` and `leave`.", example: 0 }),
    lossPercent: z.number().meta({
      description:
        "How many of the zone's records would be deleted, disabled or replaced, in percent: above 30, `force` is required. 0 for zones of fewer " +
        "than ten records, which are guarded only against being emptied (100).",
      example: 2.5,
    }),
    revision: newRevision,
    warnings: plannedChanges.shape.warnings,
    reverse: reverseOutcomes,
    plan: filePlan.nullable().meta({ description: "With `dryRun`, what would change; null otherwise.", example: null }),
    planHash: comparisonHash.meta({
      description:
        "With `dryRun`, the hash of the records in `plan`: repeat the call with it to make exactly these changes. It does not cover `plan.reverse`: " +
        "PTR records follow as their zones are by then. Null otherwise.",
      example: null,
    }),
  })
  .meta({ id: "ZonefileResult", description: "The result of a zone-file import." });

export const planRequestedZonefileInput = planZonefileInput.extend({
  id: line(1024, 1).meta({
    description:
      "The domain's id, or its name, in Unicode or A-labels. A view may follow: `example.com!internal`. A bare name is the default view, or " +
      "the only one.",
    example: "example.com",
  }),
});

export const requestedZonefile = zonefileResult
  .extend({
    domainId: shownId("The domain's id. Request the changes with it."),
    domainName: z.string().meta({ description: "The domain's name, with its view.", example: "example.com" }),
  })
  .meta({
    id: "RequestedZonefile",
    description: "What a change request would change to make records equal to a text.",
  });

export const zonefileText = z
  .object({
    zonefile: z.string().meta({
      description: "RFC 1035 master file.",
      example:
        "$ORIGIN example.com.\n$TTL 3600\n@ IN SOA ns1.example.com. hostmaster.example.com. 7 7200 900 1209600 3600\n@ IN NS ns1.example.com.\nwww IN A 192.0.2.1\n",
    }),
  })
  .meta({ id: "Zonefile", description: "A zone as a master file." });
