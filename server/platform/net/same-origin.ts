/** Returns whether two URLs have the same origin. Null equals only null. */
export function sameOrigin(one: unknown, other: unknown): boolean {
  return one === other || (originOf(one) !== null && originOf(one) === originOf(other));
}

function originOf(address: unknown): string | null {
  return typeof address === "string" ? (URL.parse(address)?.origin ?? null) : null;
}

/** Error message if a stored secret would be sent to another origin. */
export const secretAgain = "Enter the secret again, because the address has changed.";
