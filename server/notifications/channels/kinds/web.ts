import { z } from "zod";
import { id } from "../../../api/schemas.ts";
import type { ChannelKind } from "../kind.ts";

const schema = z
  .strictObject({
    administrators: z
      .boolean("This must be true or false.")
      .optional()
      .meta({ description: "Notify all administrators." }),
    userIds: z
      .array(id("A user's id."))
      .max(1_000, "Name at most 1000 users.")
      .optional()
      .meta({ description: "Notify these users." }),
  })
  .transform(({ administrators = false, userIds = [] }) => ({
    userIds: [...new Set(userIds)],
    // Without users, default to administrators: a channel without recipients would be useless.
    administrators: administrators || userIds.length === 0,
  }));

export type WebConfig = z.output<typeof schema>;

/** Sends in-app notifications to additional users. */
export const web: ChannelKind<WebConfig> = {
  channel: "web",
  label: "In the application",
  schema,
  masks: {},
  mostPerMinute: null,
  send: null,
};
