import { createHmac, randomInt, timingSafeEqual } from "node:crypto";
import { sql } from "kysely";
import { queries, type EntityManager } from "../../../database/database.ts";
import { AppError } from "../../../platform/errors.ts";
import type { Keyring } from "../../../platform/secret-cipher.ts";
import { type Mailer, signInCode } from "../../../notifications/mail/outbox.ts";

const lifetimeMilliseconds = 10 * 60_000;
const triesPerCode = 5;
const minute = 60_000;
const hour = 60 * minute;
const sendsPerHour = 5;

/** Sends and checks codes by mail: six digits, valid for ten minutes, five attempts and only the sign-in that requested them. */
export class EmailCodes {
  readonly #keys: readonly Uint8Array[];
  readonly #mailer: Mailer;
  readonly #now: () => Date;

  constructor(keyring: Keyring, mailer: Mailer, now: () => Date) {
    this.#keys = keyring.keysFor("email-code");
    this.#mailer = mailer;
    this.#now = now;
  }

  /** Whether a mail server is configured. */
  get configured(): boolean {
    return this.#mailer.configured;
  }

  /** Returns whether a code could reach this user now. @param user.email verified */
  reaches({ email }: { email: string | null }): boolean {
    return this.configured && email !== null;
  }

  /** @throws AppError CONFLICT if no code could be sent */
  async enable(em: EntityManager, user: { id: string; email: string | null }): Promise<boolean> {
    if (!this.#mailer.configured)
      throw new AppError("CONFLICT", "This installation sends no mail. Use an authenticator app or a passkey.");
    if (!this.reaches(user)) throw new AppError("CONFLICT", "Your account has no email address. Add one first.");
    const { numInsertedOrUpdatedRows } = await queries(em)
      .insertInto("email_factors")
      .values({ user_id: user.id, enabled_at: this.#now(), sent_within_hour: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }

  async remove(em: EntityManager, userId: string): Promise<boolean> {
    const { numDeletedRows } = await queries(em)
      .deleteFrom("email_factors")
      .where("user_id", "=", userId)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }

  /**
   * Sends a code for a sign-in and invalidates its earlier code.
   * @throws AppError TOO_MANY_REQUESTS beyond one a minute and five an hour, UNAVAILABLE if the mail server does not accept the mail
   */
  async send(em: EntityManager, user: { id: string; email: string }, challengeId: string): Promise<void> {
    await this.#takeSend(em, user.id);
    const code = String(randomInt(1_000_000)).padStart(6, "0");
    await queries(em)
      .updateTable("sign_in_challenges")
      .set({
        email_code_hash: this.#hashes(challengeId, code)[0] ?? null,
        email_code_expires_at: new Date(this.#now().getTime() + lifetimeMilliseconds),
        email_code_tries: 0,
      })
      .where("id", "=", challengeId)
      .execute();
    if (await this.#mailer.send(signInCode(user.email, code))) return;
    throw new AppError("UNAVAILABLE", "The mail could not be sent. Use another second factor, or try again later.", {
      retryAfterSeconds: 60,
    });
  }

  /** Counts an attempt and compares the code. A correct code cannot be reused once its challenge is used. */
  async check(em: EntityManager, challengeId: string, code: string): Promise<boolean> {
    const challenge = await queries(em)
      .updateTable("sign_in_challenges")
      .set(({ eb }) => ({ email_code_tries: eb("email_code_tries", "+", 1) }))
      .where("id", "=", challengeId)
      .where("email_code_tries", "<", triesPerCode)
      .where("email_code_expires_at", ">", this.#now())
      .returning("email_code_hash")
      .executeTakeFirst();
    const stored = challenge?.email_code_hash;
    if (typeof stored !== "string") return false;
    return this.#hashes(challengeId, code).some((hash) => timingSafeEqual(Buffer.from(hash), Buffer.from(stored)));
  }

  /** Counts a mail, in one statement so that parallel calls cannot exceed the limit together. */
  async #takeSend(em: EntityManager, userId: string): Promise<void> {
    const now = this.#now();
    const hourAgo = new Date(now.getTime() - hour);
    const minuteAgo = new Date(now.getTime() - minute);
    const freshHour = sql<boolean>`(hour_began_at is null or hour_began_at <= ${hourAgo})`;
    const { numUpdatedRows } = await queries(em)
      .updateTable("email_factors")
      .set({
        last_sent_at: now,
        hour_began_at: sql<Date>`case when ${freshHour} then ${now}::timestamptz else hour_began_at end`,
        sent_within_hour: sql<number>`case when ${freshHour} then 1 else sent_within_hour + 1 end`,
      })
      .where("user_id", "=", userId)
      .where((eb) => eb.or([eb("last_sent_at", "is", null), eb("last_sent_at", "<=", minuteAgo)]))
      .where((eb) => eb.or([freshHour, eb("sent_within_hour", "<", sendsPerHour)]))
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw await this.#tooManySends(em, userId);
  }

  async #tooManySends(em: EntityManager, userId: string): Promise<AppError> {
    const factor = await queries(em)
      .selectFrom("email_factors")
      .select(["last_sent_at", "hour_began_at", "sent_within_hour"])
      .where("user_id", "=", userId)
      .executeTakeFirst();
    const full = (factor?.sent_within_hour ?? 0) >= sendsPerHour;
    const minuteEnds = (factor?.last_sent_at?.getTime() ?? 0) + minute;
    const hourEnds = full ? (factor?.hour_began_at?.getTime() ?? 0) + hour : 0;
    // Uses the current time, not the start of the call: the mail that caused the limit may have been sent in between.
    const seconds = Math.max(1, Math.ceil((Math.max(minuteEnds, hourEnds) - this.#now().getTime()) / 1_000));
    return new AppError("TOO_MANY_REQUESTS", `A code was sent recently. Request another in ${seconds} seconds.`, {
      retryAfterSeconds: seconds,
    });
  }

  /** Returns the code's hash under each key, newest first. Hashes include the challenge, so a code works only for its own sign-in. */
  #hashes(challengeId: string, code: string): string[] {
    return this.#keys.map((key) => createHmac("sha256", key).update(`${challengeId} ${code}`).digest("base64url"));
  }
}
