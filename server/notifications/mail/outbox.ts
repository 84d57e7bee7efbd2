import { randomUUID } from "node:crypto";
import type { Background } from "../../platform/background.ts";
import type { Database } from "../../database/database.ts";
import type { Enqueue, Job } from "../../ops/jobs/jobs.ts";
import type { Logger } from "../../platform/log.ts";
import type { SecretCipher } from "../../platform/secret-cipher.ts";
import type { Mail, Mailer } from "./mailer.ts";

/** A mail waiting for a retry, encrypted because it may contain a link that grants access. */
export interface WaitingMail {
  sealed: string;
  /** Time after which it is no longer useful. */
  until: string;
}

/** How long a mail about an event remains useful. */
export const noticeUsefulMilliseconds = 2 * 24 * 3_600_000;

const jobName = "mail.send";
const aad = ["jobs", jobName];
const firstPauseMilliseconds = 30_000;

interface Parts {
  mailer: Mailer;
  cipher: SecretCipher;
  background: Background;
  database: Database;
  log: Logger;
  now: () => Date;
  enqueue: Enqueue;
}

/** Sends mail in the background: immediately, then with retries by a job. */
export class MailOutbox {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether a mail server is configured. */
  get configured(): boolean {
    return this.#parts.mailer.configured;
  }

  /** Sends a mail in the background. @param usefulFor milliseconds after which it is no longer sent, such as the lifetime of its link */
  send(mail: Mail, usefulFor: number): void {
    if (!this.configured) return;
    const { mailer, cipher, background, database, now, enqueue } = this.#parts;
    const known = { ...mail, messageId: mail.messageId ?? `<${randomUUID()}@zonewright>` };
    const until = new Date(now().getTime() + usefulFor).toISOString();
    background.run("sending a mail", async () => {
      if ((await mailer.attempt(known)) !== "deferred") return;
      const sealed = cipher.seal(JSON.stringify(known), aad);
      await enqueue(database.fork(), jobName, { sealed, until }, new Date(now().getTime() + firstPauseMilliseconds));
    });
  }

  readonly job: Job<WaitingMail> = {
    name: jobName,
    description: "Retries mails that the mail server deferred, as long as they are useful.",
    schedule: null,
    retries: { most: 60, firstSeconds: 60, longestSeconds: 3_600 },
    work: (waiting) => this.#sendAgain(waiting),
  };

  async #sendAgain({ sealed, until }: WaitingMail): Promise<void> {
    const { mailer, cipher, log, now } = this.#parts;
    const opened = cipher.open(sealed, aad);
    if (!opened.ok) {
      log.warn({ reason: opened.reason }, "a deferred mail cannot be decrypted and is dropped");
      return;
    }
    if (now() >= new Date(until)) {
      log.warn("a deferred mail is no longer useful and is dropped");
      return;
    }
    const attempt = await mailer.attempt(JSON.parse(opened.text) as Mail);
    if (attempt === "deferred") throw new Error("The mail server deferred the mail.");
  }
}
