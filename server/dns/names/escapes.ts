/**
 * Undoes master-file escapes (RFC 1035 §5.1): `\DDD` is one octet, `\c` is c itself; other text becomes its UTF-8 octets.
 * Null where an escape is broken: above 255, short of digits, or a backslash with nothing behind it.
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
 * Writes octets as master-file text. `specials` are the printable characters that the place needs escaped; octets outside
 * 0x20-0x7e always become `\DDD`. A special blank does too, because `\ ` gets lost on people and tools that split at blanks.
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
