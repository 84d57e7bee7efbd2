import type { ServerMetadata } from "openid-client";
import { z } from "zod";
import { isWebAddress } from "../web-address.ts";
import { IdentityProviderError, type ClientSettings } from "./provider.ts";

const endpoint = z.string().refine(isWebAddress).nullish();
const names = z.array(z.string()).nullish();

/** What is used of a discovery document (OpenID Connect Discovery 1.0 §3, RFC 9207 §3), and nothing else. */
const discoveryDocument = z.object({
  issuer: z.string(),
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  userinfo_endpoint: endpoint,
  jwks_uri: endpoint,
  id_token_signing_alg_values_supported: names,
  token_endpoint_auth_methods_supported: names,
  authorization_response_iss_parameter_supported: z.boolean().nullish(),
});

/** What a provider told of itself, with explicit endpoints in place of those that it tells. @throws IdentityProviderError */
export function metadataOf(document: ServerMetadata, settings: ClientSettings): ServerMetadata {
  const { data: told, error } = discoveryDocument.safeParse({
    ...document,
    ...(settings.authorizeUrl === null ? {} : { authorization_endpoint: settings.authorizeUrl }),
    ...(settings.tokenUrl === null ? {} : { token_endpoint: settings.tokenUrl }),
    ...(settings.userInfoUrl === null ? {} : { userinfo_endpoint: settings.userInfoUrl }),
  });
  if (!told) {
    const field = String(error.issues[0]?.path[0]);
    const message = `What the discovery document has for ${field} cannot be used.`;
    throw new IdentityProviderError(message, { setting: "wellKnownUrl" });
  }
  const missing = "The discovery document does not name this endpoint; enter it.";
  const noKeys = "The discovery document does not say where the keys are (jwks_uri).";
  if (!told.authorization_endpoint) throw new IdentityProviderError(missing, { setting: "authorizeUrl" });
  if (!told.token_endpoint) throw new IdentityProviderError(missing, { setting: "tokenUrl" });
  if (!told.jwks_uri) throw new IdentityProviderError(noKeys, { setting: "wellKnownUrl" });
  return {
    issuer: told.issuer,
    authorization_endpoint: told.authorization_endpoint,
    token_endpoint: told.token_endpoint,
    jwks_uri: told.jwks_uri,
    ...(told.userinfo_endpoint ? { userinfo_endpoint: told.userinfo_endpoint } : {}),
    id_token_signing_alg_values_supported: told.id_token_signing_alg_values_supported ?? ["RS256"],
    token_endpoint_auth_methods_supported: told.token_endpoint_auth_methods_supported ?? [],
    authorization_response_iss_parameter_supported: told.authorization_response_iss_parameter_supported === true,
  };
}
