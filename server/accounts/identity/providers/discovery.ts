import type { Configuration, CustomFetch, ExportedJWKSCache, ServerMetadata } from "openid-client";
import { z } from "zod";
import type { Egress } from "../../../platform/net/egress.ts";
import { EgressError } from "../../../platform/net/egress-error.ts";
import { IdentityProviderError, type ClientSettings } from "./provider.ts";
import { loadedLate } from "../../../platform/late-modules.ts";
import { isWebAddress } from "../config-fields.ts";

const loadLibrary = loadedLate(() => import("openid-client"));

const suffix = "/.well-known/openid-configuration";
const deadlineSeconds = 10;
/** How long provider metadata is cached. */
const cacheMilliseconds = 10 * 60_000;
const maxCached = 16;
/** openid-client reads the keys again for an unknown `kid` only if they were read at least so long ago. */
const unknownKeySeconds = 60;
/** How often an issuer's keys are read in a minute for an unknown `kid`. */
const mostReadsPerMinute = 5;

const endpoint = z.string().refine(isWebAddress).nullish();
const names = z.array(z.string()).nullish();

/** The fields used from a discovery document (OpenID Connect Discovery 1.0 §3, RFC 9207 §3). */
const discoveryDocument = z.object({
  issuer: z.string(),
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  userinfo_endpoint: endpoint,
  jwks_uri: endpoint,
  id_token_signing_alg_values_supported: names,
  token_endpoint_auth_methods_supported: names,
  authorization_response_iss_parameter_supported: z.boolean().nullish(),
});

/** A provider's metadata, and its keys as last read. */
interface Known {
  make: () => Configuration;
  at: number;
  keys: { jwks: ExportedJWKSCache["jwks"]; readAt: number } | null;
  /** When the keys were read lately, in seconds. */
  reads: number[];
}

/** Reads and caches the discovery documents of OpenID providers. */
export class Discovery {
  readonly #egress: Egress;
  readonly #now: () => Date;
  readonly #known = new Map<string, Known>();

  constructor(egress: Egress, now: () => Date) {
    this.#egress = egress;
    this.#now = now;
  }

