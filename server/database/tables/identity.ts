import { defineEntity, p } from "@mikro-orm/core";

/** Every identity provider that this version knows (the interface, "Public sign-in provider entry"). */
export const providerIds = ["oidc", "custom", "github", "gitlab", "google", "dingtalk", "feishu"] as const;

export type ProviderId = (typeof providerIds)[number];

/** How to reach one identity provider: at most one configuration for each. */
export const IdentityConfigSchema = defineEntity({
  name: "IdentityConfig",
  tableName: "identity_configs",
  properties: {
    id: p.uuid().primary(),
    providerId: p.text().$type<ProviderId>(),
    enabled: p.boolean(),
    clientId: p.text(),
    /** Sealed; null for a public client. */
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

/** An identity at a provider that signs a user in here. A subject means something only to its issuer. */
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

/** A browser that was sent to a provider. Deleted when it comes back. */
export const IdentityFlowSchema = defineEntity({
  name: "IdentityFlow",
  tableName: "identity_flows",
  properties: {
    id: p.uuid().primary(),
    providerId: p.text().$type<ProviderId>(),
    /** Whose account gets the identity, and in which session that was asked for; both null for a sign-in. */
    userId: p.uuid().nullable(),
    sessionId: p.uuid().nullable(),
    /** Of the cookie that only this browser has. */
    browserHash: p.text(),
    /** Nonce and code verifier, sealed. */
    secrets: p.text(),
    expiresAt: p.datetime(),
  },
});

/** A user whom a provider vouched for a moment ago. Deleted when exchanged for a session. */
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

/** Somebody whom a provider vouched for and whom nobody knows here yet. Deleted when they register. */
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

/** A code that came to the callback which `oidc` and `custom` share, and from which of them. */
export const IdentityCodeSchema = defineEntity({
  name: "IdentityCode",
  tableName: "identity_codes",
  properties: {
    codeHash: p.text().primary(),
    providerId: p.text().$type<ProviderId>(),
    expiresAt: p.datetime(),
  },
});
