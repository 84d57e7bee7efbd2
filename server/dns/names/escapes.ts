/**
 * Decodes master-file escapes (RFC 1035 §5.1): `\DDD` is one octet, `\c` is c itself; other text becomes its UTF-8 octets.
 * Returns null for an invalid escape: above 255, too few digits, or a trailing backslash.
 */
export function unescapeOctets(raw: string): Buffer | null {
  let backslash = raw.indexOf("\\");
  if (backslash === -1) return Buffer.from(raw, "utf8");
  // A code unit takes at most three octets. A record may have 64,000 escapes, so none gets an object of its own.
  const octets = Buffer.allocUnsafe(3 * raw.length);
  let length = 0;
  let start = 0;
  for (; backslash !== -1; backslash = raw.indexOf("\\", start)) {
    if (start < backslash) length += octets.write(raw.slice(start, backslash), length, "utf8");
    const escaped = raw.codePointAt(backslash + 1);
    if (escaped === undefined) return null;
    const character = String.fromCodePoint(escaped);
    if (/\d/.test(character)) {
      const digits = raw.slice(backslash + 1, backslash + 4);
      if (!/^\d{3}$/.test(digits) || Number(digits) > 255) return null;
      length = octets.writeUInt8(Number(digits), length);
      start = backslash + 4;
    } else {
      length += octets.write(character, length, "utf8");
      start = backslash + 1 + character.length;
    }
  }
  length += octets.write(raw.slice(start), length, "utf8");
  return octets.subarray(0, length);
}

/**
 * Writes octets as master-file text. `specials` are the printable characters to escape in this context; octets outside
 * 0x20-0x7e always become `\DDD`. So does a special space, because `\ ` breaks tools that split at whitespace.
 */
export function escapeOctets(octets: Uint8Array, specials: string): string {
  let text = "";
  for (const octet of octets) {
    const character = String.fromCharCode(octet);
    const special = specials.includes(character);
    if (octet < 0x20 || octet > 0x7e || (special && character === " ")) text += `\\${String(octet).padStart(3, "0")}`;
    else text += special ? `\\${character}` : character;
  }
  return text;
}
