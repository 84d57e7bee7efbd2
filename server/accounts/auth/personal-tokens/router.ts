import { route } from "../../../api/route.ts";
import { nothing, success } from "../../../api/schemas.ts";
import { confirmed, router, signedIn } from "../../../api/trpc.ts";
import { createTokenInput, newPersonalToken, personalTokens, tokenIdInput } from "./schemas.ts";

const tag = "Sign-in and account";

export const tokensRouter = router({
  list: signedIn
    .meta(
      route.signedIn({
        method: "GET",
        path: "/auth/me/tokens",
        operationId: "listTokens",
        tag,
        summary: "List your personal tokens",
      }),
    )
    .input(nothing)
    .output(personalTokens)
    .query(({ ctx }) => ctx.services.personalTokens.list(ctx.em, ctx.caller)),

  create: confirmed
    .meta(
      route.confirmed({
        method: "POST",
        path: "/auth/me/tokens",
        operationId: "createToken",
        tag,
        summary: "Make a personal token",
        description:
          "A program calls with it in your name: `Authorization: Bearer` on every route that names one of its permissions, and " +
          "on no other. It may never do more than you may, and ends with your account. At most 100 each (409).",
        status: 201,
        errors: [409],
      }),
    )
    .input(createTokenInput)
    .output(newPersonalToken)
    .mutation(({ ctx, input }) => ctx.services.personalTokens.create(ctx.em, ctx.caller, input)),

  delete: signedIn
    .meta(
      route.signedIn({
        method: "DELETE",
        path: "/auth/me/tokens/{id}",
        operationId: "deleteToken",
        tag,
        summary: "Revoke a personal token",
        description: "It stops working at once.",
      }),
    )
    .input(tokenIdInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.personalTokens.delete(ctx.em, ctx.caller, input.id);
      return { success: true as const };
    }),
});
