import type { EntityManager } from "../database/database.ts";
import type { ManagedZone, Place } from "../dns/reverse/zones.ts";
import type { LiveRecord } from "../dns/record.ts";
import type { ManagedZones } from "./managed-zones.ts";
import { placeKey, recordsAt, type NameInZone } from "./records-at.ts";

/** Where the PTR records of an address belong, or why they belong nowhere here. */
export interface PointerPlace {
  place: Place;
  fault: string | null;
  /** A classless zone for the address that the zone above does not lead to. */
  bypassed: Place | null;
}

/**
 * Returns where the PTR records of addresses belong, for those under a managed zone. Follows one CNAME, as RFC 2317 uses it to delegate
 * single addresses. A classless zone counts if the zone above it leads there, gives its whole network away, or is not managed here.
 * @param views in order of preference
 */
export async function pointerPlaces(
  em: EntityManager,
  zones: ManagedZones,
  addresses: readonly string[],
  views: readonly string[],
): Promise<Map<string, PointerPlace>> {
  await zones.readAddresses(em, addresses);
  const candidates = new Map(addresses.map((address) => [address, zones.index.candidatesFor(address, views)]));
  const asked = [...candidates.values()].flatMap(({ holder }) => (holder ? cutsFor(holder.zone, holder.owner) : []));
  const stored = await recordsAt(em, asked, ["CNAME", "NS", "DNAME"]);
  const recordsOf = (name: NameInZone) =>
    (stored.get(placeKey(name)) ?? []).filter(({ status }) => status === "active");
  const aliases = new Map<string, string>();
  for (const [address, { holder }] of candidates) {
    const alias = holder && recordsOf({ domainId: holder.zone.id, name: holder.owner }).find(isAlias);
    if (alias) aliases.set(address, alias.value);
  }
  await zones.readNames(em, aliases.values());
  const places = new Map<string, PointerPlace>();
  for (const [address, { holder, classless }] of candidates) {
    const target = aliases.get(address);
    if (!holder) {
      if (classless) places.set(address, { place: classless, fault: null, bypassed: null });
    } else if (target === undefined) {
      const isCut = (name: NameInZone) => recordsOf(name).some((record) => cuts(record, holder.owner));
      const cut = cutsFor(holder.zone, holder.owner).find(isCut);
      places.set(address, atHolder(holder, classless, cut ?? null));
    } else places.set(address, throughAlias(holder, target, zones, views));
  }
  return places;
}

function atHolder(place: Place, classless: Place | null, cut: NameInZone | null): PointerPlace {
  if (cut === null) return { place, fault: null, bypassed: classless };
  // Others have the zone above the classless one, and may lead there.
  if (classless && cut.name !== place.owner) return { place: classless, fault: null, bypassed: null };
  return { place, fault: delegated(cut.name, place.zone), bypassed: classless };
}

function throughAlias(place: Place, target: string, zones: ManagedZones, views: readonly string[]): PointerPlace {
  const other = zones.index.placeOfName(target, views);
  if (other && (other.zone.id !== place.zone.id || other.owner !== place.owner))
    return { place: other, fault: null, bypassed: null };
  return { place, fault: `its reverse name is a CNAME to ${target}, which is managed elsewhere`, bypassed: null };
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
