import { may } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { checkExpiryInput, checkExpiryResult, previewExpiryInput, previewExpiryResult } from "./schemas.ts";
import type { Expiry } from "./service.ts";

const tag = "Domains";

/** Procedures that look up expiry dates. Clients see them as part of `domains`. */
export function createExpiryRouter({ expiry }: { expiry: Expiry }) {
  return router({
    checkExpiry: may("domains:write", {
      method: "POST",
      path: "/domains/{id}/check-expiry",
      operationId: "checkExpiry",
      costly: true,
      tag,
      summary: "Look up a domain's expiry date",
      description:
        "Queries the registry over RDAP, then over WHOIS, and the registrar if the domain names one, and stores the date. The registrar's " +
        "date counts. If no date is found, returns `success: false` with the reason and keeps the stored date.",
    })
      .input(checkExpiryInput)
      .output(checkExpiryResult)
      .mutation(({ ctx, input }) => expiry.check(ctx.em, ctx.caller, input.id)),

    previewExpiry: may("domains:read", {
      method: "POST",
      path: "/domains/check-expiry-preview",
      operationId: "previewExpiry",
      costly: true,
      tag,
      summary: "Look up the expiry date of any name",
      description: "Stores nothing. If no date is found, returns `success: false` with the reason.",
    })
      .input(previewExpiryInput)
      .output(previewExpiryResult)
      .mutation(({ input }) => expiry.preview(input.domain)),
  });
}
