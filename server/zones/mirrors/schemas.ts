import { z } from "zod";
import { id, pageOf, paging, queryFlag, shownId, timestamp } from "../../api/schemas.ts";

const onDrift = z.enum(["restore", "report"]).meta({
  description:
    "What to do with records that others add at the mirror: they are deleted, up to the safety threshold (`restore`), or only counted " +
    "(`report`). The domain's own records are put back in either case.",
  example: "restore",
});

const states = ["in_sync", "behind", "failing", "unsupported"] as const;
export type MirrorState = (typeof states)[number];

const mirrorFields = {
  id: shownId("The mirror's id."),
  providerConfigId: shownId("The provider configuration that follows."),
  kind: z.string().meta({ description: "Kind of its provider.", example: "powerdns" }),
  state: z.enum(states).meta({
    description:
      "`in_sync`: it has the newest revision. `behind`: it will have it shortly. `failing`: the last attempt failed, see `error`. " +
      "`unsupported`: it has the newest revision without the records that its provider cannot store.",
    example: "in_sync",
  }),
  onDrift,
  strict: z
    .boolean()
    .meta({ description: "Whether changes are refused that its provider cannot store.", example: false }),
  revision: z
    .int()
    .nullable()
    .meta({ description: "Revision of the domain that it has; null if it has none yet.", example: 12 }),
  lastAppliedAt: timestamp("When it was last brought to a revision; null if never.").nullable(),
  lagSeconds: z.int().meta({ description: "Seconds since it began to be behind; 0 if it is not.", example: 0 }),
  differences: z
    .int()
    .meta({ description: "Records there that differ from the domain's, as last compared.", example: 0 }),
  foreign: z
    .int()
    .meta({ description: "Those of the differences that are records which were never the domain's.", example: 0 }),
  unsupported: z.int().meta({ description: "Records of the domain that its provider cannot store.", example: 0 }),
  error: z.string().nullable().meta({ description: "Why the last attempt failed; null if it did not.", example: null }),
};

const mirror = z
  .object(mirrorFields)
  .meta({ id: "Mirror", description: "A further provider configuration that follows the records of a domain." });

export const listMirrorsInput = z
  .strictObject({
    ...paging(20, 100),
    state: z
      .enum(states, "This must be in_sync, behind, failing or unsupported.")
      .optional()
      .meta({ description: "Only mirrors in this state." }),
    providerConfigId: id("Only mirrors at this provider configuration.").optional(),
  })
  .prefault({});

export const mirrorPage = z
  .object({
    mirrors: z
      .array(
        z
          .object({
            domainId: shownId("The domain that it follows."),
            domainName: z.string().meta({
              description: "That domain's name, with its view after `!` if it is not the default one.",
              example: "example.com",
            }),
            ...mirrorFields,
          })
          .meta({ id: "DomainMirror", description: "A mirror, with the domain that it follows." }),
      )
      .meta({ description: "Failing ones first, then those that are behind, longest first." }),
    ...pageOf,
  })
  .meta({ id: "MirrorPage", description: "A page of mirrors." });

export const mirrorsInput = z.strictObject({ id: id("The domain's id.") });

export const mirrors = z
  .object({
    revision: z.int().meta({ description: "The domain's revision.", example: 12 }),
    mirrors: z.array(mirror).meta({ description: "Its mirrors, oldest first; at most 8." }),
  })
  .meta({ id: "Mirrors", description: "How far the mirrors of a domain follow it." });

export const createMirrorInput = z.strictObject({
  id: id("The domain's id."),
  providerConfigId: id("The provider configuration that is to follow."),
  onDrift: onDrift
    .optional()
    .meta({ description: "What becomes of records that others add there. Defaults to `restore`." }),
  strict: z.boolean("This must be true or false.").optional().meta({
    description:
      "True refuses changes that its provider cannot store, at the record. False makes them without it, and plans warn. Defaults to false.",
  }),
  dryRun: z
    .boolean()
    .optional()
    .meta({ description: "Returns the plan of the first reconciliation and changes nothing." }),
  force: z.boolean().optional().meta({
    description:
      "Whether it may delete any number of records that the zone has there. See the plan first. Not with `onDrift: report`.",
  }),
});

export const createdMirror = z
  .object({
    dryRun: z.boolean().meta({ description: "Whether nothing was changed." }),
    mirrorId: shownId("The new mirror's id; null in a dry run.").nullable(),
    create: z.int().meta({ description: "Records that the first reconciliation creates there.", example: 40 }),
    update: z.int().meta({ description: "Records that it updates there.", example: 0 }),
    delete: z.int().meta({ description: "Records that it deletes there.", example: 0 }),
    deletes: z
      .array(z.string())
      .meta({ description: "The first 100 records that it deletes there: name, type and value.", example: [] }),
  })
  .meta({ id: "MirrorPlan", description: "What the first reconciliation of a mirror does." });

const mirrorInput = z.strictObject({ id: id("The domain's id."), mirrorId: id("The mirror's id.") });

export const deleteMirrorInput = z.strictObject({
  ...mirrorInput.shape,
  force: queryFlag(
    "false",
    "Removes it even if secondaries that follow a catalog zone will drop the zone. Default: false.",
  ),
  deleteZone: queryFlag("false", "Must be false: the zone stays at the provider. Delete it there. Default: false."),
});

export const reconcileInput = z.strictObject({
  ...mirrorInput.shape,
  force: z
    .boolean()
    .optional()
    .meta({ description: "Whether it may delete any number of records there that were never the domain's." }),
});
