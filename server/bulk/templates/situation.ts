import { outsideRights, type Rights } from "../../access/zone-access.ts";
import type { ProviderKind } from "../../dns-providers/provider.ts";
import type { LiveRecord } from "../../dns/record.ts";
import { readOnlyReason } from "../../zones/records/provider-limits.ts";
import type { Application } from "./applying/expand.ts";
import type { Situation } from "./applying/resolve.ts";
import type { AppliedTemplate } from "./applied.ts";

/** Where a template is to be applied. */
export interface Place {
  domainId: string;
  host: string;
  variables: Record<string, string>;
  groups: string[] | null;
}

/** Returns the type that stands for a CNAME at the apex of a provider's zones. */
export function apexAliasAt({ apexCname, recordTypes, vendorTypes = false }: ProviderKind): Application["apexAlias"] {
  if (apexCname?.isFlattened) return "CNAME";
  const storesAlias = recordTypes === "any" ? vendorTypes : recordTypes.includes("ALIAS");
  return storesAlias ? "ALIAS" : null;
}

/** Identifies an application of a template. */
type Identity = Pick<AppliedTemplate, "domainId" | "templateId" | "host" | "instance">;

/** Splits what was applied to a domain into the earlier application of a template at a place, and the others. */
export function earlierAt(
  applied: readonly AppliedTemplate[],
  place: Identity,
): { earlier: AppliedTemplate | null; others: AppliedTemplate[] } {
  const isEarlier = (one: AppliedTemplate) =>
    (["domainId", "templateId", "host", "instance"] as const).every((field) => one[field] === place[field]);
  return {
    earlier: applied.find(isEarlier) ?? null,
    others: applied.filter((one) => one.domainId === place.domainId && !isEarlier(one)),
  };
}

/** Returns whether an application of some groups replaces what an earlier one wrote. */
export function replaces(groups: readonly string[] | null, { group }: { group: string | null }): boolean {
  return groups === null || group === null || groups.includes(group);
}

/** Returns what a template's changes depend on. */
export function situationAt(
  { kind, rights }: { kind: ProviderKind; rights: Rights },
  live: readonly LiveRecord[],
  { earlier, others }: ReturnType<typeof earlierAt>,
  groups: readonly string[] | null,
): Situation {
  return {
    live,
    mayDelete: (record) => outsideRights(record, rights) === null && readOnlyReason(record, kind) === null,
    previous: earlier?.written.filter((record) => replaces(groups, record)) ?? [],
    others: others.flatMap(({ written }) => written),
    ttlAt: (ttl) => (ttl === kind.automaticTtl ? ttl : Math.min(Math.max(ttl, kind.minTtl), kind.maxTtl)),
  };
}
