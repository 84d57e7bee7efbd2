import type { Audit } from "../../audit/audit.ts";
import type { Caller } from "../../auth/caller.ts";
import type { Confirmation } from "../../auth/confirmation/service.ts";
import { assertGoodPassword } from "../../auth/password-rules.ts";
import { PasswordReset } from "../../auth/password-reset/entities.ts";
import type { PasswordHasher } from "../../auth/passwords.ts";
import type { Sessions } from "../../auth/sessions.ts";
import type { WaysIn } from "../../auth/ways-in.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { AppError } from "../../errors.ts";
import { oneGiven } from "../../one-given.ts";
import type { Mail } from "../../mail/mailer.ts";
import { noticeUsefulMilliseconds, type MailOutbox } from "../../mail/outbox.ts";
import { emailChanged } from "../../mail/templates/email-changed.ts";
import { passwordChanged } from "../../mail/templates/password-changed.ts";
import { afterCommit } from "../../database/after-commit.ts";
import { ownAccount } from "../own-account.ts";
import { writeUser, type Users } from "../service.ts";

/** Any of the fields that people set for themselves. */
export interface ProfilePatch {
  displayName?: string | null | undefined;
  nickname?: string | null | undefined;
  avatarUrl?: string | null | undefined;
  notificationsEnabled?: boolean | undefined;
  emailNotificationsEnabled?: boolean | undefined;
}

export interface PasswordChange {
  currentPassword?: string | undefined;
  /** Another name for it. */
  oldPassword?: string | undefined;
  newPassword: string;
}

export interface EmailChange {
  currentPassword?: string | undefined;
  /** Another name for it. */
  password?: string | undefined;
  email: string;
}

interface Parts {
  users: Users;
  passwords: PasswordHasher;
  confirmation: Confirmation;
  waysIn: WaysIn;
  sessions: Sessions;
  mail: MailOutbox;
  audit: Audit;
  /** Told when somebody turns their notifications off, at once. */
  onNotificationsOff: (userId: string) => void;
}

/** What people change about their own account. */
export class Profile {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @returns the current user */
  async update(em: EntityManager, caller: Caller, patch: ProfilePatch) {
    const { users, audit, onNotificationsOff } = this.#parts;
    await em.transactional(async (tx) => {
      const user = await ownAccount(tx, caller.userId);
      if (patch.notificationsEnabled === false) afterCommit(tx, () => onNotificationsOff(user.id));
      const fields = Object.keys(patch).filter((key) => patch[key as keyof ProfilePatch] !== undefined);
      const shown = () => Object.fromEntries(fields.map((key) => [key, user[key as keyof ProfilePatch] ?? null]));
      const before = shown();
      tx.assign(user, Object.fromEntries(fields.map((key) => [key, patch[key as keyof ProfilePatch]])));
      await tx.flush();
      const event = { action: "user.update_profile", targetType: "user", targetId: user.id } as const;
      if (fields.length > 0) await audit.record(tx, caller, { ...event, before, after: shown() });
    });
    return await users.current(em, caller);
  }

  /**
   * Sets a new password. All other sessions end; this one and personal tokens stay.
   * @throws AppError FORBIDDEN for a wrong current password, BAD_REQUEST for a common one, TOO_MANY_REQUESTS, CONFLICT
   */
  async changePassword(em: EntityManager, caller: Caller, change: PasswordChange): Promise<void> {
    const { currentPassword, oldPassword, newPassword } = change;
    const { passwords, sessions, waysIn, audit } = this.#parts;
    const { given, field } = oneGiven({ currentPassword, oldPassword });
    const { user, passwordHash } = await this.#parts.confirmation.password(em, caller, given, field);
    const { username, email = null } = user;
    assertGoodPassword(newPassword, user, "newPassword");
    const hash = await passwords.hash(newPassword);
    await em.transactional(async (tx) => {
      const { numUpdatedRows } = await queries(tx)
        .updateTable("users")
        .set({ password_hash: hash })
        .where("id", "=", user.id)
        .where("password_hash", "=", passwordHash)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) throw new AppError("CONFLICT", "The password was changed at the same moment.");
      await tx.nativeDelete(PasswordReset, { userId: user.id });
      await audit.record(tx, caller, { action: "user.change_password", targetType: "user", targetId: user.id });
      await waysIn.changed(tx, caller, user.id, { event: "security.password_changed" });
      await sessions.endAll(tx, user.id, caller.sessionId);
    });
    if (email !== null) this.#tell(passwordChanged(email, { username }));
  }

  /**
   * Sets another e-mail address, and tells the old one.
   * @returns the current user
   * @throws AppError FORBIDDEN for a wrong current password, REAUTHENTICATION_REQUIRED, CONFLICT for somebody else's address, TOO_MANY_REQUESTS
   */
  async changeEmail(em: EntityManager, caller: Caller, { currentPassword, password, email }: EmailChange) {
    const { users, waysIn, audit } = this.#parts;
    await this.#confirmEmailChange(em, caller, { currentPassword, password });
    const told = await em.fork().transactional(async (tx) => {
      const user = await ownAccount(tx, caller.userId);
      const { username, email: before = null } = user;
      if (before === email) return null;
      user.email = email;
      await writeUser(tx, user);
      // A link that lies in the old mailbox must not open the account any more.
      await tx.nativeDelete(PasswordReset, { userId: user.id });
      const event = { action: "user.change_email", targetType: "user", targetId: user.id } as const;
      await audit.record(tx, caller, { ...event, before: { email: before }, after: { email } });
      await waysIn.changed(tx, caller, user.id, { event: "security.email_changed" });
      return before === null ? null : emailChanged(before, { username });
    });
    if (told) this.#tell(told);
    return await users.current(em.fork(), caller);
  }

  /** Where there is a password it has to be given, however fresh the session is. */
  async #confirmEmailChange(em: EntityManager, caller: Caller, given: Omit<EmailChange, "email">): Promise<void> {
    const { confirmation } = this.#parts;
    if (given.currentPassword === undefined && given.password === undefined) {
      await confirmation.require(em, caller);
      const { passwordHash } = await ownAccount(em, caller.userId);
      if (typeof passwordHash !== "string") return;
    }
    const { given: password, field } = oneGiven({
      currentPassword: given.currentPassword,
      password: given.password,
    });
    await confirmation.password(em, caller, password, field);
  }

  #tell(mail: Mail): void {
    this.#parts.mail.send(mail, noticeUsefulMilliseconds);
  }
}
