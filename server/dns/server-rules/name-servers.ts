import { wildcardBelow } from "./ancestors.ts";
import type { CutType, KnownNames } from "./known-names.ts";

/**
 * The state of a name server's addresses. `below`: the name does not exist in this zone and lies within the delegation at or above its
 * closest `encloser`, so only the delegated zone knows its addresses. That suffices for NS records of other names.
 */
export type Addresses =
  | { state: "fine" }
  | { state: "below"; encloser: string }
  | { state: "missing" | "alias" | "redirected" };

/**
 * Returns the state of an NS target's addresses. BIND refuses a zone whose own name servers have no address; Knot also refuses missing
 * glue. Both accept an address from a wildcard.
 */
export function addressesOf(known: KnownNames, target: string): Addresses {
  const present = known.types(target);
  if (target === "@" || present.size > 0 || known.existsBelow(target)) return directly(known, present, target);
  const encloser = encloserOf(known, target);
  const wildcard = known.types(wildcardBelow(encloser));
  if (hasAddress(wildcard)) return { state: "fine" };
  const isDelegated = encloser !== "@" && (known.types(encloser).has("NS") || isDelegatedAbove(known, encloser));
  return isDelegated ? { state: "below", encloser } : directly(known, wildcard, target);
}

/** Returns the closest encloser: the nearest existing ancestor (RFC 4592 §3.3.1). */
function encloserOf(known: KnownNames, name: string): string {
  for (const above of known.above(name)) {
    if (known.types(above).size > 0 || known.existsBelow(above)) return above;
  }
  return "@";
}

function directly(known: KnownNames, types: ReadonlySet<string>, target: string): Addresses {
  if (hasAddress(types)) return { state: "fine" };
  if (types.has("CNAME")) return { state: "alias" };
  const isRedirected = nearestWith(known, target, "DNAME") !== null || known.types("@").has("DNAME");
  return { state: isRedirected ? "redirected" : "missing" };
}

function hasAddress(types: ReadonlySet<string>): boolean {
  return types.has("A") || types.has("AAAA");
}

/** Returns whether servers refuse a zone in which an NS record of `owner` points to a name with these addresses. */
export function isRefused(addresses: Addresses, owner: string): boolean {
  return addresses.state !== "fine" && (addresses.state !== "below" || addresses.encloser === owner);
}

/** Returns whether a name lies below a delegation, where servers ignore NS records. */
export function isDelegatedAbove(known: KnownNames, name: string): boolean {
  return nearestWith(known, name, "NS") !== null;
}

/** Returns the nearest ancestor with a DNAME, below which no names may exist (RFC 6672 §2.4), or null. */
export function redirectionAbove(known: KnownNames, name: string): string | null {
  if (name === "@") return null;
  return nearestWith(known, name, "DNAME") ?? (known.types("@").has("DNAME") ? "@" : null);
}

function nearestWith(known: KnownNames, name: string, type: CutType): string | null {
  for (const above of known.above(name, type)) if (known.types(above).has(type)) return above;
  return null;
}
