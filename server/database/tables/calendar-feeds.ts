import { defineEntity, p } from "@mikro-orm/core";

/** A calendar that programs subscribe to by an address with a token. Only a hash of the token is stored. */
export const CalendarFeedSchema = defineEntity({
  name: "CalendarFeed",
  tableName: "calendar_feeds",
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    name: p.text(),
    tokenHash: p.text(),
    /** The domains it is narrowed to. Null: not narrowed. Never empty. */
    domainIds: p.array().columnType("uuid[]").nullable(),
    createdAt: p.datetime(),
    /** At most some minutes out of date. */
    lastUsedAt: p.datetime().nullable(),
  },
});

export class CalendarFeed extends CalendarFeedSchema.class {}
CalendarFeedSchema.setClass(CalendarFeed);
