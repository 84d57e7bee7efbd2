import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { callbackify } from "node:util";
import PostalMime from "postal-mime";
import { SMTPServer, type SMTPServerAddress, type SMTPServerSession } from "smtp-server";
import { vi } from "vitest";
import { patience } from "../patience.ts";

interface ReceivedMail {
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string;
}

/** A mail server on loopback that stores what it receives. */
export interface MailServer {
  /** For SMTP_URL. */
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** Refuses the next mails with this status until changed; null accepts them. @param recipient only mails to this address */
  refuseWith(status: number | null, recipient?: string): void;
  /** Answers no mail before this. */
  holdUntil(answers: Promise<void>): void;
  /** Waits for the oldest remaining mail to an address, and removes it. */
  next(to: string): Promise<ReceivedMail>;
  stop(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let refusal: number | null = null;
  let held = Promise.resolve();
  const refusedRecipients = new Map<string, number>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: callbackify(async ({ address }: SMTPServerAddress, _session: SMTPServerSession) => {
      const responseCode = refusedRecipients.get(address);
      if (responseCode !== undefined) throw Object.assign(new Error("not this one"), { responseCode });
    }),
    onData: callbackify(async (stream: Readable, { envelope }: SMTPServerSession) => {
      const { from, subject = "", text = "", html = "" } = await PostalMime.parse(await buffer(stream));
      await held;
      if (refusal !== null) throw Object.assign(new Error("not now"), { responseCode: refusal });
      const to = envelope.rcptTo.map(({ address }) => address).join(", ");
      mails.push({ to, from: from?.address ?? "", subject, text, html });
    }),
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuseWith(status, recipient) {
      if (status === null) refusedRecipients.clear();
      if (status !== null && recipient !== undefined) refusedRecipients.set(recipient, status);
      else refusal = status;
    },
    holdUntil(answers) {
      held = answers;
    },
    async next(to) {
      return await vi.waitFor(() => {
        const index = mails.findIndex((mail) => mail.to === to);
        const [mail] = index === -1 ? [] : mails.splice(index, 1);
        if (!mail) throw new Error(`There is no mail to ${to}.`);
        return mail;
      }, patience);
    },
    async stop() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
