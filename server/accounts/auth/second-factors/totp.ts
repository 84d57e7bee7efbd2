import { queries, type EntityManager } from "../../../database/database.ts";
import { AppError } from "../../../platform/errors.ts";
import { loadedLate } from "../../../platform/late-modules.ts";
import { ensureSealed } from "../../../database/ensure-sealed.ts";
import type { Logger } from "../../../platform/log.ts";
import type { SecretCipher } from "../../../platform/secret-cipher.ts";

const loadLibrary = loadedLate(() => import("otplib"));

/** One time step before and after the current one (RFC 6238 §5.2), to allow for clock drift and typing. */
const toleranceSeconds = 30;

/** Manages codes of authenticator apps (RFC 6238: SHA-1, six digits, 30 seconds, the only settings that all apps support). */
export class Totp {
  readonly #secrets: TotpSecrets;
  readonly #now: () => Date;

  constructor(secrets: TotpSecrets, now: () => Date) {
    this.#secrets = secrets;
    this.#now = now;
  }

  /**
   * Creates a secret that is pending until its first code, and discards an earlier pending one.
   * @throws AppError CONFLICT if an app is already set up
   */
  async setUp(em: EntityManager, user: { id: string; username: string }) {
    const { generateSecret, generateURI } = await loadLibrary();
    const secret = generateSecret();
    const sealed = this.#secrets.seal(user.id, secret);
    const { numInsertedOrUpdatedRows } = await queries(em)
      .insertInto("totp_factors")
      .values({ user_id: user.id, secret: sealed, last_step: 0, enabled_at: null })
      .onConflict((conflict) =>
        conflict
          .column("user_id")
          .doUpdateSet({ secret: sealed, last_step: 0 })
          .where("totp_factors.enabled_at", "is", null),
      )
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 0n)
      throw new AppError("CONFLICT", "An authenticator app is already set up. Remove it first.");
    return { secret, otpauthUrl: generateURI({ issuer: "Zonewright", label: user.username, secret }) };
  }

  /** @throws AppError CONFLICT if no secret is pending */
  async requireWaiting(em: EntityManager, userId: string): Promise<void> {
    const waiting = await queries(em)
      .selectFrom("totp_factors")
      .select("user_id")
      .where("user_id", "=", userId)
      .where("enabled_at", "is", null)
      .executeTakeFirst();
    if (!waiting)
      throw new AppError(
        "CONFLICT",
        "No setup is pending. Call `POST /api/2fa/totp/setup` first, and enter its secret in an authenticator app.",
      );
  }

  /** Enables the pending secret with its first code. Only one of several parallel calls succeeds. */
  async enable(em: EntityManager, userId: string, code: string): Promise<boolean> {
    return await this.#useCode(em, userId, code, "waiting");
  }

  /** Consumes a code. A code works once per account, across all sign-ins. */
  async use(em: EntityManager, userId: string, code: string): Promise<boolean> {
    return await this.#useCode(em, userId, code, "enabled");
  }

  async remove(em: EntityManager, userId: string): Promise<boolean> {
    const { numDeletedRows } = await queries(em)
      .deleteFrom("totp_factors")
      .where("user_id", "=", userId)
      .where("enabled_at", "is not", null)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }

  async #useCode(em: EntityManager, userId: string, code: string, state: "waiting" | "enabled"): Promise<boolean> {
    const operator = state === "waiting" ? "is" : "is not";
    const factor = await queries(em)
      .selectFrom("totp_factors")
      .select("secret")
      .where("user_id", "=", userId)
      .where("enabled_at", operator, null)
      .executeTakeFirst();
    if (!factor) return false;
    const now = this.#now();
    const step = await matchingStep(this.#secrets.open(userId, factor.secret), code, now);
    if (step === null) return false;
    // The condition serializes parallel uses of one code: the first advances the step, and the others match no row.
    const { numUpdatedRows } = await queries(em)
      .updateTable("totp_factors")
      .set({ last_step: step, ...(state === "waiting" ? { enabled_at: now } : {}) })
      .where("user_id", "=", userId)
      .where("enabled_at", operator, null)
      .where("secret", "=", factor.secret)
      .where("last_step", "<", step)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }
}

/** Manages the secrets of authenticator apps, encrypted at rest and bound to their user. */
export class TotpSecrets {
  readonly #box: SecretCipher;

  constructor(box: SecretCipher) {
    this.#box = box;
  }

  seal(userId: string, secret: string): string {
    return this.#box.seal(secret, aadOf(userId));
  }

  /** @throws AppError UNAUTHORIZED, with what to do next, if no key decrypts the secret */
  open(userId: string, sealed: string): string {
    const opened = this.#box.open(sealed, aadOf(userId));
    if (opened.ok) return opened.text;
    const note = { text: "the secret of an authenticator app cannot be read", userId, reason: opened.reason };
    throw new AppError(
      "UNAUTHORIZED",
      "The secret of this authenticator app can no longer be read. Use another second factor or a recovery code.",
      { note },
    );
  }

  /** Encrypts the secrets with the newest of SECRET_KEYS. */
  async ensureSealed(em: EntityManager, log: Logger): Promise<void> {
    await ensureSealed(em, log, {
      table: "totp_factors",
      column: "secret",
      type: "text",
      id: "user_id",
      name: "user_id",
      of: "authenticator apps",
      resealed: ({ user_id, secret }) => this.#box.resealed(secret, aadOf(user_id)),
    });
  }
}

function aadOf(userId: string): string[] {
  return ["totp_factors", userId];
}

/** Returns the time step that a code belongs to, or null. @param code six digits; otplib throws for anything else */
async function matchingStep(secret: string, code: string, now: Date): Promise<number | null> {
  const epoch = Math.floor(now.getTime() / 1_000);
  const { verify } = await loadLibrary();
  const result = await verify({ secret, token: code, epoch, epochTolerance: toleranceSeconds });
  return result.valid && "timeStep" in result ? result.timeStep : null;
}
