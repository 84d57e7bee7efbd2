import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { callbackify } from "node:util";
import PostalMime from "postal-mime";
import { SMTPServer, type SMTPServerSession } from "smtp-server";

/** A mail as it arrived. */
export interface ReceivedMail {
  to: string[];
  subject: string;
  text: string;
  html: string;
}

/** A real SMTP server on loopback. */
export interface MailServer {
  /** For SMTP_URL. */
  readonly url: string;
  /** In the order of arrival. */
  readonly mails: ReceivedMail[];
  stop(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const receive = async (stream: Readable, { envelope }: SMTPServerSession) => {
    const { subject = "", text = "", html = "" } = await PostalMime.parse(await buffer(stream));
    mails.push({ to: envelope.rcptTo.map(({ address }) => address), subject, text, html });
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData: callbackify(receive),
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
      }),
  };
}
