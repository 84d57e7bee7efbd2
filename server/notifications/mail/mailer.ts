import type { Transporter } from "nodemailer";
import type { Logger } from "../../platform/log.ts";
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
export type Attempt = "accepted" | "rejected" | "deferred";

/** An unresponsive mail server must not block callers. */
const connectMilliseconds = 5_000;
const answerMilliseconds = 15_000;

interface Parts {
  smtpUrl: string | undefined;
  from: string;
  log: Logger;
}

/** Sends mail through the server of SMTP_URL. Failures are logged and never thrown. */
export class Mailer {
  readonly #parts: Parts;
  #transport: Transporter | undefined;

  constructor(parts: Parts) {
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
