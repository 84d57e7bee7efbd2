import type { Caller, Actor } from "../../access/caller.ts";
import { afterCommit } from "../../database/after-commit.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { noticeUsefulMilliseconds, type MailOutbox, securityNotice } from "../../notifications/mail/outbox.ts";
import type { EventMetadata } from "../../platform/events.ts";
import type { Notifications, TypedNotice } from "../../notifications/notify.ts";

export type NewAdministrator = Pick<
  EventMetadata["security.administrator_added"],
  "userId" | "username" | "how" | "invitationId"
>;

export type ProviderChange = Pick<
  EventMetadata["security.sign_in_provider_changed"],
  "configId" | "providerId" | "provider" | "change" | "fields"
>;

const ways: Record<NewAdministrator["how"], string> = {
  created: "was added as an administrator",
  registered: "registered as an administrator",
  promoted: "was made an administrator",
  enabled: "was enabled as an administrator",
};

interface Parts {
  notifications: Notifications;
  mail: MailOutbox;
}

/** Warns administrators of changes that open the installation to others, in case someone else made them. */
export class AdministratorNotices {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Notifies of a new administrator. Call it within the transaction that grants the role. */
  async added(tx: EntityManager, actor: Actor, added: NewAdministrator): Promise<void> {
    await this.#warn(tx, administratorAdded(added, actor));
  }

  /** Notifies of a change to how users sign in. Call it within the transaction that makes the change. */
  async providerChanged(tx: EntityManager, actor: Actor, change: ProviderChange): Promise<void> {
    await this.#warn(tx, signInProviderChanged(change, actor));
  }

  /** Notifies in the application and by mail, regardless of mail preferences: an intruder could turn those off. */
  async #warn(tx: EntityManager, notice: TypedNotice): Promise<void> {
    await this.#parts.notifications.notify(tx, notice);
    const administrators = await queries(tx)
      .selectFrom("users")
      .select("email")
      .where("role", "=", "admin")
      .where("disabled_at", "is", null)
      .where("email", "is not", null)
      .where("email_verified_by", "is not", null)
      .execute();
    afterCommit(tx, () => {
      for (const { email } of administrators)
        if (email !== null) this.#parts.mail.send(securityNotice(email, notice), noticeUsefulMilliseconds);
    });
  }
}

/** Returns the notice about a new administrator. */
export function administratorAdded(
  added: NewAdministrator,
  actor: Actor | Caller,
): TypedNotice<"security.administrator_added"> {
  return {
    event: "security.administrator_added",
    title: `${added.username} ${ways[added.how]}`,
    content: `${origin(actor)} If you did not expect this, disable that account and check the audit trail.`,
    metadata: { ...added, ...source(actor) },
    ...warning,
  };
}

/** Returns the notice about a change to a sign-in provider, which affects all users. */
export function signInProviderChanged(
  change: ProviderChange,
  actor: Actor | Caller,
): TypedNotice<"security.sign_in_provider_changed"> {
  const fields = change.fields.length > 0 ? ` Changed: ${change.fields.join(", ")}.` : "";
  return {
    event: "security.sign_in_provider_changed",
    title: `Sign-in with ${change.provider} was ${change.change}`,
    content: `${origin(actor)}${fields} If you did not expect this, disable the provider and check the audit trail.`,
    metadata: { ...change, ...source(actor) },
    ...warning,
  };
}

const warning = { level: "warning", to: { administrators: true }, mailed: "separately" } as const;

/** Returns who made the change, and from where. A visitor who registers has no name yet. */
function source(actor: Actor | Caller) {
  const byUsername = "username" in actor ? actor.username : null;
  return { byUserId: actor.userId, byUsername, ip: actor.ip };
}

function origin(actor: Actor | Caller): string {
  const { byUsername, ip } = source(actor);
  return `The change was made${byUsername === null ? "" : ` by ${byUsername}`} from ${ip ?? "an unknown address"}.`;
}
