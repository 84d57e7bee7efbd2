import type { z } from "zod";
import { answerOf, passingLarge, textAnswerOf } from "../../api/large-answers.ts";
import { pushInput, pushResult, syncInput, syncResult } from "../records/whole-zone-schemas.ts";
import { anyPage, pageOfAll, success } from "../../api/schemas.ts";
import { admin, auditingMay, may, maySubscribe } from "../../api/procedures.ts";
import { router, streamed } from "../../api/trpc.ts";
import { listDomainsInput, tagCounts } from "./list.ts";
import {
  createDomainInput,
  deleteDomainInput,
  domainDetail,
  domainIdInput,
  domainPage,
  domainPlan,
  expiryRemindInput,
  planDomainInput,
  setExpiryInput,
  updateDomainInput,
  zoneOfInput,
  watchInput,
  type watchedChange,
  zoneOfName,
} from "./schemas.ts";
import {
  exportPortfolioInput,
  importPortfolioInput,
  portfolioCosts,
  portfolioFindings,
  portfolioImport,
  portfolioPage,
  portfolioText,
} from "./portfolio-schemas.ts";
import { configIdInput, importInput, importProgress, importResult } from "../../dns-providers/schemas.ts";
import type { ZoneWatchers } from "../changes/zone-watchers.ts";
import type { Domains } from "./service.ts";
import type { ZoneImports } from "./zone-imports.ts";
import type { BeginZone, ZoneFileTransfer } from "../records/zone-file-transfer.ts";
import type { Sync } from "../records/sync.ts";

const tag = "Domains";

type WatchedChange = z.output<typeof watchedChange>;

