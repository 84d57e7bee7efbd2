import { z } from "zod";
import { id, line, shownId, timestamp } from "../../../api/schemas.ts";
import { typedPassword } from "../../users/schemas.ts";
import { methods } from "./methods.ts";

/** Returns a schema for an authenticator's binary data. */
function base64url(max: number, description: string) {
  return z
    .string()
    .max(max, `This must have at most ${max} characters.`)
    .regex(/^[A-Za-z0-9_-]+$/, "This must be base64url without padding.")
    .meta({ description, example: "AAAA" });
}

/** Allows unknown fields: future browsers may send more. */
const open = { additionalProperties: true } as const;

const credentialHead = {
  id: base64url(1_400, "The credential's id."),
  rawId: base64url(1_400, "Same as `id`."),
  type: z.literal("public-key", "This must be public-key.").meta({ description: "Always `public-key`." }),
};

const registrationCredential = z
  .object({
    ...credentialHead,
    response: z
      .object({
        clientDataJSON: base64url(8_192, "The browser's client data, base64url."),
        attestationObject: base64url(65_536, "The attestation object with the new public key, base64url."),
        transports: z
          .array(line(32, 1))
          .max(10, "This must have at most 10 items.")
          .optional()
          .meta({ description: "Transports of the authenticator.", example: ["internal"] }),
      })
      .meta({ description: "The authenticator's response.", override: open }),
  })
  .meta({
    description:
      "The browser's `RegistrationResponseJSON`: `toJSON()` of the result of `navigator.credentials.create`.",
    override: open,
  });

export const answerCredential = z
  .object({
    ...credentialHead,
    response: z
      .object({
        clientDataJSON: base64url(8_192, "The browser's client data, base64url."),
        authenticatorData: base64url(8_192, "The authenticator data, base64url."),
        signature: base64url(8_192, "The signature, base64url."),
        userHandle: base64url(128, "The user handle, base64url.").nullish(),
      })
      .meta({ description: "The authenticator's response.", override: open }),
  })
  .meta({
    description: "The browser's `AuthenticationResponseJSON`: `toJSON()` of the result of `navigator.credentials.get`.",
    override: open,
  });

const challenge = z
  .string()
  .meta({ description: "Challenge to sign, base64url. Works once, for five minutes.", example: "AAAA" });
const timeout = z.int().meta({ description: "Time the user has, in milliseconds.", example: 300_000 });
const knownCredentials = z.array(
  z.object({
    id: z.string().meta({ description: "The credential's id.", example: "AAAA" }),
    type: z.literal("public-key").meta({ description: "Always `public-key`." }),
    transports: z
      .array(z.string())
      .optional()
      .meta({ description: "Transports of the authenticator.", example: ["internal"] }),
  }),
);

export const passkeyCreationOptions = z
  .object({
    rp: z
      .object({
        id: z
          .string()
          .optional()
          .meta({ description: "Relying party id: the host of SITE_URL.", example: "dns.example.com" }),
        name: z.string().meta({ description: "Display name.", example: "Zonewright" }),
      })
      .meta({ description: "The relying party: this service." }),
    user: z
      .object({
        id: z.string().meta({ description: "User handle, base64url.", example: "AAAA" }),
        name: z.string().meta({ description: "The username.", example: "ada" }),
        displayName: z.string().meta({ description: "Display name.", example: "Ada Lovelace" }),
      })
      .meta({ description: "The signed-in user." }),
    challenge,
    pubKeyCredParams: z
      .array(
        z.object({
          type: z.literal("public-key").meta({ description: "Always `public-key`." }),
          alg: z.int().meta({ description: "COSE algorithm identifier.", example: -7 }),
        }),
      )
      .meta({ description: "Signature algorithms, preferred first." }),
    timeout,
    excludeCredentials: knownCredentials.meta({ description: "Passkeys the user already has." }),
    authenticatorSelection: z
      .object({
        residentKey: z
          .literal("required")
          .meta({ description: "The passkey must be discoverable, so no username is needed." }),
        requireResidentKey: z.literal(true).meta({ description: "Same as `residentKey`, for older browsers." }),
        userVerification: z.literal("required").meta({ description: "The user must unlock the authenticator." }),
      })
      .meta({ description: "Requirements for the authenticator." }),
    attestation: z.literal("none").meta({ description: "No attestation of the authenticator's make is requested." }),
  })
  .meta({
    id: "PasskeyCreationOptions",
    description:
      "Options for `navigator.credentials.create`: parse them with `PublicKeyCredential.parseCreationOptionsFromJSON`.",
  });

