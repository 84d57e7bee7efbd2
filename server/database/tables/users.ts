import { defineEntity, p } from "@mikro-orm/core";

/**
 * User roles. Administrators access everything. Auditors read everything but channel configurations and invitations, and change nothing but
 * their own account. Members access their own domains and those assigned to them.
 */
export const roles = ["admin", "auditor", "member"] as const;

export type Role = (typeof roles)[number];

/** How an address was verified. `administrator` also covers addresses that predate verification; `link` is a mailed link that was opened. */
export type AddressVoucher = "administrator" | "provider" | "link";

/** A person who signs in. */
export const UserSchema = defineEntity({
  name: "User",
  tableName: "users",
  properties: {
    id: p.uuid().primary(),
    username: p.text(),
    email: p.text().nullable(),
    /** How the address was verified; null if it is unverified or there is none. */
    emailVerifiedBy: p.text().$type<AddressVoucher>().nullable(),
    /** argon2id in PHC string format; null for users who only sign in through an identity provider. */
    passwordHash: p.text().nullable(),
    role: p.text().$type<Role>(),
    /** The role given by hand, while groups give another; null: the role itself is given by hand. */
    ownRole: p.text().$type<Role>().nullable(),
    displayName: p.text().nullable(),
    nickname: p.text().nullable(),
    avatarUrl: p.text().nullable(),
    notificationsEnabled: p.boolean(),
    emailNotificationsEnabled: p.boolean(),
    disabledAt: p.datetime().nullable(),
    /** Incremented by each change of credentials, address or state, which invalidates earlier proofs. */
    accessEpoch: p.integer().default(0),
    createdAt: p.datetime(),
    lastLoginAt: p.datetime().nullable(),
  },
});

export class User extends UserSchema.class {}
UserSchema.setClass(User);

/** What a user chose for their own pages. A row is written with the first choice. */
export const UserPreferencesSchema = defineEntity({
  name: "UserPreferences",
  tableName: "user_preferences",
  properties: {
    userId: p.uuid().primary(),
    preferences: p.json().$type<unknown>(),
  },
});

/** Allows anyone with its code to register. */
export const InvitationSchema = defineEntity({
  name: "Invitation",
  tableName: "invitations",
  properties: {
    id: p.uuid().primary(),
    /** The code itself is shown once and not stored. */
    codeHash: p.text(),
    /** The role of users who register with it. */
    role: p.text().$type<Role>(),
    maxUses: p.integer(),
    uses: p.integer(),
    expiresAt: p.datetime().nullable(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime(),
    /** When its creator lost the right to invite; null while the creator has it. */
    endedAt: p.datetime().nullable(),
  },
});

export class Invitation extends InvitationSchema.class {}
InvitationSchema.setClass(Invitation);

/** A mailed link for setting a new password. Only the token's hash is stored. */
export const PasswordResetSchema = defineEntity({
  name: "PasswordReset",
  tableName: "password_resets",
  properties: {
    tokenHash: p.text().primary(),
    userId: p.uuid(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
  },
});

export class PasswordReset extends PasswordResetSchema.class {}
PasswordResetSchema.setClass(PasswordReset);

/** A mailed link that verifies an address. Only the token's hash is stored. */
export const EmailVerificationSchema = defineEntity({
  name: "EmailVerification",
  tableName: "email_verifications",
  properties: {
    tokenHash: p.text().primary(),
    userId: p.uuid(),
    email: p.text(),
    expiresAt: p.datetime(),
  },
});

/** Send times of rate-limited mails, for one user or one address. */
export const MailAllowanceSchema = defineEntity({
  name: "MailAllowance",
  tableName: "mail_allowances",
  properties: {
    key: p.text().primary(),
    /** Timestamps. */
    sentAt: p.array(),
    /** Time after which none of them counts. */
    expiresAt: p.datetime(),
  },
});
