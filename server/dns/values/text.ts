import { unescapeOctets } from "../names/escapes.ts";

/** Decodes and concatenates character-strings (RFC 1035 §3.3.14). Returns null for an invalid escape. */
export function joinOctets(raws: readonly string[]): Buffer | null {
  const parts: Buffer[] = [];
  for (const raw of raws) {
    const octets = unescapeOctets(raw);
    if (octets === null) return null;
    parts.push(octets);
  }
  return Buffer.concat(parts);
}

/** Splits RDATA into its character-strings (RFC 1035 §3.3.14). Returns null if the last is cut off. */
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

// A byte order mark is content, not metadata.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes octets as text. Returns null for malformed UTF-8 or a NUL, which no text column can hold. */
export function decodeText(octets: Uint8Array): string | null {
  if (octets.includes(0)) return null;
  try {
    return utf8.decode(octets);
  } catch {
    return null;
  }
}
