import { randomInt } from "node:crypto";
import type { Identity } from "./providers/provider.ts";
import type { ProviderId } from "../database/tables/identity.ts";

const longest = 48;
const numbered = 20;

/**
 * Returns username candidates for a user who registers through a provider, best first: the username there, the local part of the email
 * address, or the display name; then the same with numbers. The last one has a random number, so that one is always free.
 */
export function usernamesFor(providerId: ProviderId, { username, email, displayName }: Identity): string[] {
  const base =
    [username, email?.replace(/@.*$/s, "") ?? null, displayName]
      .map((text) => (text === null ? "" : plain(text)))
      .find((text) => text.length >= 2) ?? `${providerId}-user`;
  const numbers = Array.from({ length: numbered }, (_, index) => `${base}-${index + 2}`);
  return [base, ...numbers, `${base}-${randomInt(100_000, 1_000_000_000)}`];
}

/** Reduces a text to letters, digits, dots, hyphens and underscores, without accents. Excludes @, which would look like an email address. */
function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\w.-]+/g, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "")
    .slice(0, longest);
}
