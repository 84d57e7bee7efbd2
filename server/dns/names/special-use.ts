/**
 * Names that are not registered and that the public DNS does not have: RFC 2606, RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476 and ICANN's
 * `internal`.
 */
const specialUse = [
  "alt",
  "example",
  "example.com",
  "example.net",
  "example.org",
  "home.arpa",
  "internal",
  "invalid",
  "local",
  "localhost",
  "onion",
  "test",
];

/** Returns the special-use name that a name is at or below; null if there is none. @param name lower-case A-labels */
export function specialUseAbove(name: string): string | null {
  return specialUse.find((special) => name === special || name.endsWith(`.${special}`)) ?? null;
}
