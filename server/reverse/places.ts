import type { EntityManager } from "../database/database.ts";
import type { ManagedZone, Place } from "../dns/reverse/zones.ts";
import type { LiveRecord } from "../dns/record.ts";
import type { ManagedZones } from "./managed-zones.ts";
import { placeKey, recordsAt, type NameInZone } from "./records-at.ts";

/** Where the PTR records of an address belong, or why they belong nowhere here. */
export type PointerPlace = { place: Place; fault: null } | { place: Place; fault: string };

/**
 * Returns where the PTR records of addresses belong, for those under a managed zone. Follows one CNAME, as RFC 2317 uses it to delegate
 * single addresses. @param views in order of preference
 */
export async function pointerPlaces(
  em: EntityManager,
  zones: ManagedZones,
  addresses: readonly string[],
  views: readonly string[],
): Promise<Map<string, PointerPlace>> {
  await zones.readAddresses(em, addresses);
  const places = new Map<string, Place>();
  for (const address of addresses) {
    const place = zones.index.placeOf(address, views);
    if (place) places.set(address, place);
  }
  const asked = [...places.values()].flatMap(({ zone, owner }) => cutsFor(zone, owner));
  const stored = await recordsAt(em, asked, ["CNAME", "NS", "DNAME"]);
  const aliases = new Map<string, string>();
  for (const [address, { zone, owner }] of places) {
    const alias = stored.get(placeKey({ domainId: zone.id, name: owner }))?.find(isAlias);
    if (alias) aliases.set(address, alias.value);
  }
  await zones.readNames(em, aliases.values());
  return new Map(
    [...places].map(([address, place]): [string, PointerPlace] => {
      const target = aliases.get(address);
      if (target !== undefined) return [address, throughAlias(place, target, zones, views)];
      const isCut = (name: NameInZone) => stored.get(placeKey(name))?.some((record) => cuts(record, place.owner));
      const cut = cutsFor(place.zone, place.owner).find(isCut);
      return [address, cut ? { place, fault: delegated(cut.name, place.zone) } : { place, fault: null }];
    }),
  );
}

function throughAlias(place: Place, target: string, zones: ManagedZones, views: readonly string[]): PointerPlace {
  const other = zones.index.placeOfName(target, views);
  if (other && (other.zone.id !== place.zone.id || other.owner !== place.owner)) return { place: other, fault: null };
  return { place, fault: `its reverse name is a CNAME to ${target}, which is managed elsewhere` };
}

function delegated(name: string, { name: zone }: ManagedZone): string {
  return `${zone} delegates ${name} to other name servers`;
}

/** Returns an owner and the names above it within its zone, where records may give it away. */
function cutsFor(zone: ManagedZone, owner: string): NameInZone[] {
  if (owner === "@") return [];
  const labels = owner.split(".");
  return labels.map((_, index) => ({ domainId: zone.id, name: labels.slice(index).join(".") }));
}

function isAlias({ recordType }: LiveRecord): boolean {
  return recordType === "CNAME";
}

/** Returns whether a record gives an owner away: NS all names from its own on, DNAME those below its own (RFC 6672 §2.3). */
function cuts({ recordType, name }: LiveRecord, owner: string): boolean {
  return recordType === "NS" || (recordType === "DNAME" && name !== owner);
}
