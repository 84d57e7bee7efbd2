import { z } from "zod";
import { id, line, shownId, timestamp } from "../../../api/schemas.ts";
import { typedPassword } from "../../users/schemas.ts";
import { methods } from "./methods.ts";

/** Bytes of an authenticator. */
function base64url(max: number, description: string) {
  return z
    .string()
    .max(max, `This must have at most ${max} characters.`)
    .regex(/^[A-Za-z0-9_-]+$/, "This must be base64url without padding.")
    .meta({ description, example: "AAAA" });
}

/** Browsers may come to send more than we read. */
const open = { additionalProperties: true } as const;

const credentialHead = {
  id: base64url(1_400, "The credential's id."),
  rawId: base64url(1_400, "The same."),
  type: z.literal("public-key", "This must be public-key.").meta({ description: "Always public-key." }),
};

const registrationCredential = z
  .object({
    ...credentialHead,
    response: z
      .object({
        clientDataJSON: base64url(8_192, "What the browser signed for."),
        attestationObject: base64url(65_536, "The new key."),
        transports: z
          .array(line(32, 1))
          .max(10, "At most 10.")
          .optional()
          .meta({ description: "How the authenticator can be reached.", example: ["internal"] }),
      })
      .meta({ description: "The authenticator's answer.", override: open }),
  })
  .meta({
    description: "The browser's `RegistrationResponseJSON`: `toJSON()` of what navigator.credentials.create gave.",
    override: open,
  });

export const answerCredential = z
  .object({
    ...credentialHead,
    response: z
      .object({
        clientDataJSON: base64url(8_192, "What the browser signed for."),
        authenticatorData: base64url(8_192, "What the authenticator says of itself."),
        signature: base64url(8_192, "The signature."),
        userHandle: base64url(128, "Whose passkey it is.").nullish(),
      })
      .meta({ description: "The authenticator's answer.", override: open }),
  })
  .meta({
    description: "The browser's `AuthenticationResponseJSON`: `toJSON()` of what navigator.credentials.get gave.",
    override: open,
  });

const challenge = z
  .string()
  .meta({ description: "To be signed: base64url, once, within five minutes.", example: "AAAA" });
const timeout = z.int().meta({ description: "Milliseconds that the person may take.", example: 300_000 });
const knownCredentials = z.array(
  z.object({
    id: z.string().meta({ description: "The credential's id.", example: "AAAA" }),
    type: z.literal("public-key").meta({ description: "Always public-key." }),
    transports: z
      .array(z.string())
      .optional()
      .meta({ description: "How it can be reached.", example: ["internal"] }),
  }),
);

export const passkeyCreationOptions = z
  .object({
    rp: z
      .object({
        id: z.string().optional().meta({ description: "The host of SITE_URL.", example: "dns.example.com" }),
        name: z.string().meta({ description: "The name to show.", example: "Zonewright" }),
      })
      .meta({ description: "This service." }),
    user: z
      .object({
        id: z.string().meta({ description: "The user's handle, base64url.", example: "AAAA" }),
        name: z.string().meta({ description: "The username.", example: "ada" }),
        displayName: z.string().meta({ description: "The name to show.", example: "Ada Lovelace" }),
      })
      .meta({ description: "The signed-in user." }),
    challenge,
    pubKeyCredParams: z
      .array(
        z.object({
          type: z.literal("public-key").meta({ description: "Always public-key." }),
          alg: z.int().meta({ description: "A COSE algorithm.", example: -7 }),
        }),
      )
      .meta({ description: "Signature algorithms, the best first." }),
    timeout,
    excludeCredentials: knownCredentials.meta({ description: "Passkeys that the user has already." }),
    authenticatorSelection: z
      .object({
        residentKey: z.literal("required").meta({ description: "The passkey can be found without a username." }),
        requireResidentKey: z.literal(true).meta({ description: "The same, for older browsers." }),
        userVerification: z.literal("required").meta({ description: "The person must unlock it." }),
      })
      .meta({ description: "What the authenticator must be able to do." }),
    attestation: z.literal("none").meta({ description: "Who made the authenticator is of no interest." }),
  })
  .meta({
    id: "PasskeyCreationOptions",
    description: "For navigator.credentials.create, by `PublicKeyCredential.parseCreationOptionsFromJSON`.",
  });

