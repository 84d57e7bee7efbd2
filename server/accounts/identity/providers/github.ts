import type { Egress } from "../../../platform/net/egress.ts";
import {
  accessTokenOf,
  authorizationUrlOf,
  codeOf,
  endpointsOf,
  redeemCode,
  askVendor,
  goodObject,
  optionalText,
  type VendorRequest,
} from "./code-flow.ts";
import { IdentityProviderError, type IdentityProvider } from "./provider.ts";

const apiHeaders = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" };

const builtIn = {
  authorizeUrl: "https://github.com/login/oauth/authorize",
  tokenUrl: "https://github.com/login/oauth/access_token",
  userInfoUrl: "https://api.github.com/user",
};

/** GitHub, and GitHub Enterprise Server with configured endpoints. Identifies users by numeric id, because logins can change. */
export function github(egress: Egress): IdentityProvider {
  return {
    id: "github",
    name: "GitHub",
    type: "oauth2",
    defaultScope: "read:user user:email",
    check: () => Promise.resolve(),
    authorizationUrl: (settings, flow) =>
      authorizationUrlOf(endpointsOf(settings, builtIn).authorizeUrl, settings, flow),
    async identify(settings, { codeVerifier }, answer) {
      const { tokenUrl, userInfoUrl } = endpointsOf(settings, builtIn);
      const tokens = await redeemCode(egress, tokenUrl, settings, { code: codeOf(answer), codeVerifier });
      const accessToken = accessTokenOf(tokens);
      const request = {
        headers: { ...apiHeaders, authorization: `Bearer ${accessToken}` },
        secrets: [accessToken],
      };
      const user = goodObject(await askVendor(egress, userInfoUrl, request), "GitHub's user endpoint");
      const { id } = user;
      if (typeof id !== "number" || !Number.isSafeInteger(id) || id <= 0)
        throw new IdentityProviderError("GitHub's user endpoint did not return a numeric id.");
      const email = await verifiedAddress(egress, `${userInfoUrl.replace(/\/$/, "")}/emails`, request);
      return {
        issuer: new URL(userInfoUrl).origin,
        subject: String(id),
        email,
        emailVerified: email !== null,
        displayName: optionalText(user, "name") ?? optionalText(user, "login"),
        username: optionalText(user, "login"),
        claims: user,
      };
    },
  };
}

/** Returns the primary address if it is verified. The profile's address is unverified. Needs the scope user:email. */
async function verifiedAddress(egress: Egress, url: string, request: VendorRequest): Promise<string | null> {
  const { status, body } = await askVendor(egress, url, request);
  if (status !== 200 || !Array.isArray(body)) return null;
  const primary = (body as unknown[]).find(
    (entry): entry is { email: string } =>
      typeof entry === "object" &&
      entry !== null &&
      "primary" in entry &&
      entry.primary === true &&
      "verified" in entry &&
      entry.verified === true &&
      "email" in entry &&
      typeof entry.email === "string",
  );
  return primary?.email ?? null;
}
