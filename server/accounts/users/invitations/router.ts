import { route } from "../../../api/route.ts";
import { success } from "../../../api/schemas.ts";
import { admin, confirmedAdmin, router } from "../../../api/trpc.ts";
import {
  createInvitationInput,
  invitationIdInput,
  invitationPage,
  listInvitationsInput,
  newInvitation,
} from "./schemas.ts";

const tag = "Users";

export const invitationsRouter = router({
  list: admin
    .meta(
      route.admin({
        method: "GET",
        path: "/invitations",
        operationId: "listInvitations",
        tag,
        summary: "List invitations",
      }),
    )
    .input(listInvitationsInput)
    .output(invitationPage)
    .query(({ ctx, input }) => ctx.services.invitations.list(ctx.em, input)),

  create: confirmedAdmin
    .meta(
      route.confirmedAdmin({
        method: "POST",
        path: "/invitations",
        operationId: "createInvitation",
        tag,
        summary: "Invite people to register",
        description:
          "The code is shown in this answer only. Give it to the person who is to register. It ends when you are deleted, disabled or demoted.",
        status: 201,
      }),
    )
    .input(createInvitationInput)
    .output(newInvitation)
    .mutation(({ ctx, input }) => ctx.services.invitations.create(ctx.em, ctx.caller, input)),

  delete: admin
    .meta(
      route.admin({
        method: "DELETE",
        path: "/invitations/{id}",
        operationId: "deleteInvitation",
        tag,
        summary: "Withdraw an invitation",
        description: "Who registered with it stays.",
      }),
    )
    .input(invitationIdInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.invitations.delete(ctx.em, ctx.caller, input.id);
      return { success: true as const };
    }),
});
