import { randomUUID } from "node:crypto";
import type { Background } from "../../platform/background.ts";
import type { Database } from "../../database/database.ts";
import type { Enqueue, Job } from "../../ops/jobs/runner.ts";
import type { Logger } from "../../platform/log.ts";
import type { SecretCipher } from "../../platform/secret-cipher.ts";
import type { SMTPSentMessageInfo, Transporter } from "nodemailer";
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

/** The recipients for whom the mail server did not accept a mail: permanently, or for now. */
interface Unaccepted {
  rejected: readonly string[];
  deferred: readonly string[];
  /** The mail server could not be reached or took no mail, whoever the recipients are. */
  isAway?: boolean;
}

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
  #transport: Transporter<SMTPSentMessageInfo> | undefined;

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
    const { rejected, deferred } = await this.attemptEach(mail, [mail.to]);
    return rejected.length > 0 ? "rejected" : deferred.length > 0 ? "deferred" : "accepted";
  }

  /** Sends a mail to some of the addresses that it names. @returns for which the mail server did not accept it */
  async attemptEach(mail: Mail, recipients: readonly string[]): Promise<Unaccepted> {
    const { smtpUrl, from, log } = this.#parts;
    if (smtpUrl === undefined) return { rejected: recipients, deferred: [] };
    try {
      const transport = await this.#open(smtpUrl);
      const envelope = { from, to: [...recipients] };
      const { rejectedErrors: errors = [] } = await transport.sendMail({ from, ...mail, envelope });
      for (const error of errors) log.warn({ reason: reasonOf(error), subject: mail.subject }, "sending a mail failed");
      const failed = recipients.flatMap((recipient) => {
        const error = errors.find((one) => one.recipient?.toLowerCase() === recipient.toLowerCase());
        return error ? [{ recipient, permanent: isPermanent(error) }] : [];
      });
      return {
        rejected: failed.filter(({ permanent }) => permanent).map(({ recipient }) => recipient),
        deferred: failed.filter(({ permanent }) => !permanent).map(({ recipient }) => recipient),
      };
    } catch (error) {
      log.warn({ reason: reasonOf(error), subject: mail.subject }, "sending a mail failed");
      if (isPermanent(error)) return { rejected: recipients, deferred: [] };
      return { rejected: [], deferred: recipients, isAway: !isAboutRecipients(error) };
    }
  }

  close(): void {
    this.#transport?.close();
  }

  async #open(url: string): Promise<Transporter<SMTPSentMessageInfo>> {
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

