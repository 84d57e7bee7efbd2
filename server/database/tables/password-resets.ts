import { defineEntity, p } from "@mikro-orm/core";

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
