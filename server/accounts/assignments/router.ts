import { success } from "../../api/schemas.ts";
import { adminMay, may } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
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
import type { AssignmentRequests } from "./requests.ts";
import type { Assignments } from "./service.ts";

const tag = "Assignments";

export function createAssignmentsRouter({
  assignmentRequests,
  assignments,
}: {
  assignmentRequests: AssignmentRequests;
  assignments: Assignments;
}) {
  return router({
    list: may("assignments:read", {
      method: "GET",
      path: "/assignments",
      operationId: "listAssignments",
      tag,
      summary: "List assignments",
      description: "Members get their own, administrators all. Filters combine.",
    })
      .input(listAssignmentsInput)
      .output(assignmentPage)
      .query(({ ctx, input }) => assignments.list(ctx.em, ctx.caller, input)),

    create: adminMay("assignments:write", {
      method: "POST",
      path: "/assignments",
      operationId: "createAssignment",
      tag,
      summary: "Assign a domain or some of its hosts",
      description:
        "The member sees the domain and the records whose hosts match; with `write`, the member may also change them. Multiple assignments " +
        "combine. The member is notified.",
      status: 201,
      errors: [409],
    })
      .input(createAssignmentInput)
      .output(assignment)
      .mutation(({ ctx, input }) => assignments.create(ctx.em, ctx.caller, input)),

    delete: adminMay("assignments:write", {
      method: "DELETE",
      path: "/assignments/{id}",
      operationId: "deleteAssignment",
      tag,
      summary: "Revoke an assignment",
      description: "Takes effect with the member's next call. The member is notified.",
    })
      .input(assignmentIdInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await assignments.delete(ctx.em, ctx.caller, input.id);
        return { success: true as const };
      }),

    listRequests: may("assignments:read", {
      method: "GET",
      path: "/assignments/requests",
      operationId: "listAssignmentRequests",
      tag,
      summary: "List assignment requests",
      description: "Members get their own, administrators all.",
    })
      .input(listRequestsInput)
      .output(assignmentRequestPage)
      .query(({ ctx, input }) => assignmentRequests.list(ctx.em, ctx.caller, input)),

    request: may("assignments:write", {
      method: "POST",
      path: "/assignments/requests",
      operationId: "requestAssignment",
      tag,
      summary: "Request an assignment",
      description:
        "Name the domain by `domainId` or `domainName`. You may also name a domain that is not managed here. Administrators are notified.",
      status: 201,
      errors: [404, 409],
    })
      .input(requestInput)
      .output(assignmentRequest)
      .mutation(({ ctx, input }) => assignmentRequests.create(ctx.em, ctx.caller, input)),

    approve: adminMay("assignments:write", {
      method: "POST",
      path: "/assignments/requests/{id}/approve",
      operationId: "approveAssignmentRequest",
      tag,
      summary: "Approve an assignment request",
      description: "Creates the assignment. The requester is notified.",
      errors: [409],
    })
      .input(decideInput)
      .output(assignmentRequest)
      .mutation(({ ctx, input }) => assignmentRequests.approve(ctx.em, ctx.caller, input)),

    reject: adminMay("assignments:write", {
      method: "POST",
      path: "/assignments/requests/{id}/reject",
      operationId: "rejectAssignmentRequest",
      tag,
      summary: "Reject an assignment request",
      description: "The requester is notified.",
      errors: [409],
    })
      .input(decideInput)
      .output(assignmentRequest)
      .mutation(({ ctx, input }) => assignmentRequests.reject(ctx.em, ctx.caller, input)),
  });
}
