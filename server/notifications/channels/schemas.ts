import { z } from "zod";
import { notificationEvents } from "../../platform/events.ts";
import { id, line, shownId, timestamp, listedRecordType, recordTypeInput } from "../../api/schemas.ts";
import type { WithConfig, WithConfigPatch, WithShownConfig } from "./configs.ts";
import { channelNames } from "./kinds.ts";
import { digests } from "./kind.ts";

const events = z
  .array(
    z.enum(notificationEvents, "This is not a known event. See the list in the documentation."),
    "This must be a list of events.",
  )
  .min(1, "Name at least one event.")
  .max(notificationEvents.length, "Name each event once.")
  .transform((names) => [...new Set(names)])
  .meta({ description: "The events to deliver.", example: ["domain.expiring", "domain.expired"] });

const config = z
  .record(z.string().max(100, "This is not a known field."), z.unknown(), "This must be an object.")
  .meta({
    description:
      "Settings by kind. `email`: `to`, an address or a list. `webhook`: `url`, and a `secret` to sign with (Standard Webhooks 1.0). `web`: `userIds` or " +
      "`administrators: true`. `dingtalk`, `feishu`: `webhookUrl`, and the robot's `secret` if it verifies signatures. `slack`: `webhookUrl`.",
    example: { url: "https://hooks.example.com/abc", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
  });

const some = <Item extends string>(what: z.ZodType<Item, Item>, most: number) =>
  z.array(what).min(1, "Name at least one, or leave this out.").max(most, `Name at most ${most}.`).optional();
const zoneFilter = z
  .strictObject({
    domainIds: some(id("A domain."), 1_000).meta({ description: "Only these domains." }),
    tags: some(line(50, 1), 100).meta({
      description: "Only domains with one of these tags, in any case.",
      example: ["production"],
    }),
    groupNames: some(line(100, 1), 100).meta({ description: "Only domains in one of these groups." }),
    recordTypes: some(recordTypeInput, 100).meta({
      description: "Only records of these types.",
      example: ["MX", "TXT"],
    }),
  })
  .nullable()
  .meta({ description: "Which changes of zones (`zone.changed`) to deliver. Fields combine; null: all." });
const digest = z.enum(digests, "This must be immediate, hourly or daily.").meta({
  description:
    "When to deliver changes of zones (`zone.changed`): each by itself, or together at the full hour or at midnight UTC.",
  example: "immediate",
});

const name = line(100, 1).meta({ description: "Unique display name, 1 to 100 characters.", example: "On-call" });
const enabled = z.boolean("This must be true or false.").meta({ description: "Whether events are delivered." });

const newChannel = z.strictObject({
  channel: z
    .enum(channelNames, `This must be one of ${channelNames.join(", ")}.`)
    .meta({ description: "The kind of channel.", example: "webhook" }),
  name,
  config,
  events,
  enabled: enabled.default(true),
  zoneFilter: zoneFilter.default(null),
  digest: digest.default("immediate"),
});

const channelPatch = z.strictObject({
  id: id("The channel's id."),
  channel: z
    .enum(channelNames, `This must be one of ${channelNames.join(", ")}.`)
    .optional()
    .meta({ description: "The kind of channel, which cannot change." }),
  name: name.optional(),
  config: config.optional(),
  events: events.optional(),
  enabled: enabled.optional(),
  zoneFilter: zoneFilter.optional(),
  digest: digest.optional(),
});

/** The fields of a channel that are the same for all kinds. */
type Common<Channel> = Omit<Channel, "channel" | "config">;

/** A new channel. Clients see a union, in which `channel` determines the type of `config`. */
export const createChannelInput = newChannel as unknown as z.ZodType<
  z.output<typeof newChannel>,
  WithConfig<Common<z.input<typeof newChannel>>>
>;

/** A change of a channel, as a union like {@link createChannelInput}. */
export const updateChannelInput = channelPatch as unknown as z.ZodType<
  z.output<typeof channelPatch>,
  WithConfigPatch<Common<z.input<typeof channelPatch>>>
>;

export const channelIdInput = z.strictObject({ id: id("The channel's id.") });

const deliveryState = z.enum(["pending", "delivered", "failed"], "This must be pending, delivered or failed.");

export const deliveriesInput = channelIdInput.extend({
  state: deliveryState
    .optional()
    .meta({ description: "Only deliveries in this state. Default: all.", example: "failed" }),
});

const anyChannel = z
  .object({
    id: shownId("The channel's id."),
    channel: z.enum(channelNames).meta({ description: "The kind of channel.", example: "webhook" }),
    name: z.string().meta({ description: "Display name.", example: "On-call" }),
    config: z.record(z.string(), z.unknown()).meta({
      description:
        "Settings. Secrets, and URLs that act as secrets, are masked; sending a masked value back keeps the stored one.",
      example: { url: "https://hooks.example.com/abc", secret: "********" },
    }),
    events: z
      .array(z.enum(notificationEvents))
      .meta({ description: "The events to deliver.", example: ["domain.expiring"] }),
    enabled: z.boolean().meta({ description: "Whether events are delivered." }),
    zoneFilter: z
      .object({
        domainIds: z.array(z.string()).optional().meta({ description: "Only these domains." }),
        tags: z.array(z.string()).optional().meta({ description: "Only domains with one of these tags, in any case." }),
        groupNames: z.array(z.string()).optional().meta({ description: "Only domains in one of these groups." }),
        recordTypes: z.array(listedRecordType).optional().meta({ description: "Only records of these types." }),
      })
      .nullable()
      .meta({ description: "Which changes of zones to deliver; null: all.", example: null }),
    digest,
    disabledReason: z
      .string()
      .nullable()
      .meta({ description: "Why the service disabled the channel; null if it did not.", example: null }),
    lastSuccessAt: timestamp("When a delivery last succeeded; null if none has.").nullable(),
    createdAt: timestamp("When it was created."),
    updatedAt: timestamp("When it was last changed."),
  })
  .meta({
    id: "NotificationChannel",
    description: "A destination outside the application that receives events.",
  });

/** Notification channel configuration, as a union like {@link createChannelInput}. */
export const channel = anyChannel as unknown as z.ZodType<WithShownConfig<Common<z.output<typeof anyChannel>>>>;

export const channelList = z
  .object({ configs: z.array(channel).meta({ description: "Sorted by name." }) })
  .meta({ id: "NotificationChannels", description: "All notification channels." });

export const channelTest = z
  .object({
    success: z.boolean().meta({ description: "Whether the test message was delivered." }),
    error: z.string().nullable().meta({ description: "Why the delivery failed; null on success.", example: null }),
  })
  .meta({ id: "ChannelTest", description: "The result of a test message." });

const delivery = z.object({
  id: shownId("The delivery's id, the same for each attempt. A webhook gets it in `webhook-id`, after `msg_`."),
  event: z.enum(notificationEvents).meta({ description: "The event.", example: "zone.drift" }),
  title: z.string().meta({ description: "Short text.", example: "example.com differs from its provider" }),
  state: deliveryState.meta({
    description: "`pending` until delivered or abandoned; `failed`: abandoned.",
    example: "delivered",
  }),
  attempts: z.int().meta({ description: "Number of attempts.", example: 1 }),
  lastError: z.string().nullable().meta({
    description: "Why the last attempt failed, for all addresses or those that it names; null if it did not.",
    example: null,
  }),
  nextAttemptAt: timestamp("When the next attempt is due; null if none is.").nullable().meta({ example: null }),
  createdAt: timestamp("When the event happened."),
  finishedAt: timestamp("When it was delivered or abandoned; null while pending.").nullable(),
});

export const deliveryList = z
  .object({ deliveries: z.array(delivery).meta({ description: "Newest first, at most fifty." }) })
  .meta({ id: "Deliveries", description: "A channel's recent deliveries." });
