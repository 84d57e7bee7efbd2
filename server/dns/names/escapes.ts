/**
 * Decodes master-file escapes (RFC 1035 §5.1): `\DDD` is one octet, `\c` is c itself; other text becomes its UTF-8 octets.
 * Returns null for an invalid escape: above 255, too few digits, or a trailing backslash.
 */
export function unescapeOctets(raw: string): Buffer | null {
  if (!raw.includes("\\")) return Buffer.from(raw, "utf8");
  const octets: Buffer[] = [];
  for (const [part, digits, escaped] of raw.matchAll(/\\(\d{3})|\\([^\d])|[^\\]+|\\/gsu)) {
    if (digits !== undefined && Number(digits) <= 255) octets.push(Buffer.of(Number(digits)));
    else if (escaped) octets.push(Buffer.from(escaped, "utf8"));
    else if (!part.startsWith("\\")) octets.push(Buffer.from(part, "utf8"));
    else return null;
  }
  return Buffer.concat(octets);
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
