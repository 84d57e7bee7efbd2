import type { Egress } from "../../net/egress.ts";
import { codeOf, plainAuthorizationUrlOf } from "./code-flow.ts";
import type { ClientSettings, IdentityProvider } from "./provider.ts";
import { askVendor, goodObject, optionalText, requiredText } from "./vendor-json.ts";

/**
 * DingTalk, whose dialect is its own: the code may come as `authCode`, is redeemed by JSON in camel case, and the token goes into a header of
 * its own. There is no PKCE. `unionId` is the same for all applications of one developer; `openId` is not. Addresses are not verified.
 */
export function dingtalk(egress: Egress): IdentityProvider {
  const endpointsOf = ({ authorizeUrl, tokenUrl, userInfoUrl }: ClientSettings) => ({
    authorize: authorizeUrl ?? "https://login.dingtalk.com/oauth2/auth",
    token: tokenUrl ?? "https://api.dingtalk.com/v1.0/oauth2/userAccessToken",
    user: userInfoUrl ?? "https://api.dingtalk.com/v1.0/contact/users/me",
  });
  return {
    id: "dingtalk",
    name: "DingTalk",
    type: "oauth2",
    defaultScope: "openid",
    check: () => Promise.resolve(),
    authorizationUrl(settings, flow) {
      const url = plainAuthorizationUrlOf(endpointsOf(settings).authorize, settings, flow);
      url.searchParams.set("prompt", "consent");
      return Promise.resolve(url);
    },
    async identify(settings, _flow, answer) {
      const { token, user: userUrl } = endpointsOf(settings);
      const code = codeOf(answer, answer.has("authCode") ? "authCode" : "code");
      const { clientId, clientSecret } = settings;
      const redeemed = await askVendor(egress, token, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ clientId, clientSecret: clientSecret ?? "", code, grantType: "authorization_code" }),
      });
      const accessToken = requiredText(goodObject(redeemed, "DingTalk"), "accessToken", "DingTalk");
      const headers = { "x-acs-dingtalk-access-token": accessToken };
      const user = goodObject(await askVendor(egress, userUrl, { headers }), "DingTalk's user endpoint");
      return {
        issuer: new URL(userUrl).origin,
        subject: requiredText(user, "unionId", "DingTalk's user endpoint"),
        email: optionalText(user, "email"),
        emailVerified: false,
        displayName: optionalText(user, "nick"),
        username: optionalText(user, "nick"),
      };
    },
  };
}
