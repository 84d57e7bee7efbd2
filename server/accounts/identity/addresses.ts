import type { ProviderId } from "../../database/tables/identity.ts";

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
