import { createHash, randomBytes } from "node:crypto";
import { queries, type EntityManager } from "../../database/database.ts";
import { AppError } from "../../errors.ts";
import { newId } from "../../ids.ts";

const lifetimeMilliseconds = 10 * 60_000;

/** Somebody whose password was right and who has yet to show a second factor: all that a `tempToken` proves. */
export interface PendingSignIn {
  challengeId: string;
  userId: string;
  rememberMe: boolean;
}

/** Sign-ins that wait for a second factor. Their tokens are random, stored hashed, and no other kind of token passes for one. */
export class SignInChallenges {
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** @returns the `tempToken` */
  async start(em: EntityManager, userId: string, rememberMe: boolean): Promise<string> {
    const token = randomBytes(32).toString("base64url");
    await queries(em)
      .insertInto("sign_in_challenges")
      .values({
        id: newId(),
        token_hash: hashOf(token),
        user_id: userId,
        remember_me: rememberMe,
        expires_at: new Date(this.#now().getTime() + lifetimeMilliseconds),
        email_code_tries: 0,
      })
      .execute();
    return token;
  }

  /** @throws AppError UNAUTHORIZED for anything but a token whose sign-in still waits, of a user who may sign in */
  async authenticate(em: EntityManager, token: string | null): Promise<PendingSignIn> {
    const row =
      token === null
        ? undefined
        : await queries(em)
            .selectFrom("sign_in_challenges")
            .innerJoin("users", "users.id", "sign_in_challenges.user_id")
            .select(["sign_in_challenges.id", "sign_in_challenges.user_id", "sign_in_challenges.remember_me"])
            .where("sign_in_challenges.token_hash", "=", hashOf(token))
            .where("sign_in_challenges.used_at", "is", null)
            .where("sign_in_challenges.expires_at", ">", this.#now())
            .where("users.disabled_at", "is", null)
            .executeTakeFirst();
    if (row) return { challengeId: row.id, userId: row.user_id, rememberMe: row.remember_me };
    throw new AppError(
      "UNAUTHORIZED",
      "Send the tempToken of the last sign-in as `Authorization: Bearer …`; after ten minutes, sign in again.",
    );
  }

  /** Ends the waiting. Of parallel calls one gets true. */
  async use(em: EntityManager, challengeId: string): Promise<boolean> {
    const { numUpdatedRows } = await queries(em)
      .updateTable("sign_in_challenges")
      .set({ used_at: this.#now() })
      .where("id", "=", challengeId)
      .where("used_at", "is", null)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
