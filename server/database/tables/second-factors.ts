import { defineEntity, p } from "@mikro-orm/core";

/** An authenticator app (RFC 6238). */
export const TotpFactorSchema = defineEntity({
  name: "TotpFactor",
  tableName: "totp_factors",
  properties: {
    userId: p.uuid().primary(),
    /** Base32, encrypted. */
    secret: p.text(),
    /** The latest time step whose code was used. Codes of this and earlier steps are rejected (RFC 6238 §5.2). */
    lastStep: p.integer(),
    /** Null until a first code proves that the app has the secret. */
    enabledAt: p.datetime().nullable(),
  },
});

/** Sign-in codes by email, with counters for the rate limit. */
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
    /** Credential ID, base64url. */
    credentialId: p.text(),
    /** COSE key (RFC 9052), base64url. */
    publicKey: p.text(),
    /** Signature counter; stays at 0 for synced passkeys. */
    counter: p.bigint("string"),
    transports: p.array(),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
  },
});

/** A one-time code for when all other factors are lost. Deleted when used. */
export const RecoveryCodeSchema = defineEntity({
  name: "RecoveryCode",
  tableName: "recovery_codes",
  properties: {
    userId: p.uuid().primary(),
    codeHash: p.text().primary(),
  },
});

/** A sign-in with a correct password that awaits its second factor, identified by a `tempToken`. */
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

/** A WebAuthn challenge. Deleted at the first response, valid or not. */
export const PasskeyChallengeSchema = defineEntity({
  name: "PasskeyChallenge",
  tableName: "passkey_challenges",
  properties: {
    challenge: p.text().primary(),
    purpose: p.text().$type<"register" | "second_factor" | "sign_in" | "confirm">(),
    /** Null for a sign-in without a password, when the user is not known yet. */
    userId: p.uuid().nullable(),
    signInChallengeId: p.uuid().nullable(),
    /** The session to confirm. */
    sessionId: p.uuid().nullable(),
    expiresAt: p.datetime(),
  },
});
