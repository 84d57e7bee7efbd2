import { randomUUID } from "node:crypto";
import type { Background } from "../platform/background.ts";
import type { Database } from "../database/database.ts";
import type { Enqueue, Job } from "../jobs/jobs.ts";
import type { Logger } from "../platform/log.ts";
import type { SecretCipher } from "../platform/secret-cipher.ts";
import type { Mail, Mailer } from "./mailer.ts";

/** A mail that waits for its next try. It may hold a link that is as good as a password, so it is kept sealed. */
export interface WaitingMail {
  sealed: string;
  /** Until when it is of any use. */
  until: string;
}

/** For how long it is worth while to tell somebody by mail what has happened. */
export const noticeUsefulMilliseconds = 2 * 24 * 3_600_000;

const jobName = "mail.send";
const place = ["jobs", jobName];
const firstPauseMilliseconds = 30_000;

interface Parts {
  mailer: Mailer;
  box: SecretCipher;
  background: Background;
  database: Database;
  log: Logger;
  now: () => Date;
  enqueue: Enqueue;
}

/** Mail that no answer waits for: sent at once, and again by a job while the mail server does not take it. */
export class MailOutbox {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether there is a mail server at all. */
  get configured(): boolean {
    return this.#parts.mailer.configured;
  }

  /** Sends in the background. @param usefulFor milliseconds; nobody is mailed a link that works no more. */
  send(mail: Mail, usefulFor: number): void {
    if (!this.configured) return;
    const { mailer, box, background, database, now, enqueue } = this.#parts;
    const known = { ...mail, messageId: mail.messageId ?? `<${randomUUID()}@zonewright>` };
    const until = new Date(now().getTime() + usefulFor).toISOString();
    background.run("a mail", async () => {
      if ((await mailer.attempt(known)) !== "later") return;
      const sealed = box.seal(JSON.stringify(known), place);
      await enqueue(database.fork(), jobName, { sealed, until }, new Date(now().getTime() + firstPauseMilliseconds));
    });
  }

  readonly job: Job<WaitingMail> = {
    name: jobName,
    description: "Sends a mail that the mail server did not take before, for as long as it is of use.",
    schedule: null,
    retries: { most: 60, firstSeconds: 60, longestSeconds: 3_600 },
    work: (waiting) => this.#sendAgain(waiting),
  };

  async #sendAgain({ sealed, until }: WaitingMail): Promise<void> {
    const { mailer, box, log, now } = this.#parts;
    const opened = box.open(sealed, place);
    if (!opened.ok) {
      log.warn({ reason: opened.reason }, "a waiting mail cannot be opened any more and is dropped");
      return;
    }
    if (now() >= new Date(until)) {
      log.warn("a waiting mail could not be sent while it was of use and is dropped");
      return;
    }
    const attempt = await mailer.attempt(JSON.parse(opened.text) as Mail);
    if (attempt === "later") throw new Error("The mail server does not take mail.");
  }
}
