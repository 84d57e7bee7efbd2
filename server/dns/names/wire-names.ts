import { escapeOctets, unescapeOctets } from "./escapes.ts";
import { foldName } from "./names.ts";

/** A malformed DNS message. `message` ends a sentence. */
export class WireError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "WireError";
  }
}

/** Characters that labels.ts escapes in canonical names. */
const specials = ' ".;()\\@$';
const plainLabel = /^[\w/*-]+$/;
/** RFC 1035 §2.3.4: in octets, including length octets and the root. */
const longestName = 255;

/** The end of a name, from a label on: as written, empty for the root, with its size in octets. */
interface Suffix {
  name: string;
  octets: number;
}

/** What the pointers of one message lead to, by offset. Each label is then read once, however many names point to it. */
export type KnownSuffixes = Map<number, Suffix>;

/** A name in a message, and the offset after it. */
interface FoundName {
  name: string;
  written: string;
  end: number;
}

/**
 * Reads a domain name (RFC 1035 §3.1), following compression (§4.1.4). @param known shared by the names of one message
 * @returns the canonical name (lower case, `\.` and `\DDD` escapes, no trailing dot; `.` for the root), the name as written, and where it
 * ends. @throws WireError
 */
export function readName(message: Buffer, offset: number, known: KnownSuffixes = new Map()): FoundName {
  const found = findName(message, offset, known);
  if (typeof found === "string") throw new WireError(found);
  return found;
}

/** Like `readName`, but returns what is wrong instead of throwing, because strangers may send any octets and an exception is costly. */
export function findName(message: Buffer, offset: number, known: KnownSuffixes): FoundName | string {
  const own: string[] = [];
  const steps: { at: number; label: string | null; octets: number }[] = [];
  let rest: Suffix = { name: "", octets: 1 };
  const end = eachLabel(message, offset, {
    pointed(at) {
      const suffix = known.get(at);
      if (suffix === undefined) steps.push({ at, label: null, octets: 0 });
      else rest = suffix;
      return suffix?.octets ?? null;
    },
    label(start, stop) {
      const label = labelText(message, start, stop);
      const step = steps.at(-1);
      if (step) Object.assign(step, { label, octets: 1 + stop - start });
      else own.push(label);
    },
  });
  if (typeof end === "string") return end;
  for (const { at, label, octets } of steps.toReversed()) {
    if (label !== null) rest = { name: joined(label, rest.name), octets: octets + rest.octets };
    known.set(at, rest);
  }
  const written = (own.length === 0 ? rest.name : joined(own.join("."), rest.name)) || ".";
  return { name: foldName(written), written, end };
}

function joined(labels: string, rest: string): string {
  return rest === "" ? labels : `${labels}.${rest}`;
}

function labelText(message: Buffer, start: number, stop: number): string {
  const text = message.toString("latin1", start, stop);
  return plainLabel.test(text) ? text : escapeOctets(message.subarray(start, stop), specials);
}

/** Returns the name at `offset` uncompressed, in its original case, and the offset after it. */
export function expandName(message: Buffer, offset: number): { name: Buffer; end: number } {
  const parts: Buffer[] = [];
  const end = eachLabel(message, offset, {
    label: (start, stop) => {
      parts.push(message.subarray(start - 1, stop));
    },
  });
  if (typeof end === "string") throw new WireError(end);
  return { name: Buffer.concat([...parts, Buffer.of(0)]), end };
}

/** Returns the offset after the name at `offset`. */
export function skipName(message: Buffer, offset: number): number {
  let position = offset;
  for (;;) {
    const length = octetAt(message, position);
    if (length >= 0xc0) return position + 2;
    if (length > 63) throw new WireError("a label has an unknown type");
    position += 1 + length;
    if (length === 0) return position;
  }
}

/** Returns the uncompressed wire form of a canonical or absolute name; `.` and the empty string are the root. @throws WireError */
export function writeName(name: string): Buffer {
  if (name === "." || name === "") return Buffer.of(0);
  const parts: Buffer[] = [];
  let total = 1;
  for (const label of labelsOf(
    name.endsWith(".") && !/(?:^|[^\\])(?:\\\\)*\\\.$/.test(name) ? name.slice(0, -1) : name,
  )) {
    const octets = unescapeOctets(label);
    if (octets === null || octets.length === 0) throw new WireError(`${name} is not a valid domain name`);
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

interface LabelVisitor {
  /** Called at each offset that a pointer leads to, and at those after it. @returns the size of the name from there on, if it is known, to end there */
  pointed?: (at: number) => number | null;
  label: (start: number, stop: number) => void;
}

const cutOff = "it is cut off within a name";
const tooLong = `a name is longer than ${longestName} octets`;

/** @returns the offset after the name, or what is wrong with it */
function eachLabel(message: Buffer, offset: number, visitor: LabelVisitor): number | string {
  let position = offset;
  let end: number | null = null;
  let total = 1;
  for (;;) {
    const known = end === null ? null : (visitor.pointed?.(position) ?? null);
    if (end !== null && known !== null) return total - 1 + known > longestName ? tooLong : end;
    const length = message[position];
    if (length === undefined) return cutOff;
    if (length === 0) return end ?? position + 1;
    if (length >= 0xc0) {
      const low = message[position + 1];
      if (low === undefined) return cutOff;
      const target = ((length & 0x3f) << 8) | low;
      // Pointers may only go backward, which rules out loops.
      if (target >= position) return "a compressed name points forward";
      end ??= position + 2;
      position = target;
      continue;
    }
    if (length > 63) return "a label has an unknown type";
    const stop = position + 1 + length;
    if (stop > message.length) return cutOff;
    total += 1 + length;
    if (total > longestName) return tooLong;
    visitor.label(position + 1, stop);
    position = stop;
  }
}

function octetAt(message: Buffer, position: number): number {
  const octet = message[position];
  if (octet === undefined) throw new WireError(cutOff);
  return octet;
}
