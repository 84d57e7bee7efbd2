import { admin, auditing, confirmedAfterInput, signedIn } from "../../../api/procedures.ts";
import { anyPage, pageOfAll, success } from "../../../api/schemas.ts";
import { router } from "../../../api/trpc.ts";
import {
  createTsigKeyInput,
  listTsigKeysInput,
  newTsigKey,
  tsigKeyIdInput,
  tsigKeyPage,
  tsigKeys as tsigKeysSchema,
} from "./schemas.ts";
import type { Confirmation } from "../confirmation/service.ts";
import type { TsigKeys } from "./service.ts";

const tag = "TSIG keys";

export function createTsigKeysRouter({ confirmation, tsigKeys }: { confirmation: Confirmation; tsigKeys: TsigKeys }) {
  return router({
    list: signedIn({
      method: "GET",
      path: "/auth/me/tsig-keys",
      operationId: "listTsigKeys",
      tag,
      summary: "List your TSIG keys",
    })
      .input(anyPage)
      .output(tsigKeysSchema)
      .query(async ({ ctx, input }) => {
        const all = await tsigKeys.list(ctx.em, ctx.caller);
        return { ...all, keys: pageOfAll(all.keys, input) };
      }),

    create: confirmedAfterInput({
      method: "POST",
      path: "/auth/me/tsig-keys",
      operationId: "createTsigKey",
      tag,
      summary: "Create a TSIG key",
      description:
        "Lets DNS clients such as nsupdate change or read records of one domain as you, within a host pattern and record types. The key never " +
        "allows more than you may do yourself at the time of the message. It ends with your account and with the domain. At most 50 per user (409).",
      status: 201,
      errors: [409],
    })
      .input(createTsigKeyInput)
      .output(newTsigKey)
      .mutation(async ({ ctx, input }) => {
        await confirmation.require(ctx.em, ctx.caller);
        return await tsigKeys.create(ctx.em, ctx.caller, input);
      }),

    delete: signedIn({
      method: "DELETE",
      path: "/auth/me/tsig-keys/{id}",
      operationId: "deleteTsigKey",
      tag,
      summary: "Revoke a TSIG key",
      description: "The next message signed with it is refused.",
    })
      .input(tsigKeyIdInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await tsigKeys.delete(ctx.em, ctx.caller, input.id);
        return { success: true as const };
      }),

    listAll: auditing({
      method: "GET",
      path: "/tsig-keys",
      operationId: "listAllTsigKeys",
      tag,
      summary: "List everybody's TSIG keys",
    })
      .input(listTsigKeysInput)
      .output(tsigKeyPage)
      .query(({ ctx, input }) => tsigKeys.listAll(ctx.em, input)),

    revoke: admin({
      method: "DELETE",
      path: "/tsig-keys/{id}",
      operationId: "revokeTsigKey",
      tag,
      summary: "Revoke anybody's TSIG key",
      description: "The next message signed with it is refused. The owner is notified.",
    })
      .input(tsigKeyIdInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await tsigKeys.revoke(ctx.em, ctx.caller, input.id);
        return { success: true as const };
      }),
  });
}
