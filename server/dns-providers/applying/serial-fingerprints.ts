const secondsPerDay = 86_400;
const serials = 2 ** 32;

/**
 * Returns whether our own changes alone explain the step from serial `before` to `after`, each raising it once. If not, somebody
 * edited the zone at the same time, and the new serial is not a fingerprint of content that we know.
 *
 * Servers raise a serial by one, or set it to the time in seconds or to today's date plus a two-digit counter (RFC 1912 §2.2). The
 * last two jump and hide simultaneous edits, unless those happen in another second or are not the first of the day.
 */
export function isRaisedAlone(before: number, after: number, changes: number, now: Date): boolean {
  // Serial numbers wrap around (RFC 1982).
  const raised = (after - before + serials) % serials;
  if (raised <= changes) return true;
  const seconds = Math.floor(now.getTime() / 1_000);
  // The server's clock may differ.
  if (Math.abs(after - seconds) <= secondsPerDay) return true;
  const first = Math.floor(after / 100) * 100;
  const isToday = [-1, 0, 1].some((days) => first === 100 * dateNumber(seconds + days * secondsPerDay));
  return isToday && before < first && after - first <= changes;
}

/** Returns a date as `20260731`, in UTC. */
function dateNumber(seconds: number): number {
  return Number(new Date(seconds * 1_000).toISOString().slice(0, 10).replaceAll("-", ""));
}
