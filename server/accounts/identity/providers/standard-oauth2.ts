import type { Egress } from "../../../platform/net/egress.ts";
import {
  accessTokenOf,
  authorizationUrlOf,
  codeOf,
  endpointsOf,
  redeemCode,
  identityFromClaims,
  userInfo,
  type Endpoints,
} from "./code-flow.ts";
import type { IdentityProvider } from "./provider.ts";
import type { ProviderId } from "../../../database/tables/identity.ts";

export interface StandardOAuth2 extends Endpoints {
  id: ProviderId;
  name: string;
  defaultScope: string;
}

/**
 * A provider with standard OAuth 2.0, PKCE and a userinfo endpoint. It has its own callback, and the access token comes directly from the
 * token endpoint, so an id_token would prove nothing more.
 */
export function standardOAuth2(
  egress: Egress,
  { id, name, defaultScope, ...builtIn }: StandardOAuth2,
): IdentityProvider {
  return {
    id,
    name,
    type: "oauth2",
    defaultScope,
    check: () => Promise.resolve(),
    authorizationUrl: (settings, flow) =>
      authorizationUrlOf(endpointsOf(settings, builtIn).authorizeUrl, settings, flow),
    async identify(settings, { codeVerifier }, answer) {
      const { tokenUrl, userInfoUrl } = endpointsOf(settings, builtIn);
      const tokens = await redeemCode(egress, tokenUrl, settings, { code: codeOf(answer), codeVerifier });
      const claims = await userInfo(egress, userInfoUrl, accessTokenOf(tokens));
      return identityFromClaims(new URL(userInfoUrl).origin, claims);
    },
  };
}
