import { decodeJwt, decodeProtectedHeader, type JWTPayload } from "jose";
import { IdentityProviderError } from "./provider.ts";

export interface ExpectedClaims {
  /** What the answer named as its issuer (RFC 9207); null where it named none. */
  issuer: string | null;
  audience: string;
  nonce: string;
  subject: string;
  freshSince: number | null;
  now: Date;
}

const toleranceSeconds = 30;

/** Checks what an id_token says of itself, not its signature. @throws IdentityProviderError */
export function checkIdTokenClaims(idToken: string, expected: ExpectedClaims): void {
  const { alg, claims } = read(idToken);
  const seconds = expected.now.getTime() / 1_000;
  const audiences = [claims.aud ?? []].flat();
  const faults: [boolean, string][] = [
    [alg === undefined || alg.toLowerCase() === "none", "is not signed"],
    [typeof claims.iss !== "string", "has no issuer"],
    [expected.issuer !== null && claims.iss !== expected.issuer, "is of another issuer"],
    [!audiences.includes(expected.audience), "is for somebody else"],
    [audiences.length > 1 && claims["azp"] !== expected.audience, "was issued to somebody else"],
    [claims.sub !== expected.subject, "is about somebody else"],
    [claims["nonce"] !== expected.nonce, "belongs to another sign-in"],
    [typeof claims.exp !== "number" || claims.exp + toleranceSeconds <= seconds, "has expired"],
    [!isFresh(claims, expected.freshSince), notFresh],
    [typeof claims.nbf === "number" && claims.nbf - toleranceSeconds > seconds, "is not valid yet"],
  ];
  const fault = faults.find(([holds]) => holds);
  if (fault) throw new IdentityProviderError(`The id_token ${fault[1]}.`);
}

export const notFresh = "is not of a fresh sign-in";

/** Whether the person signed in at the provider (`auth_time`, OpenID Connect Core 1.0 §2) since a moment; null: whenever it was. */
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
