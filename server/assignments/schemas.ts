import { z } from "zod";
import { id, line, pageOf, paging, prose, timestamp } from "../api/schemas.ts";

const assignmentId = id("The assignment's id.");
const requestId = id("The request's id.");
const userId = id("The member.");
const access = z
  .enum(["read", "write"], "This must be read or write.")
  .meta({ description: "`read`: view the records. `write`: also change them.", example: "write" });
const shownPattern = z.string().meta({
  description:
    "Host pattern: `*` matches any characters, including dots; `*` alone matches every host; `@` is the apex.",
  example: "*.dev",
});
const pattern = line(512, 1).meta({
  description:
    "Host pattern, relative to the domain: `*` matches any characters, including dots; `*` alone matches every host; `@` is the apex.",
  example: "*.dev",
});

export const assignment = z
  .object({
    id: assignmentId,
    userId,
    domainId: id("The domain's id."),
    domainName: z.string().meta({ description: "The domain's name.", example: "example.com" }),
    subdomainPattern: shownPattern,
    access,
    createdBy: id("The administrator who created it.").nullable(),
    createdAt: timestamp("When it was created."),
  })
  .meta({ id: "Assignment", description: "A member's access to the records of a domain whose hosts match a pattern." });

export const assignmentPage = z
  .object({ assignments: z.array(assignment).meta({ description: "Newest first." }), ...pageOf })
  .meta({ id: "AssignmentPage", description: "A page of assignments." });

export const listAssignmentsInput = z.strictObject({
  ...paging(20, 100),
  userId: id("Only assignments of this user.").optional(),
  domainId: id("Only assignments of this domain.").optional(),
});

export const createAssignmentInput = z.strictObject({
  userId: id("The member who gets access."),
  domainId: id("The domain to assign."),
  subdomainPattern: pattern.default("*"),
  access: access.default("read"),
});

export const assignmentIdInput = z.strictObject({ id: assignmentId });

const status = z.enum(["pending", "approved", "rejected"], "This must be pending, approved or rejected.");

export const assignmentRequest = z
  .object({
    id: requestId,
    userId: id("The requester."),
    username: z.string().meta({ description: "The requester's username.", example: "alice" }),
    domainId: id(
      "The domain's id. Null if it is not managed here, or if the requester named it by name and the request is not approved.",
    ).nullable(),
    domainName: z.string().nullable().meta({
      description: "The domain's name. Null if the requester named it by id and the request is not approved.",
      example: "example.com",
    }),
    subdomainPattern: shownPattern,
    host: z.string().nullable().meta({ description: "The requested host.", example: "www.dev" }),
    access,
    reason: z.string().nullable().meta({ description: "Reason for the request.", example: "Moving the shop." }),
    status: status.meta({ description: "Status of the request.", example: "pending" }),
    note: z.string().nullable().meta({ description: "The administrator's note.", example: null }),
    decidedBy: id("The administrator who decided; null while pending.").nullable(),
    decidedAt: timestamp("When it was decided; null while pending.").nullable(),
    assignmentId: id("The assignment it created; null unless approved.").nullable(),
    createdAt: timestamp("When it was created."),
  })
  .meta({ id: "AssignmentRequest", description: "A member's request for an assignment." });

export const assignmentRequestPage = z
  .object({ requests: z.array(assignmentRequest).meta({ description: "Newest first." }), ...pageOf })
  .meta({ id: "AssignmentRequestPage", description: "A page of assignment requests." });

export const listRequestsInput = z.strictObject({
  ...paging(20, 100),
  status: status.optional().meta({ description: "Only requests with this status." }),
});

export const requestInput = z.strictObject({
  domainId: id("Id of the domain. Send either this or `domainName`.").optional(),
  domainName: line(1_024, 1)
    .optional()
    .meta({ description: "Name of the domain. Send either this or `domainId`.", example: "example.com" }),
  subdomainPattern: pattern.optional().meta({
    description: "Host pattern, relative to the domain. Default: `host`, or `*` without one.",
  }),
  host: line(1_024, 1)
    .nullable()
    .default(null)
    .meta({ description: "The requested host, relative to the domain.", example: "www.dev" }),
  access: access.default("write"),
  reason: prose(1_000)
    .nullable()
    .default(null)
    .meta({ description: "Reason for the request.", example: "Moving the shop." }),
});

export const decideInput = z.strictObject({
  id: requestId,
  note: prose(1_000).nullable().default(null).meta({ description: "Note to the requester.", example: "Until May." }),
});
