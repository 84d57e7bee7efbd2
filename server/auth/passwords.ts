import { argon2id, hash, needsRehash, verify } from "argon2";
import { AppError } from "../errors.ts";

/** argon2id with 46 MiB, one pass, one lane (OWASP's first choice): about 40 ms on one core. */
const cost = { type: argon2id, memoryCost: 47_104, timeCost: 1, parallelism: 1 } as const;
const concurrency = 2;
const queueLimit = 20;

/**
 * Hashes and checks passwords, two at a time, so that a flood of sign-ins leaves the process responsive.
 * Beyond 20 waiting calls it answers UNAVAILABLE.
 */
export class PasswordHasher {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** Checked when the user is unknown, so that both cases take the same time. */
  #decoy: Promise<string> | undefined;

  async hash(password: string): Promise<string> {
    return await this.#queued(() => hash(normalise(password), cost));
  }

  /** @param stored PHC string; null for an unknown user or one without a password. */
  async verify(stored: string | null, password: string): Promise<boolean> {
    this.#decoy ??= hash("no password has this hash", cost);
    const target = stored ?? (await this.#decoy);
    const matches = await this.#queued(() => verify(target, normalise(password)));
    return stored !== null && matches;
  }

  /** Whether a stored hash is weaker than what we make today. */
  outdated(stored: string): boolean {
    return needsRehash(stored, cost);
  }

  async #queued<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= concurrency) {
      if (this.#waiting.length >= queueLimit) {
        throw new AppError(
          "UNAVAILABLE",
          "Too many people are signing in at this moment; try again in a few seconds.",
          {
            retryAfterSeconds: 2,
          },
        );
      }
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

/** The same password typed on another keyboard must match (RFC 8265 §4.1: NFC at the least). */
function normalise(password: string): string {
  return password.normalize("NFC");
}
