import { afterCommit } from "../database/after-commit.ts";
import type { EntityManager } from "../database/database.ts";
import type { Logger } from "../platform/log.ts";
import type { InAppNotifications } from "./in-app-notifications.ts";
import type { Outbox } from "./channels/outbox.ts";
import type { EventMetadata, Notice, NotificationEvent, Told } from "../platform/events.ts";
import { among, personsOf, type Person } from "./recipients.ts";

/** A notice whose metadata are those of its event. */
export type TypedNotice<Event extends NotificationEvent = NotificationEvent> = {
  [Each in Event]: Omit<Notice, "event" | "metadata"> & {
    event: Each;
    metadata: EventMetadata[Each] & Record<string, unknown>;
  };
}[Event];

/** Two hundred notifications together then stay below what may wait for a reader, in any script. */
const longestTitle = 200;
const longestContent = 1_000;

/** Tells people of what has happened. Everyone may call it; it calls nobody. */
export class Notifications {
  readonly #inbox: InAppNotifications;
  readonly #outbox: Outbox;
  readonly #mails: boolean;
  readonly #log: Logger;
  readonly #now: () => Date;

  /** @param parts.mails whether there is a mail server */
  constructor(parts: { inbox: InAppNotifications; outbox: Outbox; mails: boolean; log: Logger; now: () => Date }) {
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

/** Notices to administrators about somebody or something that they name themselves. */
const namingWhom: ReadonlySet<string> = new Set<NotificationEvent>([
  "assignment.request",
  "security.administrator_added",
  "security.sign_in_provider_changed",
]);

/** What a notice says to people whom it does not address: one that says "you" also says who that is. */
function forOthers(told: Told, meant: readonly Person[]): Told {
  if (!/^(?:security|assignment)\./.test(told.event) || namingWhom.has(told.event)) return told;
  const users = meant.map(({ id, username }) => ({ id, username }));
  if (users.length === 0) return told;
  const names = users.map(({ username }) => username).join(", ");
  const metadata = { ...told.metadata, users };
  return { ...told, title: clipped(`${names}: ${told.title}`, longestTitle), metadata };
}

function clipped(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}
