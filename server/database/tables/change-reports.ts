import { defineEntity, p } from "@mikro-orm/core";

/** A change of a zone that channels are still to hear of. */
export const ChangeReportSchema = defineEntity({
  name: "ChangeReport",
  tableName: "change_reports",
  properties: {
    id: p.uuid().primary(),
    changeSetId: p.uuid(),
    /** The personal token that made it; null: a session, or the service. */
    tokenId: p.uuid().nullable(),
    /** The channel whose digest it waits for; null: a change that was just made. */
    channelId: p.uuid().nullable(),
    dueAt: p.datetime(),
  },
});
