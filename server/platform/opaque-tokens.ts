import { createHash, randomBytes } from "node:crypto";

/** A value of 256 random bits that says nothing by itself: what it opens is looked up by its hash. */
export function newOpaqueToken(): string {
  return randomBytes(32).toString("base64url");
}

/** How a token or a code is stored and found, so that whoever reads the database has none. It is random enough for a plain hash. */
export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
