import { getDomain } from "tldts";

/** The registered name of a zone, and its suffixes. */
export interface Registrable {
  /** The registered name at or above the zone: `example.co.uk` for `dev.example.co.uk`. */
  name: string;
  /** Possible registry suffixes, longest first: `co.uk`, `uk`. Which one applies depends on the registry. */
  suffixes: string[];
}

/** Returns whether a zone has names of addresses (RFC 1035 §3.5, RFC 3596 §2.5). */
export function isReverse(zone: string): boolean {
  return /(?:^|\.)(?:in-addr|ip6)\.arpa$/.test(zone);
}

/** Returns a zone's registered name. @param zone lower-case A-labels. @returns null for a public suffix and for reverse zones */
export function registrableOf(zone: string): Registrable | null {
  // Private suffixes (github.io) are themselves registered names.
  if (isReverse(zone)) return null;
  const name = getDomain(zone, { allowPrivateDomains: false, validateHostname: false });
  if (name === null) return null;
  const labels = name.split(".");
  return { name, suffixes: labels.slice(1).map((_, index) => labels.slice(index + 1).join(".")) };
}
