import type { JWTPayload } from "jose";
import { decodeProtectedHeader } from "jose/decode/protected_header";
import { decodeJwt } from "jose/jwt/decode";
import { IdentityProviderError } from "./provider.ts";

export interface ExpectedClaims {
  /** The `iss` of the authorization response (RFC 9207), or null. */
  issuer: string | null;
  audience: string;
  nonce: string;
  subject: string;
  freshSince: number | null;
  now: Date;
}

const toleranceSeconds = 30;

/** Checks the claims of an id_token, but not its signature. @throws IdentityProviderError */
export function checkIdTokenClaims(idToken: string, expected: ExpectedClaims): void {
  const { alg, claims } = read(idToken);
  const seconds = expected.now.getTime() / 1_000;
  const audiences = [claims.aud ?? []].flat();
  const faults: [boolean, string][] = [
    [alg === undefined || alg.toLowerCase() === "none", "is not signed"],
    [typeof claims.iss !== "string", "has no issuer"],
    [expected.issuer !== null && claims.iss !== expected.issuer, "has another issuer"],
    [!audiences.includes(expected.audience), "has another audience"],
    [audiences.length > 1 && claims["azp"] !== expected.audience, "has another authorized party"],
    [claims.sub !== expected.subject, "has another subject"],
    [claims["nonce"] !== expected.nonce, "has another nonce"],
    [typeof claims.exp !== "number" || claims.exp + toleranceSeconds <= seconds, "has expired"],
    [!isFresh(claims, expected.freshSince), notFresh],
    [typeof claims.nbf === "number" && claims.nbf - toleranceSeconds > seconds, "is not valid yet"],
  ];
  const fault = faults.find(([holds]) => holds);
  if (fault) throw new IdentityProviderError(`The id_token ${fault[1]}.`);
}

export const notFresh = "does not prove a recent sign-in (auth_time)";

/** Returns whether the user authenticated at the provider since a time (`auth_time`, OpenID Connect Core 1.0 §2). Null: any time. */
export function isFresh(claims: Readonly<Record<string, unknown>>, freshSince: number | null): boolean {
  if (freshSince === null) return true;
  const { auth_time: signedInAt } = claims;
  return typeof signedInAt === "number" && signedInAt + toleranceSeconds >= freshSince / 1_000;
}

function read(idToken: string): { alg: string | undefined; claims: JWTPayload } {
  try {
    return { alg: decodeProtectedHeader(idToken).alg, claims: decodeJwt(idToken) };
  } catch (error) {
    throw new IdentityProviderError("The id_token is not a JWT.", { cause: error });
  }
}
