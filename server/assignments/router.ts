import { route } from "../api/route.ts";
import { success } from "../api/schemas.ts";
import { admin, router, signedIn } from "../api/trpc.ts";
import {
  assignment,
  assignmentIdInput,
  assignmentPage,
  assignmentRequest,
  assignmentRequestPage,
  createAssignmentInput,
  decideInput,
  listAssignmentsInput,
  listRequestsInput,
  requestInput,
} from "./schemas.ts";

const tag = "Assignments";

export const assignmentsRouter = router({
  list: signedIn
    .meta(
      route.signedIn({
        method: "GET",
        path: "/assignments",
        operationId: "listAssignments",
        tag,
        summary: "List assignments",
        description: "Your own; administrators see all of them. Filters combine.",
      }),
    )
    .input(listAssignmentsInput)
    .output(assignmentPage)
    .query(({ ctx, input }) => ctx.services.assignments.list(ctx.em, ctx.caller, input)),

  create: admin
    .meta(
      route.admin({
        method: "POST",
        path: "/assignments",
        operationId: "createAssignment",
        tag,
        summary: "Assign a domain, or some of its hosts",
        description:
          "The member sees the domain and the records whose hosts match, and with `write` changes them. Several assignments add up. " +
          "The member is told.",
        status: 201,
        errors: [409],
      }),
    )
    .input(createAssignmentInput)
    .output(assignment)
    .mutation(({ ctx, input }) => ctx.services.assignments.create(ctx.em, ctx.caller, input)),

  delete: admin
    .meta(
      route.admin({
        method: "DELETE",
        path: "/assignments/{id}",
        operationId: "deleteAssignment",
        tag,
        summary: "Take an assignment back",
        description: "Holds from the member's next call on. The member is told.",
      }),
    )
    .input(assignmentIdInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.assignments.delete(ctx.em, ctx.caller, input.id);
      return { success: true as const };
    }),

  listRequests: signedIn
    .meta(
      route.signedIn({
        method: "GET",
        path: "/assignments/requests",
        operationId: "listAssignmentRequests",
        tag,
        summary: "List requests for assignments",
        description: "Your own; administrators see all of them.",
      }),
    )
    .input(listRequestsInput)
    .output(assignmentRequestPage)
    .query(({ ctx, input }) => ctx.services.assignmentRequests.list(ctx.em, ctx.caller, input)),

  request: signedIn
    .meta(
      route.signedIn({
        method: "POST",
        path: "/assignments/requests",
        operationId: "requestAssignment",
        tag,
        summary: "Ask for an assignment",
        description:
          "Administrators are told. Name the domain by `domainId` or `domainName`; a name that is not managed here can be asked for, too.",
        status: 201,
        errors: [404, 409],
      }),
    )
    .input(requestInput)
    .output(assignmentRequest)
    .mutation(({ ctx, input }) => ctx.services.assignmentRequests.create(ctx.em, ctx.caller, input)),

  approve: admin
    .meta(
      route.admin({
        method: "POST",
        path: "/assignments/requests/{id}/approve",
        operationId: "approveAssignmentRequest",
        tag,
        summary: "Approve a request",
        description: "Makes the assignment. Who asked is told.",
        errors: [409],
      }),
    )
    .input(decideInput)
    .output(assignmentRequest)
    .mutation(({ ctx, input }) => ctx.services.assignmentRequests.approve(ctx.em, ctx.caller, input)),

  reject: admin
    .meta(
      route.admin({
        method: "POST",
        path: "/assignments/requests/{id}/reject",
        operationId: "rejectAssignmentRequest",
        tag,
        summary: "Reject a request",
        description: "Who asked is told.",
        errors: [409],
      }),
    )
    .input(decideInput)
    .output(assignmentRequest)
    .mutation(({ ctx, input }) => ctx.services.assignmentRequests.reject(ctx.em, ctx.caller, input)),
});
