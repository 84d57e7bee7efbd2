import { sql } from "kysely";
import type { Actor } from "../../access/caller.ts";
import { afterCommit } from "../../database/after-commit.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { noticeUsefulMilliseconds, type MailOutbox, securityNotice } from "../../notifications/mail/outbox.ts";
import type { Notifications, TypedNotice } from "../../notifications/notify.ts";
import type { Revoked } from "../users/access/revocation.ts";
import type { User } from "../../database/tables/users.ts";
import { hasWayIn, ownAccount, verifiedAddress } from "../users/account.ts";
import type { Method } from "./second-factors/methods.ts";
import { AppError } from "../../platform/errors.ts";

/** A way to sign in that was added, removed or replaced. Names are those its owner chose; nothing here is secret. */
export type WayInChange =
  | { event: "security.factor_added" | "security.factor_removed"; method: Method; name: string | null }
  | { event: "security.recovery_codes_replaced" }
  | { event: "security.identity_added" | "security.identity_removed"; providerId: string; provider: string }
  | { event: "security.access_revoked"; ways: readonly string[] }
  | { event: "security.token_created"; tokenId: string; name: string }
  | { event: "security.feed_created"; feedId: string; name: string }
  | { event: "security.key_created"; keyId: string; keyName: string; name: string | null; domainName: string }
  | { event: "security.email_changed" | "security.password_changed" };

const hasOwnMail: ReadonlySet<WayInChange["event"]> = new Set(["security.email_changed", "security.password_changed"]);

const newPassword = "set a new password";

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
    { tokens, feeds, keys, passkeys, identities, ...factors }: Revoked,
  ): Promise<void> {
    const ways = [
      ...(factors.password ? ["the password"] : []),
      ...(tokens.length > 0 ? [counted(tokens.length, "personal token")] : []),
      ...(feeds.length > 0 ? [counted(feeds.length, "calendar feed")] : []),
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

/**
 * Keeps users from locking themselves out. Call it after removing a way to sign in, before the transaction commits. Passwords, identities at
 * enabled providers and passkeys count. Lock the user's row with `lockAccount` first: the lock lasts until the transaction ends, so parallel
 * calls cannot each remove one of the last two.
 * @throws AppError CONFLICT if no way to sign in remains
 */
export async function refuseLastWayIn(tx: EntityManager, userId: string): Promise<void> {
  const {
    rows: [left],
  } = await sql<{ open: boolean }>`select ${hasWayIn(sql`${userId}::uuid`)} as open`.execute(queries(tx));
  if (left?.open) return;
  throw new AppError("CONFLICT", "This is your last way to sign in. Set up another one first.");
}

/** The account that changed, and the address the change came from. */
interface ChangedAccount {
  userId: string;
  username: string;
  ip: string | null;
}

/** Returns the notice to an account's owner, for the application, channels and mail. */
export function wayInNotice(change: WayInChange, { userId, username, ip }: ChangedAccount): TypedNotice {
  const { event, ...details } = change;
  const [title, advice] = words(change, username);
  return {
    event,
    title,
    content: `The change came from ${ip ?? "an unknown address"}. If ${username} did not make it, ${advice}`,
    level: "warning",
    metadata: { userId, username, ...details, ip },
    to: { userIds: [userId] },
    mailed: "separately",
    // The change carries the fields of its event, but the compiler cannot infer that through the rest.
  } satisfies Omit<TypedNotice, "event" | "metadata"> & { event: string; metadata: object } as TypedNotice;
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

/** Returns a title, and advice in case someone else made the change. */
function words(change: WayInChange, username: string): [title: string, advice: string] {
  const to = `the account ${username}`;
  switch (change.event) {
    case "security.factor_added":
      return [`${factorWas(change)} added to ${to}`, `${newPassword} and remove it.`];
    case "security.factor_removed":
      return [`${factorWas(change)} removed from ${to}`, `${newPassword} and set the second factor up again.`];
    case "security.recovery_codes_replaced":
      return [`The recovery codes of ${to} were replaced`, `${newPassword} and generate new codes.`];
    case "security.identity_added":
      return [`Sign-in with ${change.provider} was added to ${to}`, `${newPassword} and unbind it.`];
    case "security.identity_removed":
      return [`Sign-in with ${change.provider} was removed from ${to}`, `${newPassword} and bind it again.`];
    case "security.access_revoked":
      return [`Access to ${to} was revoked: ${change.ways.join(", ")}`, "contact an administrator immediately."];
    case "security.token_created":
      return [`The personal token ${change.name} was created for ${to}`, `${newPassword} and delete the token.`];
    case "security.feed_created":
      return [`The calendar feed ${change.name} was created for ${to}`, `${newPassword} and delete the feed.`];
    case "security.key_created":
      return [
        `The TSIG key ${change.name ?? change.keyName} for ${change.domainName} was created for ${to}`,
        `${newPassword} and delete the key.`,
      ];
    case "security.password_changed":
      return [`The password of ${to} was changed`, "request a new one and contact an administrator immediately."];
    default:
      return [`The email address of ${to} was changed`, "contact an administrator immediately."];
  }
}

function factorWas({ method, name }: { method: Method; name: string | null }): string {
  if (method === "passkey") return `The passkey ${name} was`;
  return method === "totp" ? "An authenticator app was" : "Sign-in codes by email were";
}
