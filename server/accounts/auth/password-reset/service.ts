import { LockMode, sql } from "@mikro-orm/core";
import type { Actor } from "../../../access/caller.ts";
import type { Audit } from "../../../notifications/audit/audit.ts";
import type { Background } from "../../../platform/background.ts";
import { queries, type Database, type EntityManager } from "../../../database/database.ts";
import { badField, type AppError } from "../../../platform/errors.ts";
import {
  noticeUsefulMilliseconds,
  type MailOutbox,
  passwordChanged,
  passwordReset,
} from "../../../notifications/mail/outbox.ts";
import { User, PasswordReset } from "../../../database/tables/users.ts";
import { lockAccount, verifiedAddress, endOutstanding } from "../../users/account.ts";
import { hashOf, newOpaqueToken } from "../../../platform/ids.ts";
import { assertGoodPassword, type PasswordOwner } from "../../../platform/password-rules.ts";
import type { PasswordHasher } from "../passwords.ts";
import type { Sessions } from "../sessions.ts";
import type { WaysIn } from "../ways-in.ts";

const hour = 3_600_000;
const lifetimeMilliseconds = hour;
const mostPerHour = 3;

interface Parts {
  database: Database;
  passwords: PasswordHasher;
  sessions: Sessions;
  mail: MailOutbox;
  background: Background;
  waysIn: WaysIn;
  audit: Audit;
  siteUrl: string;
  now: () => Date;
}

/** Resets forgotten passwords through a link mailed to the account's verified address. */
export class PasswordResets {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Mails a link if an account with a password has verified this address. All work happens after the response, which reveals nothing. */
  request(email: string, actor: Actor): void {
    this.#parts.background.run("mailing a link for a new password", () => this.#mailLink(email, actor));
  }

  /**
   * Sets a new password and ends all sessions of the account. A link works once.
   * @throws AppError BAD_REQUEST if the link is unknown, used or expired, or if the password is easy to guess
   */
  async reset(
    em: EntityManager,
    actor: Actor,
    { token, newPassword }: { token: string; newPassword: string },
  ): Promise<void> {
    // Checked before hashing, so that callers without a valid link cannot cause that work.
    const owner = await this.#ownerOf(em, token);
    assertGoodPassword(newPassword, owner, "newPassword");
    const passwordHash = await this.#parts.passwords.hash(newPassword);
    const user = await em.transactional(async (tx) => {
      await lockAccount(tx, owner.id);
      const claimed = await queries(tx)
        .deleteFrom("password_resets")
        .where("token_hash", "=", hashOfLink(token))
        .where("expires_at", ">", this.#parts.now())
        .returning("user_id")
        .executeTakeFirst();
      const found = claimed && (await tx.findOne(User, { id: claimed.user_id, disabledAt: null }));
      if (!found) throw deadLink();
      found.passwordHash = passwordHash;
      await tx.flush();
      await endOutstanding(tx, found.id);
      await this.#parts.audit.record(tx, actor, {
        action: "user.reset_password",
        targetType: "user",
        targetId: found.id,
      });
      await this.#parts.waysIn.changed(tx, actor, found.id, { event: "security.password_changed" });
      await this.#parts.sessions.endAll(tx, found.id);
      return found;
    });
    const to = verifiedAddress(user);
    if (to !== null) this.#parts.mail.send(passwordChanged(to, user), noticeUsefulMilliseconds);
  }

  /** Returns the account whose password a link resets. @throws AppError BAD_REQUEST if the link is invalid */
  async #ownerOf(em: EntityManager, token: string): Promise<PasswordOwner & { id: string }> {
    const owner = await queries(em)
      .selectFrom("password_resets")
      .innerJoin("users", "users.id", "password_resets.user_id")
      .select(["users.id", "users.username", "users.email"])
      .where("token_hash", "=", hashOfLink(token))
      .where("expires_at", ">", this.#parts.now())
      .where("disabled_at", "is", null)
      .executeTakeFirst();
    if (!owner) throw deadLink();
    return owner;
  }

  async #mailLink(email: string, actor: Actor): Promise<void> {
    if (!this.#parts.mail.configured) return;
    const now = this.#parts.now();
    const token = newOpaqueToken();
    const asked = await this.#parts.database.fork().transactional(async (tx) => {
      // The lock serializes parallel calls. A concurrent change of address either commits first or finds the link.
      const account = { [sql.lower("email")]: email.toLowerCase(), emailVerifiedBy: { $ne: null }, disabledAt: null };
      const user = await tx.findOne(User, account, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!user?.email || typeof user.passwordHash !== "string") return null;
      const recent = { userId: user.id, createdAt: { $gt: new Date(now.getTime() - hour) } };
      if ((await tx.count(PasswordReset, recent)) >= mostPerHour) return null;
      const expiresAt = new Date(now.getTime() + lifetimeMilliseconds);
      tx.create(PasswordReset, { tokenHash: hashOfLink(token), userId: user.id, createdAt: now, expiresAt });
      await tx.flush();
      const event = { action: "user.forgot_password", targetType: "user", targetId: user.id } as const;
      await this.#parts.audit.record(tx, actor, event);
      return { to: user.email, username: user.username };
    });
    if (!asked) return;
    // In the fragment, which browsers never send to a server.
    const link = `${this.#parts.siteUrl}/reset-password#token=${token}`;
    this.#parts.mail.send(passwordReset(asked.to, { username: asked.username, link }), lifetimeMilliseconds);
  }
}

function deadLink(): AppError {
  return badField(["token"], "This link is invalid or has expired. Request a new one.");
}

function hashOfLink(token: string): string {
  return hashOf(`password reset ${token}`);
}
