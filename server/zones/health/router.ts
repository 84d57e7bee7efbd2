import { may } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { health, healthInput } from "./schemas.ts";
import type { ZoneHealth } from "./zone-health.ts";

/** Part of `records`, as clients know it. */
export function createHealthRouter({ zoneHealth }: { zoneHealth: ZoneHealth }) {
  return router({
    health: may("records:read", {
      method: "GET",
      path: "/domains/{id}/health",
      operationId: "getZoneHealth",
      costly: true,
      tag: "DNS records",
      summary: "Find faults in a domain's records",
      description:
        "Checks the records as they are stored, without looking anything up, and returns what is wrong, why it matters and the changes that " +
        "mend it. If the plan of these changes has another `revision` than this answer, the zone has changed: check again. What the world sees of the domain is in `GET /api/domains/{id}/delegation`, wrong PTR records in `GET /api/reverse/report`.",
    })
      .input(healthInput)
      .output(health)
      .query(({ ctx, input }) => zoneHealth.of(ctx.em, ctx.caller, input.id)),
  });
}
