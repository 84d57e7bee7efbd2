import { z } from "zod";
import { secondFactorNeeded } from "../auth/second-factors/schemas.ts";
import { signedInUser } from "../auth/schemas.ts";
import { id, line, timestamp } from "../../api/schemas.ts";
import { groupFields, shownGroupFields } from "./groups/schemas.ts";
import { providerIds } from "../../database/tables/identity.ts";
import { isWebAddress } from "./config-fields.ts";

const type = z.enum(["oidc", "oauth2"]).meta({
  description: "Protocol: `oidc` for OpenID Connect, `oauth2` for OAuth 2.0 with the provider's own profile API.",
  example: "oauth2",
});
const providerId = z.enum(providerIds).meta({ description: "The provider's id.", example: "github" });
const name = z.string().meta({ description: "Display name.", example: "GitHub" });
const homepageUrl = z.string().meta({
  description: "Home page URL to register at the provider.",
  example: "https://dns.example.com",
});
const redirectUrl = z.string().meta({
  description: "Redirect URI to register at the provider.",
  example: "https://dns.example.com/api/auth/oauth/github/callback",
});
const callbackUrl = z.string().meta({
  description: "Alias of `redirectUrl`.",
  example: "https://dns.example.com/api/auth/oauth/github/callback",
});

/** The provider in a path. Unknown providers return 404. */
const pathProvider = line(64, 1).meta({ description: `One of ${providerIds.join(", ")}.`, example: "github" });

export const providerInput = z.strictObject({ providerId: pathProvider });

export const offeredProviders = z
  .object({
    providers: z
      .array(
        z
          .object({
            providerId,
            name,
            type,
            host: z.string().nullable().meta({
              description: "Host of the configured `authorizeUrl`, to tell providers apart; null without one.",
              example: null,
            }),
          })
          .meta({ id: "SignInProvider", description: "An identity provider to sign in with." }),
      )
      .meta({ description: "Enabled providers, as the sign-in page offers them." }),
  })
  .meta({ id: "SignInProviders", description: "The enabled identity providers." });

export const providerAddresses = z
  .object({
    providerId,
    homepageUrl,
    redirectUrl,
    siteUrl: z.string().meta({ description: "The service's public URL.", example: "https://dns.example.com" }),
    callbackUrl,
  })
  .meta({ id: "ProviderAddresses", description: "The URLs to register at a provider." });

const oneTime = (description: string) => line(100, 1).meta({ description, example: "x5Uw…" });

export const exchangeTicketInput = z.strictObject({
  ticket: oneTime("One-time value from the query string of the front end's URL."),
});

const externalSignIn = z
  .object({
    accessToken: z
      .string()
      .meta({ description: "JWT for `Authorization: Bearer`, valid for 15 minutes.", example: "eyJhbGciOi…" }),
    user: signedInUser,
  })
  .meta({
    id: "ExternalSignIn",
    description: "A new session. Its refresh token is only in the cookie `refresh_token`.",
  });

export const exchangeAnswer = z
  .union([externalSignIn, secondFactorNeeded])
  .meta({ id: "ExchangeAnswer", description: "A new session, or the second factor it requires." });

export const bindingStart = z
  .object({
    authorizeUrl: z.string().meta({
      description: "URL to send this browser to next.",
      example: "https://github.com/login/oauth/authorize?…",
    }),
    callbackUrl,
    redirectUrl,
  })
  .meta({ id: "BindingStart", description: "The start of a binding." });

const inviteCode = line(100, 1);

export const registerExternalInput = z.strictObject({
  providerId: pathProvider,
  pendingToken: oneTime("One-time value from the query string of the front end's URL."),
  inviteCode: inviteCode.optional().meta({
    description: "Invitation code from an administrator. Required, as `inviteCode` or as `code`.",
    example: "7ZK4M-9T2QX-WB3EH-8VJ5R-N1D6A-C",
  }),
  code: inviteCode
    .optional()
    .meta({ description: "Alias of `inviteCode`.", example: "7ZK4M-9T2QX-WB3EH-8VJ5R-N1D6A-C" }),
});

export const bindings = z
  .object({
    bindings: z
      .array(
        z
          .object({
            providerId,
            name,
            type,
            subject: z.string().meta({ description: "The provider's permanent id of the user.", example: "583231" }),
            email: z
              .string()
              .nullable()
              .meta({ description: "As reported by the provider.", example: "ada@example.com" }),
            displayName: z
              .string()
              .nullable()
              .meta({ description: "As reported by the provider.", example: "Ada Lovelace" }),
            createdAt: timestamp("When the identity was bound."),
          })
          .meta({ id: "IdentityBinding", description: "An identity the user signs in with." }),
      )
      .meta({ description: "Oldest first." }),
  })
  .meta({ id: "IdentityBindings", description: "The signed-in user's identities at providers." });

