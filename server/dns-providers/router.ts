import { anyPage, pageIfAsked, pageOfAll, success } from "../api/schemas.ts";
import { admin, auditingMay, may } from "../api/procedures.ts";
import { router } from "../api/trpc.ts";
import {
  configIdInput,
  configTest,
  createConfigInput,
  providerCatalogue,
  providerConfig,
  providerConfigList,
  providerZones,
  updateConfigInput,
} from "./schemas.ts";
import type { ProviderConfigs } from "./provider-configs.ts";

const tag = "DNS providers";

export function createProvidersRouter({ providerConfigs }: { providerConfigs: ProviderConfigs }) {
  return router({
    list: may("providers:read", {
      method: "GET",
      path: "/providers",
      operationId: "listProviders",
      tag,
      summary: "List the kinds of DNS providers",
    })
      .input(anyPage)
      .output(providerCatalogue)
      .query(({ input }) => {
        const all = providerConfigs.kinds();
        return { ...all, providers: pageOfAll(all.providers, input) };
      }),
  });
}

export function createProviderConfigsRouter({ providerConfigs }: { providerConfigs: ProviderConfigs }) {
  return router({
    list: may("providers:read", {
      method: "GET",
      path: "/provider-configs",
      operationId: "listProviderConfigs",
      tag,
      summary: "List the provider configurations",
      description: "Members get those that serve a domain they can see, and those with which they may add domains.",
    })
      .input(anyPage)
      .output(providerConfigList)
      .query(async ({ ctx, input }) => {
        const all = await providerConfigs.list(ctx.em, ctx.caller);
        return { ...all, configs: pageOfAll(all.configs, input) };
      }),

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
      .mutation(({ ctx, input }) => providerConfigs.create(ctx.em, ctx.caller, input)),

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
      .mutation(({ ctx, input: { id, ...patch } }) => providerConfigs.update(ctx.em, ctx.caller, id, patch)),

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
        await providerConfigs.delete(ctx.em, ctx.caller, input.id);
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
      .mutation(({ ctx, input }) => providerConfigs.test(ctx.em, input.id)),

    zones: auditingMay("providers:read", {
      method: "GET",
      path: "/provider-configs/{id}/zones",
      operationId: "listProviderZones",
      costly: true,
      tag,
      summary: "List the zones at a provider",
      errors: [502],
    })
      .input(configIdInput.extend(pageIfAsked))
      .output(providerZones)
      .query(async ({ ctx, input }) => {
        const all = await providerConfigs.zones(ctx.em, input.id);
        return { ...all, zones: pageOfAll(all.zones, input) };
      }),
  });
}
