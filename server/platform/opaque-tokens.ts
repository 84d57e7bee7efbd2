import { createHash, randomBytes } from "node:crypto";

/** Returns 256 random bits in base64url. Stores look the token up by its hash. */
export function newOpaqueToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Returns the hash under which a token or code is stored, so that the database contains no usable tokens. Tokens are random enough for a plain hash. */
export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
