import { randomBytes } from "node:crypto";

/** Crockford's base 32, which has no letters that look like digits. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const form = new RegExp(`^[${alphabet}]+$`);

/** Returns random symbols of five bits each, which people can read aloud and type. */
export function newSymbols(count: number): string {
  return Array.from(randomBytes(count), (byte) => alphabet.charAt(byte % alphabet.length)).join("");
}

/** Returns the symbols of a typed code. Ignores case, hyphens and spaces, and accepts letters that look like digits. */
export function readSymbols(typed: string): string {
  return typed.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
}

/** Returns whether a text consists only of valid symbols. */
export function areSymbols(text: string): boolean {
  return form.test(text);
}
