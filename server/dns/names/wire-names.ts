import { escapeOctets, unescapeOctets } from "./escapes.ts";

/** A message that is not what DNS allows. `message` is the end of a sentence. */
export class WireError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "WireError";
  }
}

/** What labels.ts escapes in canonical names. */
const specials = ' ".;()\\@$';
const plainLabel = /^[\w/*-]+$/;
/** RFC 1035 §2.3.4: octets of a name with its length octets and the root. */
const longestName = 255;

/**
 * Reads a domain name (RFC 1035 §3.1), following compression (§4.1.4).
 * @returns the canonical name (lower case, `\.` and `\DDD` escapes, no trailing dot; `.` for the root) and where it ends.
 */
export function readName(message: Buffer, offset: number): { name: string; end: number } {
  const labels: string[] = [];
  const end = eachLabel(message, offset, (start, stop) => {
    const text = message.toString("latin1", start, stop);
    labels.push(
      plainLabel.test(text) ? text.toLowerCase() : escapeOctets(message.subarray(start, stop).map(lowerCase), specials),
    );
  });
  return { name: labels.length === 0 ? "." : labels.join("."), end };
}

/** The name at `offset` as it is spelt there, without compression, and where it ends. */
export function expandName(message: Buffer, offset: number): { name: Buffer; end: number } {
  const parts: Buffer[] = [];
  const end = eachLabel(message, offset, (start, stop) => {
    parts.push(message.subarray(start - 1, stop));
  });
  return { name: Buffer.concat([...parts, Buffer.of(0)]), end };
}

/** Where the name at `offset` ends. */
export function skipName(message: Buffer, offset: number): number {
  let position = offset;
  for (;;) {
    const length = octetAt(message, position);
    if (length >= 0xc0) return position + 2;
    if (length > 63) throw new WireError("a label is of an unknown kind");
    position += 1 + length;
    if (length === 0) return position;
  }
}

/** The uncompressed wire form of a canonical or absolute name; `.` and nothing are the root. @throws WireError */
export function writeName(name: string): Buffer {
  if (name === "." || name === "") return Buffer.of(0);
  const parts: Buffer[] = [];
  let total = 1;
  for (const label of labelsOf(
    name.endsWith(".") && !/(?:^|[^\\])(?:\\\\)*\\\.$/.test(name) ? name.slice(0, -1) : name,
  )) {
    const octets = unescapeOctets(label);
    if (octets === null || octets.length === 0) throw new WireError(`${name} is no domain name`);
    if (octets.length > 63) throw new WireError(`${name} has a label of more than 63 octets`);
    parts.push(Buffer.of(octets.length), octets);
    total += 1 + octets.length;
  }
  if (total > longestName) throw new WireError(`${name} is longer than ${longestName} octets`);
  return Buffer.concat([...parts, Buffer.of(0)], total);
}

function labelsOf(name: string): string[] {
  return name.includes("\\") ? (name.match(/(?:\\[^]|[^.\\])+/g) ?? [""]) : name.split(".");
}

function eachLabel(message: Buffer, offset: number, take: (start: number, stop: number) => void): number {
  let position = offset;
  let end: number | null = null;
  let total = 1;
  for (;;) {
    const length = octetAt(message, position);
    if (length === 0) return end ?? position + 1;
    if (length >= 0xc0) {
      const target = ((length & 0x3f) << 8) | octetAt(message, position + 1);
      // Only towards the beginning, so that no chain of pointers is endless.
      if (target >= position) throw new WireError("a compressed name points forward");
      end ??= position + 2;
      position = target;
      continue;
    }
    if (length > 63) throw new WireError("a label is of an unknown kind");
    const stop = position + 1 + length;
    if (stop > message.length) throw new WireError("it ends within a name");
    total += 1 + length;
    if (total > longestName) throw new WireError("a name is longer than 255 octets");
    take(position + 1, stop);
    position = stop;
  }
}

function octetAt(message: Buffer, position: number): number {
  const octet = message[position];
  if (octet === undefined) throw new WireError("it ends within a name");
  return octet;
}

function lowerCase(octet: number): number {
  return octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet;
}
