import type { ProviderId } from "../database/tables/identity.ts";

/** Whether a provider sends browsers back to the address that `oidc` and `custom` have in common (the interface). */
export function sharesCallback(providerId: ProviderId): boolean {
  return providerId === "oidc" || providerId === "custom";
}

/** Where external sign-in happens: what is registered at providers, and where browsers go afterwards. */
export class IdentityAddresses {
  readonly siteUrl: string;

  /** @param siteUrl public address without a trailing slash */
  constructor(siteUrl: string) {
    this.siteUrl = siteUrl;
  }

  /** Where a provider sends browsers back to. */
  redirectUrl(providerId: ProviderId): string {
    return sharesCallback(providerId)
      ? `${this.siteUrl}/oauth/oidc`
      : `${this.siteUrl}/api/auth/oauth/${providerId}/callback`;
  }

  /** The front end with the outcome. There is no other place that browsers are sent to. */
  frontEnd(outcome: Readonly<Record<string, string>>): string {
    return `${this.siteUrl}/?${new URLSearchParams(outcome).toString()}`;
  }
}
