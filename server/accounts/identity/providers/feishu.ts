import type { Egress } from "../../../platform/net/egress.ts";
import {
  authorizationUrlOf,
  codeOf,
  endpointsOf,
  askVendor,
  goodObject,
  objectOf,
  optionalText,
  reasonIn,
  requiredText,
  type VendorAnswer,
  type VendorObject,
} from "./code-flow.ts";
import { IdentityProviderError, type IdentityProvider } from "./provider.ts";

const builtIn = {
  authorizeUrl: "https://accounts.feishu.cn/open-apis/authen/v1/authorize",
  tokenUrl: "https://accounts.feishu.cn/oauth/v3/token",
  userInfoUrl: "https://open.feishu.cn/open-apis/authen/v1/user_info",
};

/**
 * Feishu, and Lark with configured endpoints. Uses version 3 of the token endpoint: earlier ones accept a code verifier for a flow that
 * started without a challenge, which allows a PKCE downgrade. Responses have a `code` that is 0 on success. `union_id` is the same for all
 * applications of a developer. Email addresses are not verified.
 */
export function feishu(egress: Egress): IdentityProvider {
  return {
    id: "feishu",
    name: "Feishu",
    type: "oauth2",
    // The user's identity needs no scope; scopes are permissions that the application must be granted at Feishu.
    defaultScope: "",
    check: () => Promise.resolve(),
    authorizationUrl: (settings, flow) =>
      authorizationUrlOf(endpointsOf(settings, builtIn).authorizeUrl, settings, flow),
    async identify(settings, { codeVerifier }, answer) {
      const { tokenUrl, userInfoUrl } = endpointsOf(settings, builtIn);
      const { clientId, clientSecret, redirectUrl } = settings;
      const code = codeOf(answer);
      const redeemed = await askVendor(egress, tokenUrl, {
        method: "POST",
        headers: { "content-type": "application/json; charset=utf-8" },
        secrets: [clientSecret, code, codeVerifier],
        body: JSON.stringify({
          grant_type: "authorization_code",
          client_id: clientId,
          client_secret: clientSecret ?? "",
          code,
          redirect_uri: redirectUrl,
          code_verifier: codeVerifier,
        }),
      });
      const accessToken = requiredText(successful(redeemed, "Feishu"), "access_token", "Feishu");
      const headers = { authorization: `Bearer ${accessToken}` };
      const request = { headers, secrets: [accessToken] };
      const response = successful(await askVendor(egress, userInfoUrl, request), "Feishu's user endpoint");
      const user = objectOf(response["data"], "Feishu's user endpoint");
      return {
        issuer: new URL(userInfoUrl).origin,
        subject: requiredText(user, "union_id", "Feishu's user endpoint"),
        email: optionalText(user, "enterprise_email") ?? optionalText(user, "email"),
        emailVerified: false,
        displayName: optionalText(user, "name"),
        username: optionalText(user, "en_name") ?? optionalText(user, "name"),
        claims: user,
      };
    },
  };
}

/** Returns the body of a successful response. @throws IdentityProviderError for any failure, including those with status 200 */
function successful(answer: VendorAnswer, what: string): VendorObject {
  const body = goodObject(answer, what);
  if ((body["code"] ?? 0) === 0 && !("error" in body)) return body;
  throw new IdentityProviderError(`${what} rejected the request${reasonIn(answer)}.`);
}
