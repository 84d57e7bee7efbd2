import { RateLimiterRes, type RateLimiterAbstract } from "rate-limiter-flexible";
import type { Actor } from "../audit/actor.ts";
import { addressKey } from "./address.ts";
import type { MakeCounter, Quota } from "./counters.ts";
import { LimitReached, secondsLeft, type Standing } from "./rate-limit.ts";

const windowSeconds = 60;

interface Counted {
  quota: Quota;
  counter: RateLimiterAbstract;
}

/**
 * Limits how many calls somebody makes in a minute, and how many of them may be costly ones. A personal token is somebody of
 * its own, so that a script which runs wild does not lock its owner out; who has not signed in is the address.
 */
export class RequestLimits {
  readonly #all: Counted | null;
  readonly #costly: Counted | null;

  /** @param limits calls a minute; null: as many as they like */
  constructor(makeCounter: MakeCounter, limits: { requests: number | null; costly: number | null }) {
    const counted = (name: string, points: number | null): Counted | null => {
      if (points === null) return null;
      const quota = { name, points, windowSeconds };
      return { quota, counter: makeCounter(quota) };
    };
    this.#all = counted("requests", limits.requests);
    this.#costly = counted("costly", limits.costly);
  }

  /**
   * Counts a call.
   * @returns where its caller now stands, with each quota that it falls under
   * @throws LimitReached
   */
  async take(actor: Actor, costly: boolean): Promise<Standing[]> {
    const key = keyOf(actor);
    const standings: Standing[] = [];
    for (const counted of [this.#all, costly ? this.#costly : null]) {
      if (!counted) continue;
      const { reached, standing } = await count(counted, key);
      standings.push(standing);
      if (reached) {
        const message = `Too many requests in one minute; wait ${standing.resetSeconds} seconds.`;
        throw new LimitReached(message, standings);
      }
    }
    return standings;
  }
}

function keyOf({ tokenId, userId, ip }: Actor): string {
  if (tokenId !== null) return `token:${tokenId}`;
  if (userId !== null) return `user:${userId}`;
  return `address:${addressKey(ip ?? "")}`;
}

async function count({ quota, counter }: Counted, key: string): Promise<{ reached: boolean; standing: Standing }> {
  try {
    return { reached: false, standing: standingOf(quota, await counter.consume(key)) };
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return { reached: true, standing: standingOf(quota, refusal) };
    throw refusal;
  }
}

function standingOf(quota: Quota, { remainingPoints, msBeforeNext }: RateLimiterRes): Standing {
  return { quota, remaining: remainingPoints, resetSeconds: secondsLeft(msBeforeNext) };
}
