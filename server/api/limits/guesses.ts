import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { RateLimiterRes, type RateLimiterAbstract } from "rate-limiter-flexible";
import { AppError } from "../../platform/errors.ts";
import { withKeyedMutex } from "../../platform/slices.ts";
import type { Actor } from "../../access/caller.ts";
import { addressKey, networkKey } from "./address.ts";
import { LimitReached, secondsLeft, type MakeCounter, type Quota } from "./requests.ts";

const windowSeconds = 15 * 60;
/** For passwords of an account from one network; for codes, from all of them. */
const perAccount: Quota = { name: "guesses-account", points: 5, windowSeconds };
const perDevice: Quota = { name: "guesses-device", points: 5, windowSeconds };
/** Passwords of an account from all networks together: 876,000 a year, however many computers guess. */
const perHour: Quota = { name: "guesses-hour", points: 100, windowSeconds: 3_600 };
/** Codes of an account: 7,300 a year, of a million possible ones. */
const perDay: Quota = { name: "guesses-day", points: 20, windowSeconds: 86_400 };
const perAddress: Quota = { name: "guesses-address", points: 20, windowSeconds };
/** From a proxy that TRUST_PROXY does not name, for all addresses that it claims to call for. */
const perProxy: Quota = { name: "guesses-proxy", points: 200, windowSeconds };
/** How long an attempt waits for others in flight. */
const maxWaitMilliseconds = 20_000;
const pollMilliseconds = 20;
/** A slot is not released this close to its expiration, because another attempt might own it by then. */
const marginMilliseconds = 100;

/** An attempt to authenticate. */
export interface Guess {
  /**
   * `userCode`: of a device that signs in. Passkeys cannot be guessed. Count only wrong ones, because each costs work and a line in the
   * audit trail.
   */
  secret: "password" | "code" | "userCode" | "passkey";
  /** The user's id, or the typed name if there is no such user. Null counts only the address, for passkeys at a sign-in. */
  account: string | null;
  /** A browser that signed in to this account before, or a session of it. It has attempts of its own, whatever others do. */
  device: string | null;
  from: Pick<Actor, "ip" | "claimedIp">;
}

/**
 * Limits failed attempts at passwords and codes:
 *
 * - at a password, five per account and network in 15 minutes, and a hundred per account in an hour from all networks;
 * - at codes, which only those who have the password or a session can try, five per account in 15 minutes and twenty in a day;
 * - twenty per address in 15 minutes, whatever the accounts;
 * - from a browser that signed in to the account before, only its own five in 15 minutes count.
 *
 * A slot is acquired before each check and released after a successful one, so failed attempts and attempts in flight together never
 * exceed the limit. If no slot is free but some are only in flight, an attempt waits for them: parallel correct passwords are not refused.
 */
export class Guesses {
  readonly #slots: (quota: Quota) => AttemptSlots;

  constructor(makeCounter: MakeCounter) {
    const quotas = [perAccount, perDevice, perHour, perDay, perAddress, perProxy];
    const slots = new Map(quotas.map((quota) => [quota, new AttemptSlots(makeCounter, quota)]));
    this.#slots = (quota) => slots.get(quota) ?? new AttemptSlots(makeCounter, quota);
  }

  /**
   * Checks a secret under the limits. Do not call inside a transaction: it may wait for attempts that need the connection.
   * @param check returns null for a wrong secret; if it throws, the attempt does not count
   * @throws AppError TOO_MANY_REQUESTS with the seconds until the next attempt, UNAVAILABLE after waiting twenty seconds
   */
  async check<T>(guess: Guess, check: () => Promise<T | null>): Promise<T | null> {
    const deadline = performance.now() + maxWaitMilliseconds;
    const taken: Slot[] = [];
    let outcome: "right" | "wrong" | "none" = "none";
    try {
      // Always in the same order of quotas, so that attempts do not wait for each other: no deadlock.
      for (const [quota, key] of countedAs(guess))
        taken.push(await this.#slots(quota).take(guess.secret, key, deadline));
      const result = await check();
      outcome = result === null ? "wrong" : "right";
      return result;
    } finally {
      await Promise.all(taken.map((one) => (outcome === "wrong" ? one.markFailed() : one.release())));
    }
  }
}

/** Returns the quotas under which an attempt counts, each with its key. */
function countedAs({ secret, account, device, from: { ip, claimedIp } }: Guess): [Quota, string][] {
  const counted: [Quota, string][] = [];
  if (account !== null && device !== null) return [[perDevice, `${digest(account)} ${device}`]];
  const behind = claimedIp ? ` for ${networkKey(claimedIp)}` : "";
  if (account !== null && (secret === "code" || secret === "userCode"))
    counted.push([perAccount, digest(account)], [perDay, digest(account)]);
  else if (account !== null) {
    const network = ip === null ? "" : `${networkKey(ip)}${behind}`;
    counted.push([perAccount, `${digest(account)} ${network}`], [perHour, digest(account)]);
  }
  if (ip === null) return counted;
  counted.push([perAddress, `${addressKey(ip)}${behind}`]);
  if (behind !== "") counted.push([perProxy, addressKey(ip)]);
  return counted;
}

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
  async take(secret: Guess["secret"], of: string, deadline: number): Promise<Slot> {
    const key = `${secret} ${of}`;
    const keys = Array.from({ length: this.#quota.points }, (_, index) => `${key} ${index}`);
    return await withKeyedMutex(`${this.#quota.name} ${key}`, async () => {
      // Nearly all slots are usually free, so that any one will do.
      const any = await this.#takeOne(keys.slice(Math.floor(Math.random() * keys.length)).slice(0, 1));
      if (any) return any;
      for (;;) {
        const states = await Promise.all(keys.map(async (one) => await this.#taken.get(one)));
        const found = await this.#takeOne(keys.filter((_, index) => isFree(states[index])));
        if (found) return found;
        const failures = await Promise.all(keys.map(async (one) => await this.#wrong.get(one)));
        if (!failures.some(isFree))
          throw this.#refusal(secret, Math.min(...states.map((state) => state?.msBeforeNext ?? 0)));
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

  #refusal(secret: Guess["secret"], milliseconds: number): LimitReached {
    const resetSeconds = secondsLeft(milliseconds);
    const otherwise =
      this.#quota === perDevice || secret === "userCode"
        ? ""
        : ", or use a browser in which you have signed in before, or a passkey";
    return new LimitReached(`Too many failed attempts. Wait ${resetSeconds} seconds, then try again${otherwise}.`, [
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
