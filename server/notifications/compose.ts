import type { Authenticator } from "../access/authenticator.ts";
import type { Outbox } from "./channels/outbox.ts";
import type { Database } from "../database/database.ts";
import type { Logger } from "../platform/log.ts";
import type { Redis } from "../platform/redis.ts";
import { InAppNotifications, Hub } from "./in-app-notifications.ts";
import { Notifications } from "./notify.ts";
import { SharedNotificationLogs, SharedStreamSlots } from "./shared-notification-logs.ts";
import { Streams } from "./streams.ts";

/** Builds notifications for this process or, with Redis, shared by all instances. */
export function composeNotifications(parts: {
  redis: Redis | null;
  outbox: Outbox;
  /** Whether a mail server is configured. */
  mails: boolean;
  authenticator: Authenticator;
  database: Database;
  log: Logger;
  now: () => Date;
}) {
  const { redis, outbox, mails, authenticator, database, log, now } = parts;
  const hub = new Hub();
  const streams = new Streams({ hub, database, log, now, slots: redis && new SharedStreamSlots(redis) });
  authenticator.onEnd(streams);
  const shared = redis && new SharedNotificationLogs({ redis, hub, log, streams });
  if (shared) {
    authenticator.onEnd(shared);
    streams.useSharedLogs(shared);
  }
  const inApp = new InAppNotifications(hub, shared);
  return {
    notifications: new Notifications({ inApp, outbox, mails, log, now }),
    inApp,
    streams,
    /** Call this when a user turns notifications off. */
    turnedOff(userId: string) {
      streams.endUser(userId);
      shared?.changed(userId);
    },
  };
}
