import { z } from "zod";
import { id, line, pageOf, paging, prose, timestamp } from "../api/schemas.ts";

const assignmentId = id("The assignment's id.");
const requestId = id("The request's id.");
const userId = id("Whose it is.");
const access = z
  .enum(["read", "write"], "This must be read or write.")
  .meta({ description: "`read`: to see the records. `write`: to change them as well.", example: "write" });
const shownPattern = z.string().meta({
  description: "Which hosts: `*` stands for any characters, dots included, and alone for every host; `@` is the apex.",
  example: "*.dev",
});
const pattern = line(512, 1).meta({
  description:
    "Which hosts, relative to the domain: `*` stands for any characters, dots included, and alone for every host; `@` is the apex.",
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
    createdBy: id("The administrator who made it.").nullable(),
    createdAt: timestamp("When it was made."),
  })
  .meta({ id: "Assignment", description: "Lets a member reach the records of a domain whose hosts match." });

export const assignmentPage = z
  .object({ assignments: z.array(assignment).meta({ description: "Newest first." }), ...pageOf })
  .meta({ id: "AssignmentPage", description: "A page of assignments." });

export const listAssignmentsInput = z.strictObject({
  ...paging(20, 100),
  userId: id("").optional().meta({ description: "Only this user's." }),
  domainId: id("").optional().meta({ description: "Only those of this domain." }),
});

export const createAssignmentInput = z.strictObject({
  userId: id("Who gets it."),
  domainId: id("The domain."),
  subdomainPattern: pattern.default("*"),
  access: access.default("read"),
});

export const assignmentIdInput = z.strictObject({ id: assignmentId });

const status = z.enum(["pending", "approved", "rejected"], "This must be pending, approved or rejected.");

export const assignmentRequest = z
  .object({
    id: requestId,
    userId: id("Who asks."),
    username: z.string().meta({ description: "Their username.", example: "alice" }),
    domainId: id(
      "The domain; null where it is not managed here, and for who asked by its name until it is approved.",
    ).nullable(),
    domainName: z.string().nullable().meta({
      description: "The domain's name; null for who asked by its id until it is approved.",
      example: "example.com",
    }),
    subdomainPattern: shownPattern,
    host: z.string().nullable().meta({ description: "The host that it is about.", example: "www.dev" }),
    access,
    reason: z.string().nullable().meta({ description: "Why.", example: "Moving the shop." }),
    status: status.meta({ description: "What became of it.", example: "pending" }),
    note: z.string().nullable().meta({ description: "What the administrator said to it.", example: null }),
    decidedBy: id("The administrator who decided.").nullable(),
    decidedAt: timestamp("When it was decided.").nullable(),
    assignmentId: id("The assignment that it became.").nullable(),
    createdAt: timestamp("When it was made."),
  })
  .meta({ id: "AssignmentRequest", description: "Somebody's wish for an assignment." });

export const assignmentRequestPage = z
  .object({ requests: z.array(assignmentRequest).meta({ description: "Newest first." }), ...pageOf })
  .meta({ id: "AssignmentRequestPage", description: "A page of requests." });

export const listRequestsInput = z.strictObject({
  ...paging(20, 100),
  status: status.optional().meta({ description: "Only requests of which this became." }),
});

export const requestInput = z.strictObject({
  domainId: id("").optional().meta({ description: "The domain, by its id; this or the name." }),
  domainName: line(1_024, 1)
    .optional()
    .meta({ description: "The domain, by its name; this or the id.", example: "example.com" }),
  subdomainPattern: pattern.optional().meta({
    description: "Which hosts, relative to the domain; where absent the host, else `*` for every host.",
  }),
  host: line(1_024, 1)
    .nullable()
    .default(null)
    .meta({ description: "The host that it is about, relative to the domain.", example: "www.dev" }),
  access: access.default("write"),
  reason: prose(1_000).nullable().default(null).meta({ description: "Why.", example: "Moving the shop." }),
});

export const decideInput = z.strictObject({
  id: requestId,
  note: prose(1_000).nullable().default(null).meta({ description: "Told to who asked.", example: "Until May." }),
});
