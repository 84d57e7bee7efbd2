import { may } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { delegation, delegationInput, servedAnswer, servedInput, snoozeInput } from "./schemas.ts";
import type { Delegations } from "./service.ts";

const tag = "Domains";

export function createDelegationRouter({ delegations }: { delegations: Delegations }) {
  return router({
    get: may("domains:read", {
      method: "GET",
      path: "/domains/{id}/delegation",
      operationId: "getDelegation",
      tag,
      summary: "Get a domain's public delegation status",
      description:
        "Returns the result of the last check: the parent zone, each name server, DNSSEC, and records that point to names that do not exist. " +
        "Domains are checked once a day.",
    })
      .input(delegationInput)
      .output(delegation)
      .query(({ ctx, input }) => delegations.get(ctx.em, ctx.caller, input.id)),

    check: may("domains:write", {
      method: "POST",
      path: "/domains/{id}/delegation/check",
      operationId: "checkDelegation",
      costly: true,
      tag,
      summary: "Check a domain's delegation now",
      description: "Asks the parent zone and all name servers, which takes up to a minute. Changes no records.",
    })
      .input(delegationInput)
      .output(delegation)
      .mutation(({ ctx, input }) => delegations.check(ctx.em, ctx.caller, input.id)),

    checkServed: may("records:read", {
      method: "POST",
      path: "/domains/{id}/delegation/served",
      operationId: "checkServed",
      costly: true,
      tag,
      summary: "Check whether name servers serve a record",
      description:
        "Asks each of the domain's name servers for the records of a name and type that you may see, which takes up to 20 seconds. " +
        "Repeat it to wait until a change is served. Changes nothing.",
      example: {
        name: "_acme-challenge.www",
        recordType: "TXT",
        values: ["LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0"],
      },
    })
      .input(servedInput)
      .output(servedAnswer)
      .mutation(({ ctx, input }) => delegations.checkServed(ctx.em, ctx.caller, input)),

    snooze: may("domains:write", {
      method: "POST",
      path: "/domains/{id}/delegation/snooze",
      operationId: "snoozeDelegation",
      tag,
      summary: "Snooze a finding",
      description:
        "Mutes notifications about one finding code at one name until a given time, including new findings. For the owner and administrators.",
    })
      .input(snoozeInput)
      .output(delegation)
      .mutation(({ ctx, input }) => delegations.snooze(ctx.em, ctx.caller, input)),
  });
}