/** Returns whether the mail server answered about the recipients. Otherwise other recipients fare no better. */
function isAboutRecipients(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === "EENVELOPE";
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
  /** Mails that are being sent, as functions that leave them to the job. */
  readonly #sending = new Set<() => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether a mail server is configured. */
  get configured(): boolean {
    return this.#parts.mailer.configured;
  }

  /** Leaves the mails that are being sent to the job: the process ends before a slow mail server answers. */
  leaveToJob(): void {
    for (const leave of this.#sending) leave();
  }

  /** Sends a mail in the background. @param usefulFor milliseconds after which it is no longer sent, such as the lifetime of its link */
  send(mail: Mail, usefulFor: number): void {
    if (!this.configured) return;
    const { mailer, cipher, background, database, now, enqueue } = this.#parts;
    const known = { ...mail, messageId: mail.messageId ?? `<${randomUUID()}@zonewright>` };
    const until = new Date(now().getTime() + usefulFor).toISOString();
    background.run("sending a mail", async () => {
      const left = Promise.withResolvers<"deferred">();
      const leave = () => left.resolve("deferred");
      this.#sending.add(leave);
      const attempt = await Promise.race([mailer.attempt(known), left.promise]);
      this.#sending.delete(leave);
      if (attempt !== "deferred") return;
      const sealed = cipher.seal(JSON.stringify(known), aad);
      await enqueue(database.fork(), jobName, { sealed, until }, new Date(now().getTime() + firstPauseMilliseconds));
    });
  }

  readonly job: Job<WaitingMail> = {
    name: jobName,
    description: "Retries mails that the mail server deferred, as long as they are useful.",
    schedule: null,
    perRequest: true,
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

/** The content of a mail. All of it is plain text; markup is escaped. */
interface Letter {
  to: string;
  subject: string;
  paragraphs: readonly string[];
  /** A link on its own line. */
  link?: { label: string; href: string };
  /** Default: that it concerns the recipient's account. */
  reason?: string;
}

const accountReason = "it concerns your account";

/** Returns the mail with the link that verifies an email address. */
export function verifyEmail(to: string, { username, link }: { username: string; link: string }): Mail {
  return mailOf({
    to,
    subject: "Confirm your email address",
    paragraphs: [
      `This email address was added to the account ${username}. Open the link below to confirm it.`,
      "The link works once and expires after 24 hours. If this is not your account, ignore this mail. You will not receive another.",
    ],
    link: { label: "Confirm your email address", href: link },
  });
}

/** Returns the mail with a sign-in code. */
export function signInCode(to: string, code: string): Mail {
  return mailOf({
    to,
    // Not in the subject, which phones show on the lock screen.
    subject: "Your Zonewright sign-in code",
    paragraphs: [
      `Your sign-in code is ${code}.`,
      "It works once, expires after ten minutes, and is valid only for the sign-in that requested it.",
      "If you are not signing in, someone else knows your password. Change it, and do not share this code.",
    ],
  });
}

/** Returns the mail with the link for a new password. */
export function passwordReset(to: string, { username, link }: { username: string; link: string }): Mail {
  return mailOf({
    to,
    subject: "Set a new password",
    paragraphs: [
      `Someone, probably you, requested a new password for the account ${username}.`,
      "The link below works once and expires after one hour. If you did not request it, ignore this mail: your password stays the same.",
    ],
    link: { label: "Set a new password", href: link },
  });
}

/**
 * Returns the mail to an account's owner after its password was changed.
 * @param how.signedOut whether other sessions were signed out
 * @param how.byAdministrator whether an administrator set it, which also revokes other credentials
 */
export function passwordChanged(
  to: string,
  how: { username: string; signedOut?: boolean; byAdministrator?: boolean },
): Mail {
  const { username, signedOut = true, byAdministrator = false } = how;
  const owner = [
    `The password of the account ${username} was changed${signedOut ? ", and all other sessions were signed out" : ""}.`,
    "If this was not you, request a new password immediately and contact an administrator.",
  ];
  const administrator = [
    `An administrator set a new password for the account ${username}, and all sessions were signed out.`,
    "Ask an administrator for the new password. You may need to set up passkeys, personal tokens and second factors again.",
  ];
  return mailOf({ to, subject: "Your password was changed", paragraphs: byAdministrator ? administrator : owner });
}

/** Returns the mail to an account's previous email address after it was changed. */
export function emailChanged(
  to: string,
  { username, byAdministrator = false }: { username: string; byAdministrator?: boolean },
): Mail {
  const change = byAdministrator ? "An administrator changed" : "Someone who knows the password changed";
  return mailOf({
    to,
    subject: "Your email address was changed",
    paragraphs: [
      `${change} the email address of the account ${username}. You will no longer receive mail about it at this address.`,
      byAdministrator
        ? "If you did not expect this, contact an administrator."
        : "If this was not you, contact an administrator immediately.",
    ],
  });
}

/** Returns the mail about a changed credential: to the account's owner, or to administrators if it affects more than one account. */
export function securityNotice(to: string, { title, content }: { title: string; content: string }): Mail {
  return mailOf({ to, subject: title, paragraphs: [`${title}.`, content] });
}

/** Renders a letter as plain text and equivalent HTML. */
export function mailOf({ to, subject, paragraphs, link, reason = accountReason }: Letter): Mail {
  const closing = `Zonewright sent you this message because ${reason}. Replies are not read.`;
  const text = [...paragraphs, ...(link ? [`${link.label}:\n${link.href}`] : []), `-- \n${closing}`].join("\n\n");
  const html = `<!doctype html>
<html lang="en"><body style="font-family:sans-serif;line-height:1.5;color:#1a1a1a;max-width:36em">
${paragraphs.map((paragraph) => `<p>${escaped(paragraph).replaceAll("\n", "<br>\n")}</p>`).join("\n")}
${link ? `<p><a href="${escaped(link.href)}">${escaped(link.label)}</a></p>` : ""}
<p style="color:#666;font-size:.85em">${escaped(closing)}</p>
</body></html>
`;
  return { to, subject, text: `${text}\n`, html };
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