export const passkeyRequestOptions = z
  .object({
    challenge,
    timeout,
    rpId: z.string().meta({ description: "Relying party id: the host of SITE_URL.", example: "dns.example.com" }),
    userVerification: z.literal("required").meta({ description: "The user must unlock the passkey." }),
    allowCredentials: knownCredentials
      .optional()
      .meta({ description: "The user's passkeys; omitted if any passkey of this site will do." }),
  })
  .meta({
    id: "PasskeyRequestOptions",
    description:
      "Options for `navigator.credentials.get`: parse them with `PublicKeyCredential.parseRequestOptionsFromJSON`.",
  });

const currentPassword = typedPassword.optional().meta({
  description:
    "Your current password. Optional while the session is confirmed: see `confirmedUntil` of `GET /api/auth/me`.",
  example: "correct horse battery staple",
});

export const passwordInput = z.strictObject({ currentPassword });

export const codeInput = z.strictObject({
  code: line(16, 1).meta({
    description: "Six-digit code from the app. One space in the middle is allowed.",
    example: "123 456",
  }),
});

export const secondFactorNeeded = z
  .object({
    requires2FA: z.literal(true).meta({ description: "Always true." }),
    tempToken: z.string().meta({
      description:
        "Bearer token for `/api/2fa/verify`, `/api/2fa/email/send` and `/api/2fa/passkey/options`. Valid for one sign-in and ten minutes.",
      example: "b3BhcXVl…",
    }),
    methods: z.array(z.enum(methods)).meta({
      description: "Second factors the user can use now. A recovery code replaces any of them.",
      example: ["totp"],
    }),
  })
  .meta({ id: "SecondFactorNeeded", description: "The password was correct; a second factor is required." });

export const verifyInput = z.strictObject({
  method: z
    .enum([...methods, "recovery"], "This must be totp, passkey, email or recovery.")
    .meta({ description: "The second factor.", example: "totp" }),
  code: line(64, 1).optional().meta({
    description: "Required unless `method` is `passkey`: a six-digit code, or a recovery code.",
    example: "123456",
  }),
  credential: answerCredential.optional(),
});

export const passkeySignInInput = z.strictObject({
  credential: answerCredential,
  rememberMe: z.boolean().default(false).meta({
    description:
      "True: the session lasts 30 days from its last use. False: 24 hours, and its cookie ends with the browser.",
  }),
});

const passkeyFields = {
  id: shownId("The passkey's id."),
  name: z.string().meta({ description: "Display name.", example: "Laptop" }),
  createdAt: timestamp("When it was added."),
  lastUsedAt: timestamp("When it was last used; null if never.").nullable(),
};

const recoveryCodes = z.array(z.string());
const newCodes = "Ten recovery codes, shown only once. Earlier codes stop working.";
const codesExample = ["7k2m-x0qd-9fhs-3w8c"];

export const newRecoveryCodes = z
  .object({ recoveryCodes: recoveryCodes.meta({ description: newCodes, example: codesExample }) })
  .meta({ id: "RecoveryCodes", description: "New recovery codes." });

const firstRecoveryCodes = recoveryCodes
  .nullable()
  .meta({ description: "Ten recovery codes, shown only once; null if the user already has some.", example: null });

export const enabledFactor = z
  .object({ recoveryCodes: firstRecoveryCodes })
  .meta({ id: "EnabledFactor", description: "The second factor is enabled." });

export const createdPasskey = z
  .object({ ...passkeyFields, recoveryCodes: firstRecoveryCodes })
  .meta({ id: "CreatedPasskey", description: "The added passkey." });

export const passkey = z.object(passkeyFields).meta({ id: "Passkey", description: "A passkey." });

export const recoveryCodesLeft = z.int().meta({ description: "Unused recovery codes.", example: 10 });

export const secondFactors = z
  .object({
    totp: z.boolean().meta({ description: "Whether an authenticator app is set up.", example: true }),
    email: z.boolean().meta({ description: "Whether sign-in codes by email are enabled.", example: false }),
    passkeys: z.array(passkey).meta({ description: "Passkeys, oldest first." }),
    recoveryCodesLeft,
  })
  .meta({ id: "SecondFactors", description: "The user's second factors." });

export const totpSetup = z
  .object({
    secret: z
      .string()
      .meta({ description: "Secret in Base32, for apps that cannot scan a QR code.", example: "JBSWY3DPEHPK3PXP" }),
    otpauthUrl: z.string().meta({
      description: "URI to show as a QR code.",
      example: "otpauth://totp/Zonewright:ada?secret=JBSWY3DPEHPK3PXP&issuer=Zonewright",
    }),
  })
  .meta({ id: "TotpSetup", description: "The secret of an authenticator app." });

export const createPasskeyInput = z.strictObject({
  name: line(100, 1).meta({ description: "Display name, 1 to 100 characters.", example: "Laptop" }),
  credential: registrationCredential,
});

export const deletePasskeyInput = z.strictObject({ id: id("The passkey's id."), currentPassword });
