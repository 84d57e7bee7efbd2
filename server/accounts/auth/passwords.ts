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

/**
 * Hashes and checks passwords, one or two at a time, so that a flood of sign-ins leaves the process responsive.
 * Throws UNAVAILABLE beyond 20 waiting calls.
 */
export class PasswordHasher {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
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

  /** @param stored PHC string; null for an unknown user or one without a password */
  async verify(stored: string | null, password: string): Promise<boolean> {
    const matches = await this.#queued(() => verify(stored ?? this.#decoy, normalise(password)));
    return stored !== null && matches;
  }

  /** Returns whether a stored hash is weaker than the current parameters. */
  outdated(stored: string): boolean {
    return !stored.startsWith("$argon2id$") || needsRehash(stored, this.#options);
  }

  /** Fails early, for callers with other work to do before hashing. @throws AppError UNAVAILABLE */
  refuseWhenFull(): void {
    if (this.#waiting.length < queueLimit) return;
    const message = "Too many sign-ins are in progress. Try again in a few seconds.";
    throw new AppError("UNAVAILABLE", message, { retryAfterSeconds: 2 });
  }

  async #queued<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= concurrency) {
      this.refuseWhenFull();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
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
