import type { Database } from "../database/database.ts";
import type { Job } from "../jobs/jobs.ts";
import type { Logger } from "../platform/log.ts";
import type { Notifications } from "../notifications/notify.ts";
import { takeReminders } from "./due-reminders.ts";
import { reminderNotice } from "./reminder-notice.ts";

/** Domains per transaction: few enough that a crash loses little work and locks are brief. */
const batch = 500;

interface Parts {
  database: Database;
  notifications: Notifications;
  log: Logger;
  now: () => Date;
}

/**
 * Sends reminders of registrations that expire soon or have expired, once per date and threshold. After downtime, the next run sends
 * what was missed.
 */
export class ExpiryReminderJob implements Job {
  readonly #parts: Parts;
  readonly name = "expiry.remind";
  readonly description = "Sends reminders of registrations that expire soon or have expired.";
  /** Runs half an hour after most registrations end, so that auto-renewed ones have been looked up again. */
  readonly schedule = "35 * * * *";

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async work(_data: object, signal: AbortSignal): Promise<void> {
    const now = this.#parts.now();
    let sent = 0;
    let after: string | null = null;
    do {
      const from: string | null = after;
      after = await this.#parts.database.fork().transactional(async (tx) => {
        const { reminders, next } = await takeReminders(tx, now, from, batch);
        const notices = reminders.map((reminder) => reminderNotice(reminder, now));
        await this.#parts.notifications.notifyAll(tx, notices);
        sent += reminders.length;
        return next;
      });
    } while (after !== null && !signal.aborted);
    if (sent > 0) this.#parts.log.info({ reminders: sent }, "sent expiry reminders");
  }
}
