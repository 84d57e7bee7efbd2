import { parseZoneName } from "../../dns/names/names.ts";

/*
 * The ids of zones in paths: the name with a trailing dot, and `=XX` for every octet but letters, digits, dots and hyphens, so that a slash
 * (RFC 2317) does not split the path.
 */

/** Returns the id of a zone. @param name canonical, without a trailing dot */
export function zoneIdOf(name: string): string {
  return `${name.replaceAll(/[^a-z0-9.-]/gi, encoded)}.`;
}

function encoded(character: string): string {
  return [...Buffer.from(character)].map((octet) => `=${octet.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

/** Returns the canonical name of the zone that an id stands for, with or without its trailing dot; null if it is none. */
export function zoneOfId(id: string): string | null {
  const decoded = id.replaceAll(/=([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  const name = parseZoneName(decoded);
  return name.ok ? name.value : null;
}
