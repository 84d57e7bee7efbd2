import { nothing, success } from "../api/schemas.ts";
import { admin, auditingMay, may } from "../api/procedures.ts";
import { router } from "../api/trpc.ts";
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
  list: may("providers:read", {
    method: "GET",
    path: "/providers",
    operationId: "listProviders",
    tag,
    summary: "List the kinds of DNS providers",
  })
    .input(nothing)
    .output(providerCatalogue)
    .query(({ ctx }) => ctx.services.providerConfigs.kinds()),
});

export const providerConfigsRouter = router({
  list: may("providers:read", {
    method: "GET",
    path: "/provider-configs",
    operationId: "listProviderConfigs",
    tag,
    summary: "List the provider configurations",
    description: "Members get those that serve a domain they can see, and those with which they may add domains.",
  })
    .input(nothing)
    .output(providerConfigList)
    .query(({ ctx }) => ctx.services.providerConfigs.list(ctx.em, ctx.caller)),

  create: admin({
    method: "POST",
    path: "/provider-configs",
    operationId: "createProviderConfig",
    tag,
    summary: "Add a provider configuration",
    status: 201,
    errors: [409],
  })
    .input(createConfigInput)
    .output(providerConfig)
    .mutation(({ ctx, input }) => ctx.services.providerConfigs.create(ctx.em, ctx.caller, input)),

  update: admin({
    method: "PUT",
    path: "/provider-configs/{id}",
    operationId: "updateProviderConfig",
    tag,
    summary: "Change a provider configuration",
    errors: [409],
  })
    .input(updateConfigInput)
    .output(providerConfig)
    .mutation(({ ctx, input: { id, ...patch } }) => ctx.services.providerConfigs.update(ctx.em, ctx.caller, id, patch)),

  delete: admin({
    method: "DELETE",
    path: "/provider-configs/{id}",
    operationId: "deleteProviderConfig",
    tag,
    summary: "Delete a provider configuration",
    description: "Returns 409 while domains use it.",
    errors: [409],
  })
    .input(configIdInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.providerConfigs.delete(ctx.em, ctx.caller, input.id);
      return { success: true as const };
    }),

  test: admin({
    method: "POST",
    path: "/provider-configs/{id}/test",
    operationId: "testProviderConfig",
    costly: true,
    tag,
    summary: "Test a provider configuration",
    description: "Connects to the provider. A refusal returns `success: false`, not an error.",
  })
    .input(configIdInput)
    .output(configTest)
    .mutation(({ ctx, input }) => ctx.services.providerConfigs.test(ctx.em, input.id)),

  zones: auditingMay("providers:read", {
    method: "GET",
    path: "/provider-configs/{id}/zones",
    operationId: "listProviderZones",
    costly: true,
    tag,
    summary: "List the zones at a provider",
    errors: [502],
  })
    .input(configIdInput)
    .output(providerZones)
    .query(({ ctx, input }) => ctx.services.providerConfigs.zones(ctx.em, input.id)),

  import: admin({
    method: "POST",
    path: "/provider-configs/{id}/import",
    operationId: "importZones",
    costly: true,
    tag,
    summary: "Import zones from a provider",
    description:
      "Each zone is imported by itself; a failure does not stop the others. With `zones`, returns the result of each zone when all are " +
      "done. With `all`, starts importing every zone that is not managed yet, except those that `GET /api/provider-configs/{id}/zones` lists as `unusable`, and returns immediately; poll `GET` on this path for its " +
      "progress. One import per configuration at a time (409).",
    errors: [409, 502],
  })
    .input(importInput)
    .output(importResult)
    .mutation(({ ctx, input }) => ctx.services.zoneImports.run(ctx.em, ctx.caller, input, ctx.report)),

  importProgress: auditingMay("providers:read", {
    method: "GET",
    path: "/provider-configs/{id}/import",
    operationId: "getImportProgress",
    tag,
    summary: "Get the progress of a zone import",
    description: "Returns the import in progress, or else the latest one of this configuration.",
  })
    .input(configIdInput)
    .output(importProgress)
    .query(({ ctx, input }) => ctx.services.zoneImports.progress(ctx.em, input.id)),
});
