import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 178 bits. */
const randomLength = 30;
/** Digits of the largest CRC-32 in base 62. */
const checksumLength = 6;
const form = new RegExp(`^([a-z][a-z0-9]{0,15})_pt_[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/**
 * Returns a new token, `<prefix>_pt_<random><checksum>`. The prefix lets secret scanners recognize it; the checksum detects mistyped tokens
 * without a database query.
 */
export function newToken(prefix: string): string {
  const random = Array.from({ length: randomLength }, () => base62.charAt(randomInt(base62.length))).join("");
  const body = `${prefix}_pt_${random}`;
  return body + checksum(body);
}

/** Returns whether a token has this prefix and a valid checksum. */
export function isWellFormed(token: string, prefix: string): boolean {
  if (form.exec(token)?.[1] !== prefix) return false;
  const body = token.slice(0, -checksumLength);
  return token === body + checksum(body);
}

/** Returns whether a token looks like a personal token of any prefix. A JWT contains dots. */
export function looksPersonal(token: string): boolean {
  return /^[^.]*_pt_/.test(token);
}

/** Returns the CRC-32 in base 62, padded to six digits. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  while (digits.length < checksumLength) {
    digits = base62.charAt(rest % base62.length) + digits;
    rest = Math.floor(rest / base62.length);
  }
  return digits;
}
