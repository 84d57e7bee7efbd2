import { parseZoneName, readHost } from "../dns/names/names.ts";
import type { Result } from "../platform/result.ts";
import type { ListedZones } from "./provider.ts";

/**
 * Returns each zone that a provider lists once, and apart from them those whose names no zone can have here.
 * @param read reads a name in the provider's notation
 */
export function listedZones(
  listed: Iterable<string>,
  read: (name: string) => Result<string> = parseZoneName,
): ListedZones {
  const names = new Set<string>();
  const reasons = new Map<string, string>();
  for (const name of listed) {
    const zone = read(name);
    if (zone.ok) names.add(zone.value);
    else reasons.set(name, zone.message);
  }
  return {
    names: [...names].toSorted(),
    unusable: [...reasons].map(([name, reason]) => ({ name, reason })).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** A zone of an account that cannot be managed, with the reason as a sentence. */
export type UnusableZone = ListedZones["unusable"][number];

/** Returns the zones of an account's list: names as the vendor prints them, or why a zone cannot be managed. @param read as above */
export async function allZones(
  pages: AsyncIterable<(string | UnusableZone)[]>,
  read?: (name: string) => Result<string>,
): Promise<ListedZones> {
  const zones: (string | UnusableZone)[] = [];
  for await (const page of pages) zones.push(...page);
  const { names, unusable } = listedZones(
    zones.filter((zone) => typeof zone === "string"),
    read,
  );
  const others = zones.filter((zone) => typeof zone !== "string");
  return { names, unusable: [...unusable, ...others].toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** Reads the name of a zone as a name server writes it: with escapes and a trailing dot. */
export function readZoneName(name: string): Result<string> {
  const host = readHost(name, "");
  if (!host.ok) return host;
  const zone = parseZoneName(host.value);
  return zone.ok ? host : zone;
}
