import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  type Configuration,
} from "openid-client";
import type { Egress } from "../../net/egress.ts";
import { accessTokenOf, authorizationUrlOf, codeOf, idTokenOf, redeemCode, type Endpoints } from "./code-flow.ts";
import { Discovery, whyOf } from "./discovery.ts";
import { checkIdTokenClaims, isFresh, notFresh } from "./id-token-claims.ts";
import {
  IdentityProviderError,
  type ClientSettings,
  type FlowValues,
  type Identity,
  type IdentityProvider,
} from "./provider.ts";
import { tellable } from "../redaction.ts";
import { identityFromClaims, userInfo } from "./user-info.ts";

interface Discovered extends ClientSettings {
  wellKnownUrl: string;
}

/** OpenID Connect: any provider with a discovery document, and those without one that have a userinfo endpoint. */
export function oidc(id: "oidc" | "custom", name: string, egress: Egress, now: () => Date): IdentityProvider {
  const discovery = new Discovery(egress, now);
  return {
    id,
    name,
    type: "oidc",
    defaultScope: "openid profile email",
    async check(settings) {
      if (!settings.scope.split(" ").includes("openid"))
        throw new IdentityProviderError("OpenID Connect needs the scope openid.", { setting: "scope" });
      if (isDiscovered(settings)) await discovery.freshClient(settings);
      else explicitOf(settings);
    },
    async authorizationUrl(settings, flow) {
      if (isDiscovered(settings)) return await discoveredUrl(await discovery.client(settings), settings, flow);
      const url = authorizationUrlOf(explicitOf(settings).authorizeUrl, settings, flow);
      for (const [name, value] of Object.entries(freshness(flow))) url.searchParams.set(name, value);
      url.searchParams.set("nonce", flow.nonce);
      return url;
    },
    async identify(settings, flow, answer) {
      if (isDiscovered(settings)) return await identifyBy(await discovery.client(settings), settings, flow, answer);
      return await identifyWithoutKeys(egress, settings, flow, answer, now());
    },
  };
}

function isDiscovered(settings: ClientSettings): settings is Discovered {
  return settings.wellKnownUrl !== null;
}

/** The endpoints of a provider without a discovery document. @throws IdentityProviderError where one is missing: all three are needed */
function explicitOf({ authorizeUrl, tokenUrl, userInfoUrl }: ClientSettings): Endpoints {
  if (authorizeUrl !== null && tokenUrl !== null && userInfoUrl !== null)
    return { authorizeUrl, tokenUrl, userInfoUrl };
  throw new IdentityProviderError(
    "Enter the discovery address, or else all of authorizeUrl, tokenUrl and userInfoUrl.",
    { setting: "wellKnownUrl" },
  );
}

/**
 * Asks for a sign-in anew (OpenID Connect Core 1.0 §3.1.2.1). `max_age` says the same as `prompt`, and obliges the provider to tell when it was.
 */
function freshness({ freshSince }: FlowValues): Record<string, string> {
  return freshSince === null ? {} : { prompt: "login", max_age: "0" };
}

async function discoveredUrl(client: Configuration, settings: ClientSettings, flow: FlowValues): Promise<URL> {
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

/** Redeems the code and checks the id_token in full (OpenID Connect Core 1.0 §3.1.3.7), and `iss` of the answer (RFC 9207). */
async function identifyBy(
  client: Configuration,
  settings: ClientSettings,
  { state, nonce, codeVerifier, freshSince }: FlowValues,
  answer: URLSearchParams,
): Promise<Identity> {
  const came = new URL(settings.redirectUrl);
  came.search = answer.toString();
  try {
    const tokens = await authorizationCodeGrant(client, came, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new IdentityProviderError("There is no id_token.");
    if (!isFresh(claims, freshSince)) throw new IdentityProviderError(`The id_token ${notFresh}.`);
    const { issuer, userinfo_endpoint: endpoint } = client.serverMetadata();
    const told = endpoint === undefined ? {} : await fetchUserInfo(client, tokens.access_token, claims.sub);
    // Whether an address is verified says who tells it.
    const another = "email" in told && told.email !== claims["email"] ? { email_verified: undefined } : {};
    return identityFromClaims(issuer, { ...claims, ...another, ...told, sub: claims.sub });
  } catch (error) {
    if (error instanceof IdentityProviderError) throw error;
    const secrets = [settings.clientSecret, state, nonce, codeVerifier, ...answer.getAll("code")];
    const why = `${whyOf(error)}${refusalIn(error, secrets)}`;
    throw new IdentityProviderError(`The sign-in did not hold: ${why}`, { cause: error });
  }
}

/** What the token endpoint or the provider itself gave as a reason. */
function refusalIn(error: unknown, secrets: readonly (string | null)[]): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { error: code, error_description: text } = cause as { error?: unknown; error_description?: unknown };
    const words = `${String(code)}${typeof text === "string" ? `: ${text}` : ""}`;
    if (typeof code === "string") return ` (${tellable(words, secrets)})`;
  }
  return "";
}

/**
 * Without a discovery document nobody knows the issuer and its keys. Then the userinfo endpoint says who it is, with the token that came straight
 * from the token endpoint; the id_token that comes along must agree in all that can be told without keys.
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
  // RFC 9207 §2.4, as far as it goes where the issuer is unknown: an answer from elsewhere must not show its code here.
  if (issuer !== null && URL.parse(issuer)?.origin !== new URL(authorizeUrl).origin)
    throw new IdentityProviderError("The answer is that of another issuer.");
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
