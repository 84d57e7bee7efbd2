import type { Egress } from "../../../platform/net/egress.ts";
import {
  codeOf,
  endpointsOf,
  plainAuthorizationUrlOf,
  askVendor,
  goodObject,
  optionalText,
  requiredText,
} from "./code-flow.ts";
import type { IdentityProvider } from "./provider.ts";

const builtIn = {
  authorizeUrl: "https://login.dingtalk.com/oauth2/auth",
  tokenUrl: "https://api.dingtalk.com/v1.0/oauth2/userAccessToken",
  userInfoUrl: "https://api.dingtalk.com/v1.0/contact/users/me",
};

/**
 * DingTalk, which deviates from OAuth 2.0: the code may be named `authCode`, is exchanged as camel-case JSON, and the token goes into a
 * custom header. It does not support PKCE. `unionId` is the same for all applications of a developer; `openId` is not. Email addresses are
 * not verified.
 */
export function dingtalk(egress: Egress): IdentityProvider {
  return {
    id: "dingtalk",
    name: "DingTalk",
    type: "oauth2",
    defaultScope: "openid",
    check: () => Promise.resolve(),
    async authorizationUrl(settings, flow) {
      const url = await plainAuthorizationUrlOf(endpointsOf(settings, builtIn).authorizeUrl, settings, flow);
      url.searchParams.set("prompt", "consent");
      return url;
    },
    async identify(settings, _flow, answer) {
      const { tokenUrl, userInfoUrl } = endpointsOf(settings, builtIn);
      const code = codeOf(answer, answer.has("authCode") ? "authCode" : "code");
      const { clientId, clientSecret } = settings;
      const redeemed = await askVendor(egress, tokenUrl, {
        method: "POST",
        headers: { "content-type": "application/json" },
        secrets: [clientSecret, code],
        body: JSON.stringify({ clientId, clientSecret: clientSecret ?? "", code, grantType: "authorization_code" }),
      });
      const accessToken = requiredText(goodObject(redeemed, "DingTalk"), "accessToken", "DingTalk");
      const headers = { "x-acs-dingtalk-access-token": accessToken };
      const user = goodObject(
        await askVendor(egress, userInfoUrl, { headers, secrets: [accessToken] }),
        "DingTalk's user endpoint",
      );
      return {
        issuer: new URL(userInfoUrl).origin,
        subject: requiredText(user, "unionId", "DingTalk's user endpoint"),
        email: optionalText(user, "email"),
        emailVerified: false,
        displayName: optionalText(user, "nick"),
        username: optionalText(user, "nick"),
        claims: user,
      };
    },
  };
}
