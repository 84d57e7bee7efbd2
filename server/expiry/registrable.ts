import { getDomain } from "tldts";

/** What a registry knows a zone by. */
export interface Registrable {
  /** The registered name that the zone is, or lies below: `example.co.uk` for `dev.example.co.uk`. */
  name: string;
  /** Where it may be registered, the longest suffix first: `co.uk`, `uk`. Registries go by one or the other. */
  suffixes: string[];
}

/** @param zone lower-case A-labels. @returns null for a public suffix, below which others register. */
export function registrableOf(zone: string): Registrable | null {
  // Private suffixes (github.io) are registrations themselves.
  const name = getDomain(zone, { allowPrivateDomains: false, validateHostname: false });
  if (name === null) return null;
  const labels = name.split(".");
  return { name, suffixes: labels.slice(1).map((_, index) => labels.slice(index + 1).join(".")) };
}
