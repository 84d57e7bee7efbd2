import { z } from "zod";
import { anyPage, id, line, nothing, pageOfAll, shownId, timestamp } from "../api/schemas.ts";
import { may, maySubscribe } from "../api/procedures.ts";
import { resumable, router } from "../api/trpc.ts";
import { notificationEvents, notificationLevels, type TypedNotification } from "../platform/events.ts";
import { messagesOf } from "./message-queue.ts";
import { notificationsPerUser } from "./notification-log.ts";
import type { InAppNotifications } from "./in-app-notifications.ts";
import type { Streams } from "./streams.ts";

const tag = "Notifications";

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
const notification = anyNotification as unknown as z.ZodType<TypedNotification, z.input<typeof anyNotification>>;

const notificationList = z
  .object({
    notifications: z
      .array(notification)
      .meta({ description: `Newest first. The latest ${notificationsPerUser} are held until the service restarts.` }),
    unreadCount: z.int().meta({ description: "Number of unread notifications.", example: 1 }),
  })
  .meta({ id: "Notifications", description: "The caller's notifications." });

/** A message of a notification subscription. */
const streamMessage = z.union([
  z.object({
    event: z.literal("connected").meta({ description: "The stream is open." }),
    gap: z.boolean().meta({ description: "Whether notifications since `lastEventId` may have been lost." }),
  }),
  notification,
]);

const streamInput = z
  .strictObject({
    lastEventId: line(64)
      .optional()
      .meta({ description: "Id of the last message received. The stream resumes after it." }),
  })
  .optional();

const notificationIdInput = z.strictObject({ id: id("The notification's id.") });

const done = z.literal(true).meta({ description: "Always true." });

const updatedCount = z
  .object({
    success: done,
    updated: z.int().meta({ description: "Number of notifications marked as read.", example: 3 }),
  })
  .meta({ id: "UpdatedCount", description: "The call succeeded.", example: { success: true, updated: 3 } });

const deletedCount = z
  .object({ success: done, deleted: z.int().meta({ description: "Number of notifications deleted.", example: 1 }) })
  .meta({ id: "DeletedCount", description: "The call succeeded.", example: { success: true, deleted: 1 } });

export function createNotificationsRouter({ inApp, streams }: { inApp: InAppNotifications; streams: Streams }) {
  return router({
    list: may("notifications:read", {
      method: "GET",
      path: "/notifications",
      operationId: "listNotifications",
      tag,
      summary: "List your notifications",
      description: "Notifications are held in memory: restarting the service clears them.",
    })
      .input(anyPage)
      .output(notificationList)
      .query(async ({ ctx, input }) => {
        const all = await inApp.list(ctx.caller.userId);
        return { ...all, notifications: pageOfAll(all.notifications, input) };
      }),

    /** The tRPC subscription. The REST stream is in `http.ts`. */
    stream: maySubscribe("notifications:read")
      .input(streamInput)
      .subscription(async ({ ctx, input, signal }) => {
        const stream = await streams.open(ctx.em, ctx.identified);
        const reading = { cursor: input?.lastEventId ?? null, signal, cut: () => ctx.http.cut() };
        const messages = messagesOf(streams, stream, reading);
        return resumable(messages as AsyncIterable<{ id: string; data: z.output<typeof streamMessage> }>);
      }),

    read: may("notifications:write", {
      method: "POST",
      path: "/notifications/{id}/read",
      operationId: "readNotification",
      tag,
      summary: "Mark a notification as read",
    })
      .input(notificationIdInput)
      .output(notification)
      .mutation(({ ctx, input }) => inApp.read(ctx.caller.userId, input.id)),

    readAll: may("notifications:write", {
      method: "POST",
      path: "/notifications/read-all",
      operationId: "readAllNotifications",
      tag,
      summary: "Mark all your notifications as read",
    })
      .input(nothing)
      .output(updatedCount)
      .mutation(async ({ ctx }) => {
        const updated = await inApp.readAll(ctx.caller.userId);
        return { success: true as const, updated };
      }),

    delete: may("notifications:write", {
      method: "DELETE",
      path: "/notifications/{id}",
      operationId: "deleteNotification",
      tag,
      summary: "Delete a notification",
    })
      .input(notificationIdInput)
      .output(deletedCount)
      .mutation(async ({ ctx, input }) => {
        await inApp.delete(ctx.caller.userId, input.id);
        return { success: true as const, deleted: 1 };
      }),

    deleteAll: may("notifications:write", {
      method: "DELETE",
      path: "/notifications",
      operationId: "deleteAllNotifications",
      tag,
      summary: "Delete all your notifications",
    })
      .input(nothing)
      .output(deletedCount)
      .mutation(async ({ ctx }) => {
        const deleted = await inApp.deleteAll(ctx.caller.userId);
        return { success: true as const, deleted };
      }),
  });
}
