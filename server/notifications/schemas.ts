import { z } from "zod";
import { id, line, shownId, timestamp } from "../api/schemas.ts";
import type { TypedNotification } from "../platform/events.ts";
import { notificationsPerUser } from "./notification-log.ts";
import { notificationEvents, notificationLevels } from "../platform/events.ts";

const anyNotification = z
  .object({
    id: shownId("The notification's id."),
    event: z.enum(notificationEvents).meta({ description: "The event.", example: "zone.drift" }),
    title: z.string().meta({ description: "Short text.", example: "example.com differs from its provider" }),
    content: z.string().meta({
      description: "Text of one or two sentences.",
      example: "A sync would add 1 record, change 0 and delete 0.",
    }),
    level: z.enum(notificationLevels).meta({ description: "Severity.", example: "warning" }),
    metadata: z.record(z.string(), z.unknown()).meta({
      description: "Data for programs, by event. Events about a domain have `domainId` and `domainName`.",
      example: { domainId: "01a1fb0f-6204-7000-abd4-276e976be8b7", domainName: "example.com" },
    }),
    createdAt: timestamp("When the notification was created."),
    read: z.boolean().meta({ description: "Whether it is marked as read.", example: false }),
  })
  .meta({ id: "Notification", description: "An in-app notification." });

/** In-app notification. Clients see a union discriminated by `event`, which determines the type of `metadata`. */
export const notification = anyNotification as unknown as z.ZodType<TypedNotification, z.input<typeof anyNotification>>;

export const notificationList = z
  .object({
    notifications: z
      .array(notification)
      .meta({ description: `Newest first. The latest ${notificationsPerUser} are held until the service restarts.` }),
    unreadCount: z.int().meta({ description: "Number of unread notifications.", example: 1 }),
  })
  .meta({ id: "Notifications", description: "The caller's notifications." });

/** A message of a notification subscription. */
export const streamMessage = z.union([
  z.object({
    event: z.literal("connected").meta({ description: "The stream is open." }),
    gap: z.boolean().meta({ description: "Whether notifications since `lastEventId` may have been lost." }),
  }),
  notification,
]);

export const streamInput = z
  .strictObject({
    lastEventId: line(64)
      .optional()
      .meta({ description: "Id of the last message received. The stream resumes after it." }),
  })
  .optional();

export const notificationIdInput = z.strictObject({ id: id("The notification's id.") });

const done = z.literal(true).meta({ description: "Always true." });

export const updatedCount = z
  .object({
    success: done,
    updated: z.int().meta({ description: "Number of notifications marked as read.", example: 3 }),
  })
  .meta({ id: "UpdatedCount", description: "The call succeeded.", example: { success: true, updated: 3 } });

export const deletedCount = z
  .object({ success: done, deleted: z.int().meta({ description: "Number of notifications deleted.", example: 1 }) })
  .meta({ id: "DeletedCount", description: "The call succeeded.", example: { success: true, deleted: 1 } });
