import type { Database } from "../../database/database.ts";
import type { Streams } from "../../notifications/streams.ts";
import type { Logger } from "../../platform/log.ts";
import type { Redis } from "../../platform/redis.ts";
import { hearZoneChanges } from "./announce.ts";
import { SharedZoneChanges } from "./shared-zone-changes.ts";
import { ZoneWatchers } from "./zone-watchers.ts";

/** Builds the announcements of committed changes, for this process or, with Redis, between all instances. */
export function composeZoneWatchers(parts: {
  database: Database;
  streams: Streams;
  redis: Redis | null;
  log: Logger;
  now: () => Date;
}): ZoneWatchers {
  const { database, redis, log } = parts;
  const watchers = new ZoneWatchers(parts);
  const shared = redis && new SharedZoneChanges(redis, watchers, log);
  hearZoneChanges(database.fork(), (change) => {
    watchers.changed(change);
    shared?.announce(change);
  });
  return watchers;
}
