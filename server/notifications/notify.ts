import { sql } from "kysely";
import { afterCommit } from "../database/after-commit.ts";
import { jsonTexts, queries, type EntityManager } from "../database/database.ts";
import type { Logger } from "../platform/log.ts";
import type { InAppNotifications } from "./in-app-notifications.ts";
import type { Outbox } from "./channels/outbox.ts";
import type { EventMetadata, Notice, NotificationEvent, NotificationContent } from "../platform/events.ts";

/** A notice whose `metadata` type depends on its `event`. */
export type TypedNotice<Event extends NotificationEvent = NotificationEvent> = {
  [Each in Event]: Omit<Notice, "event" | "metadata"> & {
    event: Each;
    metadata: EventMetadata[Each] & Record<string, unknown>;
  };
}[Event];

/** Limits in UTF-16 code units: 200 notifications in any script fit into a reader's queue. */
const longestTitle = 200;
const longestContent = 1_000;

interface Parts {
  inApp: InAppNotifications;
  outbox: Outbox;
  mails: boolean;
  log: Logger;
  now: () => Date;
}

/** Sends notices to users and channels. Any module may call it; it calls none of them. */
export class Notifications {
  readonly #parts: Parts;

  /** @param parts.mails whether a mail server is configured */
  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Sends a notice once the transaction commits; a rollback discards it. Deliveries that must survive a crash, such as mail, are stored
   * within the transaction.
   */
  async notify(em: EntityManager, notice: Notice): Promise<void> {
    await this.notifyAll(em, [notice]);
  }

  /** Sends several notices with the same number of SQL statements as one. */
  async notifyAll(em: EntityManager, notices: readonly Notice[]): Promise<void> {
    if (notices.length === 0) return;
    const subscribers = await this.#parts.outbox.subscribers(em, [...new Set(notices.map(({ event }) => event))]);
    const { further } = subscribers;
    const persons = await personsOf(em, [...notices.map(({ to }) => to), ...further.values()]);
    const all = notices.map((notice) => {
      const { event, level, metadata } = notice;
      const title = clipped(notice.title, longestTitle);
      const content = clipped(notice.content, longestContent);
      const message = { event, title, content, level, metadata, createdAt: this.#parts.now() };
      const meant = among(persons, notice.to);
      const meantIds = new Set(meant.map(({ id }) => id));
      const others = among(persons, further.get(event) ?? {}).filter(({ id }) => !meantIds.has(id));
      const mails = this.#parts.mails && notice.mailed !== "separately";
      const mailTo = mails ? meant.filter((person) => person.byMail).map(({ id }) => id) : [];
      return {
        message,
        messageForOthers: forOthers(message, meant),
        inApp: inAppOf(meant),
        othersInApp: inAppOf(others),
        mailTo,
      };
    });
    await this.#parts.outbox.write(em, subscribers, all);
    afterCommit(em, () => {
      for (const { message, messageForOthers, inApp, othersInApp } of all) {
        const count = inApp.length + othersInApp.length;
        this.#parts.log.info({ event: message.event, metadata: message.metadata, message: count }, message.title);
        this.#parts.inApp.add(inApp, message);
        if (othersInApp.length > 0) this.#parts.inApp.add(othersInApp, messageForOthers);
      }
    });
  }
}

function inAppOf(persons: readonly Person[]): string[] {
  return persons.filter((person) => person.inApp).map(({ id }) => id);
}

/** Events to administrators whose text already names its subject. */
const namesItsSubject: ReadonlySet<string> = new Set<NotificationEvent>([
  "assignment.request",
  "security.administrator_added",
  "security.sign_in_provider_changed",
]);

/** Returns the content for recipients whom the notice does not address: a notice that says "you" is prefixed with the users' names. */
function forOthers(message: NotificationContent, meant: readonly Person[]): NotificationContent {
  if (!/^(?:security|assignment)\./.test(message.event) || namesItsSubject.has(message.event)) return message;
  const users = meant.map(({ id, username }) => ({ id, username }));
  if (users.length === 0) return message;
  const names = users.map(({ username }) => username).join(", ");
  const metadata = { ...message.metadata, users };
  return { ...message, title: clipped(`${names}: ${message.title}`, longestTitle), metadata };
}

interface Person {
  id: string;
  username: string;
  administrator: boolean;
  /** Whether in-app notifications are enabled. */
  inApp: boolean;
  /** Whether email notifications are enabled and the address is verified. */
  byMail: boolean;
}

/** Returns all named users who are not disabled, each once, with one query. */
async function personsOf(em: EntityManager, named: readonly Notice["to"][]): Promise<Person[]> {
  const userIds = [...new Set(named.flatMap((to) => to.userIds ?? []))];
  const administrators = named.some((to) => to.administrators === true);
  if (userIds.length === 0 && !administrators) return [];
  const rows = await queries(em)
    .selectFrom("users")
    .select(["id", "username", "role", "email_verified_by", "notifications_enabled", "email_notifications_enabled"])
    .where("disabled_at", "is", null)
    .where((eb) =>
      eb.or([
        eb("id", "in", sql<string>`(select value::uuid from ${jsonTexts(userIds)})`),
        ...(administrators ? [eb("role", "=", "admin")] : []),
      ]),
    )
    .execute();
  return rows.map((row) => ({
    id: row.id,
    username: row.username,
    administrator: row.role === "admin",
    inApp: row.notifications_enabled,
    byMail: row.email_notifications_enabled && row.email_verified_by !== null,
  }));
}

function among(persons: readonly Person[], { userIds = [], administrators = false }: Notice["to"]): Person[] {
  const ids = new Set(userIds);
  return persons.filter(({ id, administrator }) => ids.has(id) || (administrators && administrator));
}

function clipped(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}
