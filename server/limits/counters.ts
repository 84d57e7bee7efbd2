import { RateLimiterMemory, RateLimiterRedis, type RateLimiterAbstract } from "rate-limiter-flexible";
import type { Redis } from "../platform/redis.ts";

/** How many of something each key has in a window of time, which begins with the first. */
export interface Quota {
  /** What it is called in headers and in keys. */
  name: string;
  points: number;
  windowSeconds: number;
}

/** Makes counters. */
export type MakeCounter = (quota: Quota) => RateLimiterAbstract;

/** Counters in this process, or in Redis for all instances together; while Redis is away, in this process. */
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
