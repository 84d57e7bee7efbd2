import { may } from "../api/procedures.ts";
import { pageIfAsked, pageOfAll } from "../api/schemas.ts";
import { router } from "../api/trpc.ts";
import { listSecondariesInput, secondaries, secondariesInput, secondaryPage } from "./schemas.ts";
import type { Propagation } from "./propagation.ts";

const tag = "Domains";

export function createSecondariesRouter({ propagation }: { propagation: Propagation }) {
  return router({
    get: may("domains:read", {
      method: "GET",
      path: "/domains/{id}/secondaries",
      operationId: "getSecondaries",
      tag,
      summary: "Get how far a zone has reached its secondaries",
      description:
        "For zones whose provider is of kind `primary`. A secondary that has neither transferred nor answered for a minute is asked now. Others have none.",
    })
      .input(secondariesInput.extend(pageIfAsked))
      .output(secondaries)
      .query(async ({ ctx, input }) => {
        const all = await propagation.get(ctx.em, ctx.caller, input.id);
        return { ...all, secondaries: pageOfAll(all.secondaries, input) };
      }),

    listAll: may("domains:read", {
      method: "GET",
      path: "/secondaries",
      operationId: "listAllSecondaries",
      tag,
      summary: "List the secondaries of all domains",
      description:
        "Returns what is known of the name servers that transfer zones of the domains that you may see, without asking them. Those that need attention come first.",
    })
      .input(listSecondariesInput)
      .output(secondaryPage)
      .query(({ ctx, input }) => propagation.listAll(ctx.em, ctx.caller, input)),

    raiseSerial: may("domains:write", {
      method: "POST",
      path: "/domains/{id}/secondaries/raise-serial",
      operationId: "raiseSerial",
      errors: [409],
      tag,
      summary: "Raise a zone's serial",
      description:
        "Raises the serial above that of every secondary, for secondaries that are ahead, as after a restore from a backup. They transfer " +
        "the whole zone once. For the owner and administrators. A zone whose provider is of another kind than `primary` returns 409.",
    })
      .input(secondariesInput)
      .output(secondaries)
      .mutation(({ ctx, input }) => propagation.raiseSerial(ctx.em, ctx.caller, input.id)),
  });
}
