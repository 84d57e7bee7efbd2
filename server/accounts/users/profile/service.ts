import { sql } from "kysely";
import type { Audit } from "../../../notifications/audit/audit.ts";
import type { Caller } from "../../../access/caller.ts";
import type { Confirmation } from "../../auth/confirmation/service.ts";
import { assertGoodPassword } from "../../../platform/password-rules.ts";
import type { PasswordHasher } from "../../auth/passwords.ts";
import { lockOwnAccount, lockWithAdministrators, ownAccount, verifiedAddress, endOutstanding } from "../account.ts";
import type { WaysIn } from "../../auth/ways-in.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import { AppError } from "../../../platform/errors.ts";
import { resolveAlias } from "../../../api/input-error.ts";
import {
  noticeUsefulMilliseconds,
  type MailOutbox,
  type Mail,
  emailChanged,
  passwordChanged,
} from "../../../notifications/mail/outbox.ts";
import { afterCommit } from "../../../database/after-commit.ts";
import { auditOf, type AccessRevocation } from "../access/revocation.ts";
import { refuseTaken, type EmailVerifications } from "../email/service.ts";
import { writeUser, type Users } from "../service.ts";
import type { z } from "zod";
import type {
  preferences,
  updatePreferencesInput,
  updateProfileInput,
  changePasswordInput,
  changeEmailInput,
} from "./schemas.ts";

/** The fields that users can set for themselves. */
export type ProfilePatch = z.infer<typeof updateProfileInput>;

export type PasswordChange = z.infer<typeof changePasswordInput>;

export type EmailChange = z.infer<typeof changeEmailInput>;

/** The number of ways to access an account, not counting its password. */
interface AccessLeft {
  sessions: number;
  tokens: number;
  keys: number;
  passkeys: number;
  identities: number;
}

interface Parts {
  users: Users;
  passwords: PasswordHasher;
  confirmation: Confirmation;
  waysIn: WaysIn;
  revocation: AccessRevocation;
  verifications: EmailVerifications;
  mail: MailOutbox;
  audit: Audit;
  now: () => Date;
  /** Called as soon as a user turns notifications off. */
  onNotificationsOff: (userId: string) => void;
}

/** Changes users' own accounts. */
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
   * Sets a new password, or the first one in a confirmed session, and revokes the selected ways to sign in. The caller's session stays open.
   * @returns how many other ways to sign in remain
   * @throws AppError FORBIDDEN for a wrong current password, REAUTHENTICATION_REQUIRED for a first one, BAD_REQUEST for a common one,
   * TOO_MANY_REQUESTS, CONFLICT
   */
  async changePassword(em: EntityManager, caller: Caller, change: PasswordChange): Promise<AccessLeft> {
    const { newPassword, revoke } = change;
    const { passwords, revocation, waysIn, audit, now } = this.#parts;
    const { user, passwordHash } = await this.#confirmPasswordChange(em, caller, change);
    assertGoodPassword(newPassword, user, "newPassword");
    const hash = await passwords.hash(newPassword);
    const left = await em.transactional(async (tx) => {
      if (revoke.includes("identities")) await lockWithAdministrators(tx, caller.userId);
      await lockOwnAccount(tx, caller);
      const { numUpdatedRows } = await queries(tx)
        .updateTable("users")
        .set({ password_hash: hash })
        .where("id", "=", user.id)
        .where("password_hash", passwordHash === null ? "is" : "=", passwordHash)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n)
        throw new AppError("CONFLICT", "The password was changed at the same time. Try again with the new one.");
      await endOutstanding(tx, user.id);
      const revoked = await revocation.revoke(tx, caller, user.id, { kinds: revoke, exceptSession: caller.sessionId });
      const ended = auditOf(revoked);
      await audit.record(tx, caller, {
        action: "user.change_password",
        targetType: "user",
        targetId: user.id,
        ...(Object.keys(ended).length > 0 ? { before: ended } : {}),
      });
      await waysIn.changed(tx, caller, user.id, { event: "security.password_changed" });
      await waysIn.revoked(tx, caller, user, revoked);
      return await accessLeft(tx, caller, now());
    });
    const to = verifiedAddress(user);
    if (to !== null)
      this.#sendLater(passwordChanged(to, { username: user.username, signedOut: revoke.includes("sessions") }));
    return left;
  }

  /**
   * Changes the email address, mails a verification link to the new address and notifies the old one.
   * An address that differs only in case stays verified.
   * @returns the current user
   * @throws AppError FORBIDDEN for a wrong current password, REAUTHENTICATION_REQUIRED, CONFLICT if another user has verified the address,
   * TOO_MANY_REQUESTS
   */
  async changeEmail(em: EntityManager, caller: Caller, { currentPassword, password, email }: EmailChange) {
    const { users, waysIn, audit, verifications } = this.#parts;
    await this.#confirmEmailChange(em, caller, { currentPassword, password });
    const mail = await em.fork().transactional(async (tx) => {
      await lockOwnAccount(tx, caller);
      const user = await ownAccount(tx, caller.userId);
      const { username, email: before = null } = user;
      if (before === email) return null;
      const oldAddress = verifiedAddress(user);
      const other = before?.toLowerCase() !== email.toLowerCase();
      if (other) await refuseTaken(tx, email, user.id);
      user.email = email;
      if (other) user.emailVerifiedBy = null;
      await writeUser(tx, user);
      await endOutstanding(tx, user.id);
      const refusal = verifiedAddress(user) === null && (await verifications.send(tx, user));
      if (refusal) throw refusal;
      await audit.record(tx, caller, {
        action: "user.change_email",
        targetType: "user",
        targetId: user.id,
        before: { email: before, emailVerified: oldAddress !== null },
        after: { email, emailVerified: verifiedAddress(user) !== null },
      });
      if (other) await waysIn.changed(tx, caller, user.id, { event: "security.email_changed" });
      return oldAddress !== null && other ? emailChanged(oldAddress, { username }) : null;
    });
    if (mail) this.#sendLater(mail);
    return await users.current(em.fork(), caller);
  }

  /** Requires the current password, or a confirmed session if the account has none. */
  async #confirmPasswordChange(em: EntityManager, caller: Caller, names: Omit<PasswordChange, "revoke">) {
    const { confirmation } = this.#parts;
    if (names.currentPassword === undefined && names.oldPassword === undefined) {
      const user = await ownAccount(em, caller.userId);
      if (typeof user.passwordHash !== "string") {
        assertGoodPassword(names.newPassword, user, "newPassword");
        await confirmation.require(em, caller);
        return { user, passwordHash: null };
      }
    }
    const { given, field } = resolveAlias({ currentPassword: names.currentPassword, oldPassword: names.oldPassword });
    return await confirmation.password(em, caller, given, field);
  }

  /** Requires the password if the account has one, even in a freshly confirmed session. */
  async #confirmEmailChange(em: EntityManager, caller: Caller, given: Omit<EmailChange, "email">): Promise<void> {
    const { confirmation } = this.#parts;
    if (given.currentPassword === undefined && given.password === undefined) {
      await confirmation.require(em, caller);
      const { passwordHash } = await ownAccount(em, caller.userId);
      if (typeof passwordHash !== "string") return;
    }
    const { given: password, field } = resolveAlias({
      currentPassword: given.currentPassword,
      password: given.password,
    });
    await confirmation.password(em, caller, password, field);
  }

  #sendLater(mail: Mail): void {
    this.#parts.mail.send(mail, noticeUsefulMilliseconds);
  }
}

