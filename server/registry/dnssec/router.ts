import { may } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { dnssec as dnssecSchema, dnssecInput } from "./schemas.ts";
import type { Dnssec } from "./service.ts";

const tag = "Registrations";

export function createDnssecRouter({ dnssec }: { dnssec: Dnssec }) {
  return router({
    get: may("registrations:read", {
      method: "GET",
      path: "/domains/{id}/dnssec",
      operationId: "getDnssec",
      tag,
      summary: "Get a domain's DNSSEC status",
      description:
        "Returns the result of the last check: its keys, the DS records of the parent zone, and whether signatures lead from the root to it. " +
        "Domains are checked once a day.",
    })
      .input(dnssecInput)
      .output(dnssecSchema)
      .query(({ ctx, input }) => dnssec.get(ctx.em, ctx.caller, input.id)),

    check: may("domains:write", {
      method: "POST",
      path: "/domains/{id}/dnssec/check",
      operationId: "checkDnssec",
      costly: true,
      tag,
      summary: "Check a domain's DNSSEC now",
      description: "Asks the zone and those above it, which takes up to 20 seconds. Changes no records.",
    })
      .input(dnssecInput)
      .output(dnssecSchema)
      .mutation(({ ctx, input }) => dnssec.check(ctx.em, ctx.caller, input.id)),
  });
}
