import { unescapeOctets } from "../names/escapes.ts";

/** The octets of character-strings (RFC 1035 §3.3.14) one after the other, or null if an escape is broken. */
export function joinOctets(raws: readonly string[]): Buffer | null {
  const parts: Buffer[] = [];
  for (const raw of raws) {
    const octets = unescapeOctets(raw);
    if (octets === null) return null;
    parts.push(octets);
  }
  return Buffer.concat(parts);
}

/** The character-strings that lie one after the other in RDATA (RFC 1035 §3.3.14), or null if the last is cut off. */
export function splitStrings(rdata: Buffer): Buffer[] | null {
  const strings: Buffer[] = [];
  let offset = 0;
  while (offset < rdata.length) {
    const end = offset + 1 + rdata.readUInt8(offset);
    strings.push(rdata.subarray(offset + 1, end));
    offset = end;
  }
  return offset === rdata.length ? strings : null;
}

// A byte order mark is content like any other.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Octets as text, or null where no text column could hold them: malformed UTF-8, or a NUL. */
export function decodeText(octets: Uint8Array): string | null {
  if (octets.includes(0)) return null;
  try {
    return utf8.decode(octets);
  } catch {
    return null;
  }
}
