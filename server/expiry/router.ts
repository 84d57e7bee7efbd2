import { route } from "../api/route.ts";
import { may, router } from "../api/trpc.ts";
import { checkExpiryInput, checkExpiryResult, previewExpiryInput, previewExpiryResult } from "./schemas.ts";

const tag = "Domains";

/** Looking up when registrations end. Part of `domains`, as clients know it. */
export const expiryRouter = router({
  checkExpiry: may("domains:write")
    .meta(
      route.may("domains:write", {
        method: "POST",
        path: "/domains/{id}/check-expiry",
        operationId: "checkExpiry",
        costly: true,
        tag,
        summary: "Look up a domain's expiry date",
        description:
          "Asks the registry over RDAP, and over WHOIS where that has nothing, and stores the date. Where there is no date to be had the answer " +
          "has `success: false` and says why; the stored date stays.",
      }),
    )
    .input(checkExpiryInput)
    .output(checkExpiryResult)
    .mutation(({ ctx, input }) => ctx.services.expiry.check(ctx.em, ctx.caller, input.id)),

  previewExpiry: may("domains:read")
    .meta(
      route.may("domains:read", {
        method: "POST",
        path: "/domains/check-expiry-preview",
        operationId: "previewExpiry",
        costly: true,
        tag,
        summary: "Look up the expiry date of any name",
        description:
          "Nothing is stored. Where there is no date to be had the answer has `success: false` and says why.",
      }),
    )
    .input(previewExpiryInput)
    .output(previewExpiryResult)
    .mutation(({ ctx, input }) => ctx.services.expiry.preview(input.domain)),
});
