import type { Finding } from "./registration.ts";

const hour = 3_600_000;
const day = 24 * hour;
/** Maximum jitter, which spreads the lookups of domains that were added together. */
const spreadMilliseconds = hour;
/** Delays after the first and second failed lookups; later ones wait until the next day. */
const pausesAfterFailure = [hour, 4 * hour];

/**
 * Returns the time of a domain's next lookup: within a day, or when its registration ends, if that is earlier. Transient failures are
 * retried sooner; names without a registry are looked up later.
 * @param failures consecutive failed lookups. @param chance position within the jitter, from 0 up to 1
 */
export function nextCheck(finding: Finding, failures: number, now: Date, chance = Math.random()): Date {
  const usual = new Date(now.getTime() + pauseAfter(finding, failures) - chance * spreadMilliseconds);
  // Many registries auto-renew at the moment of expiry. A lookup at that time avoids a false expiry notice.
  const ends = finding.kind === "found" ? finding.expiresAt : usual;
  return ends > now && ends < usual ? ends : usual;
}

function pauseAfter(finding: Finding, failures: number): number {
  switch (finding.kind) {
    case "found":
    case "unpublished":
      return day;
    case "unknown":
      return 7 * day;
    case "failed":
    case "unregistered":
      if (finding.kind === "failed" && finding.limited) return 2 * hour;
      return (pausesAfterFailure[failures - 1] ?? day - spreadMilliseconds) + spreadMilliseconds;
    default:
      return finding satisfies never;
  }
}
