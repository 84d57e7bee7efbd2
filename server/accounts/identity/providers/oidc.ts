import type { Configuration } from "openid-client";
import type { JWTPayload } from "jose";
import { decodeProtectedHeader } from "jose/decode/protected_header";
import { decodeJwt } from "jose/jwt/decode";
import type { Egress } from "../../../platform/net/egress.ts";
import {
  accessTokenOf,
  authorizationUrlOf,
  codeOf,
  idTokenOf,
  redeemCode,
  identityFromClaims,
  userInfo,
  type Endpoints,
} from "./code-flow.ts";
import { Discovery, reasonOf } from "./discovery.ts";
import {
  IdentityProviderError,
  type ClientSettings,
  type FlowValues,
  type Identity,
  type IdentityProvider,
  tellable,
} from "./provider.ts";
import { loadedLate } from "../../../platform/late-modules.ts";

const loadLibrary = loadedLate(() => import("openid-client"));

const toleranceSeconds = 30;
const notFresh = "does not prove a recent sign-in (auth_time)";

interface Discovered extends ClientSettings {
  wellKnownUrl: string;
}

/** OpenID Connect providers with a discovery document, or with a userinfo endpoint. */
export function oidc(id: "oidc" | "custom", name: string, egress: Egress, now: () => Date): IdentityProvider {
  const discovery = new Discovery(egress, now);
  return {
    id,
    name,
    type: "oidc",
    defaultScope: "openid profile email",
    async check(settings) {
      if (!settings.scope.split(" ").includes("openid"))
        throw new IdentityProviderError("The scope must include openid.", { setting: "scope" });
      if (isDiscovered(settings)) await discovery.freshClient(settings);
      else explicitOf(settings);
    },
    async authorizationUrl(settings, flow) {
      if (isDiscovered(settings)) return await discoveredUrl(await discovery.client(settings), settings, flow);
      const url = await authorizationUrlOf(explicitOf(settings).authorizeUrl, settings, flow);
      for (const [name, value] of Object.entries(freshness(flow))) url.searchParams.set(name, value);
      url.searchParams.set("nonce", flow.nonce);
      return url;
    },
    async identify(settings, flow, answer) {
      if (isDiscovered(settings))
        return await discovery.verifying(settings, (client) => identifyBy(client, settings, flow, answer));
      return await identifyWithoutKeys(egress, settings, flow, answer, now());
    },
  };
}

function isDiscovered(settings: ClientSettings): settings is Discovered {
  return settings.wellKnownUrl !== null;
}

/** Returns the endpoints of a provider without a discovery document. @throws IdentityProviderError if one is missing */
function explicitOf({ authorizeUrl, tokenUrl, userInfoUrl }: ClientSettings): Endpoints {
  if (authorizeUrl !== null && tokenUrl !== null && userInfoUrl !== null)
    return { authorizeUrl, tokenUrl, userInfoUrl };
  throw new IdentityProviderError("Enter the discovery URL, or all of authorizeUrl, tokenUrl and userInfoUrl.", {
    setting: "wellKnownUrl",
  });
}

/**
 * Returns the parameters that request reauthentication (OpenID Connect Core 1.0 §3.1.2.1). In addition to `prompt`, `max_age` obliges the
 * provider to return `auth_time`.
 */
function freshness({ freshSince }: FlowValues): Record<string, string> {
  return freshSince === null ? {} : { prompt: "login", max_age: "0" };
}

async function discoveredUrl(client: Configuration, settings: ClientSettings, flow: FlowValues): Promise<URL> {
  const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await loadLibrary();
  return buildAuthorizationUrl(client, {
    redirect_uri: settings.redirectUrl,
    scope: settings.scope,
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: await calculatePKCECodeChallenge(flow.codeVerifier),
    code_challenge_method: "S256",
    ...freshness(flow),
  });
}

