import { defineEntity, p } from "@mikro-orm/core";

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
