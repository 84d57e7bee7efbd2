import { queryOptions } from "@tanstack/react-query";
import type { InAppNotification } from "@zonewright/client";
import { client, queries } from "../api.ts";
import { toast } from "../ui/toast.tsx";
import { staleAfter } from "./stale-after.ts";

export const notificationsKey = ["notifications"] as const;

/** The notifications of the user, newest first, and how many are unread. */
export const notificationsQuery = queryOptions({
  queryKey: notificationsKey,
  queryFn: async ({ signal }) => await client.notifications.list.query(undefined, { signal }),
});

/** Adds a new notification to the list, shows it where somebody looks, and refreshes what it is about. */
export function takeNotification(notification: InAppNotification): void {
  // An answer on its way may be from before.
  if (queries.isFetching({ queryKey: notificationsKey }) > 0) {
    void queries.invalidateQueries({ queryKey: notificationsKey });
  }
  queries.setQueryData(notificationsQuery.queryKey, (known) => {
    if (!known || known.notifications.some(({ id }) => id === notification.id)) return known;
    return {
      notifications: [notification, ...known.notifications],
      unreadCount: known.unreadCount + (notification.read ? 0 : 1),
    };
  });
  if (document.visibilityState === "visible" && !notification.read) {
    toast({ title: notification.title, description: notification.content, isNews: true });
  }
  for (const queryKey of staleAfter(notification)) void queries.invalidateQueries({ queryKey });
}
