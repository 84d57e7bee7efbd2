import { RateLimiterMemory, RateLimiterRedis, type RateLimiterAbstract } from "rate-limiter-flexible";
import type { Redis } from "../../platform/redis.ts";

/** A limit per key within a time window that begins with the first use. */
export interface Quota {
  /** Name in headers and keys. */
  name: string;
  points: number;
  windowSeconds: number;
}

/** Creates a counter for a quota. */
export type MakeCounter = (quota: Quota) => RateLimiterAbstract;

/** Returns a factory of counters in Redis, shared by all instances, or in this process without Redis or while it is unreachable. */
export function countersIn(redis: Redis | null): MakeCounter {
  return ({ name, points, windowSeconds }) => {
    const options = { keyPrefix: `zonewright:${name}`, points, duration: windowSeconds };
    const memory = new RateLimiterMemory(options);
    if (!redis) return memory;
    return new RateLimiterRedis({
      ...options,
      storeClient: redis.client,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      insuranceLimiter: memory,
    });
  };
}
