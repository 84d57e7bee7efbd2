import type { ProviderKind } from "../../dns-providers/provider.ts";
import { sizesSeen } from "../changes/state/live-queries.ts";
import { lossWarning } from "./editing/reviewed-plan.ts";
import { lockWarning } from "../changes/locks-and-reviews.ts";
import type { ReverseMode } from "../../database/tables/domains.ts";
import type { PlannedChange } from "../../dns/record.ts";
import { touchedAddresses } from "../../dns/reverse/pointers.ts";
import { AppError } from "../../platform/errors.ts";
import { atOnce } from "../../platform/slices.ts";
import { loweredNames, notEndless, privateAddressWarnings, signedElsewhere, unproxiedWarnings } from "./warnings.ts";
import { accessColumns, rightsIn, type Rights } from "../../access/zone-access.ts";
import type { Caller } from "../../access/caller.ts";
import { jsonTexts, queries, type EntityManager } from "../../database/database.ts";
import { knownKind } from "../../dns-providers/kinds.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import { sql } from "kysely";

/** What the plan of a zone needs if it asks no provider. */
export interface ZoneToPlan {
  id: string;
  name: string;
  /** Empty: the default view. */
  view: string;
  recordCount: number;
  /** Whether PTR records follow its addresses. */
  reverse: ReverseMode;
  /** Whether the provider signs the zone, as last read. */
  signed: boolean;
  /** Whether somebody else signs it, so that every change invalidates signatures. */
  signedElsewhere: boolean;
  rights: Rights;
  kind: ProviderKind;
}

/** A zone of a plan over many zones, or why it cannot be planned. */
type ZoneOrRefusal = { id: string; qualifiedName: string; providerId: string } & (
  | { zone: ZoneToPlan; error: null }
  | { zone: null; error: string }
);

/** Reads zones that the caller may write in with one query. Zones that the caller may not see are left out. */
export async function zonesToPlan(
  em: EntityManager,
  connections: ProviderConnections,
  caller: Caller,
  ids: readonly string[],
): Promise<Map<string, ZoneOrRefusal>> {
  const rows = await queries(em)
    .selectFrom("domains")
    .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
    .select([
      "domains.id",
      "domains.name",
      "domains.view",
      "domains.record_count",
      "domains.provider_signed",
      "domains.soa_signed",
      "domains.reverse",
      "provider_configs.id as config_id",
      "provider_configs.kind",
      "provider_configs.config",
    ])
    .select(accessColumns(caller))
    .where("domains.id", "in", sql<string>`(select value::uuid from ${jsonTexts(ids)})`)
    .execute();
  const kinds = new Map<string, ProviderKind>();
  const kindOf = (row: (typeof rows)[number]) => {
    const kind = kinds.get(row.config_id) ?? connections.connect({ ...row, id: row.config_id }).kind;
    kinds.set(row.config_id, kind);
    return kind;
  };
  return new Map(
    rows.flatMap((row): [string, ZoneOrRefusal][] => {
      const named = { id: row.id, qualifiedName: qualifiedName(row), providerId: knownKind(row.kind).id };
      try {
        const zone: ZoneToPlan = {
          id: row.id,
          name: row.name,
          view: row.view,
          recordCount: row.record_count,
          reverse: row.reverse,
          signed: row.provider_signed,
          signedElsewhere: row.soa_signed && !row.provider_signed,
          rights: rightsIn(row, caller, "write"),
          kind: kindOf(row),
        };
        return [[row.id, { ...named, zone, error: null }]];
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return error.code === "NOT_FOUND" ? [] : [[row.id, { ...named, zone: null, error: error.message }]];
      }
    }),
  );
}

/** One zone of a plan over many. */
export interface PlannedZone {
  domainId: string;
  /** With its view. */
  domainName: string;
  /** The kind of its provider. */
  providerId: string;
  /** Empty if nothing is to change, and with an error. */
  changes: PlannedChange[];
  warnings: string[];
  /** Hash of the changes; null if there are none. */
  hash: string | null;
  /** Whether the changes pass the safety threshold. */
  needsForce: boolean;
  /** Why the zone cannot be changed; null if it can. */
  error: string | null;
}

/** Adds the warnings about large losses to plans of zones, where several records change. */
export async function addLosses(
  em: EntityManager,
  planned: readonly PlannedZone[],
  zones: readonly ZoneToPlan[],
): Promise<void> {
  const parts = new Map(
    planned.flatMap((part): [string, PlannedZone][] => (part.changes.length > 1 ? [[part.domainId, part]] : [])),
  );
  const changing = zones.flatMap((zone) => {
    const changes = parts.get(zone.id)?.changes;
    return changes ? [{ ...zone, changes }] : [];
  });
  for (const [id, size] of await sizesSeen(em, changing)) {
    const part = parts.get(id);
    const loss = part ? lossWarning(part.changes, size) : null;
    if (!part || loss === null) continue;
    part.needsForce = true;
    part.warnings.push(loss);
  }
}

/** Refuses a plan over several zones that changes locked records. @throws AppError CONFIRMATION_REQUIRED that names the first of them */
export function refuseLockedIn(zones: readonly Pick<PlannedZone, "domainName" | "changes">[]): void {
  for (const { domainName, changes } of zones) {
    const warning = lockWarning(changes);
    if (warning !== null) throw new AppError("CONFIRMATION_REQUIRED", `${domainName}: ${warning}`);
  }
}

/** Returns what a plan over many zones warns of in one of them, apart from losses. */
export function zoneWarnings(
  zone: { name: string; view: string; kind: ProviderKind; reverse: ReverseMode; signedElsewhere: boolean },
  changes: readonly PlannedChange[],
): string[] {
  const locked = lockWarning(changes);
  return [
    ...notEndless(atOnce(unproxiedWarnings(zone.kind, changes))),
    ...atOnce(privateAddressWarnings(zone, changes)),
    ...atOnce(loweredNames(zone.kind, changes)),
    ...(locked === null ? [] : [locked]),
    ...reverseWarnings(zone, changes),
    ...(zone.signedElsewhere ? [signedElsewhere] : []),
  ];
}

/** Returns what the plan over many zones says about PTR records: which of them change is decided when its job comes to the zone. */
function reverseWarnings(
  { name, reverse }: { name: string; reverse: ReverseMode },
  changes: readonly PlannedChange[],
): string[] {
  if (reverse === "off" || touchedAddresses(name, changes).length === 0) return [];
  return [
    reverse === "follow"
      ? "PTR records follow the addresses of this domain once it is changed. This plan does not list them."
      : "This plan leaves PTR records as they are: `reverse` is `offer`, and a plan over many domains cannot offer them. See the reverse report afterwards.",
  ];
}
