import { randomBytes } from "node:crypto";

/** Crockford's base 32: no letters that look like digits. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const form = new RegExp(`^[${alphabet}]+$`);

/** Symbols of five random bits each, which people can read out and type. */
export function newSymbols(count: number): string {
  return Array.from(randomBytes(count), (byte) => alphabet.charAt(byte % alphabet.length)).join("");
}

/** The symbols of a code however it was typed: case, hyphens, blanks and letters taken for digits make no difference. */
export function readSymbols(typed: string): string {
  return typed.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
}

/** Whether all of them are symbols that such a code can have. */
export function areSymbols(text: string): boolean {
  return form.test(text);
}
