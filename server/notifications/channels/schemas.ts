import { z } from "zod";
import { notificationEvents } from "../../platform/events.ts";
import { id, line, shownId, timestamp } from "../../api/schemas.ts";
import { channelNames } from "./kinds.ts";

const events = z
  .array(
    z.enum(notificationEvents, "There is no such event; see the list in the documentation."),
    "This must be a list of events.",
  )
  .min(1, "Name at least one event.")
  .max(notificationEvents.length, "Name each event once.")
  .transform((names) => [...new Set(names)])
  .meta({ description: "What the channel is told of.", example: ["domain.expiring", "domain.expired"] });

const config = z.record(z.string().max(100, "There is no such field."), z.unknown(), "This must be an object.").meta({
  description:
    "Settings of the kind. `email`: `to`, an address or a list. `webhook`: `url`, and `secret` that signs after Standard Webhooks 1.0. `web`: `userIds` or " +
    "`administrators: true`. `dingtalk`, `feishu`: `webhookUrl` and, where the robot signs, `secret`. `slack`: `webhookUrl`.",
  example: { url: "https://hooks.example.com/abc", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
});

const name = line(100, 1).meta({ description: "What people call it; each name once.", example: "On-call" });
const enabled = z.boolean("This must be true or false.").meta({ description: "Whether it is told of anything." });

export const createChannelInput = z.strictObject({
  channel: z
    .enum(channelNames, `This must be one of ${channelNames.join(", ")}.`)
    .meta({ description: "The kind of channel.", example: "webhook" }),
  name,
  config,
  events,
  enabled: enabled.default(true),
});

export const updateChannelInput = z.strictObject({
  id: id("The channel's id."),
  channel: z
    .enum(channelNames, `This must be one of ${channelNames.join(", ")}.`)
    .optional()
    .meta({ description: "The kind, which stays what it was." }),
  name: name.optional(),
  config: config.optional(),
  events: events.optional(),
  enabled: enabled.optional(),
});

export const channelIdInput = z.strictObject({ id: id("The channel's id.") });

/** Notification channel configuration. */
export const channel = z
  .object({
    id: shownId("The channel's id."),
    channel: z.enum(channelNames).meta({ description: "The kind of channel.", example: "webhook" }),
    name: z.string().meta({ description: "What people call it.", example: "On-call" }),
    config: z.record(z.string(), z.unknown()).meta({
      description:
        "Its settings; secrets, and addresses that are as good as secrets, are masked. Sent back so, they stay as they are.",
      example: { url: "https://hooks.example.com/abc", secret: "********" },
    }),
    events: z
      .array(z.enum(notificationEvents))
      .meta({ description: "What it is told of.", example: ["domain.expiring"] }),
    enabled: z.boolean().meta({ description: "Whether it is told of anything." }),
    disabledReason: z
      .string()
      .nullable()
      .meta({ description: "Why the service disabled it; null where it did not.", example: null }),
    lastSuccessAt: timestamp("When it last took something.").nullable(),
    createdAt: timestamp("When it was made."),
    updatedAt: timestamp("When it was last changed."),
  })
  .meta({
    id: "NotificationChannel",
    description: "A place outside the user's own notifications that is told of events.",
  });

export const channelList = z
  .object({ configs: z.array(channel).meta({ description: "By name." }) })
  .meta({ id: "NotificationChannels", description: "All channels." });

export const channelTest = z
  .object({
    success: z.boolean().meta({ description: "Whether the channel took the sample." }),
    error: z.string().nullable().meta({ description: "Why not; null when it did.", example: null }),
  })
  .meta({ id: "ChannelTest", description: "What became of a sample." });

const delivery = z.object({
  id: shownId("The delivery's id, the same on each attempt: a webhook has it in `webhook-id` after `msg_`."),
  event: z.enum(notificationEvents).meta({ description: "What it tells of.", example: "zone.drift" }),
  title: z.string().meta({ description: "It in a few words.", example: "example.com differs from its provider" }),
  state: z
    .enum(["pending", "delivered", "failed"])
    .meta({ description: "`pending` until it is delivered or given up.", example: "delivered" }),
  attempts: z.int().meta({ description: "How often it was tried.", example: 1 }),
  lastError: z.string().nullable().meta({ description: "Why the last attempt failed.", example: null }),
  nextAttemptAt: timestamp("When it is tried next; null when it is not.").nullable().meta({ example: null }),
  createdAt: timestamp("When it happened."),
  finishedAt: timestamp("When it was delivered or given up.").nullable(),
});

export const deliveryList = z
  .object({ deliveries: z.array(delivery).meta({ description: "Newest first, fifty at the most." }) })
  .meta({ id: "Deliveries", description: "What a channel was told of late." });
