import { createHash, randomBytes } from "node:crypto";

/** A value of 256 random bits that opens something once. */
export function newOneTimeToken(): string {
  return randomBytes(32).toString("base64url");
}

/** How it is stored and found. */
export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
