import { z } from "zod";
import {
  id,
  line,
  pageOf,
  paging,
  prose,
  shownId,
  timestamp,
  timestampInput,
  listedRecordType,
  recordTypeInput,
} from "../../api/schemas.ts";

const assignmentId = id("The assignment's id.");
const requestId = id("The request's id.");
const userId = id("The member.");
const access = z.enum(["read", "propose", "write"], "This must be read, propose or write.").meta({
  description:
    "`read`: view the records. `propose`: also propose changes, which others review. `write`: also change the records.",
  example: "write",
});
const requestedAccess = z
  .enum(["read", "write"], "This must be read or write.")
  .meta({ description: "`read`: view the records. `write`: also change them.", example: "write" });
const groupName = line(100, 1).meta({
  description: "Every domain in this group, those added later included.",
  example: "Customers",
});
const tag = line(50, 1).meta({
  description: "Every domain with this tag, those tagged later included.",
  example: "staging",
});
const recordTypes = z
  .array(recordTypeInput)
  .max(100, "An assignment can name at most 100 record types.")
  .transform((types) => [...new Set(types)].toSorted());
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
    domainId: shownId("The domain's id. All zeros if the assignment names a group or a tag."),
    domainName: z.string().meta({
      description: "The domain's name. Empty if the assignment names a group or a tag.",
      example: "example.com",
    }),
    groupName: z.string().nullable().meta({
      description: "The group whose domains are assigned; null if the assignment does not name a group.",
      example: null,
    }),
    tag: z.string().nullable().meta({
      description: "The tag whose domains are assigned; null if the assignment does not name a tag.",
      example: null,
    }),
    subdomainPattern: shownPattern,
    access,
    recordTypes: z
      .array(listedRecordType)
      .meta({ description: "The record types that are assigned; empty: all.", example: ["TXT"] }),
    review: z.boolean().meta({
      description: "Whether the member may review change requests of others for these records.",
      example: false,
    }),
    expiresAt: timestamp("When it ends by itself; null: never.").nullable(),
    fromGroup: z.boolean().meta({
      description:
        "Whether it comes from a group of a sign-in provider. It then ends with the group, and is restored by the next sign-in if deleted.",
      example: false,
    }),
    createdBy: id("The administrator who created it; null if it comes from a group.").nullable(),
    createdAt: timestamp("When it was created."),
  })
  .meta({
    id: "Assignment",
    description:
      "A member's access to records of a domain, or of every domain in a group or with a tag: those whose host matches a pattern and whose " +
      "type is listed.",
  });

export const assignmentPage = z
  .object({ assignments: z.array(assignment).meta({ description: "Newest first." }), ...pageOf })
  .meta({ id: "AssignmentPage", description: "A page of assignments." });

export const listAssignmentsInput = z.strictObject({
  ...paging(20, 100),
  userId: id("Only assignments of this user.").optional(),
  domainId: id("Only assignments that cover this domain, by its id, group or tags.").optional(),
});

export const createAssignmentInput = z.strictObject({
  userId: id("The member who gets access."),
  domainId: id("The domain to assign. Send exactly one of `domainId`, `groupName` and `tag`.").optional(),
  groupName: groupName.optional(),
  tag: tag.optional(),
  subdomainPattern: pattern.default("*"),
  access: access.default("read"),
  recordTypes: recordTypes.default([]).meta({
    description:
      "The record types to assign; empty: all. Name `NS` to include those of the apex, and `MX` where the domain has `protectMail`: otherwise " +
      "these are for the owner and administrators.",
    example: ["TXT"],
  }),
  review: z.boolean("This must be true or false.").default(false).meta({
    description: "Whether the member may review change requests of others for these records.",
    example: false,
  }),
  expiresAt: timestampInput("When the assignment ends by itself; null: never. The member is notified a day before.")
    .nullable()
    .default(null),
});

/** What a rule gives to the members of a group: like an assignment, without a user. */
export const givenAssignment = z.strictObject({
  domainId: id("The domain to assign. Send exactly one of `domainId`, `groupName` and `tag`.").optional(),
  groupName: groupName.optional(),
  tag: tag.optional(),
  subdomainPattern: pattern.default("*"),
  access: access.default("read"),
  recordTypes: recordTypes.default([]).meta({
    description: "The record types to assign; empty: all.",
    example: ["TXT"],
  }),
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
    access: requestedAccess,
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
  access: requestedAccess.default("write"),
  reason: prose(1_000)
    .nullable()
    .default(null)
    .meta({ description: "Reason for the request.", example: "Moving the shop." }),
});

export const decideInput = z.strictObject({
  id: requestId,
  note: prose(1_000).nullable().default(null).meta({ description: "Note to the requester.", example: "Until May." }),
});
