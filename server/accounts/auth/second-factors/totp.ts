import { generateSecret, generateURI, verify } from "otplib";
import { queries, type EntityManager } from "../../../database/database.ts";
import { AppError } from "../../../platform/errors.ts";
import type { TotpSecrets } from "./totp-secrets.ts";

/** One time step before and after the present one (RFC 6238 §5.2): clocks differ, and typing takes time. */
const toleranceSeconds = 30;

/** Codes of authenticator apps (RFC 6238: SHA-1, six digits, 30 seconds, which is all that apps agree on). */
export class Totp {
  readonly #secrets: TotpSecrets;
  readonly #now: () => Date;

  constructor(secrets: TotpSecrets, now: () => Date) {
    this.#secrets = secrets;
    this.#now = now;
  }

  /**
   * Makes a secret that waits for its first code; an earlier one that still waits is forgotten.
   * @throws AppError CONFLICT when an app is in use
   */
  async setUp(em: EntityManager, user: { id: string; username: string }) {
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
      throw new AppError("CONFLICT", "An authenticator app is set up already; remove it first.");
    return { secret, otpauthUrl: generateURI({ issuer: "Zonewright", label: user.username, secret }) };
  }

  /** @throws AppError CONFLICT when there is nothing that waits for its first code */
  async requireWaiting(em: EntityManager, userId: string): Promise<void> {
    const waiting = await queries(em)
      .selectFrom("totp_factors")
      .select("user_id")
      .where("user_id", "=", userId)
      .where("enabled_at", "is", null)
      .executeTakeFirst();
    if (!waiting)
      throw new AppError("CONFLICT", "Call totp/setup first, and enter its secret in an authenticator app.");
  }

  /** Turns the waiting secret on by its first code. Of parallel calls one does it. */
  async enable(em: EntityManager, userId: string, code: string): Promise<boolean> {
    return await this.#useCode(em, userId, code, "waiting");
  }

  /** Uses a code up. It counts once for the account, whichever sign-in it is for. */
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
    // The condition makes parallel uses of one code take turns: the first moves the step on, the others find it moved.
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

/** The time step whose code this is, or null. @param code six digits; otplib throws for anything else */
async function matchingStep(secret: string, code: string, now: Date): Promise<number | null> {
  const epoch = Math.floor(now.getTime() / 1_000);
  const result = await verify({ secret, token: code, epoch, epochTolerance: toleranceSeconds });
  return result.valid && "timeStep" in result ? result.timeStep : null;
}
