import type { Egress } from "../../../platform/net/egress.ts";
import { dingtalk } from "./dingtalk.ts";
import { feishu } from "./feishu.ts";
import { github } from "./github.ts";
import { standardOAuth2 } from "./code-flow.ts";
import { oidc } from "./oidc.ts";
import type { IdentityProvider } from "./provider.ts";
import type { ProviderId } from "../../../database/tables/identity.ts";

export type IdentityProviders = Readonly<Record<ProviderId, IdentityProvider>>;

/** Returns all providers, in display order. */
export function createIdentityProviders(egress: Egress, now: () => Date): IdentityProviders {
  return {
    oidc: oidc("oidc", "OpenID Connect", egress, now),
    custom: oidc("custom", "Custom OpenID Connect", egress, now),
    github: github(egress),
    gitlab: gitlab(egress),
    google: google(egress),
    dingtalk: dingtalk(egress),
    feishu: feishu(egress),
  };
}

/** GitLab.com, and self-managed GitLab with configured endpoints: {base}/oauth/authorize, /oauth/token and /oauth/userinfo. */
function gitlab(egress: Egress): IdentityProvider {
  return standardOAuth2(egress, {
    id: "gitlab",
    name: "GitLab",
    defaultScope: "openid profile email",
    authorizeUrl: "https://gitlab.com/oauth/authorize",
    tokenUrl: "https://gitlab.com/oauth/token",
    userInfoUrl: "https://gitlab.com/oauth/userinfo",
  });
}

/** Google. Identifies users by `sub`, which is never reused; email addresses can be. */
function google(egress: Egress): IdentityProvider {
  return standardOAuth2(egress, {
    id: "google",
    name: "Google",
    defaultScope: "openid email profile",
    authorizeUrl: "https://accounts.google.com/o/oauth2/v2/auth",
    tokenUrl: "https://oauth2.googleapis.com/token",
    userInfoUrl: "https://openidconnect.googleapis.com/v1/userinfo",
  });
}
