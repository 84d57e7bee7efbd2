import { afterCommit } from "../database/after-commit.ts";
import type { EntityManager } from "../database/database.ts";
import type { Logger } from "../log.ts";
import type { Inbox } from "./inbox.ts";
import type { Outbox } from "../channels/outbox.ts";
import type { Told } from "./mailbox.ts";
import { among, personsOf, type Person } from "./recipients.ts";

/** What users and channels can be told of. */
export const notificationEvents = [
  "assignment.create",
  "assignment.delete",
  "assignment.request",
  "assignment.approve",
  "assignment.reject",
  "domain.expiring",
  "domain.expired",
  "domain.expiry_check_failed",
  "record.change_failed",
  "zone.drift",
  "security.new_sign_in",
  "security.factor_added",
  "security.factor_removed",
  "security.recovery_codes_replaced",
  "security.identity_added",
  "security.identity_removed",
  "security.token_created",
  "security.access_revoked",
  "security.email_changed",
  "security.password_changed",
  "channel.disabled",
] as const;

export type NotificationEvent = (typeof notificationEvents)[number];

/** When it is told, and who is told beside the channels that subscribe to it. */
export const eventNotes: Readonly<Record<NotificationEvent, { when: string; to: string }>> = {
  "assignment.create": { when: "An administrator assigned a domain, or some of its hosts.", to: "the member" },
  "assignment.delete": { when: "An assignment was taken back, or its domain deleted.", to: "the member" },
  "assignment.request": { when: "A member asks for an assignment.", to: "administrators" },
  "assignment.approve": { when: "A request was approved.", to: "who asked" },
  "assignment.reject": { when: "A request was rejected.", to: "who asked" },
  "domain.expiring": {
    when: "A registration ends soon: once for each date and each of the domain's `expiryRemindDays`.",
    to: "the domain's owner and administrators",
  },
  "domain.expired": {
    when: "A registration has ended: once for each date.",
    to: "the domain's owner and administrators",
  },
  "domain.expiry_check_failed": {
    when: "The daily look-up of an expiry date came to nothing three times: once until one succeeds. Beyond twenty domains in a day, one notice stands for all.",
    to: "the domain's owner and administrators",
  },
  "record.change_failed": {
    when: "A change whose outcome was not known at first turned out to have failed, in part or as a whole.",
    to: "who made the change, and the domain's owner",
  },
  "zone.drift": {
    when: "A zone was found to differ from what its provider serves: once until they agree again.",
    to: "the domain's owner and administrators",
  },
  "security.new_sign_in": {
    when: "A sign-in from an address and program that none of the user's sessions came from.",
    to: "the user",
  },
  "security.factor_added": { when: "A passkey, an authenticator app or codes by e-mail were set up.", to: "the user" },
  "security.factor_removed": { when: "One of these was removed.", to: "the user" },
  "security.recovery_codes_replaced": { when: "New recovery codes were made.", to: "the user" },
  "security.identity_added": { when: "An identity provider was bound to the account.", to: "the user" },
  "security.identity_removed": { when: "An identity provider was unbound.", to: "the user" },
  "security.token_created": { when: "A personal token was made.", to: "the user" },
  "security.access_revoked": {
    when: "An administrator took ways into the account away, or its owner did with a new password.",
    to: "the user",
  },
  "security.email_changed": { when: "The account's e-mail address was changed.", to: "the user" },
  "security.password_changed": {
    when: "The password was changed, also by a mailed link or by an administrator.",
    to: "the user",
  },
  "channel.disabled": {
    when: "A channel took nothing for two days, or wants nothing more, and was disabled.",
    to: "administrators",
  },
};

export const notificationLevels = ["info", "success", "warning", "error"] as const;

export type NotificationLevel = (typeof notificationLevels)[number];

/** Something that people should hear of. Nothing in it may be a secret. */
export interface Notice {
  event: NotificationEvent;
  title: string;
  content: string;
  level: NotificationLevel;
  /** What programs need to know of it. Domain events carry `domainId` and `domainName`. */
  metadata: Readonly<Record<string, unknown>>;
  /** Who is told in the application and, where they wish, by e-mail. Channels are told of every notice that they subscribe to. */
  to: { userIds?: readonly string[]; administrators?: boolean };
  /** `separately`: whoever notifies sends the mail as well, to everybody and not only to those who wish it. */
  mailed?: "separately";
}

/** Two hundred notifications together then stay below what may wait for a reader, in any script. */
const longestTitle = 200;
const longestContent = 1_000;

/** Tells people of what has happened. Everyone may call it; it calls nobody. */
export class Notifications {
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #mails: boolean;
  readonly #log: Logger;
  readonly #now: () => Date;

  /** @param parts.mails whether there is a mail server */
  constructor(parts: { inbox: Inbox; outbox: Outbox; mails: boolean; log: Logger; now: () => Date }) {
    this.#inbox = parts.inbox;
    this.#outbox = parts.outbox;
    this.#mails = parts.mails;
    this.#log = parts.log;
    this.#now = parts.now;
  }

  /**
   * Tells of it once the unit of work's transaction is committed: what is taken back is not told. What is to survive a crash, such as mail,
   * is written down within it.
   */
  async notify(em: EntityManager, notice: Notice): Promise<void> {
    await this.notifyAll(em, [notice]);
  }

  /** The same of many, in as many statements as of one. */
  async notifyAll(em: EntityManager, notices: readonly Notice[]): Promise<void> {
    if (notices.length === 0) return;
    const subscribers = await this.#outbox.subscribers(em, [...new Set(notices.map(({ event }) => event))]);
    const { further } = subscribers;
    const persons = await personsOf(em, [...notices.map(({ to }) => to), ...further.values()]);
    const all = notices.map((notice) => {
      const { event, level, metadata } = notice;
      const title = clipped(notice.title, longestTitle);
      const content = clipped(notice.content, longestContent);
      const told = { event, title, content, level, metadata, createdAt: this.#now() };
      const meant = among(persons, notice.to);
      const meantIds = new Set(meant.map(({ id }) => id));
      const others = among(persons, further.get(event) ?? {}).filter(({ id }) => !meantIds.has(id));
      const mails = this.#mails && notice.mailed !== "separately";
      const mailTo = mails ? meant.filter((person) => person.byMail).map(({ id }) => id) : [];
      return { told, toldOthers: forOthers(told, meant), inApp: inAppOf(meant), othersInApp: inAppOf(others), mailTo };
    });
    await this.#outbox.write(em, subscribers, all);
    afterCommit(em, () => {
      for (const { told, toldOthers, inApp, othersInApp } of all) {
        const count = inApp.length + othersInApp.length;
        this.#log.info({ event: told.event, metadata: told.metadata, told: count }, told.title);
        this.#inbox.add(inApp, told);
        if (othersInApp.length > 0) this.#inbox.add(othersInApp, toldOthers);
      }
    });
  }
}

function inAppOf(persons: readonly Person[]): string[] {
  return persons.filter((person) => person.inApp).map(({ id }) => id);
}

/** What a notice says to people whom it does not address: one that says "you" also says who that is. */
function forOthers(told: Told, meant: readonly Person[]): Told {
  if (!/^(?:security|assignment)\./.test(told.event) || told.event === "assignment.request") return told;
  const users = meant.map(({ id, username }) => ({ id, username }));
  if (users.length === 0) return told;
  const names = users.map(({ username }) => username).join(", ");
  const metadata = { ...told.metadata, users };
  return { ...told, title: clipped(`${names}: ${told.title}`, longestTitle), metadata };
}

function clipped(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}
