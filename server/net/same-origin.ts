/** Whether two addresses lead to the same scheme, host and port; one that is null stands for something of its own. */
export function sameOrigin(one: unknown, other: unknown): boolean {
  return one === other || (originOf(one) !== null && originOf(one) === originOf(other));
}

function originOf(address: unknown): string | null {
  return typeof address === "string" ? (URL.parse(address)?.origin ?? null) : null;
}

/** What is asked for where a stored secret would go to another origin. */
export const secretAgain = "Enter the secret again: the address has changed.";
