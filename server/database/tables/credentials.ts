import { defineEntity, p } from "@mikro-orm/core";
import type { TsigAlgorithm } from "../../dns/wire/tsig.ts";

/** One signed-in browser or program. Ends by sign-out, by reuse of a rotated refresh token, or by age. */
export const SessionSchema = defineEntity({
  name: "Session",
  tableName: "sessions",
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    rememberMe: p.boolean(),
    userAgent: p.text().nullable(),
    ip: p.text().nullable(),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime(),
    /** Absolute expiration, not extended by refreshes. */
    expiresAt: p.datetime(),
    revokedAt: p.datetime().nullable(),
    /** When the user last authenticated, at sign-in or by a confirmation. Refreshes do not count. */
    confirmedAt: p.datetime().nullable(),
  },
});

export class Session extends SessionSchema.class {}
SessionSchema.setClass(Session);

/** One refresh token in a session's rotation chain. Only hashes are stored. */
export const RefreshTokenSchema = defineEntity({
  name: "RefreshToken",
  tableName: "refresh_tokens",
  properties: {
    tokenHash: p.text().primary(),
    sessionId: p.uuid(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    rotatedAt: p.datetime().nullable(),
    successorHash: p.text().nullable(),
  },
});

export class RefreshToken extends RefreshTokenSchema.class {}
RefreshTokenSchema.setClass(RefreshToken);

/** A token with which programs act for its owner, limited to some permissions. Only a hash is stored. */
export const PersonalTokenSchema = defineEntity({
  name: "PersonalToken",
  tableName: "personal_tokens",
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    name: p.text(),
    tokenHash: p.text(),
    permissions: p.array(),
    createdAt: p.datetime(),
    /** Null: never. */
    expiresAt: p.datetime().nullable(),
    /** The domains it is narrowed to. Null: not narrowed by domain. Never empty. */
    domainIds: p.array().columnType("uuid[]").nullable(),
    /** Canonical, see `access/host-pattern.ts`. Null: every host. */
    hostPattern: p.text().nullable(),
    /** Null: every type. Never empty. */
    recordTypes: p.array().nullable(),
    /** At most some minutes out of date. */
    lastUsedAt: p.datetime().nullable(),
  },
});

export class PersonalToken extends PersonalTokenSchema.class {}
PersonalTokenSchema.setClass(PersonalToken);

/** A calendar that programs subscribe to by an address with a token. Only a hash of the token is stored. */
export const CalendarFeedSchema = defineEntity({
  name: "CalendarFeed",
  tableName: "calendar_feeds",
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    name: p.text(),
    tokenHash: p.text(),
    /** The domains it is narrowed to. Null: not narrowed. Never empty. */
    domainIds: p.array().columnType("uuid[]").nullable(),
    createdAt: p.datetime(),
    /** At most some minutes out of date. */
    lastUsedAt: p.datetime().nullable(),
  },
});

export class CalendarFeed extends CalendarFeedSchema.class {}
CalendarFeedSchema.setClass(CalendarFeed);

/** What DNS clients may do with a key: change records, read them, or both. */
export const tsigKeyAccess = ["update", "read", "both"] as const;
export type TsigKeyAccess = (typeof tsigKeyAccess)[number];

/** A TSIG key (RFC 8945) with which DNS clients act for its owner on some records of one domain. */
export const TsigKeySchema = defineEntity({
  name: "TsigKey",
  tableName: "tsig_keys",
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** What it is for, as its owner says. */
    name: p.text().nullable(),
    /** Canonical DNS name, with 64 random bits. Unique. */
    keyName: p.text(),
    algorithm: p.text().$type<TsigAlgorithm>(),
    /** In base64, encrypted with a key of SECRET_KEYS. */
    secret: p.text(),
    domainId: p.uuid(),
    /** Canonical, see `access/host-pattern.ts`. */
    hostPattern: p.text(),
    /** Empty: every type. */
    recordTypes: p.array(),
    access: p.text().$type<TsigKeyAccess>(),
    createdAt: p.datetime(),
    /** Null: never. */
    expiresAt: p.datetime().nullable(),
    /** At most a minute out of date. */
    lastUsedAt: p.datetime().nullable(),
    /** The address that used it last. */
    lastUsedFrom: p.text().nullable(),
    /** Why a message signed with it was last refused. */
    lastError: p.text().nullable(),
    lastErrorAt: p.datetime().nullable(),
  },
});

export class TsigKeyRow extends TsigKeySchema.class {}
TsigKeySchema.setClass(TsigKeyRow);

/** A sign-in of the command line that its user approved in a browser on the same computer. Deleted when exchanged for a token. */
export const CliCodeSchema = defineEntity({
  name: "CliCode",
  tableName: "cli_codes",
  properties: {
    codeHash: p.text().primary(),
    userId: p.uuid(),
    /** The session that approved it. The code ends with it. */
    sessionId: p.uuid(),
    permissions: p.array(),
    /** Of PKCE's method S256 (RFC 7636 §4.2). */
    codeChallenge: p.text(),
    expiresAt: p.datetime(),
  },
});

/** A sign-in of the command line on a device without a browser (RFC 8628). Deleted when exchanged for a token. */
export const DeviceSignInSchema = defineEntity({
  name: "DeviceSignIn",
  tableName: "device_sign_ins",
  properties: {
    deviceCodeHash: p.text().primary(),
    userCodeHash: p.text(),
    /** Requested at first; granted once it is approved. */
    permissions: p.array(),
    /** Address of the device. */
    ip: p.text().nullable(),
    intervalSeconds: p.integer(),
    /** When the device last asked. */
    polledAt: p.datetime().nullable(),
    refused: p.boolean(),
    /** Who approved it, and in which session; null until then. */
    userId: p.uuid().nullable(),
    sessionId: p.uuid().nullable(),
    expiresAt: p.datetime(),
  },
});

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
    sessionId: p.uuid().nullable(),
    expiresAt: p.datetime(),
  },
});
