import { queries, type EntityManager } from "../../../database/database.ts";
import { AppError } from "../../../platform/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { hashOf, newOpaqueToken } from "../../../platform/opaque-tokens.ts";

const lifetimeMilliseconds = 10 * 60_000;

/** Somebody whose password was right and who has yet to show a second factor: all that a `tempToken` proves. */
export interface PendingSignIn {
  challengeId: string;
  userId: string;
  rememberMe: boolean;
}

/** How the first factor was shown. */
export interface FirstFactor {
  rememberMe: boolean;
  /** The account's when it was shown. */
  accessEpoch: number;
}

/** Sign-ins that wait for a second factor. Their tokens are random, stored hashed, and no other kind of token passes for one. */
export class SignInChallenges {
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /**
   * @returns the `tempToken`
   * @throws AppError UNAUTHORIZED when the account is gone or disabled, or its credentials were changed since the first factor was shown
   */
  async start(em: EntityManager, userId: string, { rememberMe, accessEpoch }: FirstFactor): Promise<string> {
    const token = newOpaqueToken();
    const expiresAt = new Date(this.#now().getTime() + lifetimeMilliseconds);
    // The user's row is locked: a change of credentials or status comes before this and is seen, or after it and finds the challenge.
    const { numInsertedOrUpdatedRows } = await queries(em)
      .insertInto("sign_in_challenges")
      .columns(["id", "token_hash", "user_id", "remember_me", "expires_at", "email_code_tries"])
      .expression((eb) =>
        eb
          .selectFrom("users")
          .select((of) => [
            of.cast<string>(of.val(newId()), "uuid").as("id"),
            of.val(hashOf(token)).as("token_hash"),
            "users.id as user_id",
            of.cast<boolean>(of.val(rememberMe), "boolean").as("remember_me"),
            of.cast<Date>(of.val(expiresAt), "timestamptz").as("expires_at"),
            of.lit(0).as("email_code_tries"),
          ])
          .where("users.id", "=", userId)
          .where("disabled_at", "is", null)
          .where("access_epoch", "=", accessEpoch)
          .forShare(),
      )
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 1n) return token;
    throw new AppError("UNAUTHORIZED", "This account cannot sign in any more; sign in again.");
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
