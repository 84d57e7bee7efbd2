import type { ProviderId } from "./providers/provider.ts";

/** Where external sign-in happens: what is registered at providers, and where browsers go afterwards. */
export class IdentityAddresses {
  readonly siteUrl: string;

  /** @param siteUrl public address without a trailing slash */
  constructor(siteUrl: string) {
    this.siteUrl = siteUrl;
  }

  /** Where a provider sends browsers back to. `oidc` and `custom` share one address (interface.md). */
  redirectUrl(providerId: ProviderId): string {
    return providerId === "oidc" || providerId === "custom"
      ? `${this.siteUrl}/oauth/oidc`
      : `${this.siteUrl}/api/auth/oauth/${providerId}/callback`;
  }

  /** The front end with the outcome. There is no other place that browsers are sent to. */
  frontEnd(outcome: Readonly<Record<string, string>>): string {
    return `${this.siteUrl}/?${new URLSearchParams(outcome).toString()}`;
  }
}