  /** Returns a client for the provider, with configured endpoints taking precedence. May be cached. @throws IdentityProviderError */
  async client(settings: ClientSettings & { wellKnownUrl: string }): Promise<Configuration> {
    const known = this.#known.get(keyOf(settings));
    if (known && this.#now().getTime() - known.at < cacheMilliseconds) return known.make();
    return await this.freshClient(settings);
  }

  /**
   * Does something that verifies a signature of the provider. An unknown `kid` has the keys read again at once, because a provider may
   * replace its keys without overlap; openid-client alone refuses sign-ins for a minute. It does so at most five times a minute.
   */
  async verifying<T>(
    settings: ClientSettings & { wellKnownUrl: string },
    work: (client: Configuration) => Promise<T>,
  ): Promise<T> {
    const { getJwksCache, setJwksCache } = await loadLibrary();
    const client = await this.client(settings);
    const known = this.#known.get(keyOf(settings));
    const now = Math.floor(Date.now() / 1_000);
    const reads = known?.reads.filter((at) => now - at < 60) ?? [];
    const { jwks, readAt } = known?.keys ?? {};
    if (jwks !== undefined && readAt !== undefined) {
      const mayRead = reads.length < mostReadsPerMinute;
      setJwksCache(client, { jwks, uat: mayRead ? Math.min(readAt, now - unknownKeySeconds) : readAt });
    }
    try {
      return await work(client);
    } finally {
      const used = getJwksCache(client);
      if (known && used && used.uat >= now) {
        known.keys = { jwks: used.jwks, readAt: used.uat };
        known.reads = [...reads, used.uat];
      }
    }
  }

  /** Returns a client with freshly read metadata, and caches it. @throws IdentityProviderError */
  async freshClient(settings: ClientSettings & { wellKnownUrl: string }): Promise<Configuration> {
    const { clientId, clientSecret, wellKnownUrl, tokenUrl, userInfoUrl } = settings;
    const library = await loadLibrary();
    const fetch = guarded(this.#egress, [wellKnownUrl, tokenUrl, userInfoUrl]);
    const document = await this.#read(wellKnownUrl, fetch);
    const metadata = metadataOf(document, settings);
    // Prefers credentials in the body, because not all servers decode the required encoding in the header (RFC 6749 §2.3.1).
    const inBody = metadata.token_endpoint_auth_methods_supported?.includes("client_secret_post") === true;
    const authentication =
      clientSecret === null
        ? library.None()
        : inBody
          ? library.ClientSecretPost(clientSecret)
          : library.ClientSecretBasic(clientSecret);
    // One for each use: openid-client stores the keys with it, and they are ours to expire.
    const make = () => {
      const configuration = new library.Configuration(metadata, clientId, undefined, authentication);
      configuration[library.customFetch] = fetch;
      configuration.timeout = deadlineSeconds;
      // The egress guard decides about http, which it allows only to internal networks.
      library.allowInsecureRequests(configuration);
      // Accepts only signatures by the provider's public keys, not HS256 or `none`, even if its document lists them.
      library.enableNonRepudiationChecks(configuration);
      return configuration;
    };
    if (this.#known.size >= maxCached) this.#known.clear();
    this.#known.set(keyOf(settings), { make, at: this.#now().getTime(), keys: null, reads: [] });
    return make();
  }

  async #read(wellKnownUrl: string, fetch: CustomFetch): Promise<ServerMetadata> {
    const setting = "wellKnownUrl";
    if (!wellKnownUrl.endsWith(suffix))
      throw new IdentityProviderError(`The discovery URL must end with ${suffix}.`, { setting });
    const { None, allowInsecureRequests, customFetch, discovery } = await loadLibrary();
    let metadata: ServerMetadata;
    try {
      const found = await discovery(new URL(wellKnownUrl), "discovery", undefined, None(), {
        [customFetch]: fetch,
        timeout: deadlineSeconds,
        execute: [allowInsecureRequests],
      });
      metadata = found.serverMetadata();
    } catch (error) {
      throw new IdentityProviderError(`The discovery document cannot be read: ${reasonOf(error)}`, {
        setting,
        cause: error,
      });
    }
    // OpenID Connect Discovery 1.0 §4.3: otherwise one issuer could impersonate another.
    if (`${metadata.issuer.replace(/\/$/, "")}${suffix}` === wellKnownUrl) return metadata;
    const message = `The discovery document belongs to another issuer, ${metadata.issuer.slice(0, 200)}. Use the discovery URL of that issuer.`;
    throw new IdentityProviderError(message, { setting });
  }
}

/** Returns the cache key: all settings of a client. */
function keyOf(settings: ClientSettings): string {
  return JSON.stringify(Object.entries(settings).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Adapts the egress guard for openid-client. Configured URLs may be internal, but a discovery document may name internal URLs only on the
 * same origin. Otherwise a provider could direct calls to any internal server.
 */
function guarded(egress: Egress, configured: readonly (string | null)[]): CustomFetch {
  const origins = new Set(configured.map((url) => url && URL.parse(url)?.origin));
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
  throw new TypeError("openid-client sent a body that is neither a form nor text.");
}

/** Returns the most meaningful message of nested errors. */
export function reasonOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof EgressError) return cause.message;
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // Its message quotes the text, which may contain tokens.
    if (cause instanceof SyntaxError) return "the response is not valid JSON.";
    const timedOut = "code" in cause && cause.code === "OAUTH_TIMEOUT";
    if (timedOut) return `there was no response within ${deadlineSeconds} s.`;
    if (!(cause.cause instanceof Error)) return `${cause.message}.`;
  }
  return "unknown error.";
}

/** Returns validated provider metadata, with configured endpoints taking precedence. @throws IdentityProviderError */
function metadataOf(document: ServerMetadata, settings: ClientSettings): ServerMetadata {
  const { data: metadata, error } = discoveryDocument.safeParse({
    ...document,
    ...(settings.authorizeUrl === null ? {} : { authorization_endpoint: settings.authorizeUrl }),
    ...(settings.tokenUrl === null ? {} : { token_endpoint: settings.tokenUrl }),
    ...(settings.userInfoUrl === null ? {} : { userinfo_endpoint: settings.userInfoUrl }),
  });
  if (!metadata) {
    const field = String(error.issues[0]?.path[0]);
    const message = `The discovery document has an invalid value for ${field}.`;
    throw new IdentityProviderError(message, { setting: "wellKnownUrl" });
  }
  const missing = "The discovery document does not contain this endpoint. Enter it.";
  const noKeys = "The discovery document does not contain jwks_uri. Use another discovery URL.";
  if (!metadata.authorization_endpoint) throw new IdentityProviderError(missing, { setting: "authorizeUrl" });
  if (!metadata.token_endpoint) throw new IdentityProviderError(missing, { setting: "tokenUrl" });
  if (!metadata.jwks_uri) throw new IdentityProviderError(noKeys, { setting: "wellKnownUrl" });
  return {
    issuer: metadata.issuer,
    authorization_endpoint: metadata.authorization_endpoint,
    token_endpoint: metadata.token_endpoint,
    jwks_uri: metadata.jwks_uri,
    ...(metadata.userinfo_endpoint ? { userinfo_endpoint: metadata.userinfo_endpoint } : {}),
    id_token_signing_alg_values_supported: metadata.id_token_signing_alg_values_supported ?? ["RS256"],
    token_endpoint_auth_methods_supported: metadata.token_endpoint_auth_methods_supported ?? [],
    authorization_response_iss_parameter_supported: metadata.authorization_response_iss_parameter_supported === true,
  };
}
