import { success } from "../../api/schemas.ts";
import { auditing, admin, adminConfirmedAfterInput, adminGivingAccess } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { revokeAccessInput, userAccess as userAccessSchema, userAccessInput } from "./access/schemas.ts";
import {
  createUserInput,
  deleteUserInput,
  listUsersInput,
  managedUser,
  updateUserInput,
  userIdInput,
  userPage,
} from "./schemas.ts";
import type { UserAccess } from "./access/service.ts";
import type { UserAdministration } from "./administration.ts";

const tag = "Users";

export function createUsersRouter({
  userAccess,
  userAdministration,
}: {
  userAccess: UserAccess;
  userAdministration: UserAdministration;
}) {
  return router({
    list: auditing({
      method: "GET",
      path: "/users",
      operationId: "listUsers",
      tag,
      summary: "List users",
      description: "Sorted by username. Filters combine.",
    })
      .input(listUsersInput)
      .output(userPage)
      .query(({ ctx, input }) => userAdministration.list(ctx.em, input)),

    get: auditing({ method: "GET", path: "/users/{id}", operationId: "getUser", tag, summary: "Get a user" })
      .input(userIdInput)
      .output(managedUser)
      .query(({ ctx, input }) => userAdministration.get(ctx.em, input.id)),

    create: adminConfirmedAfterInput({
      method: "POST",
      path: "/users",
      operationId: "createUser",
      tag,
      summary: "Create a user",
      description: "If the user is an administrator, administrators are notified, by mail as well.",
      status: 201,
      errors: [409, 503],
    })
      .input(createUserInput)
      .output(managedUser)
      .mutation(({ ctx, input }) => userAdministration.create(ctx.em, ctx.caller, input)),

    update: adminGivingAccess({
      method: "PUT",
      path: "/users/{id}",
      operationId: "updateUser",
      tag,
      summary: "Change a user",
      description:
        "Omitted fields keep their values. Changes apply from the user's next request. A new `password` revokes every other way into the " +
        "account, unless `revoke` selects fewer; a role from a sign-in provider's group ends with the identity. Other fields revoke none. " +
        "An unchanged `role` beside other fields stays the group's; sent alone, or with a password that ends the identity, it is given " +
        "by hand. " +
        "The last administrator who can sign in cannot be demoted or disabled, nor lose passkeys that are the only way in (409). These " +
        "fields grant access: `password`, `email`, `emailVerified: true`, `role: admin`, `disabled: false` and " +
        "`removeSecondFactors: true`. Administrators are notified of a new administrator, by mail as well.",
      example: { disabled: true },
      errors: [409, 503],
    })
      .input(updateUserInput)
      .output(managedUser)
      .mutation(({ ctx, input }) => userAdministration.update(ctx.em, ctx.caller, input)),

    access: auditing({
      method: "GET",
      path: "/users/{id}/access",
      operationId: "getUserAccess",
      tag,
      summary: "List every way into a user's account",
      description:
        "Password, sessions, personal tokens, calendar feeds, TSIG keys, passkeys, identities and second factors. Secrets are never shown.",
    })
      .input(userAccessInput)
      .output(userAccessSchema)
      .query(({ ctx, input }) => userAccess.get(ctx.em, input.id)),

    revokeAccess: adminGivingAccess({
      method: "DELETE",
      path: "/users/{id}/access",
      operationId: "revokeUserAccess",
      tag,
      bodied: true,
      summary: "Revoke a user's access",
      description:
        "Revokes every way into the account, or only those named in the body. Also ends mailed links and sign-ins in progress. Revoking " +
        "everything also discards an address that the user verified by a link. A role from a sign-in provider's group ends with the " +
        "identity. To let the user in again, set a new password. Returns the ways that remain. Returns 403 for your own account, and 409 if " +
        "no administrator could sign in afterwards. Removing second factors or passkeys, but not the password, requires a recently " +
        "confirmed session, because it removes a protection.",
      example: { revoke: ["tokens", "passkeys"] },
      errors: [409],
    })
      .input(revokeAccessInput)
      .output(userAccessSchema)
      .mutation(({ ctx, input }) => userAccess.revoke(ctx.em, ctx.caller, input)),

    delete: admin({
      method: "DELETE",
      path: "/users/{id}",
      operationId: "deleteUser",
      tag,
      summary: "Delete a user",
      description:
        "The user's sessions and tokens end at once. History and audit keep what the user did. If the user owns domains, name their new " +
        "owner in `reassignTo` (409 otherwise). The last administrator who can sign in cannot be deleted (409).",
      errors: [409],
    })
      .input(deleteUserInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await userAdministration.delete(ctx.em, ctx.caller, input);
        return { success: true as const };
      }),
  });
}
