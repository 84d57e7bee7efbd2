import { defineEntity, p } from "@mikro-orm/core";
import type { Role } from "./roles.ts";

/** `administrator` also stands for addresses that were there before any had to be verified; `link` is a mailed link that was opened. */
export type AddressVoucher = "administrator" | "provider" | "link";

/** A person who signs in. */
export const UserSchema = defineEntity({
  name: "User",
  tableName: "users",
  properties: {
    id: p.uuid().primary(),
    username: p.text(),
    email: p.text().nullable(),
    /** Who vouched for the address: null while nobody has, and while there is none. */
    emailVerifiedBy: p.text().$type<AddressVoucher>().nullable(),
    /** argon2id in PHC form; null for users who only sign in through an identity provider. */
    passwordHash: p.text().nullable(),
    role: p.text().$type<Role>(),
    displayName: p.text().nullable(),
    nickname: p.text().nullable(),
    avatarUrl: p.text().nullable(),
    notificationsEnabled: p.boolean(),
    emailNotificationsEnabled: p.boolean(),
    disabledAt: p.datetime().nullable(),
    /** Goes up with each change of credentials, address or state: what was proven before it opens nothing after it. */
    accessEpoch: p.integer().default(0),
    createdAt: p.datetime(),
    lastLoginAt: p.datetime().nullable(),
  },
});

export class User extends UserSchema.class {}
UserSchema.setClass(User);
