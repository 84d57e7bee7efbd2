import type { WatchedChange } from "@zonewright/client";
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { client, queries } from "../api.ts";
import type { CurrentUser } from "../session/current-user.ts";
import { notificationsKey, takeNotification } from "./notification-cache.ts";
import { live } from "./live.ts";
import type { Connection } from "./messages.ts";

/** Runs the live connection while a user is signed in, and refreshes what it says has changed. */
export function useLive({ id, notificationsEnabled }: CurrentUser): Connection {
  useEffect(() => {
    const stopListening = live.listen((event) => {
      if (event.kind === "notification") takeNotification(event.notification);
      // What was missed meanwhile can be anything.
      else if (event.kind === "connection" && event.state === "open") void queries.invalidateQueries();
      else if (event.kind === "stale") void queries.invalidateQueries({ queryKey: event.queryKey });
    });
    const stop = live.start(client, id, notificationsEnabled);
    return () => {
      stopListening();
      stop();
    };
  }, [id, notificationsEnabled]);
  return useSyncExternalStore(live.connection.subscribe, live.connection.get);
}

/**
 * Watches a zone while a page shows it, and calls back for each revision that it reaches, whoever made it. The first call has its present
 * revision and no change set; so has every call after a lost connection.
 */
export function useZoneChanges(domainId: string, callback: (change: WatchedChange) => void): void {
  const heard = useEffectEvent(callback);
  useEffect(() => {
    const stopListening = live.listen((event) => {
      if (event.kind === "change" && event.change.domainId === domainId) heard(event.change);
    });
    const stopWatching = live.watch(domainId);
    return () => {
      stopListening();
      stopWatching();
    };
  }, [domainId]);
}

/** Refreshes the notifications here and in the other tabs, after this one read or deleted some. */
export async function refreshNotifications(): Promise<void> {
  live.stale(notificationsKey);
  await queries.invalidateQueries({ queryKey: notificationsKey });
}
