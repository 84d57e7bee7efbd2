import { randomInt } from "node:crypto";
import type { Identity } from "./providers/provider.ts";
import type { ProviderId } from "../database/tables/identity.ts";

const longest = 48;
const numbered = 20;

/**
 * Names for a user who registers through a provider, the best first: what they are called there, the local part of their address, their name; then
 * the same with numbers. The last one has a random number, so that some name is always free.
 */
export function usernamesFor(providerId: ProviderId, { username, email, displayName }: Identity): string[] {
  const base =
    [username, email?.replace(/@.*$/s, "") ?? null, displayName]
      .map((text) => (text === null ? "" : plain(text)))
      .find((text) => text.length >= 2) ?? `${providerId}-user`;
  const numbers = Array.from({ length: numbered }, (_, index) => `${base}-${index + 2}`);
  return [base, ...numbers, `${base}-${randomInt(100_000, 1_000_000_000)}`];
}

/** Letters, digits, dots, hyphens and underscores; accents are left out. No @, which would look like an address. */
function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\w.-]+/g, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "")
    .slice(0, longest);
}
