import { providerIds, type ProviderId } from "../../../database/tables/identity.ts";
import { notFound } from "../../../platform/errors.ts";

/** Returns the provider named in a path. @throws AppError NOT_FOUND */
export function knownProvider(providerId: string): ProviderId {
  const known = providerIds.find((id) => id === providerId);
  if (known === undefined) throw notFound("identity provider");
  return known;
}

/** The settings of a provider, with the secret in plain text. */
export interface ClientSettings {
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
  /** Separated by spaces. */
  scope: string;
  wellKnownUrl: string | null;
  authorizeUrl: string | null;
  tokenUrl: string | null;
  userInfoUrl: string | null;
  /** The redirect URI registered at the provider. */
  redirectUrl: string;
}

/** The secret values of one authorization flow. */
export interface FlowValues {
  state: string;
  nonce: string;
  codeVerifier: string;
  /** The user must have authenticated at the provider since this time, in milliseconds since 1970. Null: any time. */
  freshSince: number | null;
}

/** A user's identity at a provider. */
export interface Identity {
  /** The namespace of `subject`: subjects of different issuers are different people. */
  issuer: string;
  /** Never reused by the issuer. */
  subject: string;
  email: string | null;
  /** Whether the provider asserts that the address belongs to the user. */
  emailVerified: boolean;
  displayName: string | null;
  /** The username at the provider, as a suggestion. */
  username: string | null;
  /** All claims about the user, as the provider sent them; omitted where they are not stored. Only groups are read from them. */
  claims?: Readonly<Record<string, unknown>>;
}

/** A kind of identity provider. */
export interface IdentityProvider {
  id: ProviderId;
  /** Display name. */
  name: string;
  type: "oidc" | "oauth2";
  defaultScope: string;
  /** Validates settings before they are used. @throws IdentityProviderError with the invalid setting */
  check(settings: ClientSettings): Promise<void>;
  /** Returns the URL to redirect the browser to. @throws IdentityProviderError if the provider is unavailable */
  authorizationUrl(settings: ClientSettings, flow: FlowValues): Promise<URL>;
  /** Exchanges the code of an authorization response for the user's identity. @throws IdentityProviderError with the failed check */
  identify(settings: ClientSettings, flow: FlowValues, answer: URLSearchParams): Promise<Identity>;
}

/** The setting to change. */
export type SettingAtFault = "scope" | "wellKnownUrl" | "authorizeUrl" | "tokenUrl" | "userInfoUrl";

/** A provider failed, or its response is invalid. The message is for the log and administrators; it contains no secrets. */
export class IdentityProviderError extends Error {
  readonly setting: SettingAtFault | null;

  constructor(message: string, options: { setting?: SettingAtFault; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "IdentityProviderError";
    this.setting = options.setting ?? null;
  }
}

const longest = 300;

/**
 * Makes a provider's text safe for the log: one line of limited length, without character runs that could be tokens.
 * @param secrets values to remove, of any length
 */
export function tellable(words: string, secrets: readonly (string | null)[]): string {
  return redacted(words, secrets)
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .replaceAll(/[\w~+/=-]{20,}/g, (run) => (/^[a-z_-]+$/.test(run) ? run : "…"))
    .slice(0, longest);
}

/** Removes known secrets of any length from a text. */
export function redacted(text: string, secrets: readonly (string | null)[]): string {
  return secrets.reduce<string>((rest, secret) => (secret ? rest.replaceAll(secret, "…") : rest), text);
}
