import { route } from "../route.ts";
import { success } from "../schemas.ts";
import { admin, router } from "../trpc.ts";
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

  create: admin
    .meta(
      route.admin({
        method: "POST",
        path: "/users",
        operationId: "createUser",
        tag,
        summary: "Add a user",
        status: 201,
        errors: [409, 503],
      }),
    )
    .input(createUserInput)
    .output(managedUser)
    .mutation(({ ctx, input }) => ctx.services.userAdministration.create(ctx.em, ctx.caller, input)),

  update: admin
    .meta(
      route.admin({
        method: "PUT",
        path: "/users/{id}",
        operationId: "updateUser",
        tag,
        summary: "Change a user",
        description:
          "Fields left out stay as they are. What changes takes effect with the user's next request. The last administrator cannot be " +
          "demoted or disabled.",
        example: { disabled: true },
        errors: [409, 503],
      }),
    )
    .input(updateUserInput)
    .output(managedUser)
    .mutation(({ ctx, input }) => ctx.services.userAdministration.update(ctx.em, ctx.caller, input)),

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
