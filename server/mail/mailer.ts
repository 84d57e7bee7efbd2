import { createTransport, type Transporter } from "nodemailer";
import type { Logger } from "../platform/log.ts";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Left out: a new one. The same one on each try lets the reader's side see that two are one. */
  messageId?: string;
}

/** `taken` by the mail server; `refused` for good; `later`: it may take it another time. */
export type Attempt = "taken" | "refused" | "later";

/** A mail server that does not answer must not hold up whoever waits for the mail. */
const connectMilliseconds = 5_000;
const answerMilliseconds = 15_000;

/** Sends mail by the server of SMTP_URL. A failure is logged and never breaks the call that wanted to tell somebody something. */
export class Mailer {
  readonly #transport: Transporter | null;
  readonly #from: string;
  readonly #log: Logger;

  constructor(parts: { smtpUrl: string | undefined; from: string; log: Logger }) {
    this.#transport =
      parts.smtpUrl === undefined
        ? null
        : createTransport({
            url: parts.smtpUrl,
            connectionTimeout: connectMilliseconds,
            greetingTimeout: connectMilliseconds,
            socketTimeout: answerMilliseconds,
            disableFileAccess: true,
            disableUrlAccess: true,
          });
    this.#from = parts.from;
    this.#log = parts.log;
  }

  /** Whether there is a mail server at all: what depends on mail is offered only then. */
  get configured(): boolean {
    return this.#transport !== null;
  }

  /** @returns whether the mail server took it. */
  async send(mail: Mail): Promise<boolean> {
    return (await this.attempt(mail)) === "taken";
  }

  async attempt(mail: Mail): Promise<Attempt> {
    if (!this.#transport) return "refused";
    try {
      await this.#transport.sendMail({ from: this.#from, ...mail });
      return "taken";
    } catch (error) {
      this.#log.warn({ reason: reasonOf(error), subject: mail.subject }, "a mail could not be sent");
      return isFinal(error) ? "refused" : "later";
    }
  }

  close(): void {
    this.#transport?.close();
  }
}

/** Whether the mail server refused this message: 5yz to what is about the message itself (RFC 5321 §4.2.1). */
function isFinal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  return (code === "EENVELOPE" || code === "EMESSAGE") && responseCode !== undefined && responseCode >= 500;
}

/** What the mail server or the network said. Commands that were sent, which hold credentials and addresses, stay out. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const status = "responseCode" in error && typeof error.responseCode === "number" ? ` ${error.responseCode}` : "";
  return `${code}${status}`;
}
