import type { Egress } from "../../../platform/net/egress.ts";
import type { IdentityProvider } from "./provider.ts";
import { standardOAuth2 } from "./code-flow.ts";

/** Google. Identifies users by `sub`, which is never reused; email addresses can be. */
export function google(egress: Egress): IdentityProvider {
  return standardOAuth2(egress, {
    id: "google",
    name: "Google",
    defaultScope: "openid email profile",
    authorizeUrl: "https://accounts.google.com/o/oauth2/v2/auth",
    tokenUrl: "https://oauth2.googleapis.com/token",
    userInfoUrl: "https://openidconnect.googleapis.com/v1/userinfo",
  });
}
