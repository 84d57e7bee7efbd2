import { z } from "zod";
import { id, line, shownId, timestamp } from "../api/schemas.ts";
import type { TypedNotification } from "../platform/events.ts";
import { keptNotifications } from "./notification-log.ts";
import { notificationEvents, notificationLevels } from "../platform/events.ts";

const anyNotification = z
  .object({
    id: shownId("The notification's id."),
    event: z.enum(notificationEvents).meta({ description: "What happened.", example: "zone.drift" }),
    title: z.string().meta({ description: "It in a few words.", example: "example.com differs from its provider" }),
    content: z.string().meta({
      description: "It in a sentence or two.",
      example: "A sync would add 1 record, change 0 and delete 0.",
    }),
    level: z.enum(notificationLevels).meta({ description: "How serious it is.", example: "warning" }),
    metadata: z.record(z.string(), z.unknown()).meta({
      description: "What programs need to know of it: of a domain its `domainId` and `domainName`.",
      example: { domainId: "01a1fb0f-6204-7000-abd4-276e976be8b7", domainName: "example.com" },
    }),
    createdAt: timestamp("When it was told."),
    read: z.boolean().meta({ description: "Whether it is marked as read.", example: false }),
  })
  .meta({ id: "Notification", description: "Something that the user was told in the application." });

/** In-app notification: clients see a union, in which `event` tells what `metadata` has. */
export const notification = anyNotification as unknown as z.ZodType<TypedNotification, z.input<typeof anyNotification>>;

export const notificationList = z
  .object({
    notifications: z
      .array(notification)
      .meta({ description: `Newest first; the ${keptNotifications} newest are kept, until the service restarts.` }),
    unreadCount: z.int().meta({ description: "How many of them are not read.", example: 1 }),
  })
  .meta({ id: "Notifications", description: "What the caller was told." });

/** What a subscription brings. */
export const streamMessage = z.union([
  z.object({
    event: z.literal("connected").meta({ description: "The stream is open." }),
    gap: z.boolean().meta({ description: "Whether notifications after the last that came may be missing." }),
  }),
  notification,
]);

export const streamInput = z
  .strictObject({
    lastEventId: line(64)
      .optional()
      .meta({ description: "The id of the last message that came; it brings what came since." }),
  })
  .optional();

export const notificationIdInput = z.strictObject({ id: id("The notification's id.") });

const done = z.literal(true).meta({ description: "Always true." });

export const updatedCount = z
  .object({ success: done, updated: z.int().meta({ description: "How many were unread.", example: 3 }) })
  .meta({ id: "UpdatedCount", description: "It is done.", example: { success: true, updated: 3 } });

export const deletedCount = z
  .object({ success: done, deleted: z.int().meta({ description: "How many there were.", example: 1 }) })
  .meta({ id: "DeletedCount", description: "It is done.", example: { success: true, deleted: 1 } });
