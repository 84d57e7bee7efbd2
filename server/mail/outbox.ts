import { randomUUID } from "node:crypto";
import type { Background } from "../background.ts";
import type { Database, EntityManager } from "../database/database.ts";
import type { Job } from "../jobs/jobs.ts";
import type { Logger } from "../log.ts";
import type { SecretBox } from "../secret-box.ts";
import type { Mail, Mailer } from "./mailer.ts";

/** A mail that waits for its next try. It may hold a link that is as good as a password, so it is kept sealed. */
export interface WaitingMail {
  sealed: string;
  /** Until when it is of any use. */
  until: string;
}

/** For how long it is worth while to tell somebody by mail what has happened. */
export const noticeUsefulMilliseconds = 2 * 24 * 3_600_000;

const place = ["jobs", "mail.send"] as const;
const jobName = "mail.send";

/** Mail that no answer waits for: sent at once, and again by a job while the mail server does not take it. */
export class MailOutbox {
  readonly #mailer: Mailer;
  readonly #box: SecretBox;
  readonly #background: Background;
  readonly #database: Database;
  readonly #log: Logger;
  readonly #now: () => Date;
  readonly #ask: (em: EntityManager, job: { name: string }, data: WaitingMail, at: Date) => Promise<void>;

  constructor(parts: {
    mailer: Mailer;
    box: SecretBox;
    background: Background;
    database: Database;
    log: Logger;
    now: () => Date;
    ask: (em: EntityManager, job: { name: string }, data: WaitingMail, at: Date) => Promise<void>;
  }) {
    this.#mailer = parts.mailer;
    this.#box = parts.box;
    this.#background = parts.background;
    this.#database = parts.database;
    this.#log = parts.log;
    this.#now = parts.now;
    this.#ask = parts.ask;
  }

  /** Whether there is a mail server at all. */
  get configured(): boolean {
    return this.#mailer.configured;
  }

  /** Sends in the background. @param usefulFor milliseconds; nobody is mailed a link that works no more. */
  send(mail: Mail, usefulFor: number): void {
    if (!this.configured) return;
    const known = { ...mail, messageId: mail.messageId ?? `<${randomUUID()}@zonewright>` };
    const until = new Date(this.#now().getTime() + usefulFor).toISOString();
    this.#background.run("a mail", async () => {
      if ((await this.#mailer.attempt(known)) !== "later") return;
      const sealed = this.#box.seal(JSON.stringify(known), place);
      const next = new Date(this.#now().getTime() + 30_000);
      await this.#ask(this.#database.fork(), { name: jobName }, { sealed, until }, next);
    });
  }

  readonly job: Job<WaitingMail> = {
    name: jobName,
    description: "Sends a mail that the mail server did not take before, for as long as it is of use.",
    schedule: null,
    retries: { most: 60, firstSeconds: 60, longestSeconds: 3_600 },
    work: async ({ sealed, until }) => {
      const opened = this.#box.open(sealed, place);
      if (!opened.ok) {
        this.#log.warn({ reason: opened.reason }, "a waiting mail cannot be opened any more and is dropped");
        return;
      }
      if (this.#now() >= new Date(until)) {
        this.#log.warn("a waiting mail could not be sent while it was of use and is dropped");
        return;
      }
      if ((await this.#mailer.attempt(JSON.parse(opened.text) as Mail)) === "later") {
        throw new Error("The mail server does not take mail.");
      }
    },
  };
}
