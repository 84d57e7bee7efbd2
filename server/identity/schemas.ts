import { z } from "zod";
import { secondFactorNeeded } from "../auth/second-factors/schemas.ts";
import { signedInUser } from "../auth/schemas.ts";
import { id, line, timestamp } from "../schemas.ts";
import { providerIds } from "./providers/provider.ts";
import { isWebAddress } from "./web-address.ts";

const type = z.enum(["oidc", "oauth2"]).meta({
  description: "How it is talked to: OpenID Connect, or OAuth 2.0 and what the provider has of its own.",
  example: "oauth2",
});
const providerId = z.enum(providerIds).meta({ description: "Which provider.", example: "github" });
const name = z.string().meta({ description: "Its name, for people.", example: "GitHub" });
const homepageUrl = z.string().meta({
  description: "The address of the application, to register at the provider.",
  example: "https://dns.example.com",
});
const redirectUrl = z.string().meta({
  description: "Where the provider sends browsers back to, to register there.",
  example: "https://dns.example.com/api/auth/oauth/github/callback",
});
const callbackUrl = z.string().meta({
  description: "The same as `redirectUrl`.",
  example: "https://dns.example.com/api/auth/oauth/github/callback",
});

/** The provider in a path: what is none of them is 404. */
const pathProvider = line(64, 1).meta({ description: `One of ${providerIds.join(", ")}.`, example: "github" });

export const providerInput = z.strictObject({ providerId: pathProvider });

export const offeredProviders = z
  .object({
    providers: z
      .array(z.object({ providerId, name, type }).meta({ id: "SignInProvider", description: "A way to sign in." }))
      .meta({ description: "What the sign-in page offers." }),
  })
  .meta({ id: "SignInProviders", description: "The providers that are enabled." });

export const providerAddresses = z
  .object({
    providerId,
    homepageUrl,
    redirectUrl,
    siteUrl: z.string().meta({ description: "The service's public address.", example: "https://dns.example.com" }),
    callbackUrl,
  })
  .meta({ id: "ProviderAddresses", description: "What to register at a provider." });

const oneTime = (description: string) => line(100, 1).meta({ description, example: "x5Uw…" });

export const exchangeTicketInput = z.strictObject({ ticket: oneTime("From the query of the front end's address.") });

const externalSignIn = z
  .object({
    accessToken: z
      .string()
      .meta({ description: "JWT for `Authorization: Bearer`, 15 minutes.", example: "eyJhbGciOi…" }),
    user: signedInUser,
  })
  .meta({
    id: "ExternalSignIn",
    description: "A new session; its refresh token is in the cookie `refresh_token` only.",
  });

export const exchangeAnswer = z
  .union([externalSignIn, secondFactorNeeded])
  .meta({ id: "ExchangeAnswer", description: "A new session, or what is missing for one." });

export const bindingStart = z
  .object({
    authorizeUrl: z
      .string()
      .meta({ description: "Where to send this browser now.", example: "https://github.com/login/oauth/authorize?…" }),
    callbackUrl,
    redirectUrl,
  })
  .meta({ id: "BindingStart", description: "The way to a provider." });

const inviteCode = line(100, 1);

export const registerExternalInput = z.strictObject({
  providerId: pathProvider,
  pendingToken: oneTime("From the query of the front end's address."),
  inviteCode: inviteCode.optional().meta({
    description: "From an administrator. Required, under this name or as `code`.",
    example: "7ZK4M-9T2QX-WB3EH-8VJ5R-N1D6A-C",
  }),
  code: inviteCode
    .optional()
    .meta({ description: "The same as `inviteCode`.", example: "7ZK4M-9T2QX-WB3EH-8VJ5R-N1D6A-C" }),
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
            subject: z.string().meta({ description: "What the provider calls the user, for good.", example: "583231" }),
            email: z.string().nullable().meta({ description: "As the provider told it.", example: "ada@example.com" }),
            displayName: z
              .string()
              .nullable()
              .meta({ description: "As the provider told it.", example: "Ada Lovelace" }),
            createdAt: timestamp("When it was bound."),
          })
          .meta({ id: "IdentityBinding", description: "An identity that signs the user in." }),
      )
      .meta({ description: "Oldest first." }),
  })
  .meta({ id: "IdentityBindings", description: "The signed-in user's identities at providers." });

