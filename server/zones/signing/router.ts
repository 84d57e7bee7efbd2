import { may } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { dnssec as dnssecSchema } from "../../registry/dnssec/schemas.ts";
import { publishDsInput, publishedDs, setDnssecInput } from "./schemas.ts";
import type { Signing } from "./service.ts";

const tag = "Registrations";

export function createSigningRouter({ signing }: { signing: Signing }) {
  return router({
    set: may("registrations:write", {
      method: "POST",
      path: "/domains/{id}/dnssec",
      operationId: "setDnssec",
      costly: true,
      tag,
      summary: "Turn DNSSEC on or off",
      description:
        "For the owner and administrators. Has the provider sign the zone, or delete its keys, and returns the status with the DS records to publish. " +
        "Turning it off is refused (409) while the parent zone or the registrar has DS records, and until their TTL has passed; where the domain requires " +
        "reviews, only an administrator can, with `override`. Providers without such a call " +
        "answer 409, with where to do it. Takes some minutes at most.",
      errors: [409, 502],
      example: { enabled: true },
    })
      .input(setDnssecInput)
      .output(dnssecSchema)
      .mutation(({ ctx, input }) => signing.set(ctx.em, ctx.caller, input)),

    publishDs: may("registrations:write", {
      method: "POST",
      path: "/domains/{id}/dnssec/publish-ds",
      operationId: "publishDs",
      costly: true,
      tag,
      summary: "Publish a domain's DS records",
      description:
        "For the owner and administrators. Sets the DS records of the zone's keys at its registrar, or in the domain here that delegates it, which also " +
        "needs `records:write`. Keeps other DS records that match a key, and removes those that match none. `dryRun: true` plans; a registrar, and the removal " +
        "of DS records, need the plan's `planHash`. Where neither is set up, returns what to enter by hand.",
      errors: [409, 502],
      example: { dryRun: true },
    })
      .input(publishDsInput)
      .output(publishedDs)
      .mutation(({ ctx, input }) => signing.publish(ctx.em, ctx.caller, input)),
  });
}
