import { answerOf, passingLarge } from "../../api/large-answers.ts";
import { may } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { plan, planInput } from "../records/change-schemas.ts";
import {
  addCommentInput,
  applyRequestInput,
  approveRequestInput,
  changeRequest,
  comment,
  commentPage,
  createRequestInput,
  listCommentsInput,
  listRequestsInput,
  rejectRequestInput,
  requestIdInput,
  requestPage,
} from "./schemas.ts";
import type { Caller } from "../../access/caller.ts";
import type { Records } from "../records/service.ts";
import { planRequestedZonefileInput, requestedZonefile } from "../records/whole-zone-schemas.ts";
import type { ZoneFileTransfer } from "../records/zone-file-transfer.ts";
import type { ChangeRequestApplier } from "./applier.ts";
import type { ChangeRequests, RequestComments } from "./service.ts";

const tag = "Change requests";

export function createChangeRequestsRouter({
  changeRequestApplier,
  changeRequests,
  confirmation,
  records,
  requestComments,
  zoneFiles,
}: {
  changeRequestApplier: ChangeRequestApplier;
  changeRequests: ChangeRequests;
  records: Records;
  requestComments: RequestComments;
  zoneFiles: ZoneFileTransfer;
  confirmation: { require(em: Parameters<ChangeRequests["get"]>[0], caller: Caller): Promise<void> };
}) {
  return router({
    list: may("requests:read", {
      method: "GET",
      path: "/change-requests",
      operationId: "listChangeRequests",
      tag,
      summary: "List change requests",
      description:
        "Returns your own requests, and those for domains you may see. Of assigned domains, only those whose every name matches your host " +
        "patterns. Filters combine.",
    })
      .input(listRequestsInput)
      .output(requestPage)
      .query(({ ctx, input }) => changeRequests.list(ctx.em, ctx.caller, input)),

    get: may("requests:read", {
      method: "GET",
      path: "/change-requests/{id}",
      operationId: "getChangeRequest",
      tag,
      summary: "Get a change request",
      description: "Plans an open request anew, so that `plan` and `changesHash` describe the zone as it is now.",
    })
      .input(requestIdInput)
      .output(passingLarge(changeRequest))
      .query(
        async ({ ctx, input }) => await answerOf(changeRequest, await changeRequests.get(ctx.em, ctx.caller, input.id)),
      ),

    plan: may("requests:write", {
      method: "POST",
      path: "/domains/{id}/change-requests/plan",
      operationId: "planChangeRequest",
      largeBody: true,
      tag,
      summary: "Plan a change request",
      description:
        "Returns what `planRecords` returns, and changes nothing. For personal tokens that may request changes, but not make them.",
      errors: [409],
    })
      .input(planInput)
      .output(passingLarge(plan))
      .mutation(async ({ ctx, input }) => await answerOf(plan, await records.plan(ctx.em, ctx.caller, input))),

    planZonefile: may("requests:write", {
      method: "POST",
      path: "/domains/{id}/change-requests/zonefile/plan",
      operationId: "planRequestedZonefile",
      largeBody: true,
      tag,
      summary: "Compare a domain with a zone file for a change request",
      description:
        "Returns what `planZonefile` returns, for those who may request changes, and changes nothing. Compares only records that you may " +
        "request changes of: others of the domain stay as they are, and others of the file are skipped with a warning. Request the changes " +
        "of `plan` with `createChangeRequest`. The `{id}` may also be the domain's name.",
      errors: [409, 502],
    })
      .input(planRequestedZonefileInput)
      .output(passingLarge(requestedZonefile))
      .mutation(
        async ({ ctx, input }) =>
          await answerOf(requestedZonefile, await zoneFiles.planRequest(ctx.em, ctx.caller, input)),
      ),

    create: may("requests:write", {
      method: "POST",
      path: "/domains/{id}/change-requests",
      operationId: "createChangeRequest",
      largeBody: true,
      costly: true,
      tag,
      summary: "Request a change",
      description:
        "Checks the changes as `planRecords` does, and stores them for a review. Nothing is changed. Those who may review it are notified.",
      status: 201,
      errors: [409, 502],
      example: {
        title: "Move www to the new load balancer",
        changes: [{ action: "create", record: { recordType: "A", name: "www", value: "192.0.2.1" } }],
      },
    })
      .input(createRequestInput)
      .output(passingLarge(changeRequest))
      .mutation(
        async ({ ctx, input }) => await answerOf(changeRequest, await changeRequests.create(ctx.em, ctx.caller, input)),
      ),

    approve: may("requests:write", {
      method: "POST",
      path: "/change-requests/{id}/approve",
      operationId: "approveChangeRequest",
      costly: true,
      tag,
      summary: "Approve a change request",
      description:
        "For administrators and the domain's owner, but not for the author. Approves the changes whose `changesHash` you send: returns 409 if they " +
        "have changed since. A request whose `applyAt` has passed is then applied within a minute.",
      errors: [409, 502],
    })
      .input(approveRequestInput)
      .output(passingLarge(changeRequest))
      .mutation(
        async ({ ctx, input }) =>
          await answerOf(
            changeRequest,
            await changeRequests.approve(ctx.em, ctx.caller, input, () => confirmation.require(ctx.em, ctx.caller)),
          ),
      ),

    reject: may("requests:write", {
      method: "POST",
      path: "/change-requests/{id}/reject",
      operationId: "rejectChangeRequest",
      tag,
      summary: "Reject a change request",
      description: "For administrators and the domain's owner, but not for the author. Also ends an approved request.",
      errors: [409],
    })
      .input(rejectRequestInput)
      .output(passingLarge(changeRequest))
      .mutation(
        async ({ ctx, input }) => await answerOf(changeRequest, await changeRequests.reject(ctx.em, ctx.caller, input)),
      ),

    withdraw: may("requests:write", {
      method: "POST",
      path: "/change-requests/{id}/withdraw",
      operationId: "withdrawChangeRequest",
      tag,
      summary: "Withdraw a change request",
      description: "For its author, until it is applied.",
      errors: [409],
    })
      .input(requestIdInput)
      .output(passingLarge(changeRequest))
      .mutation(
        async ({ ctx, input }) =>
          await answerOf(changeRequest, await changeRequests.withdraw(ctx.em, ctx.caller, input.id)),
      ),

    /** tRPC reserves `apply`. */
    applyRequest: may("requests:write", {
      method: "POST",
      path: "/change-requests/{id}/apply",
      operationId: "applyChangeRequest",
      costly: true,
      tag,
      summary: "Apply a change request",
      description:
        "For the author and those who may review it. Plans it anew, and applies all changes of records or none; the fields of a registration go " +
        "one after another. Returns 409 if it would do something else " +
        "than was approved, and `REVIEW_REQUIRED` if no approval counts. Without an approval, an author who may edit the records directly can " +
        "apply it where no review is required.",
      errors: [409, 502],
    })
      .input(applyRequestInput)
      .output(passingLarge(changeRequest))
      .mutation(async ({ ctx, input }) => {
        await changeRequestApplier.apply(ctx.em, ctx.caller, input, () => confirmation.require(ctx.em, ctx.caller));
        return await answerOf(changeRequest, await changeRequests.get(ctx.em.fork(), ctx.caller, input.id));
      }),

    listComments: may("requests:read", {
      method: "GET",
      path: "/change-requests/{id}/comments",
      operationId: "listChangeRequestComments",
      tag,
      summary: "List the comments on a change request",
    })
      .input(listCommentsInput)
      .output(commentPage)
      .query(({ ctx, input }) => requestComments.list(ctx.em, ctx.caller, input)),

    comment: may("requests:write", {
      method: "POST",
      path: "/change-requests/{id}/comments",
      operationId: "commentChangeRequest",
      tag,
      summary: "Comment on a change request",
      description: "For everyone who may see it, also once it is closed. A request takes 1,000 comments.",
      status: 201,
      errors: [409],
    })
      .input(addCommentInput)
      .output(comment)
      .mutation(({ ctx, input }) => requestComments.add(ctx.em, ctx.caller, input)),
  });
}
