import type { Redis } from "../platform/redis.ts";
import { streamsPerUser, type StreamSlots } from "./streams.ts";

/** Lease of a slot: slots of a crashed instance are released after this time. */
const leaseMilliseconds = 30_000;

/** Takes a slot. Uses Redis's clock, because instances' clocks may differ. */
const take = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now)
if redis.call("ZCARD", KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call("ZADD", KEYS[1], now + ARGV[3], ARGV[1])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1`;

/** Renews slots, and restores them if Redis has lost its data. */
const keep = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for index = 2, #ARGV do redis.call("ZADD", KEYS[1], now + ARGV[1], ARGV[index]) end
redis.call("PEXPIRE", KEYS[1], ARGV[1])`;

/** Counts a user's streams across all instances. While Redis is unavailable, each instance counts only its own. */
export class SharedStreamSlots implements StreamSlots {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async acquire(userId: string, streamId: string): Promise<boolean> {
    const args = [streamId, String(streamsPerUser), String(leaseMilliseconds)];
    try {
      return (await this.#redis.client.eval(take, { keys: [key(userId)], arguments: args })) === 1;
    } catch {
      return true;
    }
  }

  release(userId: string, streamId: string): void {
    this.#redis.client.zRem(key(userId), streamId).catch(freeInTime);
  }

  renew(taken: readonly { userId: string; id: string }[]): void {
    for (const [userId, streams] of Map.groupBy(taken, (stream) => stream.userId)) {
      const args = [String(leaseMilliseconds), ...streams.map(({ id }) => id)];
      this.#redis.client.eval(keep, { keys: [key(userId)], arguments: args }).catch(freeInTime);
    }
  }
}

/** Ignores errors: without Redis slots have no effect, and leases in it expire on their own. */
function freeInTime(): void {}

function key(userId: string): string {
  return `zonewright:streams:${userId}`;
}
