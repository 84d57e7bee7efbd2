import { defineEntity, p } from "@mikro-orm/core";
import type { Role } from "./roles.ts";

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
