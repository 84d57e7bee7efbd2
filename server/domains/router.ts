import { answerOf, passingLarge } from "../api/large-answers.ts";
import { syncInput, syncResult } from "../records/change-schemas.ts";
import { route } from "../api/route.ts";
import { nothing, success } from "../api/schemas.ts";
import { may, router } from "../api/trpc.ts";
import {
  createDomainInput,
  domainDetail,
  domainIdInput,
  domainPage,
  expiryRemindInput,
  listDomainsInput,
  setExpiryInput,
  tagCounts,
  updateDomainInput,
  zoneOfInput,
  zoneOfName,
} from "./schemas.ts";

const tag = "Domains";

export const domainsRouter = router({
  list: may("domains:read")
    .meta(
      route.may("domains:read", {
        method: "GET",
        path: "/domains",
        operationId: "listDomains",
        tag,
        summary: "List domains",
        description: "The domains that you may see, by name. Filters combine.",
      }),
    )
    .input(listDomainsInput)
    .output(domainPage)
    .query(({ ctx, input }) => ctx.services.domains.list(ctx.em, ctx.caller, input)),

  tags: may("domains:read")
    .meta(
      route.may("domains:read", {
        method: "GET",
        path: "/domains/tags",
        operationId: "listDomainTags",
        tag,
        summary: "List the tags in use, with counts",
      }),
    )
    .input(nothing)
    .output(tagCounts)
    .query(({ ctx }) => ctx.services.domains.tags(ctx.em, ctx.caller)),

  zoneOf: may("domains:read")
    .meta(
      route.may("domains:read", {
        method: "GET",
        path: "/domains/zone-of",
        operationId: "findZoneOfName",
        tag,
        summary: "Find the domain that holds a host name",
        description:
          "Returns the longest domain that you may see whose name ends the host name, and the host part. 404 when there is none.",
        errors: [404],
      }),
    )
    .input(zoneOfInput)
    .output(zoneOfName)
    .query(({ ctx, input }) => ctx.services.domains.zoneOf(ctx.em, ctx.caller, input.name)),

  get: may("domains:read")
    .meta(
      route.may("domains:read", {
        method: "GET",
        path: "/domains/{id}",
        operationId: "getDomain",
        tag,
        summary: "Get a domain",
      }),
    )
    .input(domainIdInput)
    .output(domainDetail)
    .query(({ ctx, input }) => ctx.services.domains.get(ctx.em, ctx.caller, input.id)),

  create: may("domains:write")
    .meta(
      route.may("domains:write", {
        method: "POST",
        path: "/domains",
        operationId: "createDomain",
        tag,
        summary: "Add a domain",
        description:
          "Its zone is made at the provider; where it exists there already, its records are read in. Members need a provider " +
          "configuration with `membersMayUse`, a zone that is new there (409 otherwise), and a name neither above nor below " +
          "somebody else's domain.",
        status: 201,
        errors: [409, 502],
      }),
    )
    .input(createDomainInput)
    .output(domainDetail)
    .mutation(({ ctx, input }) => ctx.services.domains.create(ctx.em, ctx.caller, input)),

  update: may("domains:write")
    .meta(
      route.may("domains:write", {
        method: "PUT",
        path: "/domains/{id}",
        operationId: "updateDomain",
        tag,
        summary: "Change a domain",
        description:
          "For its owner and administrators. Fields left out stay as they are. A new `providerConfigId` writes the zone there first.",
        errors: [409, 502],
      }),
    )
    .input(updateDomainInput)
    .output(domainDetail)
    .mutation(({ ctx, input }) => ctx.services.domains.update(ctx.em, ctx.caller, input)),

  delete: may("domains:write")
    .meta(
      route.may("domains:write", {
        method: "DELETE",
        path: "/domains/{id}",
        operationId: "deleteDomain",
        tag,
        summary: "Stop managing a domain",
        description:
          "For its owner and administrators. Its records, snapshots and history here are forgotten. The zone at the provider stays as it is.",
      }),
    )
    .input(domainIdInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.domains.delete(ctx.em, ctx.caller, input.id);
      return { success: true as const };
    }),

  sync: may("records:write")
    .meta(
      route.may("records:write", {
        method: "POST",
        path: "/domains/{id}/sync",
        operationId: "syncDomain",
        costly: true,
        tag: "DNS records",
        summary: "Sync: pull the records from the DNS provider",
        description:
          "For the owner and administrators. The provider is right: records here become what it serves. A change of more than 30 % of a zone of ten or more records, or an " +
          "empty answer, needs `force: true`. A snapshot of the state before is kept whenever something changes.",
        errors: [409, 502],
      }),
    )
    .input(syncInput)
    .output(passingLarge(syncResult))
    .mutation(
      async ({ ctx, input }) => await answerOf(syncResult, await ctx.services.sync.run(ctx.em, ctx.caller, input)),
    ),

  setExpiryRemind: may("domains:write")
    .meta(
      route.may("domains:write", {
        method: "PUT",
        path: "/domains/{id}/expiry-remind",
        operationId: "setExpiryRemind",
        tag,
        summary: "Set the reminders before expiry",
        description: "For the domain's owner and administrators.",
      }),
    )
    .input(expiryRemindInput)
    .output(domainDetail)
    .mutation(({ ctx, input }) => ctx.services.domains.setRemind(ctx.em, ctx.caller, input)),

  setExpiry: may("domains:write")
    .meta(
      route.may("domains:write", {
        method: "PUT",
        path: "/domains/{id}/expiry",
        operationId: "setExpiry",
        tag,
        summary: "Set the expiry date by hand",
        description:
          "For the domain's owner and administrators. A look-up that fails leaves the date as it is, and so do those that go on by themselves.",
      }),
    )
    .input(setExpiryInput)
    .output(domainDetail)
    .mutation(({ ctx, input }) => ctx.services.domains.setExpiry(ctx.em, ctx.caller, input)),
});