/** Exchanges the code, and validates the id_token (OpenID Connect Core 1.0 §3.1.3.7) and the response's `iss` (RFC 9207). */
async function identifyBy(
  client: Configuration,
  settings: ClientSettings,
  { state, nonce, codeVerifier, freshSince }: FlowValues,
  answer: URLSearchParams,
): Promise<Identity> {
  const callback = new URL(settings.redirectUrl);
  callback.search = answer.toString();
  const { authorizationCodeGrant, fetchUserInfo } = await loadLibrary();
  try {
    const tokens = await authorizationCodeGrant(client, callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new IdentityProviderError("The token endpoint did not return an id_token.");
    if (!isFresh(claims, freshSince)) throw new IdentityProviderError(`The id_token ${notFresh}.`);
    const { issuer, userinfo_endpoint: endpoint } = client.serverMetadata();
    const userClaims = endpoint === undefined ? {} : await fetchUserInfo(client, tokens.access_token, claims.sub);
    // `email_verified` applies only to the email address from the same source.
    const unverified =
      "email" in userClaims && userClaims.email !== claims["email"] ? { email_verified: undefined } : {};
    return identityFromClaims(issuer, { ...claims, ...unverified, ...userClaims, sub: claims.sub });
  } catch (error) {
    if (error instanceof IdentityProviderError) throw error;
    const secrets = [settings.clientSecret, state, nonce, codeVerifier, ...answer.getAll("code")];
    const reason = `${reasonOf(error)}${refusalIn(error, secrets)}`;
    throw new IdentityProviderError(`The sign-in failed validation: ${reason}`, { cause: error });
  }
}

/** Returns the error of the token endpoint or the provider, for a message. */
function refusalIn(error: unknown, secrets: readonly (string | null)[]): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { error: code, error_description: text } = cause as { error?: unknown; error_description?: unknown };
    const message = `${String(code)}${typeof text === "string" ? `: ${text}` : ""}`;
    if (typeof code === "string") return ` (${tellable(message, secrets)})`;
  }
  return "";
}

/**
 * Identifies the user without a discovery document, so without the issuer's keys. The userinfo endpoint identifies the user, with the token
 * received directly from the token endpoint. The id_token must match in everything that can be checked without keys.
 */
async function identifyWithoutKeys(
  egress: Egress,
  settings: ClientSettings,
  { nonce, codeVerifier, freshSince }: FlowValues,
  answer: URLSearchParams,
  now: Date,
): Promise<Identity> {
  const { authorizeUrl, tokenUrl, userInfoUrl } = explicitOf(settings);
  const issuer = answer.get("iss");
  // RFC 9207 §2.4, as far as possible with an unknown issuer: a code from another issuer must not be sent to this provider.
  if (issuer !== null && URL.parse(issuer)?.origin !== new URL(authorizeUrl).origin)
    throw new IdentityProviderError("The authorization response has another issuer.");
  const tokens = await redeemCode(egress, tokenUrl, settings, { code: codeOf(answer), codeVerifier });
  const claims = await userInfo(egress, userInfoUrl, accessTokenOf(tokens));
  const identity = identityFromClaims(new URL(userInfoUrl).origin, claims);
  checkIdTokenClaims(idTokenOf(tokens), {
    issuer,
    audience: settings.clientId,
    nonce,
    subject: identity.subject,
    freshSince,
    now,
  });
  return identity;
}

interface ExpectedClaims {
  /** The `iss` of the authorization response (RFC 9207), or null. */
  issuer: string | null;
  audience: string;
  nonce: string;
  subject: string;
  freshSince: number | null;
  now: Date;
}

/** Checks the claims of an id_token, but not its signature. @throws IdentityProviderError */
function checkIdTokenClaims(idToken: string, expected: ExpectedClaims): void {
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

/** Returns whether the user authenticated at the provider since a time (`auth_time`, OpenID Connect Core 1.0 §2). Null: any time. */
function isFresh(claims: Readonly<Record<string, unknown>>, freshSince: number | null): boolean {
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
