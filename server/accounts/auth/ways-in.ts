import type { Actor } from "../../access/actor.ts";
import { afterCommit } from "../../database/after-commit.ts";
import type { EntityManager } from "../../database/database.ts";
import { noticeUsefulMilliseconds, type MailOutbox } from "../../mail/outbox.ts";
import { securityNotice } from "../../mail/letters.ts";
import type { Notifications } from "../../notifications/notify.ts";
import type { Revoked } from "../users/access/revocation.ts";
import { verifiedAddress } from "../users/email/verified-address.ts";
import type { User } from "../../database/tables/users.ts";
import { ownAccount } from "../users/own-account.ts";
import { wayInNotice, type WayInChange } from "./way-in-notice.ts";

const hasOwnMail: ReadonlySet<WayInChange["event"]> = new Set(["security.email_changed", "security.password_changed"]);

interface Parts {
  notifications: Notifications;
  mail: MailOutbox;
}

/** Notifies an account's owner of every change to a way to sign in, in case someone else made it. */
export class WaysIn {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Notifies in the application and by mail, regardless of the owner's mail preferences. Call it within the transaction that makes the change:
   * nothing is sent before the commit. Changes of the address and the password have their own mails.
   */
  async changed(tx: EntityManager, actor: Actor, userId: string, change: WayInChange): Promise<void> {
    const user = await ownAccount(tx, userId);
    await this.#notify(tx, actor, user, verifiedAddress(user), change);
  }

  /**
   * Notifies of several ways removed together. Does nothing if none was removed; sessions do not count.
   * @param user as before the change: the mail goes to the previous address
   */
  async revoked(
    tx: EntityManager,
    actor: Actor,
    user: User,
    { tokens, keys, passkeys, identities, ...factors }: Revoked,
  ): Promise<void> {
    const ways = [
      ...(factors.password ? ["the password"] : []),
      ...(tokens.length > 0 ? [counted(tokens.length, "personal token")] : []),
      ...(keys.length > 0 ? [counted(keys.length, "TSIG key")] : []),
      ...(passkeys.length > 0 ? [counted(passkeys.length, "passkey")] : []),
      ...(identities.length > 0 ? [`sign-in with ${identities.join(", ")}`] : []),
      ...(factors.totp ? ["the authenticator app"] : []),
      ...(factors.email ? ["sign-in codes by email"] : []),
    ];
    if (ways.length === 0) return;
    await this.#notify(tx, actor, user, verifiedAddress(user), { event: "security.access_revoked", ways });
  }

  async #notify(
    tx: EntityManager,
    actor: Actor,
    { id: userId, username }: User,
    to: string | null,
    change: WayInChange,
  ): Promise<void> {
    const notice = wayInNotice(change, { userId, username, ip: actor.ip });
    await this.#parts.notifications.notify(tx, notice);
    if (hasOwnMail.has(change.event) || to === null) return;
    const mail = securityNotice(to, notice);
    afterCommit(tx, () => this.#parts.mail.send(mail, noticeUsefulMilliseconds));
  }
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}
