import { z } from "zod";
import { id, line, pageOf, paging, shownId, text, timestamp, shownRecordType } from "../../api/schemas.ts";
import { domainId, explained } from "../../zones/changes/schemas.ts";
import { forceLoss, plannedChanges } from "../../zones/records/change-schemas.ts";
import { ttlField, typeField } from "../../zones/records/schemas.ts";

/** A larger plan takes long to read, and nobody reads it. */
export const mostZones = 10_000;

const jobId = id("The job's id.");

const request = {
  recordType: typeField,
  value: text(10_000).min(1, "This must not be empty.").meta({
    description:
      "The value to replace, in any notation. An MX may leave out the priority, an SRV the priority or all numbers: that matches any.",
    example: "192.0.2.1",
  }),
  newValue: text(10_000).min(1, "This must not be empty.").meta({
    description: "The new value. An MX or SRV may leave out leading numbers: each record keeps its own.",
    example: "198.51.100.7",
  }),
  newTtl: ttlField
    .optional()
    .meta({ description: "New TTL in seconds. Default: each RRset keeps its own.", example: 300 }),
  automaticTtl: z.boolean("This must be true or false.").optional().meta({
    description:
      "Whether the records get the automatic TTL of their provider, instead of `newTtl`. A domain whose provider has none is not changed.",
    example: false,
  }),
  domainIds: z
    .array(domainId)
    .min(1, "Send at least one id, or leave `domainIds` out.")
    .max(mostZones, `Send at most ${mostZones} ids.`)
    .optional()
    .meta({ description: "Only these domains. Default: every domain that you may change." }),
  tag: line(50).optional().meta({ description: "Only domains with this tag, in any case." }),
};

export const planReplacementInput = z.strictObject(request);

export const applyReplacementInput = z.strictObject({
  ...request,
  planHash: line(100, 1).meta({ description: "`planHash` of the plan.", example: "Qm9yaW5n…" }),
  force: forceLoss,
  ...explained,
});

const domainName = z.string().meta({
  description: "The domain's name, with its view: `example.com!internal`.",
  example: "example.com",
});

export const replacementPlan = z
  .object({
    domains: z
      .array(
        z.object({
          domainId: shownId("The domain's id."),
          domainName,
          providerId: shownId("The kind of its provider, as in `Domain.providerId`."),
          ...plannedChanges.shape,
          error: z
            .string()
            .nullable()
            .meta({ description: "Why the domain cannot be changed; null if it can.", example: null }),
        }),
      )
      .meta({ description: "The domains with the value, by name." }),
    warnings: z.array(z.string()).meta({ description: "Warnings about the new value.", example: [] }),
    planHash: z.string().meta({
      description: "Send it to `POST …/records/replace/apply`. It covers the changes of all domains.",
      example: "Qm9yaW5n…",
    }),
  })
  .meta({ id: "ReplacementPlan", description: "What a replacement would do, domain by domain." });

const itemStates = ["waiting", "running", "done", "failed", "skipped"] as const;

const count = (description: string) => z.int().meta({ description, example: 0 });

const jobFields = {
  jobId: shownId("The job's id."),
  kind: z.enum(["replace", "revert", "template", "portfolio"]).meta({
    description:
      "`revert`: takes the changes of another job back. `template`: applies a changed template to its linked domains. " +
      "`portfolio`: imports a table of domains, or takes such a job back.",
    example: "replace",
  }),
  state: z.enum(["running", "stopping", "stopped", "done"]).meta({
    description:
      "`stopping`: no further domain is begun, some are still being changed. `done`: every domain was tried.",
    example: "done",
  }),
  startedBy: shownId("The user who started it; null if deleted.").nullable(),
  recordType: shownRecordType("The type of the replaced records; null for a template or a table.").nullable(),
  value: z
    .string()
    .nullable()
    .meta({ description: "The value to replace, as sent; null for a template or a table.", example: "192.0.2.1" }),
  newValue: z
    .string()
    .nullable()
    .meta({ description: "The new value, as sent; null for a template or a table.", example: "198.51.100.7" }),
  newTtl: z
    .int()
    .nullable()
    .meta({ description: "The new TTL; null to keep each, and for a template or a table.", example: null }),
  automaticTtl: z
    .boolean()
    .meta({ description: "Whether the records get the automatic TTL of their provider.", example: false }),
  message: z
    .string()
    .nullable()
    .meta({ description: "Why the changes are made; null if the user did not say.", example: null }),
  templateId: shownId("The template that is applied; null for a replacement.").nullable().meta({ example: null }),
  templateRevision: z.int().nullable().meta({ description: "Its `revision`; null for a replacement.", example: null }),
  revertsId: shownId("The job that this one reverts; null if it reverts none.").nullable(),
  reason: z
    .string()
    .nullable()
    .meta({ description: "Why it was stopped; null if a user stopped it or nothing did.", example: null }),
  progress: z
    .object({
      domains: z.int().meta({ description: "All domains of the job.", example: 300 }),
      waiting: count("Not begun yet."),
      running: count("Being changed, or the outcome is not known yet."),
      done: z.int().meta({ description: "Changed.", example: 300 }),
      failed: count("Not changed, or only in part; `error` says why."),
      skipped: count("Not begun, because the job was stopped."),
    })
    .meta({ description: "How many domains are in which state. Deleted domains do not count." }),
  createdAt: timestamp("When it was started."),
  finishedAt: timestamp("When it ended; null while it goes on.").nullable(),
};

export const replacementJob = z
  .object(jobFields)
  .meta({ id: "ReplacementJob", description: "A change of many domains that is carried out in the background." });

export const listJobsInput = z.strictObject(paging(20, 100)).prefault({});

export const replacementJobs = z
  .object({ jobs: z.array(replacementJob).meta({ description: "Newest first." }), ...pageOf })
  .meta({ id: "ReplacementJobs", description: "A page of the changes of many domains." });

export const jobInput = z.strictObject({ jobId });

export const revertJobInput = z.strictObject({ jobId, force: forceLoss, ...explained });

export const jobPageInput = z.strictObject({
  jobId,
  state: z
    .enum(itemStates, `This must be one of ${itemStates.join(", ")}.`)
    .optional()
    .meta({ description: "Only domains in this state.", example: "failed" }),
  ...paging(50, 100),
});

export const replacementJobPage = z
  .object({
    ...jobFields,
    domains: z
      .array(
        z.object({
          domainId: shownId("The domain's id."),
          domainName,
          state: z.enum(itemStates).meta({ description: "What became of the domain.", example: "done" }),
          changeSetId: shownId("Its change set in the domain's history; null if there is none.").nullable(),
          error: z.string().nullable().meta({ description: "Why it failed; null otherwise.", example: null }),
        }),
      )
      .meta({ description: "In the order of the plan." }),
    ...pageOf,
  })
  .meta({ id: "ReplacementJobPage", description: "A change of many domains, and a page of them." });
