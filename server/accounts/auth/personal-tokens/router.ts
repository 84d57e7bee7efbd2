import { anyPage, nothing, pageOfAll, success } from "../../../api/schemas.ts";
import { anyToken, confirmedAfterInput, signedIn } from "../../../api/procedures.ts";
import { router } from "../../../api/trpc.ts";
import {
  createTokenInput,
  credential,
  newPersonalToken,
  personalTokens as personalTokensSchema,
  tokenIdInput,
} from "./schemas.ts";
import type { Confirmation } from "../confirmation/service.ts";
import type { PersonalTokens } from "./service.ts";

const tag = "Sign-in and account";

export function createTokensRouter({
  confirmation,
  personalTokens,
}: {
  confirmation: Confirmation;
  personalTokens: PersonalTokens;
}) {
  return router({
    list: signedIn({
      method: "GET",
      path: "/auth/me/tokens",
      operationId: "listTokens",
      tag,
      summary: "List your personal tokens",
    })
      .input(anyPage)
      .output(personalTokensSchema)
      .query(async ({ ctx, input }) => {
        const all = await personalTokens.list(ctx.em, ctx.caller);
        return { ...all, tokens: pageOfAll(all.tokens, input) };
      }),

    current: anyToken({
      method: "GET",
      path: "/auth/me/token",
      operationId: "getCredential",
      tag,
      summary: "Get the personal token that makes the call",
      description:
        "Says whom the credential of this call belongs to, what it may do, and when it expires. A session has no `token`.",
    })
      .input(nothing)
      .output(credential)
      .query(({ ctx }) => personalTokens.current(ctx.em, ctx.caller)),

    create: confirmedAfterInput({
      method: "POST",
      path: "/auth/me/tokens",
      operationId: "createToken",
      tag,
      summary: "Create a personal token",
      description:
        "Lets a program call the API as you, with `Authorization: Bearer`. The token opens only routes that require one of its " +
        "permissions, and never allows more than you may do yourself. It ends with your account. At most 100 per user (409).\n\n" +
        "`domainIds`, `hostPattern` and `recordTypes` narrow it to some records: lists, searches and counts then show only those, and " +
        "calls that concern a domain as a whole return 403. The token ends when the last domain that it names is deleted.",
      status: 201,
      errors: [409],
    })
      .input(createTokenInput)
      .output(newPersonalToken)
      .mutation(async ({ ctx, input }) => {
        await confirmation.require(ctx.em, ctx.caller);
        return await personalTokens.create(ctx.em, ctx.caller, input);
      }),

    delete: signedIn({
      method: "DELETE",
      path: "/auth/me/tokens/{id}",
      operationId: "deleteToken",
      tag,
      summary: "Revoke a personal token",
      description: "The token stops working at once.",
    })
      .input(tokenIdInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await personalTokens.delete(ctx.em, ctx.caller, input.id);
        return { success: true as const };
      }),
  });
}