export function createDomainsRouter({
  domains,
  sync,
  zoneFiles,
  zoneWatchers,
}: {
  domains: Domains;
  zoneFiles: ZoneFileTransfer;
  sync: Sync;
  zoneWatchers: ZoneWatchers;
}) {
  return router({
    list: may("domains:read", {
      method: "GET",
      path: "/domains",
      operationId: "listDomains",
      tag,
      summary: "List domains",
      description: "Returns the domains you may see, by name and view unless `sort` is set. Filters combine.",
      errors: [409],
    })
      .input(listDomainsInput)
      .output(domainPage)
      .query(({ ctx, input }) => domains.list(ctx.em, ctx.caller, input)),

    tags: may("domains:read", {
      method: "GET",
      path: "/domains/tags",
      operationId: "listDomainTags",
      tag,
      summary: "List tags with the number of domains",
      description: "Also lists the groups and views in use.",
    })
      .input(anyPage)
      .output(tagCounts)
      .query(async ({ ctx, input }) => {
        const all = await domains.tags(ctx.em, ctx.caller);
        const page = <Item>(items: Item[]) => pageOfAll(items, input);
        return { tags: page(all.tags), groups: page(all.groups), views: page(all.views) };
      }),

    zoneOf: may("domains:read", {
      method: "GET",
      path: "/domains/zone-of",
      operationId: "findZoneOfName",
      tag,
      summary: "Find the domain that holds a host name",
      description:
        "Returns the longest domain you may see that the host name ends with, and the host part. Returns 404 if there is none, " +
        "and 409 if several views hold it and none is the default.",
      errors: [404, 409],
    })
      .input(zoneOfInput)
      .output(zoneOfName)
      .query(({ ctx, input }) => domains.zoneOf(ctx.em, ctx.caller, input.name)),

    get: may("domains:read", {
      method: "GET",
      path: "/domains/{id}",
      operationId: "getDomain",
      tag,
      summary: "Get a domain",
    })
      .input(domainIdInput)
      .output(domainDetail)
      .query(({ ctx, input }) => domains.get(ctx.em, ctx.caller, input.id)),

    /** A tRPC subscription only; described in api/openapi/other-operations.ts. */
    watch: maySubscribe("records:read")
      .input(watchInput)
      .subscription(async ({ ctx, input, signal }) => {
        const changes = await zoneWatchers.watch(ctx, input.ids, { signal, cut: () => ctx.http.cut() });
        return streamed(changes as AsyncIterable<WatchedChange>);
      }),

    create: may("domains:write", {
      method: "POST",
      path: "/domains",
      operationId: "createDomain",
      tag,
      summary: "Add a domain",
      description:
        "Creates its zone at the provider. If the zone already exists there, its records are imported. Members need a provider " +
        "configuration with `membersMayUse`, a zone that does not exist yet (409 otherwise), and a name that is neither above nor below " +
        "another user's domain.",
      status: 201,
      errors: [409, 502],
    })
      .input(createDomainInput)
      .output(domainDetail)
      .mutation(({ ctx, input }) => domains.create(ctx.em, ctx.caller, input)),

    plan: may("records:read", {
      method: "POST",
      path: "/domains/plan",
      operationId: "planDomain",
      largeBody: true,
      tag,
      summary: "Plan a domain that does not exist yet",
      description:
        "Checks whether you may add the domain, and returns what makes the zone that it would have equal to a text. Nothing is created. If the zone exists at the " +
        "provider, its records are compared. `planHash` is null: add the domain, then plan the text again.",
      errors: [409, 502],
    })
      .input(planDomainInput)
      .output(passingLarge(domainPlan))
      .mutation(async ({ ctx, input }) => {
        const begin: BeginZone = async (check) => await domains.planned(ctx.em, ctx.caller, input, check);
        return await answerOf(domainPlan, await zoneFiles.planNew(ctx.em, ctx.caller, begin, input));
      }),

    update: may("domains:write", {
      method: "PUT",
      path: "/domains/{id}",
      operationId: "updateDomain",
      tag,
      summary: "Change a domain",
      description:
        "Requires the owner or an administrator. Omitted fields keep their values. A new `providerConfigId` moves the zone: it is written " +
        "to the new provider first. A move out of a catalog zone needs `force: true` (409 otherwise).",
      errors: [409, 502],
    })
      .input(updateDomainInput)
      .output(domainDetail)
      .mutation(({ ctx, input }) => domains.update(ctx.em, ctx.caller, input)),

    delete: may("domains:write", {
      method: "DELETE",
      path: "/domains/{id}",
      operationId: "deleteDomain",
      tag,
      summary: "Stop managing a domain",
      description:
        "Requires the owner or an administrator. Deletes its records, snapshots and history here. The zone at the provider stays as it is. " +
        "Secondaries that follow a catalog zone drop the zone, so that needs `force=true` (409 otherwise).",
      errors: [409],
    })
      .input(deleteDomainInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await domains.delete(ctx.em, ctx.caller, input.id, { force: input.force === "true" });
        return { success: true as const };
      }),

    sync: may("records:write", {
      method: "POST",
      path: "/domains/{id}/sync",
      operationId: "syncDomain",
      costly: true,
      tag: "DNS records",
      summary: "Pull a domain's records from its provider",
      description:
        "Requires the owner or an administrator. The provider's records replace the records here. If more than 30 % of a zone with ten or " +
        "more records would change, or the provider returns no records, `force: true` is required. A change first takes a snapshot.",
      errors: [409, 502],
    })
      .input(syncInput)
      .output(passingLarge(syncResult))
      .mutation(async ({ ctx, input }) => await answerOf(syncResult, await sync.run(ctx.em, ctx.caller, input))),

    push: may("records:write", {
      method: "POST",
      path: "/domains/{id}/push",
      operationId: "pushDomain",
      costly: true,
      tag: "DNS records",
      summary: "Write a domain's records over its provider's",
      description:
        "Requires the owner or an administrator. Reads the zone at the provider and writes the records here where it differs: the opposite of a " +
        "sync. What a sync would not take over stays. If more than 30 % of a provider's zone with ten or more records would change, or all its " +
        "records would go, `force: true` is required. What the provider had is kept in the history as a sync and in a snapshot; reverting " +
        "`changeSetId` writes it back. Changes that the provider refuses are in `failed` and change nothing.",
      errors: [409, 502],
    })
      .input(pushInput)
      .output(passingLarge(pushResult))
      .mutation(async ({ ctx, input }) => await answerOf(pushResult, await sync.push(ctx.em, ctx.caller, input))),

    setExpiryRemind: may("domains:write", {
      method: "PUT",
      path: "/domains/{id}/expiry-remind",
      operationId: "setExpiryRemind",
      tag,
      summary: "Set a domain's expiry reminders",
      description: "Requires the owner or an administrator.",
    })
      .input(expiryRemindInput)
      .output(domainDetail)
      .mutation(({ ctx, input }) => domains.setRemind(ctx.em, ctx.caller, input)),

    setExpiry: may("domains:write", {
      method: "PUT",
      path: "/domains/{id}/expiry",
      operationId: "setExpiry",
      tag,
      summary: "Set a domain's expiry date",
      description:
        "Requires the owner or an administrator. Automatic lookups leave this date alone; `POST /api/domains/{id}/check-expiry` replaces " +
        "it if it finds a date.",
    })
      .input(setExpiryInput)
      .output(domainDetail)
      .mutation(({ ctx, input }) => domains.setExpiry(ctx.em, ctx.caller, input)),
  });
}

