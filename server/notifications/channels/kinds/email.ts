import { z } from "zod";
import { mailOf } from "../../mail/outbox.ts";
import type { Mail } from "../../mail/outbox.ts";
import type { ChannelKind, ChannelMessage, Outcome, Ports } from "../kind.ts";

const address = z.email("This must be an email address.").max(254, "This must have at most 254 characters.");

const schema = z.strictObject({
  to: z
    .union(
      [address, z.array(address).min(1, "Name at least one address.").max(20, "Name at most 20 addresses.")],
      "This must be an email address, or a list of them.",
    )
    .meta({ description: "An address, or up to twenty.", example: "dns-team@example.com" }),
});

/** Sends mail to any addresses, including ones that belong to no user. */
export const email: ChannelKind<z.infer<typeof schema>> = {
  channel: "email",
  label: "Email",
  schema,
  masks: {},
  mostPerMinute: null,
  async send({ to }, message, ports) {
    return await sendMail(ports, noticeMail([to].flat().join(", "), message, ports.siteUrl));
  },
};

/** Returns a notification as a mail. */
export function noticeMail(to: string, { id, title, content }: ChannelMessage, siteUrl: string): Mail {
  const letter = mailOf({
    to,
    subject: title,
    paragraphs: [content],
    link: { label: "Open Zonewright", href: siteUrl },
  });
  return { ...letter, messageId: `<${id}@zonewright>` };
}

export async function sendMail({ mailer }: Ports, mail: Mail): Promise<Outcome> {
  if (!mailer.configured) return { ok: false, reason: "No mail server is configured. Set SMTP_URL." };
  const attempt = await mailer.attempt(mail);
  if (attempt === "accepted") return { ok: true };
  return attempt === "rejected"
    ? { ok: false, reason: "The mail server refused the message.", refused: true }
    : { ok: false, reason: "The mail server did not accept the message." };
}
