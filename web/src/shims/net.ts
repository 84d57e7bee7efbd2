/** What the pure model uses of `node:net`, for browsers. */

const octet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const dotted = new RegExp(`^${octet}(?:\\.${octet}){3}$`);

export function isIPv4(text: string): boolean {
  return dotted.test(text);
}

/** Whether the text is an IPv6 address (RFC 4291 §2.2), without a zone. */
export function isIPv6(text: string): boolean {
  const ipv4At = text.lastIndexOf(":") + 1;
  const tail = text.slice(ipv4At);
  if (tail.includes(".")) return isIPv4(tail) && isIPv6(`${text.slice(0, ipv4At)}0:0`);
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return false;
  return halves.length === 2 ? groups.length < 8 : groups.length === 8;
}

export function isIP(text: string): 0 | 4 | 6 {
  return isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0;
}
