import type { ServerMetadata } from "openid-client";
import { z } from "zod";
import { isWebAddress } from "../web-address.ts";
import { IdentityProviderError, type ClientSettings } from "./provider.ts";

const endpoint = z.string().refine(isWebAddress).nullish();
const names = z.array(z.string()).nullish();

/** The fields used from a discovery document (OpenID Connect Discovery 1.0 §3, RFC 9207 §3). */
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

/** Returns validated provider metadata, with configured endpoints taking precedence. @throws IdentityProviderError */
export function metadataOf(document: ServerMetadata, settings: ClientSettings): ServerMetadata {
  const { data: metadata, error } = discoveryDocument.safeParse({
    ...document,
    ...(settings.authorizeUrl === null ? {} : { authorization_endpoint: settings.authorizeUrl }),
    ...(settings.tokenUrl === null ? {} : { token_endpoint: settings.tokenUrl }),
    ...(settings.userInfoUrl === null ? {} : { userinfo_endpoint: settings.userInfoUrl }),
  });
  if (!metadata) {
    const field = String(error.issues[0]?.path[0]);
    const message = `The discovery document has an invalid value for ${field}.`;
    throw new IdentityProviderError(message, { setting: "wellKnownUrl" });
  }
  const missing = "The discovery document does not contain this endpoint. Enter it.";
  const noKeys = "The discovery document does not contain jwks_uri. Use another discovery URL.";
  if (!metadata.authorization_endpoint) throw new IdentityProviderError(missing, { setting: "authorizeUrl" });
  if (!metadata.token_endpoint) throw new IdentityProviderError(missing, { setting: "tokenUrl" });
  if (!metadata.jwks_uri) throw new IdentityProviderError(noKeys, { setting: "wellKnownUrl" });
  return {
    issuer: metadata.issuer,
    authorization_endpoint: metadata.authorization_endpoint,
    token_endpoint: metadata.token_endpoint,
    jwks_uri: metadata.jwks_uri,
    ...(metadata.userinfo_endpoint ? { userinfo_endpoint: metadata.userinfo_endpoint } : {}),
    id_token_signing_alg_values_supported: metadata.id_token_signing_alg_values_supported ?? ["RS256"],
    token_endpoint_auth_methods_supported: metadata.token_endpoint_auth_methods_supported ?? [],
    authorization_response_iss_parameter_supported: metadata.authorization_response_iss_parameter_supported === true,
  };
}
