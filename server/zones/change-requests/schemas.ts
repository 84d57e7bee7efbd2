import { z } from "zod";
import { id, line, pageOf, paging, prose, queryFlag, shownId, timestamp, timestampInput } from "../../api/schemas.ts";
import { unlock } from "../changes/schemas.ts";
import type { recordPatch } from "../records/schemas.ts";
import {
  changes,
  followedChange,
  forceLoss,
  mostChanges,
  plannedChanges,
  reverse,
  parsedInSlices,
} from "../records/change-schemas.ts";
import { registrationPlan, requestedRegistration } from "../../registry/registrars/schemas.ts";

const requestId = id("The request's id.");

const states = ["open", "approved", "applied", "rejected", "withdrawn", "failed"] as const;

export const createRequestInput = parsedInSlices(
  z.strictObject({
    id: id("The domain's id."),
    title: line(200, 1).meta({
      description: "What the change is for, 1 to 200 characters.",
      example: "Move www to the new load balancer",
    }),
    note: prose(5_000)
      .optional()
      .meta({ description: "More about it, at most 5000 characters.", example: "See CHG-1042." }),
    changes: changes.optional(),
    reverse,
    registration: requestedRegistration.optional().meta({
      description:
        "What the domain's registration is to become, instead of `changes`: for the owner and administrators, who may change it. " +
        "What is left out stays.",
    }),
    applyAt: timestampInput("When to apply it by itself, at most 366 days ahead. Left out or null: when somebody does.")
      .nullable()
      .optional()
      .meta({ example: null }),
    force: forceLoss.meta({
      description:
        "Confirms deleting or replacing more than 30 % of a zone with ten or more records, or all records, or what the plan of a registration " +
        "warns of. Needed only to apply the request without an approval.",
    }),
    unlock: unlock.meta({
      description:
        "The domain's owner and administrators only: the request may change and delete locked records. Default: false.",
    }),
  }),
  "changes",
  mostChanges,
);

export const listRequestsInput = z.strictObject({
  state: z
    .enum(states, "This must be open, approved, applied, rejected, withdrawn or failed.")
    .optional()
    .meta({ description: "Only requests in this state.", example: "open" }),
  domain: id("Only requests for this domain.").optional(),
  mine: queryFlag("false", "`true`: only requests that you made."),
  toReview: queryFlag("false", "`true`: only open requests that you may review."),
  ...paging(20, 100),
});

export const requestIdInput = z.strictObject({ id: requestId });

const note = prose(2_000)
  .optional()
  .meta({ description: "Why, at most 2000 characters. The author is notified of it.", example: "Looks right." });

export const approveRequestInput = z.strictObject({
  id: requestId,
  changesHash: line(300, 1).meta({ description: "`changesHash` of the request as you read it.", example: "Qm9yaW5n…" }),
  note,
});

export const rejectRequestInput = z.strictObject({ id: requestId, note });

export const applyRequestInput = z.strictObject({
  id: requestId,
  force: forceLoss,
  changesHash: line(300, 1).optional().meta({
    description:
      "`changesHash` of the request as you read it. Then it is applied only if it would still do this. Default: it does what was approved.",
    example: "Qm9yaW5n…",
  }),
});

export const listCommentsInput = z.strictObject({ id: requestId, ...paging(20, 100) });

export const addCommentInput = z.strictObject({
  id: requestId,
  text: prose(5_000)
    .refine((text) => text.trim() !== "", "This must not be empty.")
    .meta({ description: "The comment, at most 5000 characters.", example: "Is the old address still in use?" }),
});

const userName = z.string().nullable().meta({ description: "The user's name; null if deleted.", example: "ada" });

const summaryFields = {
  id: shownId("The request's id."),
  number: z.int().meta({ description: "A short number for people, unique in this installation.", example: 12 }),
  state: z.enum(states).meta({
    description:
      "`open`: waits for a review. `approved`: can be applied. `failed`: was not, or not wholly, applied; `reason` says why.",
    example: "open",
  }),
  applying: z.boolean().meta({
    description:
      "Whether it is being applied. Its records may be in the zone already. After a crash, it stays so until the outcome is known.",
    example: false,
  }),
  title: z.string().meta({ description: "What the change is for.", example: "Move www to the new load balancer" }),
  domainId: shownId("The domain; null once it is deleted.").nullable(),
  domainName: z.string().meta({ description: "The domain's name, with its view.", example: "example.com" }),
  authorId: shownId("Who made it; null once deleted.").nullable(),
  author: userName,
  creates: z.int().meta({ description: "Records to create.", example: 1 }),
  updates: z.int().meta({ description: "Records to change, or fields of a registration.", example: 0 }),
  deletes: z.int().meta({ description: "Records to delete.", example: 0 }),
  applyAt: timestamp("When it is applied by itself; null for no set time.").nullable().meta({ example: null }),
  commentCount: z.int().meta({ description: "Number of comments.", example: 0 }),
  createdAt: timestamp("When it was made."),
  closedAt: timestamp("When it was applied, rejected or withdrawn, or failed; null until then.")
    .nullable()
    .meta({ example: null }),
};

