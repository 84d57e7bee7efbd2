import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 178 bits. */
const randomLength = 30;
/** As many digits as the largest CRC-32 has. */
const checksumLength = 6;
const form = new RegExp(`^([a-z][a-z0-9]{0,15})_pt_[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/**
 * A new token, `<prefix>_pt_<random><checksum>`. The prefix lets programs that look for leaked secrets know it, the checksum lets
 * them and us tell a mistyped one without asking the database.
 */
export function newToken(prefix: string): string {
  const random = Array.from({ length: randomLength }, () => base62.charAt(randomInt(base62.length))).join("");
  const body = `${prefix}_pt_${random}`;
  return body + checksum(body);
}

/** Whether this can be a token made with this prefix. */
export function isWellFormed(token: string, prefix: string): boolean {
  if (form.exec(token)?.[1] !== prefix) return false;
  const body = token.slice(0, -checksumLength);
  return token === body + checksum(body);
}

/** Whether this is meant as a personal token, ours or somebody else's; a JWT has dots. */
export function looksPersonal(token: string): boolean {
  return /^[^.]*_pt_/.test(token);
}

/** CRC-32 in base 62, to six digits. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  while (digits.length < checksumLength) {
    digits = base62.charAt(rest % base62.length) + digits;
    rest = Math.floor(rest / base62.length);
  }
  return digits;
}
