import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { argon2id, hash, needsRehash, verify } from "argon2";
import { AppError } from "../../platform/errors.ts";

/** argon2id with 46 MiB, one pass, one lane (OWASP's first choice): about 40 ms on one core. */
const cost = { type: argon2id, memoryCost: 47_104, timeCost: 1, parallelism: 1 } as const;
/** Half of the processors, and two at the most: the others go on with everybody's requests. */
const concurrency = Math.min(2, Math.max(1, Math.floor(availableParallelism() / 2)));
const queueLimit = 20;

/**
 * Hashes and checks passwords, one or two at a time, so that a flood of sign-ins leaves the process responsive.
 * Beyond 20 waiting calls it answers UNAVAILABLE.
 */
export class PasswordHasher {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** Checked when the user is unknown, so that both cases take the same time. No password has this hash. */
  readonly #decoy = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${base64(16)}$${base64(32)}`;

  async hash(password: string): Promise<string> {
    return await this.#queued(() => hash(normalise(password), cost));
  }

  /** @param stored PHC string; null for an unknown user or one without a password. */
  async verify(stored: string | null, password: string): Promise<boolean> {
    const matches = await this.#queued(() => verify(stored ?? this.#decoy, normalise(password)));
    return stored !== null && matches;
  }

  /** Whether a stored hash is weaker than what we make today. */
  outdated(stored: string): boolean {
    return !stored.startsWith("$argon2id$") || needsRehash(stored, cost);
  }

  /** For callers who have other work to do first, which would be in vain. @throws AppError UNAVAILABLE */
  refuseWhenFull(): void {
    if (this.#waiting.length < queueLimit) return;
    const message = "Too many people are signing in at this moment; try again in a few seconds.";
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

/** The same password typed on another keyboard must match (RFC 8265 §4.1: NFC at the least). */
function normalise(password: string): string {
  return password.normalize("NFC");
}

/** Random bytes as the PHC string format writes them: without padding. */
function base64(length: number): string {
  return randomBytes(length).toString("base64").replace(/=+$/, "");
}
