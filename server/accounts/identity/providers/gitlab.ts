import type { Egress } from "../../../platform/net/egress.ts";
import type { IdentityProvider } from "./provider.ts";
import { standardOAuth2 } from "./code-flow.ts";

/** GitLab.com, and self-managed GitLab with configured endpoints: {base}/oauth/authorize, /oauth/token and /oauth/userinfo. */
export function gitlab(egress: Egress): IdentityProvider {
  return standardOAuth2(egress, {
    id: "gitlab",
    name: "GitLab",
    defaultScope: "openid profile email",
    authorizeUrl: "https://gitlab.com/oauth/authorize",
    tokenUrl: "https://gitlab.com/oauth/token",
    userInfoUrl: "https://gitlab.com/oauth/userinfo",
  });
}
