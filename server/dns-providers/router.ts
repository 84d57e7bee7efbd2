import { route } from "../api/route.ts";
import { nothing, success } from "../api/schemas.ts";
import { admin, router, signedIn } from "../api/trpc.ts";
import {
  configIdInput,
  configTest,
  createConfigInput,
  importInput,
  importProgress,
  importResult,
  providerCatalogue,
  providerConfig,
  providerConfigList,
  providerZones,
  updateConfigInput,
} from "./schemas.ts";

const tag = "DNS providers";

export const providersRouter = router({
  list: signedIn
    .meta(
      route.signedIn({
        method: "GET",
        path: "/providers",
        operationId: "listProviders",
        tag,
        summary: "List the kinds of DNS providers",
      }),
    )
    .input(nothing)
    .output(providerCatalogue)
    .query(({ ctx }) => ctx.services.providerConfigs.kinds()),
});

export const providerConfigsRouter = router({
  list: signedIn
    .meta(
      route.signedIn({
        method: "GET",
        path: "/provider-configs",
        operationId: "listProviderConfigs",
        tag,
        summary: "List the provider configurations",
      }),
    )
    .input(nothing)
    .output(providerConfigList)
    .query(({ ctx }) => ctx.services.providerConfigs.list(ctx.em)),

  create: admin
    .meta(
      route.admin({
        method: "POST",
        path: "/provider-configs",
        operationId: "createProviderConfig",
        tag,
        summary: "Add a provider configuration",
        status: 201,
        errors: [409],
      }),
    )
    .input(createConfigInput)
    .output(providerConfig)
    .mutation(({ ctx, input }) => ctx.services.providerConfigs.create(ctx.em, ctx.caller, input)),

  update: admin
    .meta(
      route.admin({
        method: "PUT",
        path: "/provider-configs/{id}",
        operationId: "updateProviderConfig",
        tag,
        summary: "Change a provider configuration",
        errors: [409],
      }),
    )
    .input(updateConfigInput)
    .output(providerConfig)
    .mutation(({ ctx, input: { id, ...patch } }) => ctx.services.providerConfigs.update(ctx.em, ctx.caller, id, patch)),

  delete: admin
    .meta(
      route.admin({
        method: "DELETE",
        path: "/provider-configs/{id}",
        operationId: "deleteProviderConfig",
        tag,
        summary: "Delete a provider configuration",
        description: "Refused while domains use it.",
        errors: [409],
      }),
    )
    .input(configIdInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.providerConfigs.delete(ctx.em, ctx.caller, input.id);
      return { success: true as const };
    }),

  test: admin
    .meta(
      route.admin({
        method: "POST",
        path: "/provider-configs/{id}/test",
        operationId: "testProviderConfig",
        costly: true,
        tag,
        summary: "Try a provider configuration",
        description: "A provider that refuses is an answer with `success: false`, not an error.",
      }),
    )
    .input(configIdInput)
    .output(configTest)
    .mutation(({ ctx, input }) => ctx.services.providerConfigs.test(ctx.em, input.id)),

  zones: admin
    .meta(
      route.admin({
        method: "GET",
        path: "/provider-configs/{id}/zones",
        operationId: "listProviderZones",
        costly: true,
        tag,
        summary: "List the zones at a provider",
        errors: [502],
      }),
    )
    .input(configIdInput)
    .output(providerZones)
    .query(({ ctx, input }) => ctx.services.providerConfigs.zones(ctx.em, input.id)),

  import: admin
    .meta(
      route.admin({
        method: "POST",
        path: "/provider-configs/{id}/import",
        operationId: "importZones",
        costly: true,
        tag,
        summary: "Bring zones of a provider under management",
        description:
          "Each zone on its own: one that fails does not stop the others. Named zones are imported before the answer comes, which tells of " +
          "each. `all` begins with all zones that are not managed yet and answers at once; the import goes on, and `GET` on this path tells " +
          "how far it is. One import of a configuration at a time.",
        errors: [409, 502],
      }),
    )
    .input(importInput)
    .output(importResult)
    .mutation(({ ctx, input }) => ctx.services.zoneImports.run(ctx.em, ctx.caller, input, ctx.report)),

  importProgress: admin
    .meta(
      route.admin({
        method: "GET",
        path: "/provider-configs/{id}/import",
        operationId: "getImportProgress",
        tag,
        summary: "Get how far an import is",
        description: "The import under way, or else the last one of this configuration.",
      }),
    )
    .input(configIdInput)
    .output(importProgress)
    .query(({ ctx, input }) => ctx.services.zoneImports.progress(ctx.em, input.id)),
});
