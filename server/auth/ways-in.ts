import type { Actor } from "../audit/actor.ts";
import { afterCommit } from "../database/after-commit.ts";
import type { EntityManager } from "../database/database.ts";
import { noticeUsefulMilliseconds, type MailOutbox } from "../mail/outbox.ts";
import { wayInChanged } from "../mail/templates/way-in-changed.ts";
import type { Notifications } from "../notifications/notify.ts";
import { ownAccount } from "../users/own-account.ts";
import { wayInNotice, type WayInChange } from "./way-in-notice.ts";

const hasOwnMail: ReadonlySet<WayInChange["event"]> = new Set(["security.email_changed", "security.password_changed"]);

/** Notifies the owner of an account of every change of a way into it: who did not make it must hear of it. */
export class WaysIn {
  readonly #notifications: Notifications;
  readonly #mail: MailOutbox;

  constructor(parts: { notifications: Notifications; mail: MailOutbox }) {
    this.#notifications = parts.notifications;
    this.#mail = parts.mail;
  }

  /**
   * Notifies in the application and by mail, whatever the owner wishes to have mailed otherwise. Call it within the transaction that makes the
   * change: nothing goes out before its commit. Changes of the address and the password have mails of their own.
   */
  async changed(tx: EntityManager, actor: Actor, userId: string, change: WayInChange): Promise<void> {
    const { username, email } = await ownAccount(tx, userId);
    const notice = wayInNotice(change, { userId, username, ip: actor.ip });
    await this.#notifications.notify(tx, notice);
    if (hasOwnMail.has(change.event) || typeof email !== "string") return;
    const mail = wayInChanged(email, notice);
    afterCommit(tx, () => this.#mail.send(mail, noticeUsefulMilliseconds));
  }
}
