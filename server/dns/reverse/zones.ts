import { ownerWithin } from "../names/names.ts";
import { isIPv4, isIPv6 } from "node:net";
import { aaaaRule } from "../values/aaaa.ts";
import { addressOctets, ipv6Address } from "../values/addresses.ts";

const ipv4Tree = "in-addr.arpa";
const ipv6Tree = "ip6.arpa";

/**
 * Returns the name that holds the PTR records of an address: `5.2.0.192.in-addr.arpa` (RFC 1035 §3.5), or 32 nibbles under `ip6.arpa`
 * (RFC 3596 §2.5). Null for anything but a canonical A or AAAA value.
 */
export function reverseName(address: string): string | null {
  if (isIPv4(address)) return `${address.split(".").toReversed().join(".")}.${ipv4Tree}`;
  if (!isIPv6(address) || address.includes("%")) return null;
  return `${addressOctets(address).toString("hex").split("").toReversed().join(".")}.${ipv6Tree}`;
}

/**
 * Returns the address whose PTR records a name holds, as the canonical value of an A or AAAA record. Also reads names in classless zones
 * (RFC 2317): `5.0/25.2.0.192.in-addr.arpa`. Null for other names.
 */
export function addressOf(name: string): string | null {
  if (name.endsWith(`.${ipv6Tree}`)) return ipv6Of(name.slice(0, -ipv6Tree.length - 1).split("."));
  if (!name.endsWith(`.${ipv4Tree}`)) return null;
  const labels = name.slice(0, -ipv4Tree.length - 1).split(".");
  const [last = "", range = ""] = labels;
  if (labels.length === 5) {
    const found = rangeOf(range);
    return found && isInRange(found, Number(last)) ? ipv4Of([last, ...labels.slice(2)]) : null;
  }
  return ipv4Of(labels);
}

/** Returns whether a zone is one of the trees of reverse names or below. */
export function isReverseZone(zone: string): boolean {
  return /(?:^|\.)(?:in-addr|ip6)\.arpa$/.test(zone);
}

function ipv4Of(labels: readonly string[]): string | null {
  const address = labels.toReversed().join(".");
  return labels.length === 4 && isIPv4(address) ? address : null;
}

function ipv6Of(labels: readonly string[]): string | null {
  if (labels.length !== 32 || !labels.every((label) => /^[0-9a-f]$/.test(label))) return null;
  const read = aaaaRule.write(ipv6Address(Buffer.from(labels.toReversed().join(""), "hex")), null);
  return read.ok ? read.value.value : null;
}

/** Addresses of a /24, by their last numbers. */
interface Range {
  first: number;
  last: number;
}

const shortestPrefix = 25;
const longestPrefix = 32;

/**
 * Returns the addresses that a classless zone is named for (RFC 2317), by its first label: `0/25` and `0-127` both mean 0 to 127. A label
 * such as `0-25` may be a range or a first address with a prefix length: it is a range if it makes a block of its own, else a prefix if one
 * can begin there, else a range. Null for other labels.
 */
export function rangeOf(label: string): Range | null {
  const [, start = "", separator, end = ""] = /^(0|[1-9]\d{0,2})([/-])(0|[1-9]\d{0,2})$/.exec(label) ?? [];
  const [first, other] = [Number(start), Number(end)];
  if (separator === undefined || first > 255 || other > 255) return null;
  const block = blockOf(first, other);
  if (separator === "/") return block;
  const range = other >= first ? { first, last: other } : null;
  return range && (isBlock(range) || block === null) ? range : block;
}

export function isInRange({ first, last }: Range, number: number): boolean {
  return number >= first && number <= last;
}

function blockOf(first: number, prefix: number): Range | null {
  if (prefix < shortestPrefix || prefix > longestPrefix) return null;
  const size = 2 ** (longestPrefix - prefix);
  return first % size === 0 ? { first, last: first + size - 1 } : null;
}

function isBlock({ first, last }: Range): boolean {
  const size = last - first + 1;
  return (size & (size - 1)) === 0 && first % size === 0;
}

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
