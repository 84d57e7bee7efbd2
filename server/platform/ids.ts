import { randomBytes, createHash } from "node:crypto";

/** Octets that are fetched at once: each call of the random number generator costs as much as some hundred octets. */
const fetchedOctets = 4_096;
const octetsPerId = 8;
let random = Buffer.alloc(0);

let lastMilliseconds = 0;
let counter = 0;

/**
 * Returns a new version 7 UUID (RFC 9562 §5.7). Later ids sort after earlier ones, even within one millisecond of a process, so indexes
 * grow at their end and ordering by id is ordering by age.
 */
export function newId(): string {
  const now = Date.now();
  if (now > lastMilliseconds) {
    lastMilliseconds = now;
    counter = 0;
  } else if (++counter > 0xfff) {
    lastMilliseconds++;
    counter = 0;
  }
  const time = lastMilliseconds.toString(16).padStart(12, "0");
  const sequence = (0x7000 + counter).toString(16);
  if (random.length === 0) random = randomBytes(fetchedOctets);
  const octets = random.subarray(0, octetsPerId);
  random = random.subarray(octetsPerId);
  octets[0] = ((octets[0] ?? 0) & 0x3f) | 0x80;
  const tail = octets.toString("hex");
  return `${time.slice(0, 8)}-${time.slice(8)}-${sequence}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

/** Returns an id that sorts directly before another: for what is stored later, but came before. */
export function idBefore(id: string): string {
  const number = BigInt(`0x${id.replaceAll("-", "")}`) - 1n;
  const digits = number.toString(16).padStart(32, "0");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Returns 256 random bits in base64url. Stores look the token up by its hash. */
export function newOpaqueToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Returns the hash under which a token or code is stored, so that the database contains no usable tokens. Tokens are random enough for a plain hash. */
export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
