import { CodeChallengeMethod, OAuth2Client, OAuth2Tokens } from "arctic";
import type { Egress } from "../../net/egress.ts";
import { IdentityProviderError, type ClientSettings, type FlowValues } from "./provider.ts";
import { askVendor, goodObject, reasonIn } from "./vendor-json.ts";

/** The three places of a code flow. */
export interface Endpoints {
  authorizeUrl: string;
  tokenUrl: string;
  userInfoUrl: string;
}

/** The provider's own endpoints, or what an administrator entered in their place. */
export function endpointsOf(settings: ClientSettings, builtIn: Endpoints): Endpoints {
  return {
    authorizeUrl: settings.authorizeUrl ?? builtIn.authorizeUrl,
    tokenUrl: settings.tokenUrl ?? builtIn.tokenUrl,
    userInfoUrl: settings.userInfoUrl ?? builtIn.userInfoUrl,
  };
}

/** The address that starts a code flow with PKCE (RFC 7636, S256). */
export function authorizationUrlOf(authorizeUrl: string, settings: ClientSettings, flow: FlowValues): URL {
  return clientOf(settings).createAuthorizationURLWithPKCE(
    authorizeUrl,
    flow.state,
    CodeChallengeMethod.S256,
    flow.codeVerifier,
    scopesOf(settings),
  );
}

/** The same for a provider that knows nothing of PKCE. */
export function plainAuthorizationUrlOf(authorizeUrl: string, settings: ClientSettings, flow: FlowValues): URL {
  return clientOf(settings).createAuthorizationURL(authorizeUrl, flow.state, scopesOf(settings));
}

/** The code of an answer that carries one (RFC 6749 §4.1.2: each parameter once). @throws IdentityProviderError */
export function codeOf(answer: URLSearchParams, name = "code"): string {
  const [code, ...others] = answer.getAll(name);
  if (code && others.length === 0) return code;
  throw new IdentityProviderError(`The answer does not hold one ${name}.`);
}

/**
 * Redeems a code at a token endpoint that speaks plain OAuth 2.0 (RFC 6749 §4.1.3). Not arctic's own request: that one goes past our door,
 * and puts credentials into the header without encoding them (RFC 6749 §2.3.1). Credentials in the body are what GitHub, GitLab and Google document.
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
  // GitHub tells of errors with status 200.
  if ("error" in body) throw new IdentityProviderError(`The token endpoint refused the code${reasonIn(answer)}.`);
  return new OAuth2Tokens(body);
}

/** @throws IdentityProviderError */
export function accessTokenOf(tokens: OAuth2Tokens): string {
  try {
    if (tokens.tokenType().toLowerCase() === "bearer") return tokens.accessToken();
  } catch {
    // Told below.
  }
  throw new IdentityProviderError("The token endpoint did not answer with a bearer token.");
}

/** @throws IdentityProviderError where there is none */
export function idTokenOf(tokens: OAuth2Tokens): string {
  try {
    return tokens.idToken();
  } catch {
    throw new IdentityProviderError("There is no id_token.");
  }
}

function clientOf({ clientId, redirectUrl }: ClientSettings): OAuth2Client {
  return new OAuth2Client(clientId, null, redirectUrl);
}

function scopesOf({ scope }: ClientSettings): string[] {
  return scope.split(" ").filter((part) => part !== "");
}