export const requestPage = z
  .object({
    requests: z
      .array(z.object(summaryFields).meta({ id: "ChangeRequestSummary", description: "A change request, in a list." }))
      .meta({ description: "Newest first." }),
    counts: z
      .object({
        open: z.int().meta({ description: "Open requests that you may see.", example: 1 }),
        approved: z.int().meta({ description: "Approved requests that are not applied yet.", example: 0 }),
        toReview: z.int().meta({ description: "Open requests that you may review.", example: 1 }),
      })
      .meta({ description: "Counts over all requests that you may see, whatever the filters." }),
    ...pageOf,
  })
  .meta({ id: "ChangeRequestPage", description: "A page of change requests." });

/** Fields of a record as sent. They are stored as they came, so nothing is read into them again. */
const sentRecord = z.record(z.string(), z.unknown()) as unknown as z.ZodType<z.input<typeof recordPatch>>;

const requestedChange = z
  .object({
    action: z.enum(["create", "update", "delete"]).meta({ description: "The kind of change.", example: "create" }),
    recordId: shownId("The record to change or delete; null for `create`.").nullable().meta({ example: null }),
    record: sentRecord.nullable().meta({
      description: "The fields of the record as sent; null for `delete`.",
      example: { recordType: "A", name: "www", value: "192.0.2.1" },
    }),
  })
  .meta({ id: "RequestedChange", description: "A change as it was requested." });

const review = z
  .object({
    userId: shownId("The reviewer; null once deleted.").nullable(),
    user: userName,
    verdict: z.enum(["approve", "reject"]).meta({ description: "Their verdict.", example: "approve" }),
    changesHash: z
      .string()
      .nullable()
      .meta({ description: "What they approved; null for a rejection.", example: "Qm9yaW5n…" }),
    note: z.string().nullable().meta({ description: "What they wrote.", example: null }),
    counts: z.boolean().meta({
      description:
        "Whether this is an approval of the request as it would be applied now, by somebody who may still review it. False once closed.",
      example: true,
    }),
    createdAt: timestamp("When they decided."),
  })
  .meta({ id: "Review", description: "A verdict on a change request." });

export const changeRequest = z
  .object({
    ...summaryFields,
    note: z.string().nullable().meta({ description: "More about it.", example: null }),
    changes: z.array(requestedChange).meta({ description: "The changes of records as they were requested." }),
    registration: requestedRegistration.nullable().meta({
      description:
        "What the registration is to become; null for a request that changes records, and for a token without `registrations:read`.",
      example: null,
    }),
    plan: plannedChanges.nullable().meta({
      description:
        "What it would do now, or, if it is closed or cannot be applied, what it would have done when it was made or approved. Null if you may " +
        "no longer see its names, and for a registration.",
    }),
    registrationPlan: z.object(registrationPlan).nullable().meta({
      description:
        "What it would do to the registration, as `plan` does for records; null for a request that changes records.",
      example: null,
    }),
    reverse: z
      .array(followedChange)
      .meta({ description: "Changes of PTR records that belong to the plan.", example: [] }),
    planHash: z.string().nullable().meta({
      description: "Ties the plan to the zone's present revision; null if there is no present plan.",
      example: "3.Qm9yaW5n…",
    }),
    changesHash: z
      .string()
      .nullable()
      .meta({
        description:
          "Hash of the RRsets, or fields of the registration, that the plan touches, before and after. Send it to approve the request. " +
          "Edits elsewhere leave it as it is. Null if there is no present plan.",
        example: "Qm9yaW5n…",
      }),
    outdated: z.boolean().meta({
      description: "Whether it would do something else now than when it was made or last approved.",
      example: false,
    }),
    problem: z.string().nullable().meta({
      description: "Why it cannot be applied to the zone as it is now; null if it can, or if it is closed.",
      example: null,
    }),
    reason: z
      .string()
      .nullable()
      .meta({ description: "Why it failed or ended by itself; null otherwise.", example: null }),
    force: z.boolean().meta({ description: "As sent.", example: false }),
    unlock: z.boolean().meta({
      description: "As sent: whether it may change and delete locked records. `plan.warnings` names those.",
      example: false,
    }),
    reviews: z.array(review).meta({ description: "Verdicts, oldest first.", example: [] }),
    changeSetId: shownId("The change set that carries it out; null for none.").nullable().meta({ example: null }),
    mayReview: z.boolean().meta({ description: "Whether you may approve or reject it now.", example: true }),
    mayApply: z.boolean().meta({
      description: "Whether you are among those who may apply it. False while it is being applied.",
      example: true,
    }),
  })
  .meta({
    id: "ChangeRequest",
    description: "Changes of a domain's records or registration that somebody reviews first.",
  });

const commentFields = {
  id: shownId("The comment's id."),
  userId: shownId("Who wrote it; null once deleted.").nullable(),
  user: userName,
  text: z.string().meta({ description: "The comment.", example: "Is the old address still in use?" }),
  createdAt: timestamp("When it was written."),
};

export const comment = z
  .object(commentFields)
  .meta({ id: "ChangeRequestComment", description: "A comment on a change request." });

export const commentPage = z
  .object({ comments: z.array(comment).meta({ description: "Oldest first." }), ...pageOf })
  .meta({ id: "ChangeRequestComments", description: "A page of comments." });
