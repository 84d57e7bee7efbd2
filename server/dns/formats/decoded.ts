/** As much as the service takes of a file. */
export const mostBytes = 16 * 1024 * 1024;

/** What a file holds. */
export type Opened = { ok: true; text: string; isLatin1: boolean } | { ok: false; why: "tooLarge" | "notText" };

/** Decodes a file as UTF-8 or UTF-16, else as Latin-1: every sequence of octets is text there, so nothing is lost. */
export function decoded(octets: Uint8Array): Opened {
  if (octets.byteLength > mostBytes) return { ok: false, why: "tooLarge" };
  const [first, second] = octets;
  const utf16 = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : null;
  if (utf16 !== null) return { ok: true, text: new TextDecoder(utf16).decode(octets), isLatin1: false };
  // No text has this octet; archives, images and databases do.
  if (octets.includes(0)) return { ok: false, why: "notText" };
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(octets), isLatin1: false };
  } catch {
    return { ok: true, text: new TextDecoder("windows-1252").decode(octets), isLatin1: true };
  }
}
