import { defineEntity, p } from "@mikro-orm/core";
import type { NotificationEvent, Told } from "../../platform/events.ts";

/** A place outside the application that is told of events. */
export const NotificationChannelSchema = defineEntity({
  name: "NotificationChannel",
  tableName: "notification_channels",
  properties: {
    id: p.uuid().primary(),
    channel: p.text(),
    name: p.text(),
    /** All of its settings, sealed together. */
    config: p.text(),
    events: p.array().$type<NotificationEvent[]>(),
    enabled: p.boolean(),
    /** Why the service disabled it; null where a person did, or nobody. */
    disabledReason: p.text().nullable(),
    lastSuccessAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class NotificationChannel extends NotificationChannelSchema.class {}
NotificationChannelSchema.setClass(NotificationChannel);

export type DeliveryState = "pending" | "delivered" | "failed";

/** What is told to one channel, or to one user by e-mail; written down with what it tells of. */
export const DeliverySchema = defineEntity({
  name: "Delivery",
  tableName: "deliveries",
  properties: {
    /** The same on each attempt, so that receivers can tell repetitions. */
    id: p.uuid().primary(),
    channelId: p.uuid().nullable(),
    userId: p.uuid().nullable(),
    notice: p.json<Omit<Told, "createdAt">>(),
    state: p.text().$type<DeliveryState>(),
    attempts: p.integer(),
    nextAttemptAt: p.datetime().nullable(),
    lastError: p.text().nullable(),
    createdAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
  },
});
