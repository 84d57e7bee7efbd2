import { isInRange, rangeOf, reverseName } from "./addresses.ts";
import { ownerWithin } from "../names/names.ts";

/** A managed zone. */
export interface ManagedZone {
  id: string;
  name: string;
  /** Empty: the default view. */
  view: string;
}

/** Where the PTR records of an address belong. */
export interface Place<Zone extends ManagedZone = ManagedZone> {
  zone: Zone;
  /** Relative to the zone. */
  owner: string;
}

/** Where the PTR records of an address may belong. */
export interface Candidates<Zone extends ManagedZone = ManagedZone> {
  /** The longest zone that holds its reverse name. */
  holder: Place<Zone> | null;
  /** The smallest classless zone (RFC 2317) for it. It counts only if the holder, if it is managed, says so. */
  classless: Place<Zone> | null;
}

/** The name above a classless zone, and the name itself with every name above it, longest first. */
export function namesFrom(name: string): string[] {
  const labels = name.split(".");
  return labels.map((_, index) => labels.slice(index).join("."));
}

/** Returns the name of the /24 zone that classless zones (RFC 2317) of an IPv4 address are below; null for an IPv6 address. */
export function classlessParent(address: string): string | null {
  const [, ...network] = address.includes(":") ? [] : (reverseName(address)?.split(".") ?? []);
  return network.length === 0 ? null : network.join(".");
}

/** Managed zones, to be found by the addresses or names that they hold. */
export class ZoneIndex<Zone extends ManagedZone> {
  readonly #byName = new Map<string, Zone[]>();
  /** Classless zones, by the name above them. */
  readonly #classless = new Map<string, Zone[]>();

  constructor(zones: Iterable<Zone> = []) {
    for (const zone of zones) this.add(zone);
  }

  add(zone: Zone): void {
    put(this.#byName, zone.name, zone);
    const [first = "", ...above] = zone.name.split(".");
    if (rangeOf(first)) put(this.#classless, above.join("."), zone);
  }

  /** Returns where the PTR records of an address may belong. Zones of the first view come before those of the next. */
  candidatesFor(address: string, views: readonly string[]): Candidates<Zone> {
    const name = reverseName(address);
    if (name === null) return { holder: null, classless: null };
    for (const [index, view] of views.entries()) {
      const exact = this.#at(name, view);
      const classless = exact ? null : this.#classlessPlace(address, view);
      if (classless) return { holder: this.placeOfName(name, views.slice(index)), classless };
      const holder = exact ?? this.#above(name, view);
      if (holder) return { holder, classless: null };
    }
    return { holder: null, classless: null };
  }

  /** Returns where a name belongs: in the longest zone that holds it, of the first view that has one. */
  placeOfName(name: string, views: readonly string[]): Place<Zone> | null {
    for (const view of new Set(views)) {
      const found = this.#at(name, view) ?? this.#above(name, view);
      if (found) return found;
    }
    return null;
  }

  /** Returns every zone that holds a name, with the name relative to it. */
  placesOfName(name: string): Place<Zone>[] {
    return namesFrom(name).flatMap((zoneName) => {
      const owner = ownerWithin(name, zoneName);
      return owner === null ? [] : (this.#byName.get(zoneName) ?? []).map((zone) => ({ zone, owner }));
    });
  }

  #at(name: string, view: string): Place<Zone> | null {
    const zone = this.#byName.get(name)?.find((each) => each.view === view);
    return zone ? { zone, owner: "@" } : null;
  }

  #classlessPlace(address: string, view: string): Place<Zone> | null {
    const zones = this.#classless.get(classlessParent(address) ?? "") ?? [];
    const last = Number(address.slice(address.lastIndexOf(".") + 1));
    const ranges = zones
      .filter((zone) => zone.view === view)
      .flatMap((zone) => {
        const range = rangeOf(zone.name.split(".", 1)[0] ?? "");
        return range && isInRange(range, last) ? [{ zone, size: range.last - range.first }] : [];
      });
    const [smallest] = ranges.toSorted((a, b) => a.size - b.size || (a.zone.name < b.zone.name ? -1 : 1));
    return smallest ? { zone: smallest.zone, owner: String(last) } : null;
  }

  #above(name: string, view: string): Place<Zone> | null {
    for (const zoneName of namesFrom(name).slice(1)) {
      const zone = this.#byName.get(zoneName)?.find((each) => each.view === view);
      const owner = zone ? ownerWithin(name, zoneName) : null;
      if (zone && owner !== null) return { zone, owner };
    }
    return null;
  }
}

function put<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}
