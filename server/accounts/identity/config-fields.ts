import { createHash } from "node:crypto";
import { AppError } from "../../platform/errors.ts";
import type { AssignmentAccess } from "../../database/tables/assignments.ts";
import type { GroupRule, IdentityConfig, ProviderId } from "../../database/tables/identity.ts";
import type { Role } from "../../database/tables/users.ts";
import type { SecretCipher } from "../../platform/secret-cipher.ts";

/** Returns whether a provider uses the callback URL that `oidc` and `custom` share. */
export function sharesCallback(providerId: ProviderId): boolean {
  return providerId === "oidc" || providerId === "custom";
}

/** URLs of external sign-in: the redirect URIs to register at providers, and the console. */
export class IdentityAddresses {
  readonly siteUrl: string;

  /** @param siteUrl public URL without a trailing slash */
  constructor(siteUrl: string) {
    this.siteUrl = siteUrl;
  }

  /** Returns a provider's redirect URI. */
  redirectUrl(providerId: ProviderId): string {
    return sharesCallback(providerId)
      ? `${this.siteUrl}/oauth/oidc`
      : `${this.siteUrl}/api/auth/oauth/${providerId}/callback`;
  }

  /** Returns the console URL with the outcome, the only target of redirects after a callback. */
  frontEnd(outcome: Readonly<Record<string, string>>): string {
    return `${this.siteUrl}/?${new URLSearchParams(outcome).toString()}`;
  }
}

/** Returns whether a text is an http or https URL without credentials and fragment. */
export function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.hash === ""
  );
}

/** Encrypts the client secrets of configurations, each bound to its configuration. They are never shown. */
export class ClientSecrets {
  readonly #cipher: SecretCipher;

  constructor(cipher: SecretCipher) {
    this.#cipher = cipher;
  }

  seal(configId: string, secret: string): string {
    return this.#cipher.seal(secret, aadOf(configId));
  }

  /** Decrypts a secret. Returns null if no key decrypts it. */
  open(configId: string, sealed: string): string | null {
    const opened = this.#cipher.open(sealed, aadOf(configId));
    return opened.ok ? opened.text : null;
  }

  /** Returns the secret encrypted with the newest key, or null if no key decrypts it. */
  resealed(configId: string, sealed: string): string | null {
    return this.#cipher.resealed(sealed, aadOf(configId));
  }
}

function aadOf(configId: string): string[] {
  return ["identity_configs", configId, "clientSecret"];
}

/** Masks the middle of a client id, so that it remains recognizable. */
function maskedClientId(clientId: string): string {
  const shown = Math.min(4, Math.floor(clientId.length / 4));
  return `${clientId.slice(0, shown)}****${clientId.slice(clientId.length - shown)}`;
}

/** A rule as a client sends it. */
export interface GroupRuleInput {
  group: string;
  role?: Role | undefined;
  assignment?: GivenAssignment | undefined;
}

interface GivenAssignment {
  domainId?: string | undefined;
  groupName?: string | undefined;
  tag?: string | undefined;
  subdomainPattern: string;
  access: AssignmentAccess;
  recordTypes: string[];
}

export interface IdentityConfigPatch {
  clientId?: string | undefined;
  /** Empty: keeps the stored secret. */
  clientSecret?: string | undefined;
  scope?: string | undefined;
  enabled?: boolean | undefined;
  wellKnownUrl?: string | null | undefined;
  authorizeUrl?: string | null | undefined;
  tokenUrl?: string | null | undefined;
  userInfoUrl?: string | null | undefined;
  groupsClaim?: string | null | undefined;
  groupRules?: GroupRuleInput[] | undefined;
  defaultDeny?: boolean | undefined;
}

export interface NewIdentityConfig extends IdentityConfigPatch {
  providerId: ProviderId;
  clientId: string;
  enabled: boolean;
}

export const urlFields = ["wellKnownUrl", "authorizeUrl", "tokenUrl", "userInfoUrl"] as const;

/** The fields of a configuration without rules for groups. */
export const noGroups = { groupsClaim: null, groupRules: [], defaultDeny: false };

/** Returns a configuration's fields after a change, without the secret. */
export function fieldsAfter(config: IdentityConfig, patch: IdentityConfigPatch, defaultScope: string) {
  const url = (field: (typeof urlFields)[number]) =>
    patch[field] === undefined ? (config[field] ?? null) : patch[field];
  return {
    clientId: patch.clientId ?? config.clientId,
    scope: patch.scope === undefined ? config.scope : patch.scope || defaultScope,
    enabled: patch.enabled ?? config.enabled,
    wellKnownUrl: url("wellKnownUrl"),
    authorizeUrl: url("authorizeUrl"),
    tokenUrl: url("tokenUrl"),
    userInfoUrl: url("userInfoUrl"),
  };
}

/** Returns a configuration's fields for responses and the audit trail. */
export function publicFields(config: IdentityConfig) {
  const { providerId, enabled, clientId, scope } = config;
  return {
    providerId,
    enabled,
    clientIdMasked: maskedClientId(clientId),
    scope,
    wellKnownUrl: config.wellKnownUrl ?? null,
    authorizeUrl: config.authorizeUrl ?? null,
    tokenUrl: config.tokenUrl ?? null,
    userInfoUrl: config.userInfoUrl ?? null,
    groupsClaim: config.groupsClaim ?? null,
    groupRules: config.groupRules.map(shownRule),
    defaultDeny: config.defaultDeny,
  };
}

/** Returns a text that changes with a configuration's rules, by which a caller notices that others changed them. */
export function rulesVersion({ groupRules }: Pick<IdentityConfig, "groupRules">): string {
  return createHash("sha256")
    .update(JSON.stringify(groupRules.map(shownRule)))
    .digest("base64url");
}

function shownRule({ group, role, assignment }: GroupRule) {
  return { group, role: role ?? null, assignment: assignment ? shownAssignment(assignment) : null };
}

/** Returns a rule's assignment as answers show it. */
export function shownAssignment(assignment: NonNullable<GroupRule["assignment"]>) {
  const { domainId = null, groupName = null, tag = null, subdomainPattern, access, recordTypes } = assignment;
  return { domainId, groupName, tag, subdomainPattern, access, recordTypes };
}

export function configuredAlready(provider: string, cause: Error): AppError {
  const message = `${provider} is already configured. Change its configuration instead.`;
  return new AppError("CONFLICT", message, { issues: [{ path: ["providerId"], message }], cause });
}
