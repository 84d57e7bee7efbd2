import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { RateLimiterRes, type RateLimiterAbstract } from "rate-limiter-flexible";
import { AppError } from "../platform/errors.ts";
import { withKeyedMutex } from "../platform/keyed-mutex.ts";
import { addressKey } from "./address.ts";
import type { MakeCounter, Quota } from "./counters.ts";
import { LimitReached, secondsLeft } from "./rate-limit.ts";

const windowSeconds = 15 * 60;
const perAccount: Quota = { name: "guesses-account", points: 5, windowSeconds };
const perAddress: Quota = { name: "guesses-address", points: 20, windowSeconds };
/** How long a guess waits for others that are under way. */
const patienceMilliseconds = 20_000;
const pollMilliseconds = 20;
/** A try is not given back so shortly before it ends by itself: it might be somebody else's by then. */
const marginMilliseconds = 100;

/**
 * What is being guessed, and by whom. Accounts are told apart by id, or by the name that was typed where there is none; null: only the
 * address counts, since whose passkey it is shows in the end only.
 */
export interface Guess {
  secret: "password" | "code" | "passkey";
  account: string | null;
  ip: string | null;
}

/**
 * Limits how often passwords and codes may be guessed: per account and per address, five and twenty wrong ones in 15 minutes.
 *
 * A try is taken before each check and given back after a right one. So the tries that are taken are never fewer than the
 * wrong guesses and those under way: parallel guesses cannot exceed the limit. When none is left but some are only under way,
 * a guess waits for them: parallel right passwords are not refused.
 */
export class Guesses {
  readonly #accounts: Tries;
  readonly #addresses: Tries;

  constructor(makeCounter: MakeCounter) {
    this.#accounts = new Tries(makeCounter, perAccount);
    this.#addresses = new Tries(makeCounter, perAddress);
  }

  /**
   * Checks a secret. Not within a transaction: it may wait for others that need the connection.
   * @param check answers null for a wrong secret; when it fails, nothing was guessed
   * @throws AppError TOO_MANY_REQUESTS with the seconds until the next try, UNAVAILABLE after twenty seconds in the queue
   */
  async check<T>({ secret, account, ip }: Guess, check: () => Promise<T | null>): Promise<T | null> {
    const deadline = performance.now() + patienceMilliseconds;
    const taken: Try[] = [];
    let outcome: "right" | "wrong" | "none" = "none";
    try {
      if (account !== null) taken.push(await this.#accounts.take(`${secret} ${digest(account)}`, deadline));
      // The address last: whoever holds a try of it holds all that they need, so that nobody waits in a circle.
      if (ip !== null) taken.push(await this.#addresses.take(`${secret} ${addressKey(ip)}`, deadline));
      const result = await check();
      outcome = result === null ? "wrong" : "right";
      return result;
    } finally {
      await Promise.all(taken.map((one) => (outcome === "wrong" ? one.keep() : one.giveBack())));
    }
  }
}

/** A try that was taken, until it is known what came of it. */
interface Try {
  /** It was wrong. */
  keep(): Promise<void>;
  giveBack(): Promise<void>;
}

/**
 * The tries of one quota. Each has a counter of its own, which ends fifteen minutes after the try was taken: so there are never more of them
 * within fifteen minutes, wherever those begin.
 */
class Tries {
  readonly #quota: Quota;
  /** Tries that were taken: wrong guesses and those under way. */
  readonly #taken: RateLimiterAbstract;
  /** Those of them that were wrong guesses. */
  readonly #wrong: RateLimiterAbstract;

  constructor(makeCounter: MakeCounter, quota: Quota) {
    this.#quota = quota;
    this.#taken = makeCounter({ ...quota, points: 1 });
    this.#wrong = makeCounter({ ...quota, points: 1, name: `${quota.name}-wrong` });
  }

  /** @param deadline as `performance.now()` counts */
  async take(key: string, deadline: number): Promise<Try> {
    const keys = Array.from({ length: this.#quota.points }, (_, index) => `${key} ${index}`);
    return await withKeyedMutex(`${this.#quota.name} ${key}`, async () => {
      for (;;) {
        const states = await Promise.all(keys.map(async (one) => await this.#taken.get(one)));
        const found = await this.#takeOne(keys.filter((_, index) => isFree(states[index])));
        if (found) return found;
        const marks = await Promise.all(keys.map(async (one) => await this.#wrong.get(one)));
        if (!marks.some(isFree)) throw this.#refusal(Math.min(...states.map((state) => state?.msBeforeNext ?? 0)));
        if (performance.now() >= deadline) throw busy();
        await sleep(pollMilliseconds);
      }
    });
  }

  /** Takes one of some tries that nobody had a moment ago; null when other instances were faster. */
  async #takeOne(keys: readonly string[]): Promise<Try | null> {
    for (const key of keys) {
      try {
        return this.#try(key, await this.#taken.consume(key));
      } catch (refusal) {
        // What this added to the other's count goes with it.
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
      }
    }
    return null;
  }

  #try(key: string, { msBeforeNext }: RateLimiterRes): Try {
    const end = performance.now() + msBeforeNext;
    return {
      keep: async () => {
        // A mark must not outlive its try, or the next one would pass for wrong.
        const seconds = Math.floor((end - performance.now()) / 1_000);
        if (seconds > 0) await this.#wrong.penalty(key, 1, { customDuration: seconds });
      },
      giveBack: async () => {
        if (performance.now() < end - marginMilliseconds) await this.#taken.delete(key);
      },
    };
  }

  #refusal(milliseconds: number): LimitReached {
    const resetSeconds = secondsLeft(milliseconds);
    return new LimitReached(`Too many wrong tries; wait ${resetSeconds} seconds and try again.`, [
      { quota: this.#quota, remaining: 0, resetSeconds },
    ]);
  }
}

function isFree(state: RateLimiterRes | null | undefined): boolean {
  return !state || state.msBeforeNext <= 0;
}

function busy(): AppError {
  return new AppError("UNAVAILABLE", "Too many sign-ins to this account at this moment; try again in a few seconds.", {
    retryAfterSeconds: 2,
  });
}

/** Of fixed length, and nothing to read in a store: a name that was typed may be a password. */
function digest(account: string): string {
  return createHash("sha256").update(account).digest("base64url");
}
