import type { OAuth2Tokens } from "arctic";
import type { Egress } from "../../../platform/net/egress.ts";
import { IdentityProviderError, type ClientSettings, type FlowValues, type Identity } from "./provider.ts";
import { askVendor, goodObject, reasonIn, optionalText, requiredText, type VendorObject } from "./vendor-json.ts";
import { loadedLate } from "../../../platform/late-modules.ts";

/** The endpoints of an authorization code flow. */
export interface Endpoints {
  authorizeUrl: string;
  tokenUrl: string;
  userInfoUrl: string;
}

/** Returns the provider's endpoints, with those that an administrator configured taking precedence. */
export function endpointsOf(settings: ClientSettings, builtIn: Endpoints): Endpoints {
  return {
    authorizeUrl: settings.authorizeUrl ?? builtIn.authorizeUrl,
    tokenUrl: settings.tokenUrl ?? builtIn.tokenUrl,
    userInfoUrl: settings.userInfoUrl ?? builtIn.userInfoUrl,
  };
}

/** Returns the authorization URL of a code flow with PKCE (RFC 7636, S256). */
export async function authorizationUrlOf(
  authorizeUrl: string,
  settings: ClientSettings,
  flow: FlowValues,
): Promise<URL> {
  const arctic = await loadArctic();
  return clientOf(arctic, settings).createAuthorizationURLWithPKCE(
    authorizeUrl,
    flow.state,
    arctic.CodeChallengeMethod.S256,
    flow.codeVerifier,
    scopesOf(settings),
  );
}

/** Returns the authorization URL for a provider without PKCE. */
export async function plainAuthorizationUrlOf(
  authorizeUrl: string,
  settings: ClientSettings,
  flow: FlowValues,
): Promise<URL> {
  return clientOf(await loadArctic(), settings).createAuthorizationURL(authorizeUrl, flow.state, scopesOf(settings));
}

/** Returns the code of an authorization response (RFC 6749 §4.1.2: each parameter once). @throws IdentityProviderError */
export function codeOf(answer: URLSearchParams, name = "code"): string {
  const [code, ...others] = answer.getAll(name);
  if (code && others.length === 0) return code;
  throw new IdentityProviderError(`The authorization response does not have exactly one ${name}.`);
}

/**
 * Exchanges a code at a standard OAuth 2.0 token endpoint (RFC 6749 §4.1.3). Replaces arctic's request, which would bypass the egress guard
 * and does not encode credentials in the header (RFC 6749 §2.3.1). GitHub, GitLab and Google document credentials in the body.
 * @throws IdentityProviderError
 */
export async function redeemCode(
  egress: Egress,
  tokenUrl: string,
  settings: ClientSettings,
  { code, codeVerifier }: { code: string; codeVerifier: string },
): Promise<OAuth2Tokens> {
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: settings.redirectUrl,
    code_verifier: codeVerifier,
    client_id: settings.clientId,
    ...(settings.clientSecret === null ? {} : { client_secret: settings.clientSecret }),
  });
  const answer = await askVendor(egress, tokenUrl, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: form.toString(),
    secrets: [settings.clientSecret, code, codeVerifier],
  });
  const body = goodObject(answer, "The token endpoint");
  // GitHub reports errors with status 200.
  if ("error" in body) throw new IdentityProviderError(`The token endpoint rejected the code${reasonIn(answer)}.`);
  const { OAuth2Tokens } = await loadArctic();
  return new OAuth2Tokens(body);
}

/** Returns the access token of a token response. @throws IdentityProviderError if it is not a bearer token */
export function accessTokenOf(tokens: OAuth2Tokens): string {
  try {
    if (tokens.tokenType().toLowerCase() === "bearer") return tokens.accessToken();
  } catch {
    // Reported below.
  }
  throw new IdentityProviderError("The token endpoint did not return a bearer token.");
}

/** Returns the id_token of a token response. @throws IdentityProviderError if there is none */
export function idTokenOf(tokens: OAuth2Tokens): string {
  try {
    return tokens.idToken();
  } catch {
    throw new IdentityProviderError("The token endpoint did not return an id_token.");
  }
}

/** Reads a userinfo endpoint with standard claims (OpenID Connect Core 1.0 §5.3). @throws IdentityProviderError */
export async function userInfo(egress: Egress, url: string, accessToken: string): Promise<VendorObject> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return goodObject(await askVendor(egress, url, { headers, secrets: [accessToken] }), "The userinfo endpoint");
}

/** Returns the identity in standard claims (OpenID Connect Core 1.0 §5.1). @throws IdentityProviderError without a subject */
export function identityFromClaims(issuer: string, claims: VendorObject): Identity {
  const email = optionalText(claims, "email");
  return {
    issuer,
    subject: requiredText(claims, "sub", "The userinfo endpoint"),
    email,
    // Some providers send it as a string.
    emailVerified: email !== null && (claims["email_verified"] === true || claims["email_verified"] === "true"),
    displayName: optionalText(claims, "name") ?? optionalText(claims, "nickname"),
    username: optionalText(claims, "preferred_username") ?? optionalText(claims, "nickname"),
    claims,
  };
}

type Arctic = Awaited<ReturnType<typeof loadArctic>>;

/** Not at the start: it brings the clients of sixty providers. */
const loadArctic = loadedLate(() => import("arctic"));

function clientOf({ OAuth2Client }: Arctic, { clientId, redirectUrl }: ClientSettings) {
  return new OAuth2Client(clientId, null, redirectUrl);
}

function scopesOf({ scope }: ClientSettings): string[] {
  return scope.split(" ").filter((part) => part !== "");
}