/** The part of `providerConfigs` that adds a provider's zones as domains. */
export function createZoneImportsRouter({ zoneImports }: { zoneImports: ZoneImports }) {
  return router({
    import: admin({
      method: "POST",
      path: "/provider-configs/{id}/import",
      operationId: "importZones",
      costly: true,
      tag: "DNS providers",
      summary: "Import zones from a provider",
      description:
        "Each zone is imported by itself; a failure does not stop the others. With `zones`, returns the result of each zone when all are " +
        "done. With `all`, starts importing every zone that is not managed yet, except those that `GET /api/provider-configs/{id}/zones` lists as `unusable`, and returns immediately; poll `GET` on this path for its " +
        "progress. One import per configuration at a time (409).",
      errors: [409, 502],
    })
      .input(importInput)
      .output(importResult)
      .mutation(({ ctx, input }) => zoneImports.run(ctx.em, ctx.caller, input, ctx.report)),

    importProgress: auditingMay("providers:read", {
      method: "GET",
      path: "/provider-configs/{id}/import",
      operationId: "getImportProgress",
      tag: "DNS providers",
      summary: "Get the progress of a zone import",
      description: "Returns the import in progress, or else the latest one of this configuration.",
    })
      .input(configIdInput)
      .output(importProgress)
      .query(({ ctx, input }) => zoneImports.progress(ctx.em, input.id)),
  });
}

/** Procedures over all domains that the caller sees as a whole. */
export function createPortfolioRouter({ domains }: { domains: Domains }) {
  return router({
    list: may("domains:read", {
      method: "GET",
      path: "/domains/portfolio",
      operationId: "listPortfolio",
      tag,
      summary: "List domains with their registrations",
      description:
        "Returns the domains of `GET /api/domains` with registrar, renewal, transfer lock, cost and findings. Filters combine. Personal " +
        "tokens need `registrations:read` to see renewal, lock and findings of registrations.",
      errors: [409],
    })
      .input(listDomainsInput)
      .output(portfolioPage)
      .query(({ ctx, input }) => domains.listPortfolio(ctx.em, ctx.caller, input)),

    findings: may("domains:read", {
      method: "GET",
      path: "/domains/findings",
      operationId: "listPortfolioFindings",
      tag,
      summary: "List what is wrong with domains",
      description:
        "Returns the findings that harm most, of all domains that you own or are assigned in full: expired or about to be, DNSSEC that breaks " +
        "resolution, name servers that do not answer, transfer locks that are off, registrars that the parent zone does not agree with. Hints, " +
        "snoozed findings and disabled domains are left out. Personal tokens without `registrations:read` get only findings of delegations.",
    })
      .input(anyPage)
      .output(portfolioFindings)
      .query(async ({ ctx, input }) => {
        const all = await domains.worstFindings(ctx.em, ctx.caller);
        return { ...all, findings: pageOfAll(all.findings, input) };
      }),

    export: may("domains:read", {
      method: "GET",
      path: "/domains/export",
      operationId: "exportPortfolio",
      costly: true,
      tag,
      summary: "Export the domains as a table",
      description:
        "Covers the domains that you own or are assigned in full, with what is known of their registrations, and costs of those that you own. " +
        "Administrators and auditors get all. An apostrophe precedes cells that a spreadsheet would run as a formula.",
      textField: "csv",
    })
      .input(exportPortfolioInput)
      .output(passingLarge(portfolioText))
      .query(async ({ ctx }) => textAnswerOf("csv", await domains.exportPortfolio(ctx.em, ctx.caller))),

    import: may("domains:write", {
      method: "POST",
      path: "/domains/import",
      operationId: "importPortfolio",
      costly: true,
      largeBody: true,
      tag,
      summary: "Import a table of domains",
      description:
        "Changes what is known of domains that you own: groups, tags, expiry dates, registrars, notes, costs, reminders, and for administrators " +
        "owners. Adds no domains, and changes no records. With `dryRun`, returns a plan by row; the same call with its `planHash` carries out " +
        "exactly that plan, without the refused rows.",
      errors: [409],
    })
      .input(importPortfolioInput)
      .output(passingLarge(portfolioImport))
      .mutation(
        async ({ ctx, input }) =>
          await answerOf(portfolioImport, await domains.importPortfolio(ctx.em, ctx.caller, input)),
      ),

    costs: may("domains:read", {
      method: "GET",
      path: "/domains/costs",
      operationId: "getPortfolioCosts",
      tag,
      summary: "Sum the yearly costs by group",
      description:
        "Covers the domains that you own; for administrators and auditors, all. Narrowed tokens of members get none.",
    })
      .input(anyPage)
      .output(portfolioCosts)
      .query(async ({ ctx, input }) => {
        const all = await domains.costs(ctx.em, ctx.caller);
        return { ...all, groups: pageOfAll(all.groups, input) };
      }),
  });
}
