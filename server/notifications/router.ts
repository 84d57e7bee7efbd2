import type { z } from "zod";
import { anyPage, nothing, pageOfAll } from "../api/schemas.ts";
import { may, maySubscribe } from "../api/procedures.ts";
import { resumable, router } from "../api/trpc.ts";
import {
  deletedCount,
  notification,
  notificationIdInput,
  notificationList,
  streamInput,
  updatedCount,
  type streamMessage,
} from "./schemas.ts";
import { messagesOf } from "./message-queue.ts";
import type { InAppNotifications } from "./in-app-notifications.ts";
import type { Streams } from "./streams.ts";

const tag = "Notifications";

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
