import { randomBytes } from "node:crypto";
import { hashOf } from "../../auth/opaque-tokens.ts";

/** Crockford's base 32: no letters that look like digits. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const codeCharacters = 26;

/** A code of 130 random bits that people can read out: `7ZK4-…` in groups of up to five. */
export function newInviteCode(): string {
  const characters = [...randomBytes(codeCharacters)].map((byte) => alphabet[byte % alphabet.length]).join("");
  return characters.replaceAll(/.{5}(?=.)/g, "$&-");
}

/** How a code is stored and found. Case, hyphens, spaces and letters taken for digits make no difference. */
export function inviteCodeHash(code: string): string {
  const plain = code.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  return hashOf(`invitation ${plain}`);
}
