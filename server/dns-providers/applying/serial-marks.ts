const secondsPerDay = 86_400;
const serials = 2 ** 32;

/**
 * Whether a zone's serial can have gone from `before` to `after` by our own changes alone, of which each raised it once. Else somebody
 * else's edit of the same moment is among what it counts, and it is no mark of content that we know.
 *
 * Servers raise a serial by one, or set it to the time in seconds, or to today's date with two digits that count (RFC 1912 §2.2). The last
 * two leap, and then do not tell; an edit by others is noticed there when it comes in another second, or is not the first of its day.
 */
export function isRaisedAlone(before: number, after: number, changes: number, now: Date): boolean {
  // RFC 1982: serials go round.
  const raised = (after - before + serials) % serials;
  if (raised <= changes) return true;
  const seconds = Math.floor(now.getTime() / 1_000);
  // Clocks of servers differ.
  if (Math.abs(after - seconds) <= secondsPerDay) return true;
  const first = Math.floor(after / 100) * 100;
  const isToday = [-1, 0, 1].some((days) => first === 100 * dateNumber(seconds + days * secondsPerDay));
  return isToday && before < first && after - first <= changes;
}

/** `20260731`, in UTC. */
function dateNumber(seconds: number): number {
  return Number(new Date(seconds * 1_000).toISOString().slice(0, 10).replaceAll("-", ""));
}
