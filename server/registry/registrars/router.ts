import { admin, auditingMay, may } from "../../api/procedures.ts";
import { anyPage, pageIfAsked, pageOfAll, success } from "../../api/schemas.ts";
import { router } from "../../api/trpc.ts";
import type { Caller } from "../../access/caller.ts";
import type { RegistrarConfigs } from "./configs.ts";
import type { Registrations } from "./registrations.ts";
import {
  changeRegistrationInput,
  domainRegistration,
  registrationChange,
  registrationInput,
  createRegistrarConfigInput,
  registrarConfig,
  registrarConfigIdInput,
  registrarConfigList,
  registrarDomains,
  registrarTest,
  updateRegistrarConfigInput,
} from "./schemas.ts";

const tag = "Registrations";

export function createRegistrarConfigsRouter({ registrarConfigs }: { registrarConfigs: RegistrarConfigs }) {
  return router({
    list: auditingMay("registrations:read", {
      method: "GET",
      path: "/registrar-configs",
      operationId: "listRegistrarConfigs",
      tag,
      summary: "List the registrar configurations",
    })
      .input(anyPage)
      .output(registrarConfigList)
      .query(async ({ ctx, input }) => {
        const all = await registrarConfigs.list(ctx.em);
        return { ...all, configs: pageOfAll(all.configs, input) };
      }),

    create: admin({
      method: "POST",
      path: "/registrar-configs",
      operationId: "createRegistrarConfig",
      tag,
      summary: "Add a registrar configuration",
      status: 201,
      errors: [409],
    })
      .input(createRegistrarConfigInput)
      .output(registrarConfig)
      .mutation(({ ctx, input }) => registrarConfigs.create(ctx.em, ctx.caller, input)),

    update: admin({
      method: "PUT",
      path: "/registrar-configs/{id}",
      operationId: "updateRegistrarConfig",
      tag,
      summary: "Change a registrar configuration",
      errors: [409],
    })
      .input(updateRegistrarConfigInput)
      .output(registrarConfig)
      .mutation(({ ctx, input: { id, ...patch } }) => registrarConfigs.update(ctx.em, ctx.caller, id, patch)),

    delete: admin({
      method: "DELETE",
      path: "/registrar-configs/{id}",
      operationId: "deleteRegistrarConfig",
      tag,
      summary: "Delete a registrar configuration",
      description: "Returns 409 while domains use it.",
      errors: [409],
    })
      .input(registrarConfigIdInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await registrarConfigs.delete(ctx.em, ctx.caller, input.id);
        return { success: true as const };
      }),

    test: admin({
      method: "POST",
      path: "/registrar-configs/{id}/test",
      operationId: "testRegistrarConfig",
      costly: true,
      tag,
      summary: "Test a registrar configuration",
      description: "Lists the names of the account. A refusal returns `success: false`, not an error.",
    })
      .input(registrarConfigIdInput)
      .output(registrarTest)
      .mutation(({ ctx, input }) => registrarConfigs.test(ctx.em, input.id)),

    domains: auditingMay("registrations:read", {
      method: "GET",
      path: "/registrar-configs/{id}/domains",
      operationId: "listRegistrarDomains",
      costly: true,
      tag,
      summary: "List the names in an account at a registrar",
      errors: [502],
    })
      .input(registrarConfigIdInput.extend(pageIfAsked))
      .output(registrarDomains)
      .query(async ({ ctx, input }) => {
        const all = await registrarConfigs.domains(ctx.em, input.id);
        return { ...all, domains: pageOfAll(all.domains, input) };
      }),
  });
}

/** What a router of registrations calls. */
interface Needs {
  registrations: Registrations;
  confirmation: { require(em: Parameters<Registrations["get"]>[0], caller: Caller): Promise<void> };
}

export function createRegistrationsRouter({ registrations, confirmation }: Needs) {
  return router({
    get: may("registrations:read", {
      method: "GET",
      path: "/domains/{id}/registration",
      operationId: "getRegistration",
      tag,
      summary: "Get a domain's registration",
      description:
        "Returns what the registrar said last, beside what the registry and the parent zone said, and what to do about it. " +
        "`POST …/check-expiry` asks registrar and registry anew.",
    })
      .input(registrationInput)
      .output(domainRegistration)
      .query(({ ctx, input }) => registrations.get(ctx.em, ctx.caller, input.id)),

    update: may("registrations:write", {
      method: "PUT",
      path: "/domains/{id}/registration",
      operationId: "changeRegistration",
      costly: true,
      tag,
      summary: "Change a domain's registration",
      description:
        "For the owner and administrators. `dryRun: true` plans; the same call with the plan's `planHash` carries it out. DS records that match " +
        "no key of the zone are refused (400). Name servers that do not answer for the zone need `force: true` (409 otherwise). " +
        "Never registers, renews or transfers anything.",
      errors: [409, 502],
    })
      .input(changeRegistrationInput)
      .output(registrationChange)
      .mutation(({ ctx, input }) =>
        registrations.change(ctx.em, ctx.caller, input, () => confirmation.require(ctx.em, ctx.caller)),
      ),
  });
}