const clientId = line(512, 1).meta({
  description: "The client id, as the provider gave it.",
  example: "Iv1.8a61f9b3a7aba766",
});
const scope = line(1_000)
  .refine(
    (text) => /^[\x21\x23-\x5b\x5d-\x7e]*(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text),
    "Separate scopes by single spaces.",
  )
  .meta({
    description: "Scopes, separated by spaces; empty: the provider's usual ones.",
    example: "read:user user:email",
  });
const enabled = z.boolean().meta({ description: "Whether users can sign in through it.", example: true });

/** An address or null; empty text, as forms send it, is null. */
function address(description: string, example: string) {
  return line(2_000)
    .refine(
      (text) => text === "" || isWebAddress(text),
      "This must be an address such as https://id.example.com/authorize.",
    )
    .transform((text) => (text === "" ? null : text))
    .nullable()
    .optional()
    .meta({ description, example });
}

const addresses = {
  wellKnownUrl: address(
    "For `oidc` and `custom`: the discovery document. Null: the three endpoints are given instead.",
    "https://id.example.com/.well-known/openid-configuration",
  ),
  authorizeUrl: address("In place of the address that is built in or discovered.", "https://id.example.com/authorize"),
  tokenUrl: address("In place of the address that is built in or discovered.", "https://id.example.com/token"),
  userInfoUrl: address("In place of the address that is built in or discovered.", "https://id.example.com/userinfo"),
};

export const createIdentityConfigInput = z.strictObject({
  providerId,
  clientId,
  clientSecret: line(2_000).optional().meta({
    description: "The client secret; empty or left out for a public client. It is never shown again.",
    example: "s3cr3t",
  }),
  scope: scope
    .optional()
    .meta({ description: "Scopes, separated by spaces; the provider's usual ones when left out." }),
  enabled: enabled.default(true),
  ...addresses,
});

export const updateIdentityConfigInput = z.strictObject({
  id: id("The configuration's id."),
  clientId: clientId.optional(),
  clientSecret: line(2_000).optional().meta({
    description: "A new client secret; empty: the stored one stays, unless an address leads to another origin.",
    example: "",
  }),
  scope: scope.optional(),
  enabled: enabled.optional(),
  ...addresses,
});

export const identityConfigIdInput = z.strictObject({ id: id("The configuration's id.") });

const shownAddress = (description: string) => z.string().nullable().meta({ description, example: null });

export const identityConfig = z
  .object({
    id: id("The configuration's id."),
    providerId,
    enabled,
    clientIdMasked: z.string().meta({ description: "The client id without its middle.", example: "Iv1.****a766" }),
    scope: z.string().meta({ description: "Scopes, separated by spaces.", example: "read:user user:email" }),
    wellKnownUrl: shownAddress("The discovery document."),
    authorizeUrl: shownAddress("In place of the address that is built in or discovered."),
    tokenUrl: shownAddress("In place of the address that is built in or discovered."),
    userInfoUrl: shownAddress("In place of the address that is built in or discovered."),
    homepageUrl,
    redirectUrl,
  })
  .meta({ id: "IdentityConfig", description: "How an identity provider is reached. Its secret is not shown." });

export const identityConfigs = z
  .object({
    providers: z.array(identityConfig).meta({ description: "What is configured." }),
    availableProviders: z
      .array(
        z
          .object({ id: z.enum(providerIds).meta({ description: "The `providerId`.", example: "github" }), name, type })
          .meta({ id: "AvailableProvider", description: "A provider that can be configured." }),
      )
      .meta({ description: "What can be configured, each once." }),
    homepageUrl,
    oidcUrls: z
      .object({ homepageUrl, redirectUrl })
      .meta({ id: "OidcAddresses", description: "What to register at OpenID providers." }),
  })
  .meta({ id: "IdentityConfigs", description: "The configured identity providers." });
