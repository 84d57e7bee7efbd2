import { route } from "../../api/route.ts";
import { success } from "../../api/schemas.ts";
import { admin, confirmedAdmin, router } from "../../api/trpc.ts";
import { revokeAccessInput, userAccess, userAccessInput } from "./access/schemas.ts";
import {
  createUserInput,
  deleteUserInput,
  listUsersInput,
  managedUser,
  updateUserInput,
  userIdInput,
  userPage,
} from "./schemas.ts";

const tag = "Users";

export const usersRouter = router({
  list: admin
    .meta(
      route.admin({
        method: "GET",
        path: "/users",
        operationId: "listUsers",
        tag,
        summary: "List users",
        description: "By username. Filters combine.",
      }),
    )
    .input(listUsersInput)
    .output(userPage)
    .query(({ ctx, input }) => ctx.services.userAdministration.list(ctx.em, input)),

  get: admin
    .meta(route.admin({ method: "GET", path: "/users/{id}", operationId: "getUser", tag, summary: "Get a user" }))
    .input(userIdInput)
    .output(managedUser)
    .query(({ ctx, input }) => ctx.services.userAdministration.get(ctx.em, input.id)),

  create: confirmedAdmin
    .meta(
      route.confirmedAdmin({
        method: "POST",
        path: "/users",
        operationId: "createUser",
        tag,
        summary: "Add a user",
        description: "Administrators are notified and mailed of a new administrator.",
        status: 201,
        errors: [409, 503],
      }),
    )
    .input(createUserInput)
    .output(managedUser)
    .mutation(({ ctx, input }) => ctx.services.userAdministration.create(ctx.em, ctx.caller, input)),

  update: admin
    .meta(
      route.adminGivingAccess({
        method: "PUT",
        path: "/users/{id}",
        operationId: "updateUser",
        tag,
        summary: "Change a user",
        description:
          "Fields left out stay as they are. What changes takes effect with the user's next request. A new `password` takes every other " +
          "way into the account away, unless `revoke` names fewer; other fields take none away. The last administrator cannot be demoted or " +
          "disabled. These give access: `password`, `email`, `emailVerified: true`, `role: admin`, `disabled: false` and " +
          "`removeSecondFactors: true`. Administrators are notified and mailed of a new administrator.",
        example: { disabled: true },
        errors: [409, 503],
      }),
    )
    .input(updateUserInput)
    .output(managedUser)
    .mutation(({ ctx, input }) => ctx.services.userAdministration.update(ctx.em, ctx.caller, input)),

  access: admin
    .meta(
      route.admin({
        method: "GET",
        path: "/users/{id}/access",
        operationId: "getUserAccess",
        tag,
        summary: "List every way into a user's account",
        description:
          "Password, sessions, personal tokens, passkeys, identities and second factors, without their secrets.",
      }),
    )
    .input(userAccessInput)
    .output(userAccess)
    .query(({ ctx, input }) => ctx.services.userAccess.get(ctx.em, input.id)),

  revokeAccess: admin
    .meta(
      route.adminGivingAccess({
        method: "DELETE",
        path: "/users/{id}/access",
        operationId: "revokeUserAccess",
        tag,
        bodied: true,
        summary: "Take ways into a user's account away",
        description:
          "All of them, or those that the body names. Mailed links, sign-ins under way and an address that the user verified by a link lose " +
          "their worth as well, the address only when everything goes. Set a new password afterwards to let the user in again. Answers with " +
          "what is left. Your own account is 403. Removing second factors or passkeys but not the password takes a protection away; everything " +
          "else needs no confirmation.",
        example: { revoke: ["tokens", "passkeys"] },
      }),
    )
    .input(revokeAccessInput)
    .output(userAccess)
    .mutation(({ ctx, input }) => ctx.services.userAccess.revoke(ctx.em, ctx.caller, input)),

  delete: admin
    .meta(
      route.admin({
        method: "DELETE",
        path: "/users/{id}",
        operationId: "deleteUser",
        tag,
        summary: "Delete a user",
        description:
          "The user's sessions and tokens end at once; what the user did stays in history and audit. Domains that the user owns need " +
          "somebody to take them over: name one by `reassignTo`, else the answer is 409. The last administrator cannot be deleted.",
        errors: [409],
      }),
    )
    .input(deleteUserInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.userAdministration.delete(ctx.em, ctx.caller, input);
      return { success: true as const };
    }),
});
