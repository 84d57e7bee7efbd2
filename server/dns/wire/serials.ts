/** Serials of zones count modulo 2^32 (RFC 1982). */
const modulus = 2 ** 32;

/** Returns the serial of a number that may exceed 32 bits, or be negative. */
export function serialOf(number: number): number {
  return ((number % modulus) + modulus) % modulus;
}

/** Returns how far `to` is ahead of `from`: positive if it is newer, negative if it is older (RFC 1982 §3.2). */
export function serialDistance(from: number, to: number): number {
  const distance = serialOf(to - from);
  return distance < modulus / 2 ? distance : distance - modulus;
}
