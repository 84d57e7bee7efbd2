import { defineEntity, p } from "@mikro-orm/core";
import type { Role } from "./roles.ts";

/** A person who signs in. */
export const UserSchema = defineEntity({
  name: "User",
  tableName: "users",
  properties: {
    id: p.uuid().primary(),
    username: p.text(),
    email: p.text().nullable(),
    /** argon2id in PHC form; null for users who only sign in through an identity provider. */
    passwordHash: p.text().nullable(),
    role: p.text().$type<Role>(),
    displayName: p.text().nullable(),
    nickname: p.text().nullable(),
    avatarUrl: p.text().nullable(),
    notificationsEnabled: p.boolean(),
    emailNotificationsEnabled: p.boolean(),
    disabledAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    lastLoginAt: p.datetime().nullable(),
  },
});

export class User extends UserSchema.class {}
UserSchema.setClass(User);
