import { wildcardBelow, NamesInMemory, type CutType, type KnownNames } from "./known-names.ts";
import { absoluteName, ownerWithin } from "../names/names.ts";
import { atOnce } from "../../platform/slices.ts";
import type { RecordData } from "../record.ts";
import { serverViolationsAt, type ServerRules } from "../zone-rules.ts";

/**
 * The state of a name server's addresses. `below`: the name does not exist in this zone and lies within the delegation at or above its
 * closest `encloser`, so only the delegated zone knows its addresses. That suffices for NS records of other names.
 */
type Addresses =
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

const states: Readonly<Record<Addresses["state"], string>> = {
  fine: "would be fine",
  missing: "would have no A or AAAA record",
  below: "would have no A or AAAA record",
  alias: "would be a CNAME (RFC 2181 §10.3)",
  redirected: "would be below a DNAME",
};

/** Returns why servers refuse a zone with this name server; `owner` is the owner of its NS record. */
export function nameServerReason(zone: string, owner: string, target: string, { state }: Addresses): string {
  const of = owner === "@" ? "the zone" : `the delegation ${owner}`;
  return `${absoluteName(target, zone)} is a name server of ${of} and ${states[state]}; name servers would refuse the zone.`;
}

/** Returns why servers refuse a name below a DNAME. */
export function redirectionReason(name: string, above: string): string {
  const owner = above === "@" ? "the apex" : above;
  return `${name} is below ${owner}, which has a DNAME; no names may exist below a DNAME (RFC 6672 §2.4).`;
}

/** Returns why name servers would refuse a zone with these records, beyond record validation and the general zone rules. Pure. */
export function refusalsOf(zone: string, records: readonly RecordData[], rules: ServerRules): string[] {
  const known = atOnce(NamesInMemory.of(records));
  const byName = Map.groupBy(records, ({ name }) => name);
  const atNames = [...byName].flatMap(([name, some]) => serverViolationsAt(name, some, rules));
  const redirected = [...byName.keys()].flatMap((name) => {
    const above = redirectionAbove(known, name);
    return above === null ? [] : [redirectionReason(name, above)];
  });
  const unaddressed = records.flatMap(({ recordType, name, value }) => {
    const target = recordType === "NS" ? ownerWithin(value, zone) : null;
    if (target === null || isDelegatedAbove(known, name)) return [];
    const addresses = addressesOf(known, target);
    return isRefused(addresses, name) ? [nameServerReason(zone, name, target, addresses)] : [];
  });
  return [...atNames.map(({ message }) => message), ...redirected, ...unaddressed];
}
