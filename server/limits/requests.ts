import { RateLimiterRes, type RateLimiterAbstract } from "rate-limiter-flexible";
import type { Actor } from "../access/actor.ts";
import { addressKey } from "./address.ts";
import type { MakeCounter, Quota } from "./counters.ts";
import { LimitReached, secondsLeft, type QuotaStatus } from "./rate-limit.ts";

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
   * @returns where its caller now stands; empty without a limit
   * @throws LimitReached
   */
  async take(actor: Actor): Promise<QuotaStatus[]> {
    return await take(this.#all, actor, (points) => `${points} calls a minute is reached`);
  }

  /** Counts a costly call, which was counted as a call before. @returns, @throws as `take` */
  async takeCostly(actor: Actor): Promise<QuotaStatus[]> {
    const which = "those that change many records or ask providers; plans and dry runs still work";
    return await take(this.#costly, actor, (points) => `${points} costly calls a minute is reached (${which})`);
  }
}

async function take(
  counted: Counted | null,
  actor: Actor,
  reachedWords: (points: number) => string,
): Promise<QuotaStatus[]> {
  if (!counted) return [];
  const { reached, standing } = await count(counted, keyOf(actor));
  if (!reached) return [standing];
  const { name, points } = counted.quota;
  const message = `The limit "${name}" of ${reachedWords(points)}; wait ${standing.resetSeconds} seconds.`;
  throw new LimitReached(message, [standing]);
}

function keyOf({ tokenId, userId, ip }: Actor): string {
  if (tokenId !== null) return `token:${tokenId}`;
  if (userId !== null) return `user:${userId}`;
  return `address:${addressKey(ip ?? "")}`;
}

async function count({ quota, counter }: Counted, key: string): Promise<{ reached: boolean; standing: QuotaStatus }> {
  try {
    return { reached: false, standing: standingOf(quota, await counter.consume(key)) };
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return { reached: true, standing: standingOf(quota, refusal) };
    throw refusal;
  }
}

function standingOf(quota: Quota, { remainingPoints, msBeforeNext }: RateLimiterRes): QuotaStatus {
  return { quota, remaining: remainingPoints, resetSeconds: secondsLeft(msBeforeNext) };
}
