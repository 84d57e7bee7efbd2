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
import { metadataOf } from "./discovery-document.ts";
import { IdentityProviderError, type ClientSettings } from "./provider.ts";

const suffix = "/.well-known/openid-configuration";
const deadlineSeconds = 10;
/** How long what a provider told of itself is believed. */
const trustMilliseconds = 10 * 60_000;
const mostRemembered = 16;

/** What is known of OpenID providers, from their discovery documents. */
export class Discovery {
  readonly #egress: Egress;
  readonly #now: () => Date;
  readonly #known = new Map<string, { configuration: Configuration; at: number }>();

  constructor(egress: Egress, now: () => Date) {
    this.#egress = egress;
    this.#now = now;
  }

  /** A client of the provider, with explicit endpoints in place of those that it tells. @throws IdentityProviderError */
  async client(settings: ClientSettings & { wellKnownUrl: string }): Promise<Configuration> {
    const known = this.#known.get(keyOf(settings));
    if (known && this.#now().getTime() - known.at < trustMilliseconds) return known.configuration;
    return await this.freshClient(settings);
  }

  /** The same, asked anew, and known from then on. @throws IdentityProviderError */
  async freshClient(settings: ClientSettings & { wellKnownUrl: string }): Promise<Configuration> {
    const { clientId, clientSecret, wellKnownUrl, tokenUrl, userInfoUrl } = settings;
    const fetch = guarded(this.#egress, [wellKnownUrl, tokenUrl, userInfoUrl]);
    const told = await this.#told(wellKnownUrl, fetch);
    const metadata = metadataOf(told, settings);
    // In the body where that is possible: in the header not all servers decode what has to be encoded there (RFC 6749 §2.3.1).
    const inBody = metadata.token_endpoint_auth_methods_supported?.includes("client_secret_post") === true;
    const authentication =
      clientSecret === null ? None() : inBody ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret);
    const configuration = new Configuration(metadata, clientId, undefined, authentication);
    configuration[customFetch] = fetch;
    configuration.timeout = deadlineSeconds;
    // What may be called without TLS is the door's to decide: it lets that pass to one's own network only.
    allowInsecureRequests(configuration);
    // By the provider's public keys alone: HS256 and `none` get nowhere, even where its document lists them.
    enableNonRepudiationChecks(configuration);
    if (this.#known.size >= mostRemembered) this.#known.clear();
    this.#known.set(keyOf(settings), { configuration, at: this.#now().getTime() });
    return configuration;
  }

  async #told(wellKnownUrl: string, fetch: CustomFetch): Promise<ServerMetadata> {
    const setting = "wellKnownUrl";
    if (!wellKnownUrl.endsWith(suffix))
      throw new IdentityProviderError(`The discovery address must end with ${suffix}.`, { setting });
    let told: ServerMetadata;
    try {
      const found = await discovery(new URL(wellKnownUrl), "discovery", undefined, None(), {
        [customFetch]: fetch,
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

/** All that a client is made of. */
function keyOf(settings: ClientSettings): string {
  return JSON.stringify(Object.entries(settings).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * The door as openid-client calls it. What an administrator chose may be in the own network; a document from there may only name the same server,
 * or else a provider could have calls made to any other.
 */
function guarded(egress: Egress, chosen: readonly (string | null)[]): CustomFetch {
  const origins = new Set(chosen.map((url) => url && URL.parse(url)?.origin));
  return async (url, { method, headers, body, signal }) =>
    await egress.guardedFetch(url, {
      reach: origins.has(new URL(url).origin) ? "inside" : "public",
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
