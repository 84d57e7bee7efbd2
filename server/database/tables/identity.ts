import { defineEntity, p } from "@mikro-orm/core";

/** The supported identity providers. */
export const providerIds = ["oidc", "custom", "github", "gitlab", "google", "dingtalk", "feishu"] as const;

export type ProviderId = (typeof providerIds)[number];

/** The configuration of an identity provider; at most one per provider. */
export const IdentityConfigSchema = defineEntity({
  name: "IdentityConfig",
  tableName: "identity_configs",
  properties: {
    id: p.uuid().primary(),
    providerId: p.text().$type<ProviderId>(),
    enabled: p.boolean(),
    clientId: p.text(),
    /** Encrypted; null for a public client. */
    clientSecret: p.text().nullable(),
    scope: p.text(),
    wellKnownUrl: p.text().nullable(),
    authorizeUrl: p.text().nullable(),
    tokenUrl: p.text().nullable(),
    userInfoUrl: p.text().nullable(),
    createdAt: p.datetime(),
  },
});

export class IdentityConfig extends IdentityConfigSchema.class {}
IdentityConfigSchema.setClass(IdentityConfig);

/** An external identity that signs a user in. A subject is unique only within its issuer. */
export const IdentityBindingSchema = defineEntity({
  name: "IdentityBinding",
  tableName: "identity_bindings",
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    providerId: p.text().$type<ProviderId>(),
    issuer: p.text(),
    subject: p.text(),
    email: p.text().nullable(),
    displayName: p.text().nullable(),
    createdAt: p.datetime(),
  },
});

export class IdentityBinding extends IdentityBindingSchema.class {}
IdentityBindingSchema.setClass(IdentityBinding);

/** An authorization request in progress in one browser. Deleted at the callback. */
export const IdentityFlowSchema = defineEntity({
  name: "IdentityFlow",
  tableName: "identity_flows",
  properties: {
    id: p.uuid().primary(),
    providerId: p.text().$type<ProviderId>(),
    /** The account to bind the identity to, and the session that requested it; both null for a sign-in. */
    userId: p.uuid().nullable(),
    sessionId: p.uuid().nullable(),
    /** Hash of the cookie that only this browser has. */
    browserHash: p.text(),
    /** Nonce and code verifier, encrypted. */
    secrets: p.text(),
    expiresAt: p.datetime(),
  },
});

/** A user just authenticated by a provider. Deleted when exchanged for a session. */
export const IdentityTicketSchema = defineEntity({
  name: "IdentityTicket",
  tableName: "identity_tickets",
  properties: {
    tokenHash: p.text().primary(),
    userId: p.uuid(),
    providerId: p.text().$type<ProviderId>(),
    expiresAt: p.datetime(),
  },
});

/** A person authenticated by a provider who has no account yet. Deleted at registration. */
export const PendingIdentitySchema = defineEntity({
  name: "PendingIdentity",
  tableName: "pending_identities",
  properties: {
    tokenHash: p.text().primary(),
    providerId: p.text().$type<ProviderId>(),
    issuer: p.text(),
    subject: p.text(),
    email: p.text().nullable(),
    emailVerified: p.boolean(),
    displayName: p.text().nullable(),
    username: p.text().nullable(),
    expiresAt: p.datetime(),
  },
});

/** An authorization code received at the callback that `oidc` and `custom` share, and which of them issued it. */
export const IdentityCodeSchema = defineEntity({
  name: "IdentityCode",
  tableName: "identity_codes",
  properties: {
    codeHash: p.text().primary(),
    providerId: p.text().$type<ProviderId>(),
    expiresAt: p.datetime(),
  },
});
