import { z } from "zod";
import { id, pageOf, paging, timestamp } from "../api/schemas.ts";

export const domainId = id("The domain's id.");
export const recordId = id("The record's id.");

export const shownStrings = z
  .array(z.string())
  .nullable()
  .meta({
    description:
      "TXT: the character-strings where the value is not cut at every 255 octets, with `\\\\` for a backslash and `\\ddd` for octets that are " +
      "not part of UTF-8. Null where it is cut so, and for other types.",
    example: null,
  });

export const dataFields = {
  recordType: z
    .string()
    .meta({ description: "Record type; also types beyond the eight that can be written.", example: "A" }),
  name: z.string().meta({ description: "Host part, `@` for the apex.", example: "www" }),
  value: z.string().meta({ description: "Canonical value.", example: "192.0.2.1" }),
  strings: shownStrings,
  ttl: z.int().meta({ description: "Time to live in seconds.", example: 3600 }),
  priority: z.int().nullable().meta({ description: "MX and SRV: the priority, also within the value.", example: null }),
  proxied: z.boolean().meta({ description: "Whether the provider's proxy answers.", example: false }),
};

/** A record without identity. */
export const recordData = z.object(dataFields).meta({ id: "RecordData", description: "What a record says." });

export const historyInput = z.strictObject({ id: domainId, ...paging(20, 100) });

const historyChange = z.object({
  action: z.enum(["create", "update", "delete"]).meta({ description: "What happened.", example: "create" }),
  recordId,
  before: recordData.nullable().meta({ description: "What it was; null for a create.", example: null }),
  after: recordData.nullable().meta({ description: "What it is since; null for a delete." }),
});

const historyFailure = z.object({
  action: z.enum(["create", "update", "delete"]).meta({ description: "What was tried.", example: "create" }),
  recordType: z.string().meta({ description: "Record type.", example: "A" }),
  name: z.string().meta({ description: "Host part.", example: "www" }),
  value: z.string().meta({ description: "Its value.", example: "192.0.2.1" }),
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
            actorId: id("Who made it; null where nobody did.").nullable(),
            actor: z
              .string()
              .nullable()
              .meta({ description: "Their username; null where there is none any more.", example: "admin" }),
            revision: z.int().nullable().meta({ description: "The revision that it made.", example: 4 }),
            creates: z.int().meta({ description: "Records made.", example: 1 }),
            updates: z.int().meta({ description: "Records changed.", example: 0 }),
            deletes: z.int().meta({ description: "Records deleted.", example: 0 }),
            changes: z
              .array(historyChange)
              .meta({ description: "The first 100 changes; empty for revisions up to the domain's `historyFrom`." }),
            failures: z
              .array(historyFailure)
              .meta({ description: "What the provider refused, the first 100.", example: [] }),
            unknown: z.int().meta({
              description: "How many of the failures may have been made: an administrator gave up finding out.",
              example: 0,
            }),
            repaired: z.boolean().meta({
              description: "Whether the outcome was found by reading the zone back.",
              example: false,
            }),
            createdAt: timestamp("When it began."),
            finishedAt: timestamp("When its outcome was known.").nullable(),
          })
          .meta({ id: "ChangeSet", description: "One change to a zone." }),
      )
      .meta({ description: "Newest first." }),
    ...pageOf,
  })
  .meta({ id: "History", description: "A page of changes." });
