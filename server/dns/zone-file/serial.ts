const modulus = 2 ** 32;

/**
 * Returns the serial after `current`: `YYYYMMDD00` of `now` (UTC) if that is an increase by RFC 1982 §3.2, otherwise `current` + 1,
 * wrapping after 2^32-1. Never returns 0, which some servers read as "none".
 */
export function nextSerial(current: number, now: Date): number {
  const dated = ((now.getUTCFullYear() * 100 + now.getUTCMonth() + 1) * 100 + now.getUTCDate()) * 100;
  if (dated < modulus && isAdvance(current, dated)) return dated;
  const next = (current + 1) % modulus;
  return next === 0 ? 1 : next;
}

/** Returns whether a secondary at serial `from` considers `to` newer. */
function isAdvance(from: number, to: number): boolean {
  const distance = (to - from + modulus) % modulus;
  return distance > 0 && distance < modulus / 2;
}
