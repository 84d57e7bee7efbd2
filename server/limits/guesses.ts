import { RateLimiterMemory, RateLimiterRes, type RateLimiterAbstract } from "rate-limiter-flexible";
import { AppError } from "../errors.ts";

const windowSeconds = 15 * 60;
const wrongPerAccount = 5;
const wrongPerAddress = 20;

/** What is being guessed, and by whom. Accounts are told apart by id, or by the name that was typed where there is none. */
export interface Guess {
  secret: "password" | "code";
  account: string;
  ip: string | null;
}

/** Limits how often passwords and codes may be guessed: per account and per address, five and twenty wrong ones in 15 minutes. */
export class Guesses {
  readonly #accounts: RateLimiterAbstract = new RateLimiterMemory({ points: wrongPerAccount, duration: windowSeconds });
  readonly #addresses: RateLimiterAbstract = new RateLimiterMemory({
    points: wrongPerAddress,
    duration: windowSeconds,
  });

  /**
   * Checks a secret. A try is taken before the check and given back after a right one, so that parallel guesses cannot exceed the limit.
   * @param check answers null for a wrong secret
   * @throws AppError TOO_MANY_REQUESTS with the seconds until the next try
   */
  async check<T>({ secret, account, ip }: Guess, check: () => Promise<T | null>): Promise<T | null> {
    const taken: { limiter: RateLimiterAbstract; key: string }[] = [
      { limiter: this.#accounts, key: `${secret} ${account}` },
    ];
    if (ip !== null) taken.push({ limiter: this.#addresses, key: `${secret} ${ip}` });
    for (const { limiter, key } of taken) await take(limiter, key);
    const result = await check();
    if (result !== null) await Promise.all(taken.map(({ limiter, key }) => limiter.reward(key, 1)));
    return result;
  }
}

async function take(limiter: RateLimiterAbstract, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000));
    throw new AppError("TOO_MANY_REQUESTS", `Too many wrong tries; wait ${seconds} seconds and try again.`, {
      retryAfterSeconds: seconds,
    });
  }
}
