import type { Egress } from "../../net/egress.ts";
import type { Identity } from "./provider.ts";
import { askVendor, goodObject, optionalText, requiredText, type VendorObject } from "./vendor-json.ts";

/** Reads a userinfo endpoint with standard claims (OpenID Connect Core 1.0 §5.3). @throws IdentityProviderError */
export async function userInfo(egress: Egress, url: string, accessToken: string): Promise<VendorObject> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return goodObject(await askVendor(egress, url, { headers, secrets: [accessToken] }), "The userinfo endpoint");
}

/** Returns the identity in standard claims (OpenID Connect Core 1.0 §5.1). @throws IdentityProviderError without a subject */
export function identityFromClaims(issuer: string, claims: VendorObject): Identity {
  const email = optionalText(claims, "email");
  return {
    issuer,
    subject: requiredText(claims, "sub", "The userinfo endpoint"),
    email,
    // Some providers send it as a string.
    emailVerified: email !== null && (claims["email_verified"] === true || claims["email_verified"] === "true"),
    displayName: optionalText(claims, "name") ?? optionalText(claims, "nickname"),
    username: optionalText(claims, "preferred_username") ?? optionalText(claims, "nickname"),
    claims,
  };
}