/** Counts the ways to access an account, except its password and the calling session. */
async function accessLeft(
  em: EntityManager,
  { userId, sessionId }: { userId: string; sessionId: string | null },
  now: Date,
): Promise<AccessLeft> {
  const {
    rows: [left],
  } = await sql<AccessLeft>`select
    (select count(*)::int from sessions
      where user_id = ${userId} and revoked_at is null and expires_at > ${now} and id is distinct from ${sessionId}::uuid
        and exists (select from refresh_tokens
          where session_id = sessions.id and rotated_at is null and refresh_tokens.expires_at > ${now})) as sessions,
    (select count(*)::int from personal_tokens
      where user_id = ${userId} and (expires_at is null or expires_at > ${now})) as tokens,
    (select count(*)::int from tsig_keys
      where user_id = ${userId} and (expires_at is null or expires_at > ${now})) as keys,
    (select count(*)::int from passkeys where user_id = ${userId}) as passkeys,
    (select count(*)::int from identity_bindings where user_id = ${userId}) as identities`.execute(queries(em));
  return left ?? { sessions: 0, tokens: 0, keys: 0, passkeys: 0, identities: 0 };
}

type Preferences = z.infer<typeof preferences>;

const none: Preferences = { pinnedZones: [], savedSearches: [], columns: {} };
const mostBytes = 64 * 1024;

/** Returns what a user chose for their own pages; empty lists if nothing. */
export async function readPreferences(em: EntityManager, userId: string): Promise<Preferences> {
  const row = await queries(em)
    .selectFrom("user_preferences")
    .select("preferences")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return { ...none, ...(row?.preferences as Partial<Preferences> | undefined) };
}

/**
 * Stores the given fields and keeps the others. The account's lock orders writers in two browsers.
 * @throws AppError BAD_REQUEST if all of them together are too large
 */
export async function writePreferences(
  em: EntityManager,
  caller: Caller,
  given: z.infer<typeof updatePreferencesInput>,
): Promise<Preferences> {
  return await em.transactional(async (tx) => {
    await lockOwnAccount(tx, caller);
    const next = { ...(await readPreferences(tx, caller.userId)) };
    if (given.pinnedZones) next.pinnedZones = given.pinnedZones;
    if (given.savedSearches) next.savedSearches = given.savedSearches;
    if (given.columns) next.columns = given.columns;
    const json = JSON.stringify(next);
    if (Buffer.byteLength(json) > mostBytes)
      throw new AppError(
        "BAD_REQUEST",
        "Your preferences would exceed 64 KiB. Remove a pinned zone or a saved search.",
      );
    await queries(tx)
      .insertInto("user_preferences")
      .values({ user_id: caller.userId, preferences: json })
      .onConflict((on) => on.column("user_id").doUpdateSet({ preferences: json }))
      .execute();
    return next;
  });
}
