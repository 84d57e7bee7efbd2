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
    const all = [to].flat();
    return await sendToEach(
      ports,
      noticeMail(all.join(", "), message, ports.siteUrl, channelReason),
      all,
      message.reached ?? [],
    );
  },
};

const channelReason = "an administrator added your address to a channel";

/** Returns a notification as a mail. @param reason why it is sent; default: it concerns the recipient's account */
export function noticeMail(to: string, { id, title, content }: ChannelMessage, siteUrl: string, reason?: string): Mail {
  const letter = mailOf({
    to,
    subject: title,
    paragraphs: [content],
    link: { label: "Open Zonewright", href: siteUrl },
    ...(reason === undefined ? {} : { reason }),
  });
  return { ...letter, messageId: `<${id}@zonewright>` };
}

export async function sendMail({ mailer }: Ports, mail: Mail): Promise<Outcome> {
  if (!mailer.configured) return unconfigured;
  const attempt = await mailer.attempt(mail);
  if (attempt === "accepted") return { ok: true };
  return attempt === "rejected" ? { ok: false, reason: refusal, refused: true } : { ok: false, reason: deferral };
}

const unconfigured: Outcome = { ok: false, reason: "No mail server is configured. Set SMTP_URL." };
const refusal = "The mail server refused the message.";
const deferral = "The mail server did not accept the message.";

/** Sends a mail to each of its addresses that did not receive it yet. */
async function sendToEach(
  { mailer }: Ports,
  mail: Mail,
  addresses: readonly string[],
  reached: readonly string[],
): Promise<Outcome> {
  if (!mailer.configured) return unconfigured;
  const left = addresses.filter((one) => !reached.includes(one));
  if (left.length === 0) return { ok: true };
  const { rejected, deferred, isAway = false } = await mailer.attemptEach(mail, left);
  const newlyReached = left.filter((one) => !rejected.includes(one) && !deferred.includes(one));
  const nowReached = [...reached, ...newlyReached];
  if (nowReached.length === 0)
    return deferred.length > 0 ? { ok: false, reason: deferral } : { ok: false, reason: refusal, refused: true };
  if (deferred.length > 0) return { ok: false, reason: deferral, addresses: deferred, reached: nowReached, isAway };
  return rejected.length > 0 ? { ok: true, missed: { reason: refusal, addresses: rejected } } : { ok: true };
}
