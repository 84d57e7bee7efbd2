import { success } from "../../../api/schemas.ts";
import { admin, adminConfirmedAfterInput } from "../../../api/procedures.ts";
import { router } from "../../../api/trpc.ts";
import {
  createInvitationInput,
  invitationIdInput,
  invitationPage,
  listInvitationsInput,
  newInvitation,
} from "./schemas.ts";
import type { Confirmation } from "../../auth/confirmation/service.ts";
import type { Invitations } from "./service.ts";

const tag = "Users";

export function createInvitationsRouter({
  confirmation,
  invitations,
}: {
  confirmation: Confirmation;
  invitations: Invitations;
}) {
  return router({
    list: admin({
      method: "GET",
      path: "/invitations",
      operationId: "listInvitations",
      tag,
      summary: "List invitations",
    })
      .input(listInvitationsInput)
      .output(invitationPage)
      .query(({ ctx, input }) => invitations.list(ctx.em, input)),

    create: adminConfirmedAfterInput({
      method: "POST",
      path: "/invitations",
      operationId: "createInvitation",
      tag,
      summary: "Create an invitation",
      description:
        "Returns the code, which is shown only once. Give it to the people who should register. The invitation ends when you are deleted, " +
        "disabled or demoted.",
      status: 201,
    })
      .input(createInvitationInput)
      .output(newInvitation)
      .mutation(async ({ ctx, input }) => {
        await confirmation.require(ctx.em, ctx.caller);
        return await invitations.create(ctx.em, ctx.caller, input);
      }),

    delete: admin({
      method: "DELETE",
      path: "/invitations/{id}",
      operationId: "deleteInvitation",
      tag,
      summary: "Withdraw an invitation",
      description: "Accounts that were registered with it remain.",
    })
      .input(invitationIdInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await invitations.delete(ctx.em, ctx.caller, input.id);
        return { success: true as const };
      }),
  });
}
