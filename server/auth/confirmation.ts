import type { EntityManager } from "../database/database.ts";
import { AppError, badField } from "../errors.ts";
import { ownAccount } from "../users/own-account.ts";
import type { Caller } from "./caller.ts";
import type { CurrentPassword } from "./current-password.ts";
import { Session } from "./entities.ts";

/** How long after a sign-in somebody without a password counts as confirmed. */
const recentMilliseconds = 10 * 60_000;

/** Makes sure that who changes how an account is protected is its owner, not somebody at an unlocked screen. */
export class Confirmation {
  readonly #currentPassword: CurrentPassword;
  readonly #now: () => Date;

  constructor(currentPassword: CurrentPassword, now: () => Date) {
    this.#currentPassword = currentPassword;
    this.#now = now;
  }

  /**
   * Checks the current password; where the account has none, that the session began a moment ago.
   * @throws AppError BAD_REQUEST without a password, FORBIDDEN for a wrong one or an old session (401 would make clients renew their session
   * and try again), TOO_MANY_REQUESTS after too many wrong ones
   */
  async confirm(em: EntityManager, caller: Caller, currentPassword: string | undefined): Promise<void> {
    const { passwordHash } = await ownAccount(em, caller.userId);
    if (typeof passwordHash !== "string") {
      await this.#requireRecentSignIn(em, caller);
      return;
    }
    if (currentPassword === undefined) throw badField(["currentPassword"], "Enter your current password.");
    await this.#currentPassword.confirm(em, caller, currentPassword, "currentPassword");
  }

  async #requireRecentSignIn(em: EntityManager, { sessionId }: Caller): Promise<void> {
    const since = new Date(this.#now().getTime() - recentMilliseconds);
    const recent = sessionId !== null && (await em.count(Session, { id: sessionId, createdAt: { $gte: since } })) > 0;
    if (!recent) {
      throw new AppError("FORBIDDEN", "Sign out and in again, then repeat this within ten minutes.");
    }
  }
}
