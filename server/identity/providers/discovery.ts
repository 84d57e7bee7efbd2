import {
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  None,
  allowInsecureRequests,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type CustomFetch,
  type ServerMetadata,
} from "openid-client";
import type { Egress } from "../../net/egress.ts";
import { EgressError } from "../../net/egress-error.ts";
import { IdentityProviderError, type ClientSettings } from "./provider.ts";

const suffix = "/.well-known/openid-configuration";
const deadlineSeconds = 10;
/** How long what a provider told of itself is believed. */
const trustMilliseconds = 10 * 60_000;
const mostRemembered = 16;

/** Signatures that only the provider can make. With HS256 its public key would do for a secret; with `none` nothing would be needed. */
const asymmetric: ReadonlySet<string> = new Set([
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
]);

/** What is known of OpenID providers, from their discovery documents. */
export class Discovery {
  readonly #fetch: CustomFetch;
  readonly #now: () => Date;
  readonly #known = new Map<string, { configuration: Configuration; at: number }>();

  constructor(egress: Egress, now: () => Date) {
    this.#fetch = guarded(egress);
    this.#now = now;
  }

  /** A client of the provider, with explicit endpoints in place of those that it tells. @throws IdentityProviderError */
  async client(settings: ClientSettings & { wellKnownUrl: string }): Promise<Configuration> {
    const key = JSON.stringify(settings);
    const known = this.#known.get(key);
    if (known && this.#now().getTime() - known.at < trustMilliseconds) return known.configuration;
    const configuration = await this.freshClient(settings);
    if (this.#known.size >= mostRemembered) this.#known.clear();
    this.#known.set(key, { configuration, at: this.#now().getTime() });
    return configuration;
  }

  /** The same, asked anew. @throws IdentityProviderError */
  async freshClient(settings: ClientSettings & { wellKnownUrl: string }): Promise<Configuration> {
    const { clientId, clientSecret } = settings;
    const told = await this.#told(settings.wellKnownUrl);
    const metadata = completeMetadata(told, settings);
    // In the body where that is possible: in the header not all servers decode what has to be encoded there (RFC 6749 §2.3.1).
    const inBody = told.token_endpoint_auth_methods_supported?.includes("client_secret_post") === true;
    const authentication =
      clientSecret === null ? None() : inBody ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret);
    const configuration = new Configuration(metadata, clientId, undefined, authentication);
    configuration[customFetch] = this.#fetch;
    configuration.timeout = deadlineSeconds;
    // What may be called without TLS is the door's to decide: it lets that pass to one's own network only.
    allowInsecureRequests(configuration);
    enableNonRepudiationChecks(configuration);
    return configuration;
  }

  async #told(wellKnownUrl: string): Promise<ServerMetadata> {
    const setting = "wellKnownUrl";
    if (!wellKnownUrl.endsWith(suffix))
      throw new IdentityProviderError(`The discovery address must end with ${suffix}.`, { setting });
    let told: ServerMetadata;
    try {
      const found = await discovery(new URL(wellKnownUrl), "discovery", undefined, None(), {
        [customFetch]: this.#fetch,
        timeout: deadlineSeconds,
        execute: [allowInsecureRequests],
      });
      told = found.serverMetadata();
    } catch (error) {
      throw new IdentityProviderError(`The discovery document cannot be read: ${whyOf(error)}`, {
        setting,
        cause: error,
      });
    }
    // OpenID Connect Discovery 1.0 §4.3: else one issuer could speak for another.
    if (`${told.issuer.replace(/\/$/, "")}${suffix}` === wellKnownUrl) return told;
    const message = `The discovery document is that of another issuer, ${told.issuer.slice(0, 200)}; use the address that belongs to the issuer.`;
    throw new IdentityProviderError(message, { setting });
  }
}

function completeMetadata(told: ServerMetadata, settings: ClientSettings): ServerMetadata {
  const algorithms = (told.id_token_signing_alg_values_supported ?? []).filter((one) => asymmetric.has(one));
  const metadata: ServerMetadata = {
    ...told,
    id_token_signing_alg_values_supported: algorithms.length === 0 ? ["RS256"] : algorithms,
    ...(settings.authorizeUrl === null ? {} : { authorization_endpoint: settings.authorizeUrl }),
    ...(settings.tokenUrl === null ? {} : { token_endpoint: settings.tokenUrl }),
    ...(settings.userInfoUrl === null ? {} : { userinfo_endpoint: settings.userInfoUrl }),
  };
  const needed = { authorizeUrl: metadata.authorization_endpoint, tokenUrl: metadata.token_endpoint } as const;
  for (const [setting, url] of Object.entries(needed) as ["authorizeUrl" | "tokenUrl", string | undefined][]) {
    if (url !== undefined && URL.canParse(url)) continue;
    throw new IdentityProviderError("The discovery document does not name this endpoint; enter it.", { setting });
  }
  if (metadata.jwks_uri === undefined || !URL.canParse(metadata.jwks_uri))
    throw new IdentityProviderError("The discovery document does not say where the keys are (jwks_uri).", {
      setting: "wellKnownUrl",
    });
  return metadata;
}

/** The door as openid-client calls it. */
function guarded(egress: Egress): CustomFetch {
  return async (url, { method, headers, body, signal }) =>
    await egress.guardedFetch(url, {
      reach: "inside",
      method: method === "POST" ? "POST" : "GET",
      headers,
      ...(body === undefined || body === null ? {} : { body: bodyText(body) }),
      ...(signal ? { signal } : {}),
    });
}

function bodyText(body: unknown): string {
  if (typeof body === "string") return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError("openid-client sends forms and text only.");
}

/** The first of nested errors that says something to people. */
export function whyOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof EgressError) return cause.message;
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // Its message quotes the text, in which tokens may be.
    if (cause instanceof SyntaxError) return "the answer is no well-formed JSON.";
    const timedOut = cause instanceof ClientError && cause.code === "OAUTH_TIMEOUT";
    if (timedOut) return `there was no answer within ${deadlineSeconds} s.`;
    if (!(cause.cause instanceof Error)) return `${cause.message}.`;
  }
  return "it failed.";
}
