import { defineEntity, p } from "@mikro-orm/core";

/** A reminder that was sent, or superseded by a later one. */
export const ExpiryReminderSchema = defineEntity({
  name: "ExpiryReminder",
  tableName: "expiry_reminders",
  properties: {
    domainId: p.uuid().primary(),
    /** The expiry date in UTC. A renewal changes the date and so restarts the reminders. */
    expiresOn: p.date().primary(),
    /** Days before that date; -1 for the notice that it has expired. */
    days: p.integer().primary(),
    toldAt: p.datetime(),
  },
});
