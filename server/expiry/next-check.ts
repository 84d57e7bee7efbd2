import type { Finding } from "./registration.ts";

const hour = 3_600_000;
const day = 24 * hour;
/** Domains that came in together do not stay together: each look-up moves the next one by up to this. */
const spreadMilliseconds = hour;
/** After a first and a second look-up that came to nothing; later ones wait for the next day. */
const pausesAfterFailure = [hour, 4 * hour];

/**
 * When a domain is looked up the next time: within a day, and at the end of its registration; sooner after what may be better in an hour; later where there is nobody to ask.
 * @param failures look-ups in a row that came to nothing. @param chance from 0 up to 1, where within the spread
 */
export function nextCheck(finding: Finding, failures: number, now: Date, chance = Math.random()): Date {
  const usual = new Date(now.getTime() + pauseAfter(finding, failures) - chance * spreadMilliseconds);
  // Many registries renew at the very moment: looked up just then, the domain is not told of as expired.
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
