import { z } from "zod";
import {
  id,
  line,
  optionalInteger,
  pageOf,
  paging,
  prose,
  shownId,
  timestamp,
  timestampInput,
  shownRecordType,
} from "../../api/schemas.ts";

export const domainId = id("The domain's id.");
export const recordId = id("The record's id.");

export const shownStrings = z
  .array(z.string())
  .nullable()
  .meta({
    description:
      "TXT: the character-strings, if the value is not split every 255 octets. A backslash is `\\\\`, an octet outside UTF-8 " +
      "`\\ddd`. Null if it is split every 255 octets, and for other types.",
    example: null,
  });

export const dataFields = {
  recordType: shownRecordType("Record type, including types that cannot be written here."),
  name: z.string().meta({ description: "Name relative to the domain; `@` for the apex.", example: "www" }),
  value: z.string().meta({ description: "Canonical value.", example: "192.0.2.1" }),
  strings: shownStrings,
  ttl: z.int().meta({ description: "Time to live in seconds.", example: 3600 }),
  priority: z.int().nullable().meta({
    description: "MX and SRV: the priority, which is also part of the value. Null for other types.",
    example: null,
  }),
  proxied: z.boolean().meta({ description: "Whether the provider proxies the record.", example: false }),
  status: z.enum(["active", "disabled"]).meta({
    description: "`disabled`: kept here, but not at the provider, so that DNS does not have it.",
    example: "active",
  }),
};

/** The field `message` of calls that change records. */
export const changeMessage = prose(500).optional().meta({
  description: "Why you make the change, at most 500 characters. The domain's history and the audit trail keep it.",
  example: "Move www to the new load balancer",
});

/** The field `unlock` of calls that change records. */
export const unlock = z.boolean("This must be true or false.").optional().meta({
  description:
    "The domain's owner and administrators only: also changes and deletes locked records, which stay locked if they stay. Default: false.",
  example: false,
});

/** The fields of calls that change records besides the change: why, and whether past the review or the locks that protect it. */
export const explained = {
  message: changeMessage,
  override: z
    .boolean("This must be true or false.")
    .optional()
    .meta({
      description:
        "Administrators only: makes the change without the review that the domain requires. `message` must say why; the audit trail keeps it. " +
        "Default: false.",
      example: false,
    }),
  unlock,
};

/** A record without identity. */
export const recordData = z.object(dataFields).meta({ id: "RecordData", description: "A record's data." });

/** A revision of a zone in a query. */
export const queriedRevision = (description: string) =>
  optionalInteger({
    min: 0,
    max: 2_147_483_647,
    sentence: "This must be a whole number from 0 to 2147483647.",
    description,
  });

export const historyInput = z.strictObject({
  id: domainId,
  ...paging(20, 100),
  revision: queriedRevision("Only the change set that created this revision."),
  name: line(1024)
    .optional()
    .meta({
      description:
        "Only change sets that changed records of this name, or failed to: `@`, relative, or fully qualified; `*.dev` for all names below dev. " +
        "Change sets whose records are no longer stored are left out.",
      example: "www",
    }),
  actorName: line(64, 1).optional().meta({
    description:
      "Only change sets of the user with this username, or of the DNS key with this name. Case does not matter.",
    example: "ada",
  }),
  from: timestampInput("Only change sets at or after this time.").optional(),
  to: timestampInput("Only change sets before this time.").optional(),
});

const historyChange = z.object({
  action: z.enum(["create", "update", "delete"]).meta({ description: "The kind of change.", example: "create" }),
  recordId,
  before: recordData.nullable().meta({ description: "The record before; null for `create`.", example: null }),
  after: recordData.nullable().meta({ description: "The record after; null for `delete`." }),
});

const historyFailure = z.object({
  action: z.enum(["create", "update", "delete"]).meta({ description: "The attempted change.", example: "create" }),
  recordType: shownRecordType("Record type."),
  name: z.string().meta({ description: "Name relative to the domain.", example: "www" }),
  value: z.string().meta({ description: "Canonical value.", example: "192.0.2.1" }),
  error: z.string().meta({ description: "The provider's message.", example: "refused" }),
});

const seconds = z.number().nullable().meta({
  description: "Seconds from the change until the last of these had it, to a tenth; null if none has.",
  example: 0.8,
});

export const history = z
  .object({
    entries: z
      .array(
        z
          .object({
            id: id("The change set's id."),
            kind: z
              .enum(["edit", "bulk", "import", "sync", "push", "rollback", "revert", "replace", "template"])
              .meta({ description: "The operation that made the change.", example: "edit" }),
            message: z
              .string()
              .nullable()
              .meta({ description: "Why it was made, as its author wrote; null for none.", example: null }),
            state: z.enum(["pending", "applied", "partial", "failed"]).meta({
              description: "`pending`: sent to the provider, outcome still unknown. `partial`: some changes failed.",
              example: "applied",
            }),
            actorId: id("The user who made it; null for the service itself.").nullable(),
            actor: z
              .string()
              .nullable()
              .meta({ description: "The user's name; null if the user was deleted.", example: "admin" }),
            tsigKey: z
              .string()
              .nullable()
              .meta({ description: "Name of the TSIG key that a DNS client used; null for none.", example: null }),
            causedBy: shownId("The change set of another domain that this one follows; null for none.")
              .nullable()
              .meta({ example: null }),
            revision: z
              .int()
              .nullable()
              .meta({ description: "The revision it created; null if it created none.", example: 4 }),
            creates: z.int().meta({ description: "Records created.", example: 1 }),
            updates: z.int().meta({ description: "Records changed.", example: 0 }),
            deletes: z.int().meta({ description: "Records deleted.", example: 0 }),
            changes: z
              .array(historyChange)
              .meta({ description: "The first 100 changes. Empty for revisions up to the domain's `historyFrom`." }),
            failures: z
              .array(historyFailure)
              .meta({ description: "The changes the provider refused, at most 100.", example: [] }),
            unknown: z.int().meta({
              description: "Changes closed by force, outcome unknown.",
              example: 0,
            }),
            revertsId: id("The change set that this one reverts; null if it reverts none.").nullable(),
            changeRequestId: shownId("The change request that it carried out; null for none.")
              .nullable()
              .meta({ example: null }),
            repaired: z.boolean().meta({
              description: "Whether the outcome was determined by reading the zone back.",
              example: false,
            }),
            createdAt: timestamp("When the change began."),
            finishedAt: timestamp("When its outcome became known; null while pending.").nullable(),
            propagation: z
              .object({
                secondaries: z
                  .int()
                  .meta({ description: "Secondaries that were notified of its revision.", example: 2 }),
                inSync: z.int().meta({ description: "How many of them have had it, or a newer one.", example: 2 }),
                seconds,
              })
              .nullable()
              .meta({
                description:
                  "How far the change went at secondaries. Null for zones that none transfers, and for all but the newest 100 revisions.",
                example: null,
              }),
            mirrors: z
              .object({
                mirrors: z.int().meta({ description: "Mirrors that the domain had then, and still has.", example: 3 }),
                inSync: z.int().meta({ description: "How many of them have had its revision.", example: 3 }),
                seconds,
              })
              .nullable()
              .meta({
                description:
                  "How far the change went at mirrors. Null without mirrors, and for all but the newest 100 revisions.",
                example: null,
              }),
          })
          .meta({ id: "ChangeSet", description: "A change to a zone." }),
      )
      .meta({ description: "Newest first." }),
    ...pageOf,
  })
  .meta({ id: "History", description: "A page of a domain's change history." });
