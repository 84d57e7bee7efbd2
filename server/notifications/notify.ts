import { afterCommit } from "../database/after-commit.ts";
import type { EntityManager } from "../database/database.ts";
import type { Logger } from "../log.ts";
import type { Inbox } from "./inbox.ts";
import { recipientsOf } from "./recipients.ts";

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
  "channel.disabled",
] as const;

export type NotificationEvent = (typeof notificationEvents)[number];

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
}

/** Two hundred notifications together then stay below what may wait for a reader, in any script. */
const longestTitle = 200;
const longestContent = 1_000;

/** Tells people of what has happened. Everyone may call it; it calls nobody. */
export class Notifications {
  readonly #inbox: Inbox;
  readonly #log: Logger;
  readonly #now: () => Date;

  constructor(parts: { inbox: Inbox; log: Logger; now: () => Date }) {
    this.#inbox = parts.inbox;
    this.#log = parts.log;
    this.#now = parts.now;
  }

  /**
   * Tells of it once the unit of work's transaction is committed: what is taken back is not told. What is to survive a crash, such as mail,
   * is written down within it.
   */
  async notify(em: EntityManager, notice: Notice): Promise<void> {
    const { event, level, metadata } = notice;
    const title = clipped(notice.title, longestTitle);
    const content = clipped(notice.content, longestContent);
    const userIds = await recipientsOf(em, notice.to);
    const told = { event, title, content, level, metadata, createdAt: this.#now() };
    afterCommit(em, () => {
      this.#log.info({ event, metadata, told: userIds.length }, title);
      this.#inbox.add(userIds, told);
    });
  }
}

function clipped(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}
