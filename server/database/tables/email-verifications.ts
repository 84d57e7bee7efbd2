import { defineEntity, p } from "@mikro-orm/core";

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
