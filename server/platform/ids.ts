import { randomBytes } from "node:crypto";

let lastMilliseconds = 0;
let counter = 0;

/**
 * A new UUID, version 7 (RFC 9562 §5.7): ids made later sort later, also within one millisecond of one process, so that
 * indexes grow at their end and "by id" means "by age".
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
  const random = randomBytes(8);
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80;
  const tail = random.toString("hex");
  return `${time.slice(0, 8)}-${time.slice(8)}-${sequence}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}
