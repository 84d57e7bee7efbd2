import type { OAuth2Tokens } from "arctic";
import type { Egress } from "../../../platform/net/egress.ts";
import {
  IdentityProviderError,
  type ClientSettings,
  type FlowValues,
  type Identity,
  tellable,
  type IdentityProvider,
} from "./provider.ts";
import { loadedLate } from "../../../platform/late-modules.ts";
import { EgressError } from "../../../platform/net/egress-error.ts";
import type { ProviderId } from "../../../database/tables/identity.ts";

export interface VendorRequest {
  method?: "GET" | "POST";
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Secrets in the request, which messages must not quote. */
  secrets: readonly (string | null)[];
}

export type VendorObject = Readonly<Record<string, unknown>>;

/** A response; `body` is its JSON value, or null for other content. */
export interface VendorAnswer {
  status: number;
  body: unknown;
  /** The request's secrets. */
  secrets: readonly (string | null)[];
}

const deadlineMilliseconds = 10_000;
const maxBytes = 262_144;

/** Calls a provider through the egress guard. Its host may be internal, because an administrator configured it. @throws IdentityProviderError */
export async function askVendor(
  egress: Egress,
  url: string,
  { secrets, ...request }: VendorRequest,
): Promise<VendorAnswer> {
  const headers = { accept: "application/json", ...request.headers };
  try {
    const response = await egress.guardedFetch(url, {
      reach: "inside",
      deadlineMilliseconds,
      maxBytes,
      ...request,
      headers,
    });
    return { status: response.status, body: await response.json().catch(() => null), secrets };
  } catch (error) {
    if (error instanceof EgressError) throw new IdentityProviderError(error.message, { cause: error });
    throw error;
  }
}

/** Returns the JSON object of a successful response. @throws IdentityProviderError for other statuses and bodies */
export function goodObject(answer: VendorAnswer, what: string): VendorObject {
  const { status } = answer;
  if (status !== 200) throw new IdentityProviderError(`${what} returned status ${status}${reasonIn(answer)}.`);
  return objectOf(answer.body, what);
}

export function objectOf(value: unknown, what: string): VendorObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as VendorObject;
  throw new IdentityProviderError(`${what} did not return a JSON object.`);
}

/** Returns a required text field. @throws IdentityProviderError */
export function requiredText(object: VendorObject, field: string, what: string): string {
  const value = optionalText(object, field);
  if (value !== null) return value;
  throw new IdentityProviderError(`${what} did not return ${field}.`);
}

/** Returns an optional text field, or null if it is missing or empty. */
export function optionalText(object: VendorObject, field: string): string | null {
  const value = object[field];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Returns the reason in an error response, in OAuth 2.0 fields (RFC 6749 §5.2) or vendor-specific ones. */
export function reasonIn({ body, secrets }: VendorAnswer): string {
  if (typeof body !== "object" || body === null) return "";
  const { error, error_description: description, code, message, msg } = body as VendorObject;
  const words = [error, code, description, message, msg].filter(
    (word) => (typeof word === "string" && word !== "") || typeof word === "number",
  );
  return words.length === 0 ? "" : ` (${tellable(words.map(String).join(": "), secrets)})`;
}

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

interface StandardOAuth2 extends Endpoints {
  id: ProviderId;
  name: string;
  defaultScope: string;
}

/**
 * A provider with standard OAuth 2.0, PKCE and a userinfo endpoint. It has its own callback, and the access token comes directly from the
 * token endpoint, so an id_token would prove nothing more.
 */
export function standardOAuth2(
  egress: Egress,
  { id, name, defaultScope, ...builtIn }: StandardOAuth2,
): IdentityProvider {
  return {
    id,
    name,
    type: "oauth2",
    defaultScope,
    check: () => Promise.resolve(),
    authorizationUrl: (settings, flow) =>
      authorizationUrlOf(endpointsOf(settings, builtIn).authorizeUrl, settings, flow),
    async identify(settings, { codeVerifier }, answer) {
      const { tokenUrl, userInfoUrl } = endpointsOf(settings, builtIn);
      const tokens = await redeemCode(egress, tokenUrl, settings, { code: codeOf(answer), codeVerifier });
      const claims = await userInfo(egress, userInfoUrl, accessTokenOf(tokens));
      return identityFromClaims(new URL(userInfoUrl).origin, claims);
    },
  };
}
