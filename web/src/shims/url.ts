import punycode from "punycode/punycode.js";

/** What the pure model uses of `node:url`, for browsers. */

/** Converts a name to A-labels, or returns the empty string if it is invalid. */
export function domainToASCII(name: string): string {
  if (/[\s#%/:?@[\\\]^|]/.test(name)) return "";
  const url = URL.parse(`ws://${name}`);
  return url?.hostname ?? "";
}

/** Converts A-labels to Unicode. */
export function domainToUnicode(name: string): string {
  try {
    return punycode.toUnicode(name);
  } catch {
    return "";
  }
}
