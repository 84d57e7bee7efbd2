import { defineEntity, p } from "@mikro-orm/core";

/** A reminder that was sent, or that a later one made needless. */
export const ExpiryReminderSchema = defineEntity({
  name: "ExpiryReminder",
  tableName: "expiry_reminders",
  properties: {
    domainId: p.uuid().primary(),
    /** The expiry date in UTC: a registration that is renewed is reminded of anew. */
    expiresOn: p.date().primary(),
    /** Before that date; -1: that it has expired. */
    days: p.integer().primary(),
    toldAt: p.datetime(),
  },
});
