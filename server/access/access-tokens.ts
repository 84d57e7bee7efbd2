import { SignJWT } from "jose/jwt/sign";
import { jwtVerify } from "jose/jwt/verify";
import { z } from "zod";
import type { Keyring } from "../platform/keyring.ts";

const issuer = "zonewright";
/** Distinguishes access tokens from other JWTs signed with the same secret. */
const audience = "access";
const accessTokenSeconds = 15 * 60;
const maxCachedTokens = 20_000;

const claimsSchema = z.object({ sub: z.uuid(), sid: z.uuid(), exp: z.number() });

export interface AccessClaims {
  userId: string;
  sessionId: string;
  /** Seconds since 1970. */
  expiresAt: number;
}

/** Issues and verifies access tokens: HS256 JWTs, valid for 15 minutes, that identify user and session but contain no permissions. */
export class AccessTokens {
  readonly #keys: readonly [Uint8Array, ...Uint8Array[]];
  readonly #now: () => Date;
  /** Verified tokens and their claims. A token is as unguessable as its signature, so it can be the key. */
  readonly #checked = new Map<string, AccessClaims>();

  constructor(keyring: Keyring, now: () => Date) {
    this.#keys = keyring.keysFor("access-token");
    this.#now = now;
  }

  async issue(userId: string, sessionId: string): Promise<string> {
    const issuedAt = Math.floor(this.#now().getTime() / 1000);
    return await new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: "HS256", typ: "at+jwt" })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(userId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + accessTokenSeconds)
      .sign(this.#keys[0]);
  }

  /** Returns the claims of a valid, unexpired token, otherwise null. */
  async check(token: string): Promise<AccessClaims | null> {
    const claims = this.#checked.get(token) ?? (await this.#verify(token));
    if (!claims || claims.expiresAt * 1000 <= this.#now().getTime()) {
      this.#checked.delete(token);
      return null;
    }
    return claims;
  }

  async #verify(token: string): Promise<AccessClaims | null> {
    for (const key of this.#keys) {
      try {
        const { payload } = await jwtVerify(token, key, {
          issuer,
          audience,
          algorithms: ["HS256"],
          typ: "at+jwt",
          currentDate: this.#now(),
        });
        const { sub, sid, exp } = claimsSchema.parse(payload);
        const claims = { userId: sub, sessionId: sid, expiresAt: exp };
        if (this.#checked.size >= maxCachedTokens) this.#checked.clear();
        this.#checked.set(token, claims);
        return claims;
      } catch {
        continue;
      }
    }
    return null;
  }
}
