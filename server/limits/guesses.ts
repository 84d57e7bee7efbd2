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
/** How long an attempt waits for others in flight. */
const maxWaitMilliseconds = 20_000;
const pollMilliseconds = 20;
/** A slot is not released this close to its expiration, because another attempt might own it by then. */
const marginMilliseconds = 100;

/**
 * An attempt to authenticate. `account` is the user's id, or the typed name if there is no such user. Null counts only the address, for
 * passkeys, whose owner is unknown until verified.
 */
export interface Guess {
  secret: "password" | "code" | "passkey";
  account: string | null;
  ip: string | null;
}

/**
 * Limits failed attempts at passwords and codes to five per account and twenty per address in 15 minutes.
 *
 * A slot is acquired before each check and released after a successful one, so failed attempts and attempts in flight together never
 * exceed the limit. If no slot is free but some are only in flight, an attempt waits for them: parallel correct passwords are not refused.
 */
export class Guesses {
  readonly #accounts: AttemptSlots;
  readonly #addresses: AttemptSlots;

  constructor(makeCounter: MakeCounter) {
    this.#accounts = new AttemptSlots(makeCounter, perAccount);
    this.#addresses = new AttemptSlots(makeCounter, perAddress);
  }

  /**
   * Checks a secret under the limits. Do not call inside a transaction: it may wait for attempts that need the connection.
   * @param check returns null for a wrong secret; if it throws, the attempt does not count
   * @throws AppError TOO_MANY_REQUESTS with the seconds until the next attempt, UNAVAILABLE after waiting twenty seconds
   */
  async check<T>({ secret, account, ip }: Guess, check: () => Promise<T | null>): Promise<T | null> {
    const deadline = performance.now() + maxWaitMilliseconds;
    const taken: Slot[] = [];
    let outcome: "right" | "wrong" | "none" = "none";
    try {
      if (account !== null) taken.push(await this.#accounts.take(`${secret} ${digest(account)}`, deadline));
      // The address comes last, so that an attempt that holds its slot waits for nothing else: no deadlock.
      if (ip !== null) taken.push(await this.#addresses.take(`${secret} ${addressKey(ip)}`, deadline));
      const result = await check();
      outcome = result === null ? "wrong" : "right";
      return result;
    } finally {
      await Promise.all(taken.map((one) => (outcome === "wrong" ? one.markFailed() : one.release())));
    }
  }
}

/** An acquired slot. */
interface Slot {
  /** Keeps the slot until it expires, because the attempt failed. */
  markFailed(): Promise<void>;
  release(): Promise<void>;
}

/**
 * The slots of one quota. Each has its own counter, which expires fifteen minutes after it was acquired, so the limit holds for every
 * fifteen-minute period (a sliding window).
 */
class AttemptSlots {
  readonly #quota: Quota;
  /** Acquired slots: failed attempts and those in flight. */
  readonly #taken: RateLimiterAbstract;
  /** Slots of failed attempts. */
  readonly #wrong: RateLimiterAbstract;

  constructor(makeCounter: MakeCounter, quota: Quota) {
    this.#quota = quota;
    this.#taken = makeCounter({ ...quota, points: 1 });
    this.#wrong = makeCounter({ ...quota, points: 1, name: `${quota.name}-wrong` });
  }

  /** Acquires a slot. @param deadline in the time of `performance.now()` */
  async take(key: string, deadline: number): Promise<Slot> {
    const keys = Array.from({ length: this.#quota.points }, (_, index) => `${key} ${index}`);
    return await withKeyedMutex(`${this.#quota.name} ${key}`, async () => {
      for (;;) {
        const states = await Promise.all(keys.map(async (one) => await this.#taken.get(one)));
        const found = await this.#takeOne(keys.filter((_, index) => isFree(states[index])));
        if (found) return found;
        const failures = await Promise.all(keys.map(async (one) => await this.#wrong.get(one)));
        if (!failures.some(isFree)) throw this.#refusal(Math.min(...states.map((state) => state?.msBeforeNext ?? 0)));
        if (performance.now() >= deadline) throw busy();
        await sleep(pollMilliseconds);
      }
    });
  }

  /** Acquires one of the slots that were free a moment ago, or returns null if other instances were faster. */
  async #takeOne(keys: readonly string[]): Promise<Slot | null> {
    for (const key of keys) {
      try {
        return this.#slot(key, await this.#taken.consume(key));
      } catch (refusal) {
        // The point added here expires together with the other's slot.
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
      }
    }
    return null;
  }

  #slot(key: string, { msBeforeNext }: RateLimiterRes): Slot {
    const end = performance.now() + msBeforeNext;
    return {
      markFailed: async () => {
        // Must not outlive the slot, or its next attempt would count as failed.
        const seconds = Math.floor((end - performance.now()) / 1_000);
        if (seconds > 0) await this.#wrong.penalty(key, 1, { customDuration: seconds });
      },
      release: async () => {
        if (performance.now() < end - marginMilliseconds) await this.#taken.delete(key);
      },
    };
  }

  #refusal(milliseconds: number): LimitReached {
    const resetSeconds = secondsLeft(milliseconds);
    return new LimitReached(`Too many failed attempts. Wait ${resetSeconds} seconds, then try again.`, [
      { quota: this.#quota, remaining: 0, resetSeconds },
    ]);
  }
}

function isFree(state: RateLimiterRes | null | undefined): boolean {
  return !state || state.msBeforeNext <= 0;
}

function busy(): AppError {
  return new AppError("UNAVAILABLE", "Too many concurrent sign-ins to this account. Try again in a few seconds.", {
    retryAfterSeconds: 2,
  });
}

/** Hashes the account to a fixed length, and because a typed name may be a password that must not be stored. */
function digest(account: string): string {
  return createHash("sha256").update(account).digest("base64url");
}