const clientId = line(512, 1).meta({
  description: "Client id issued by the provider.",
  example: "Iv1.8a61f9b3a7aba766",
});
const scope = line(1_000)
  .refine(
    (text) => /^[\x21\x23-\x5b\x5d-\x7e]*(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text),
    "Separate scopes by single spaces.",
  )
  .meta({
    description: "Space-separated scopes. Empty: the provider's default scopes.",
    example: "read:user user:email",
  });
const enabled = z.boolean().meta({ description: "Whether users can sign in with this provider.", example: true });

/** Returns a schema for a URL or null. Empty text, as forms send it, becomes null. */
function address(description: string, example: string) {
  return line(2_000)
    .refine((text) => text === "" || isWebAddress(text), "This must be a URL such as https://id.example.com/authorize.")
    .transform((text) => (text === "" ? null : text))
    .nullable()
    .optional()
    .meta({ description, example });
}

const addresses = {
  wellKnownUrl: address(
    "URL of the discovery document, for `oidc` and `custom`. Null: set the three endpoints instead.",
    "https://id.example.com/.well-known/openid-configuration",
  ),
  authorizeUrl: address(
    "Overrides the built-in or discovered URL. Null: no override.",
    "https://id.example.com/authorize",
  ),
  tokenUrl: address("Overrides the built-in or discovered URL. Null: no override.", "https://id.example.com/token"),
  userInfoUrl: address(
    "Overrides the built-in or discovered URL. Null: no override.",
    "https://id.example.com/userinfo",
  ),
};

export const createIdentityConfigInput = z.strictObject({
  providerId,
  clientId,
  clientSecret: line(2_000).optional().meta({
    description: "Client secret, never shown again. Empty or omitted for a public client.",
    example: "s3cr3t",
  }),
  scope: scope.optional().meta({ description: "Space-separated scopes. Default: the provider's default scopes." }),
  enabled: enabled.default(true),
  ...addresses,
  ...groupFields,
});

const exampleVersion = "T1PNoYwrqgwDVLtfmj7L5e0Ss02OEbgqHTkRpLzf90A";

export const updateIdentityConfigInput = z.strictObject({
  id: id("The configuration's id."),
  clientId: clientId.optional(),
  clientSecret: line(2_000).optional().meta({
    description: "New client secret. Empty: keeps the stored one, which is refused if a URL moves to another origin.",
    example: "",
  }),
  scope: scope.optional(),
  enabled: enabled.optional(),
  ...addresses,
  ...groupFields,
  groupRulesVersion: line(100).optional().meta({
    description:
      "The `groupRulesVersion` that the new rules were made from. If other rules were stored since, the call returns 409 and changes nothing.",
    example: exampleVersion,
  }),
});

export const identityConfigIdInput = z.strictObject({ id: id("The configuration's id.") });

const shownAddress = (description: string) => z.string().nullable().meta({ description, example: null });

export const identityConfig = z
  .object({
    id: id("The configuration's id."),
    providerId,
    enabled,
    clientIdMasked: z.string().meta({ description: "Client id with its middle masked.", example: "Iv1.****a766" }),
    scope: z.string().meta({ description: "Space-separated scopes.", example: "read:user user:email" }),
    wellKnownUrl: shownAddress("URL of the discovery document."),
    authorizeUrl: shownAddress("Overrides the built-in or discovered URL. Null: no override."),
    tokenUrl: shownAddress("Overrides the built-in or discovered URL. Null: no override."),
    userInfoUrl: shownAddress("Overrides the built-in or discovered URL. Null: no override."),
    ...shownGroupFields,
    groupRulesVersion: z.string().meta({ description: "Changes with `groupRules`.", example: exampleVersion }),
    homepageUrl,
    redirectUrl,
  })
  .meta({ id: "IdentityConfig", description: "An identity provider's configuration. Its secret is never shown." });

export const identityConfigs = z
  .object({
    providers: z.array(identityConfig).meta({ description: "The configured providers, oldest first." }),
    availableProviders: z
      .array(
        z
          .object({ id: z.enum(providerIds).meta({ description: "The `providerId`.", example: "github" }), name, type })
          .meta({ id: "AvailableProvider", description: "A provider that can be configured." }),
      )
      .meta({ description: "The providers that can be configured, each at most once." }),
    homepageUrl,
    oidcUrls: z
      .object({ homepageUrl, redirectUrl })
      .meta({ id: "OidcAddresses", description: "The URLs to register at OpenID providers." }),
  })
  .meta({ id: "IdentityConfigs", description: "The configured identity providers." });
