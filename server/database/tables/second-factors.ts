import { defineEntity, p } from "@mikro-orm/core";

/** An authenticator app (RFC 6238). */
export const TotpFactorSchema = defineEntity({
  name: "TotpFactor",
  tableName: "totp_factors",
  properties: {
    userId: p.uuid().primary(),
    /** Base32, sealed. */
    secret: p.text(),
    /** The newest time step whose code was used: no code of this or an earlier one counts any more. */
    lastStep: p.integer(),
    /** Null: set up, and no code has shown yet that the app has the secret. */
    enabledAt: p.datetime().nullable(),
  },
});

/** Codes sent to the user's address, and how many went out lately. */
export const EmailFactorSchema = defineEntity({
  name: "EmailFactor",
  tableName: "email_factors",
  properties: {
    userId: p.uuid().primary(),
    enabledAt: p.datetime(),
    lastSentAt: p.datetime().nullable(),
    hourBeganAt: p.datetime().nullable(),
    sentWithinHour: p.integer(),
  },
});

/** A WebAuthn credential. */
export const PasskeySchema = defineEntity({
  name: "Passkey",
  tableName: "passkeys",
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    name: p.text(),
    /** The authenticator's name for it, base64url. */
    credentialId: p.text(),
    /** COSE key (RFC 9052), base64url. */
    publicKey: p.text(),
    /** Signature counter; stays at 0 for passkeys that are synchronised between devices. */
    counter: p.bigint("string"),
    transports: p.array(),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
  },
});

/** What gets in when every other factor is lost. Deleted when used. */
export const RecoveryCodeSchema = defineEntity({
  name: "RecoveryCode",
  tableName: "recovery_codes",
  properties: {
    userId: p.uuid().primary(),
    codeHash: p.text().primary(),
  },
});

/** A sign-in whose password was right and whose second factor is awaited: what a `tempToken` stands for. */
export const SignInChallengeSchema = defineEntity({
  name: "SignInChallenge",
  tableName: "sign_in_challenges",
  properties: {
    id: p.uuid().primary(),
    tokenHash: p.text(),
    userId: p.uuid(),
    rememberMe: p.boolean(),
    expiresAt: p.datetime(),
    usedAt: p.datetime().nullable(),
    emailCodeHash: p.text().nullable(),
    emailCodeExpiresAt: p.datetime().nullable(),
    emailCodeTries: p.integer(),
  },
});

/** A value that an authenticator is to sign. Deleted at the first answer, right or wrong. */
export const PasskeyChallengeSchema = defineEntity({
  name: "PasskeyChallenge",
  tableName: "passkey_challenges",
  properties: {
    challenge: p.text().primary(),
    purpose: p.text().$type<"register" | "second_factor" | "sign_in" | "confirm">(),
    /** Null for a sign-in without a password: nobody knows yet who it will be. */
    userId: p.uuid().nullable(),
    signInChallengeId: p.uuid().nullable(),
    /** The session to confirm. */
    sessionId: p.uuid().nullable(),
    expiresAt: p.datetime(),
  },
});
