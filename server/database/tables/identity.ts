import { defineEntity, p } from "@mikro-orm/core";
import type { AssignmentAccess } from "./assignments.ts";
import type { Role } from "./users.ts";

/** The supported identity providers. */
export const providerIds = ["oidc", "custom", "github", "gitlab", "google", "dingtalk", "feishu"] as const;

export type ProviderId = (typeof providerIds)[number];

/** What users in a group of a sign-in provider get. */
export interface GroupRule {
  group: string;
  role?: Role;
  assignment?: {
    /** Exactly one of these three is set. */
    domainId?: string;
    groupName?: string;
    tag?: string;
    subdomainPattern: string;
    access: AssignmentAccess;
    recordTypes: string[];
  };
}

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
    /** Path of the claim with a user's groups; null: groups mean nothing. */
    groupsClaim: p.text().nullable(),
    groupRules: p.json().$type<GroupRule[]>().default([]),
    /** Whether only users with a group that a rule names may sign in. */
    defaultDeny: p.boolean().default(false),
    createdAt: p.datetime(),
  },
});

/** The role that a user gets from the groups of an identity. */
export const GroupRoleSchema = defineEntity({
  name: "GroupRole",
  tableName: "group_roles",
  properties: {
    identityBindingId: p.uuid().primary(),
    userId: p.uuid(),
    role: p.text().$type<Role>(),
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
    /** The groups that rules name. */
    groups: p.array().default([]),
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
