import type { Database } from "../database/database.ts";
import type { Job } from "../jobs/jobs.ts";
import type { Logger } from "../platform/log.ts";
import type { Notifications } from "../notifications/notify.ts";
import { takeReminders } from "./due-reminders.ts";
import { reminderNotice } from "./reminder-notice.ts";

/** Domains in one transaction: few enough that a crash costs little and that others hardly wait. */
const batch = 500;

/**
 * Tells of registrations that end soon or have ended, each once for its date and threshold. What was missed while nothing ran is made up for by
 * the next run.
 */
export class ExpiryReminderJob implements Job {
  readonly name = "expiry.remind";
  readonly description = "Reminds of registrations that end soon or have ended.";
  /** Half an hour after most registrations end, so that those that renewed by themselves have been looked up again. */
  readonly schedule = "35 * * * *";
  readonly #database: Database;
  readonly #notifications: Notifications;
  readonly #log: Logger;
  readonly #now: () => Date;

  constructor(parts: { database: Database; notifications: Notifications; log: Logger; now: () => Date }) {
    this.#database = parts.database;
    this.#notifications = parts.notifications;
    this.#log = parts.log;
    this.#now = parts.now;
  }

  async work(_data: object, signal: AbortSignal): Promise<void> {
    const now = this.#now();
    let told = 0;
    let after: string | null = null;
    do {
      const from: string | null = after;
      after = await this.#database.fork().transactional(async (tx) => {
        const { reminders, next } = await takeReminders(tx, now, from, batch);
        const notices = reminders.map((reminder) => reminderNotice(reminder, now));
        await this.#notifications.notifyAll(tx, notices);
        told += reminders.length;
        return next;
      });
    } while (after !== null && !signal.aborted);
    if (told > 0) this.#log.info({ reminders: told }, "reminded of expiry dates");
  }
}
