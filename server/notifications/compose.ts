import type { Authenticator } from "../access/authenticator.ts";
import type { Outbox } from "./channels/outbox.ts";
import type { Database } from "../database/database.ts";
import type { Logger } from "../platform/log.ts";
import type { Redis } from "../platform/redis.ts";
import { Hub } from "./hub.ts";
import { Inbox } from "./inbox.ts";
import { Notifications } from "./notify.ts";
import { SharedMailboxes } from "./shared-mailboxes.ts";
import { SharedSeats } from "./shared-seats.ts";
import { Streams } from "./streams.ts";

export interface NotificationServices {
  notifications: Notifications;
  inbox: Inbox;
  streams: Streams;
  /** To be called when somebody has turned their notifications off. */
  turnedOff(userId: string): void;
}

/** In this process, or with Redis in all instances together. */
export function composeNotifications(parts: {
  redis: Redis | null;
  outbox: Outbox;
  /** Whether there is a mail server. */
  mails: boolean;
  authenticator: Authenticator;
  database: Database;
  log: Logger;
  now: () => Date;
}): NotificationServices {
  const { redis, outbox, mails, authenticator, database, log, now } = parts;
  const hub = new Hub();
  const streams = new Streams({ hub, database, log, now, seats: redis && new SharedSeats(redis) });
  authenticator.onEnd(streams);
  const shared = redis && new SharedMailboxes({ redis, hub, log, streams });
  if (shared) {
    authenticator.onEnd(shared);
    streams.learnFrom(shared);
  }
  const inbox = new Inbox(hub, shared);
  return {
    notifications: new Notifications({ inbox, outbox, mails, log, now }),
    inbox,
    streams,
    turnedOff(userId) {
      streams.endUser(userId);
      shared?.changed(userId);
    },
  };
}
