import { providerIds, type ProviderId } from "../../database/tables/identity.ts";
import { notFound } from "../../platform/errors.ts";

/** The provider that an address names. @throws AppError NOT_FOUND */
export function knownProvider(providerId: string): ProviderId {
  const known = providerIds.find((id) => id === providerId);
  if (known === undefined) throw notFound("identity provider");
  return known;
}

/** What an administrator configured for a provider, with the secret as it is. */
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
  /** Where the provider sends browsers back to, as registered there. */
  redirectUrl: string;
}

/** What belongs to one flow of a browser to a provider and back. */
export interface FlowValues {
  state: string;
  nonce: string;
  codeVerifier: string;
  /** The person must have signed in at the provider since then, in milliseconds since 1970; null: a sign-in of before will do. */
  freshSince: number | null;
}

/** Who somebody is at a provider. */
export interface Identity {
  /** Within which `subject` means something: a subject of another issuer is another person. */
  issuer: string;
  /** Never given to anybody else there. */
  subject: string;
  email: string | null;
  /** Whether the provider says that the address is theirs. */
  emailVerified: boolean;
  displayName: string | null;
  /** What they are called there, as a suggestion. */
  username: string | null;
}

/** One kind of identity provider. */
export interface IdentityProvider {
  id: ProviderId;
  /** As its makers write it. */
  name: string;
  type: "oidc" | "oauth2";
  defaultScope: string;
  /** Looks at settings that are to be used from now on. @throws IdentityProviderError with the setting at fault */
  check(settings: ClientSettings): Promise<void>;
  /** Where to send the browser. @throws IdentityProviderError when the provider cannot be asked */
  authorizationUrl(settings: ClientSettings, flow: FlowValues): Promise<URL>;
  /** Redeems the code that the browser came back with. @throws IdentityProviderError, which says what did not hold */
  identify(settings: ClientSettings, flow: FlowValues, answer: URLSearchParams): Promise<Identity>;
}

/** The setting that has to change. */
export type SettingAtFault = "scope" | "wellKnownUrl" | "authorizeUrl" | "tokenUrl" | "userInfoUrl";

/** A provider did not do its part, or its answer did not hold. The message is for the log and for administrators; it holds no secret. */
export class IdentityProviderError extends Error {
  readonly setting: SettingAtFault | null;

  constructor(message: string, options: { setting?: SettingAtFault; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "IdentityProviderError";
    this.setting = options.setting ?? null;
  }
}
