import { wildcardBelow } from "./ancestors.ts";
import type { CutType, KnownNames } from "./known-names.ts";

/**
 * How it is with the addresses of a name that is a name server. `below`: it does not exist, and lies in the delegated part of the zone at or
 * below `encloser`, where only the delegated zone itself knows; that is enough for NS records of other names.
 */
export type Addresses =
  | { state: "fine" }
  | { state: "below"; encloser: string }
  | { state: "missing" | "alias" | "redirected" };

/**
 * Whether servers accept the name as the target of an NS record of the zone. BIND refuses a zone whose own name servers have no address, and
 * Knot also one whose delegations need glue and have none; both let a wildcard stand for it.
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

/** The nearest name above that exists (RFC 4592 §3.3.1). */
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

/** Whether an NS record of `owner` that points to such a name makes servers refuse the zone. */
export function isRefused(addresses: Addresses, owner: string): boolean {
  return addresses.state !== "fine" && (addresses.state !== "below" || addresses.encloser === owner);
}

/** Whether a name lies below a delegation: servers then pay no heed to its NS records. */
export function isDelegatedAbove(known: KnownNames, name: string): boolean {
  return nearestWith(known, name, "NS") !== null;
}

/** The DNAME above a name, below which there can be no names (RFC 6672 §2.4); null where there is none. */
export function redirectionAbove(known: KnownNames, name: string): string | null {
  if (name === "@") return null;
  return nearestWith(known, name, "DNAME") ?? (known.types("@").has("DNAME") ? "@" : null);
}

function nearestWith(known: KnownNames, name: string, type: CutType): string | null {
  for (const above of known.above(name, type)) if (known.types(above).has(type)) return above;
  return null;
}