export const passkeyRequestOptions = z
  .object({
    challenge,
    timeout,
    rpId: z.string().meta({ description: "The host of SITE_URL.", example: "dns.example.com" }),
    userVerification: z.literal("required").meta({ description: "The person must unlock the passkey." }),
    allowCredentials: knownCredentials
      .optional()
      .meta({ description: "The user's passkeys; left out where any of this site will do." }),
  })
  .meta({
    id: "PasskeyRequestOptions",
    description: "For navigator.credentials.get, by `PublicKeyCredential.parseRequestOptionsFromJSON`.",
  });

const currentPassword = typedPassword.optional().meta({
  description:
    "The current password. It can be left out while the session is confirmed: see `confirmedUntil` of `GET /api/auth/me`.",
  example: "correct horse battery staple",
});

export const passwordInput = z.strictObject({ currentPassword });

export const codeInput = z.strictObject({
  code: line(16, 1).meta({ description: "Six digits, as the app shows them.", example: "123 456" }),
});

export const secondFactorNeeded = z
  .object({
    requires2FA: z.literal(true).meta({ description: "Always true." }),
    tempToken: z.string().meta({
      description:
        "Ten minutes, for one sign-in: the bearer of `/api/2fa/verify`, `/api/2fa/email/send` and `/api/2fa/passkey/options`.",
      example: "b3BhcXVl…",
    }),
    methods: z.array(z.enum(methods)).meta({
      description: "What the user can use now. A recovery code can stand in for any of them.",
      example: ["totp"],
    }),
  })
  .meta({ id: "SecondFactorNeeded", description: "The password was right; a second factor is needed." });

export const verifyInput = z.strictObject({
  method: z
    .enum([...methods, "recovery"], "This must be totp, passkey, email or recovery.")
    .meta({ description: "Which second factor.", example: "totp" }),
  code: line(64, 1)
    .optional()
    .meta({ description: "For all but `passkey`: six digits, or a recovery code.", example: "123456" }),
  credential: answerCredential.optional(),
});

export const passkeySignInInput = z.strictObject({
  credential: answerCredential,
  rememberMe: z
    .boolean()
    .default(false)
    .meta({ description: "As with a password: 30 days from the last use, or 24 hours." }),
});

const passkeyFields = {
  id: shownId("The passkey's id."),
  name: z.string().meta({ description: "What its owner calls it.", example: "Laptop" }),
  createdAt: timestamp("When it was added."),
  lastUsedAt: timestamp("When it last signed in.").nullable(),
};

const recoveryCodes = z.array(z.string());
const newCodes = "Ten recovery codes, shown this once; earlier ones do not work any more.";
const codesExample = ["7k2m-x0qd-9fhs-3w8c"];

export const newRecoveryCodes = z
  .object({ recoveryCodes: recoveryCodes.meta({ description: newCodes, example: codesExample }) })
  .meta({ id: "RecoveryCodes", description: "New recovery codes." });

const firstRecoveryCodes = recoveryCodes
  .nullable()
  .meta({ description: "Ten recovery codes, shown this once; null where there are some already.", example: null });

export const enabledFactor = z
  .object({ recoveryCodes: firstRecoveryCodes })
  .meta({ id: "EnabledFactor", description: "The factor is on." });

export const createdPasskey = z
  .object({ ...passkeyFields, recoveryCodes: firstRecoveryCodes })
  .meta({ id: "CreatedPasskey", description: "The new passkey." });

export const passkey = z.object(passkeyFields).meta({ id: "Passkey", description: "A passkey." });

export const recoveryCodesLeft = z.int().meta({ description: "Recovery codes that were not used yet.", example: 10 });

export const secondFactors = z
  .object({
    totp: z.boolean().meta({ description: "Whether an authenticator app is set up.", example: true }),
    email: z.boolean().meta({ description: "Whether codes by e-mail are set up.", example: false }),
    passkeys: z.array(passkey).meta({ description: "Passkeys, oldest first." }),
    recoveryCodesLeft,
  })
  .meta({ id: "SecondFactors", description: "The user's second factors." });

export const totpSetup = z
  .object({
    secret: z.string().meta({ description: "Base32, for apps that cannot scan.", example: "JBSWY3DPEHPK3PXP" }),
    otpauthUrl: z.string().meta({
      description: "To show as a QR code.",
      example: "otpauth://totp/Zonewright:ada?secret=JBSWY3DPEHPK3PXP&issuer=Zonewright",
    }),
  })
  .meta({ id: "TotpSetup", description: "What an authenticator app needs." });

export const createPasskeyInput = z.strictObject({
  name: line(100, 1).meta({ description: "What to call it.", example: "Laptop" }),
  credential: registrationCredential,
});

export const deletePasskeyInput = z.strictObject({ id: id("The passkey's id."), currentPassword });
