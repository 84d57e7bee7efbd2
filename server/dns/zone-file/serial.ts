const modulus = 2 ** 32;

/**
 * The serial that follows `current`: `YYYYMMDD00` of `now` (UTC) where that is an advance in the sense of RFC 1982 §3.2, else one more,
 * wrapping past 2^32-1. Never 0, which some servers take for "none".
 */
export function nextSerial(current: number, now: Date): number {
  const dated = ((now.getUTCFullYear() * 100 + now.getUTCMonth() + 1) * 100 + now.getUTCDate()) * 100;
  if (dated < modulus && isAdvance(current, dated)) return dated;
  const next = (current + 1) % modulus;
  return next === 0 ? 1 : next;
}

/** Whether a secondary at serial `from` would take `to` for newer. */
function isAdvance(from: number, to: number): boolean {
  const distance = (to - from + modulus) % modulus;
  return distance > 0 && distance < modulus / 2;
}
