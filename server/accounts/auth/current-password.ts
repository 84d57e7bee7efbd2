import type { Audit } from "../../notifications/audit/audit.ts";
import type { EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import type { Guesses } from "../../api/limits/guesses.ts";
import type { User } from "../../database/tables/users.ts";
import { ownAccount } from "../users/own-account.ts";
import type { Caller } from "../../access/caller.ts";
import type { PasswordHasher } from "./passwords.ts";

/** A user whose password has just been verified. */
export interface ConfirmedUser {
  user: User;
  passwordHash: string;
}

/** Verifies the password of a signed-in user again, before actions that a stolen session must not allow. */
export class CurrentPassword {
  readonly #passwords: PasswordHasher;
  readonly #guesses: Guesses;
  readonly #audit: Audit;

  constructor(passwords: PasswordHasher, guesses: Guesses, audit: Audit) {
    this.#passwords = passwords;
    this.#guesses = guesses;
    this.#audit = audit;
  }

  /**
   * Verifies the current password. Do not call it in a transaction: a failure must remain in the audit trail.
   * @param field the input field that holds the password
   * @throws AppError FORBIDDEN if it is wrong, TOO_MANY_REQUESTS, CONFLICT if the account has no password. Not UNAUTHORIZED: the session is
   * still valid, and clients would renew it and retry the wrong password.
   */
  async confirm(em: EntityManager, caller: Caller, password: string, field: string): Promise<ConfirmedUser> {
    const user = await ownAccount(em, caller.userId);
    const { passwordHash } = user;
    if (typeof passwordHash !== "string") {
      throw new AppError(
        "CONFLICT",
        "This account has no password. Set one in your account, or confirm with a passkey or a new sign-in.",
      );
    }
    const guess = { secret: "password", account: user.id, device: caller.sessionId, from: caller } as const;
    const right = await this.#guesses.check(guess, async () =>
      (await this.#passwords.verify(passwordHash, password)) ? true : null,
    );
    if (right) return { user, passwordHash };
    await this.#audit.record(em, caller, {
      action: "auth.confirmation_failed",
      targetType: "user",
      targetId: user.id,
    });
    const message = "The current password is wrong.";
    throw new AppError("FORBIDDEN", message, {
      issues: [{ path: [field], message }],
      note: { text: "a wrong current password was given", userId: user.id, ip: caller.ip },
    });
  }
}
