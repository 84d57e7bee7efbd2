import { randomUUID } from "node:crypto";
import type { Background } from "../../platform/background.ts";
import type { Database } from "../../database/database.ts";
import type { Enqueue, Job } from "../../ops/jobs/runner.ts";
import type { Logger } from "../../platform/log.ts";
import type { SecretCipher } from "../../platform/secret-cipher.ts";
import type { Transporter } from "nodemailer";
import { loadedLate } from "../../platform/late-modules.ts";

const loadNodemailer = loadedLate(() => import("nodemailer"));

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Default: a new one. Reused for retries, so that the recipient's side can detect duplicates. */
  messageId?: string;
}

/** `accepted` by the mail server; `rejected` permanently; `deferred`: a retry may succeed. */
type Attempt = "accepted" | "rejected" | "deferred";

/** An unresponsive mail server must not block callers. */
const connectMilliseconds = 5_000;
const answerMilliseconds = 15_000;

interface MailerParts {
  smtpUrl: string | undefined;
  from: string;
  log: Logger;
}

/** Sends mail through the server of SMTP_URL. Failures are logged and never thrown. */
export class Mailer {
  readonly #parts: MailerParts;
  #transport: Transporter | undefined;

  constructor(parts: MailerParts) {
    this.#parts = parts;
  }

  /** Whether a mail server is configured; features that need mail are available only then. */
  get configured(): boolean {
    return this.#parts.smtpUrl !== undefined;
  }

  /** Sends a mail. @returns whether the mail server accepted it */
  async send(mail: Mail): Promise<boolean> {
    return (await this.attempt(mail)) === "accepted";
  }

  async attempt(mail: Mail): Promise<Attempt> {
    const { smtpUrl, from } = this.#parts;
    if (smtpUrl === undefined) return "rejected";
    try {
      const transport = await this.#open(smtpUrl);
      await transport.sendMail({ from, ...mail });
      return "accepted";
    } catch (error) {
      this.#parts.log.warn({ reason: reasonOf(error), subject: mail.subject }, "sending a mail failed");
      return isPermanent(error) ? "rejected" : "deferred";
    }
  }

  close(): void {
    this.#transport?.close();
  }

  async #open(url: string): Promise<Transporter> {
    const { createTransport } = await loadNodemailer();
    return (this.#transport ??= createTransport({
      url,
      connectionTimeout: connectMilliseconds,
      greetingTimeout: connectMilliseconds,
      socketTimeout: answerMilliseconds,
      disableFileAccess: true,
      disableUrlAccess: true,
    }));
  }
}

/** Returns whether the mail server rejected this message permanently: a 5yz reply about the message itself (RFC 5321 §4.2.1). */
function isPermanent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  return (code === "EENVELOPE" || code === "EMESSAGE") && responseCode !== undefined && responseCode >= 500;
}

/** Returns the error code and SMTP status, without sent commands, which contain credentials and addresses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const status = "responseCode" in error && typeof error.responseCode === "number" ? ` ${error.responseCode}` : "";
  return `${code}${status}`;
}

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
