import { queries, type EntityManager } from "../../../database/database.ts";
import { AppError } from "../../../platform/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { hashOf, newOpaqueToken } from "../../../platform/opaque-tokens.ts";
import type { PendingSignIn } from "../../../access/caller.ts";

const lifetimeMilliseconds = 10 * 60_000;

/** Details of a completed first factor. */
export interface FirstFactor {
  rememberMe: boolean;
  /** The account's epoch when the first factor was checked. */
  accessEpoch: number;
}

/** Manages sign-ins pending a second factor. Their tokens are random and stored as hashes; no other kind of token is accepted. */
export class SignInChallenges {
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /**
   * @returns the `tempToken`
   * @throws AppError UNAUTHORIZED if the account is deleted or disabled, or its credentials have changed since the first factor was checked
   */
  async start(em: EntityManager, userId: string, { rememberMe, accessEpoch }: FirstFactor): Promise<string> {
    const token = newOpaqueToken();
    const expiresAt = new Date(this.#now().getTime() + lifetimeMilliseconds);
    // The lock on the user's row orders this with a change of credentials or status: it either commits first and is seen, or finds the challenge.
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
    throw new AppError("UNAUTHORIZED", "This account can no longer sign in this way. Sign in again.");
  }

  /** @throws AppError UNAUTHORIZED unless the token belongs to a pending sign-in of a user who may sign in */
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
      "The tempToken is missing, invalid or expired. Send it as `Authorization: Bearer …`, or sign in again.",
    );
  }

  /** Consumes the challenge. Only one of several parallel calls gets true. */
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
