import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { argon2id, hash, needsRehash, verify } from "argon2";
import { AppError } from "../../platform/errors.ts";

/** The cost of one hash. */
export interface PasswordCost {
  /** Memory in KiB. */
  memoryCost: number;
  /** Number of passes over the memory. */
  timeCost: number;
}

/** 46 MiB, one pass (OWASP's first choice with argon2id and one lane): about 40 ms on one core. */
const usualCost: PasswordCost = { memoryCost: 47_104, timeCost: 1 };
/** Half of the processors, at most two, so that the others keep serving requests. */
const concurrency = Math.min(2, Math.max(1, Math.floor(availableParallelism() / 2)));
const queueLimit = 20;
/** Of these, what one address may have while nobody is signed in there: a flood from one leaves half to the others. */
const queueLimitOfOne = 10;

/**
 * Hashes and checks passwords, one or two at a time, so that a flood of sign-ins leaves the process responsive. Those who wait go round by
 * address. Throws UNAVAILABLE beyond 20 waiting calls, or 10 of one address.
 */
export class PasswordHasher {
  #running = 0;
  /** Who waits, by address. Whose turn was last is last. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** A hash that no password matches. Checked for unknown users, so that both cases take the same time. */
  readonly #decoy: string;
  readonly #options: PasswordCost & { type: typeof argon2id; parallelism: number };

  constructor({ memoryCost, timeCost }: PasswordCost = usualCost) {
    this.#options = { type: argon2id, memoryCost, timeCost, parallelism: 1 };
    this.#decoy = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${base64(16)}$${base64(32)}`;
  }

  async hash(password: string): Promise<string> {
    return await this.#queued(() => hash(normalise(password), this.#options));
  }

  /**
   * @param stored PHC string; null for an unknown user or one without a password
   * @param from as in `refuseWhenFull`
   */
  async verify(stored: string | null, password: string, from: string | null = null): Promise<boolean> {
    const matches = await this.#queued(() => verify(stored ?? this.#decoy, normalise(password)), from);
    return stored !== null && matches;
  }

  /** Returns whether a stored hash is weaker than the current parameters. */
  outdated(stored: string): boolean {
    return !stored.startsWith("$argon2id$") || needsRehash(stored, this.#options);
  }

  /**
   * Fails early, for callers with other work to do before hashing.
   * @param from the address of a caller who is not signed in: the one that is connected, because anybody may claim to call for another. Null
   * for others, who share the whole queue.
   * @throws AppError UNAVAILABLE
   */
  refuseWhenFull(from: string | null): void {
    let all = 0;
    for (const calls of this.#waiting.values()) all += calls.length;
    const own = from === null ? 0 : (this.#waiting.get(from)?.length ?? 0);
    if (all < queueLimit && own < queueLimitOfOne) return;
    const message = "Too many sign-ins are in progress. Try again in a few seconds.";
    throw new AppError("UNAVAILABLE", message, { retryAfterSeconds: 2 });
  }

  async #queued<T>(work: () => Promise<T>, from: string | null = null): Promise<T> {
    if (this.#running >= concurrency) {
      this.refuseWhenFull(from);
      await new Promise<void>((resolve) => {
        const calls = this.#waiting.get(from ?? "");
        if (calls) calls.push(resolve);
        else this.#waiting.set(from ?? "", [resolve]);
      });
    } else {
      this.#running++;
    }
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next) next();
      else this.#running--;
    }
  }

  /** Takes the next call of the address whose turn it is. */
  #next(): (() => void) | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [from, calls] = first;
    const next = calls.shift();
    this.#waiting.delete(from);
    if (calls.length > 0) this.#waiting.set(from, calls);
    return next;
  }
}

/** Normalizes to NFC (RFC 8265 §4.1), so that the same password matches from any keyboard. */
function normalise(password: string): string {
  return password.normalize("NFC");
}

/** Returns random bytes as unpadded base64, as the PHC string format requires. */
function base64(length: number): string {
  return randomBytes(length).toString("base64").replace(/=+$/, "");
}
