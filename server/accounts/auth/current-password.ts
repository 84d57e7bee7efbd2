import type { Audit } from "../../audit/audit.ts";
import type { EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import type { Guesses } from "../../limits/guesses.ts";
import type { User } from "../../database/tables/users.ts";
import { ownAccount } from "../users/own-account.ts";
import type { Caller } from "../../access/caller.ts";
import type { PasswordHasher } from "./passwords.ts";

/** A user whose password is known to be right at this moment. */
export interface ConfirmedUser {
  user: User;
  passwordHash: string;
}

/** Has somebody who is signed in show the password again, before what a stolen session must not be enough for. */
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
   * Not within a transaction: a wrong one is kept in the trail.
   * @param field the input's field that holds it
   * @throws AppError FORBIDDEN when it is wrong, TOO_MANY_REQUESTS, CONFLICT for an account that has none. Not UNAUTHORIZED: the
   * session is fine, and clients would renew it and try the wrong password again.
   */
  async confirm(em: EntityManager, caller: Caller, password: string, field: string): Promise<ConfirmedUser> {
    const user = await ownAccount(em, caller.userId);
    const { passwordHash } = user;
    if (typeof passwordHash !== "string") {
      throw new AppError("CONFLICT", "This account has no password; ask for a link to set one first.");
    }
    const guess = { secret: "password", account: user.id, ip: caller.ip } as const;
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
