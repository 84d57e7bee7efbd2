import { mailOf } from "../letter.ts";
import type { Mail } from "../mailer.ts";

/** The link that shows whose address it is. */
export function verifyEmail(to: string, { username, link }: { username: string; link: string }): Mail {
  return mailOf({
    to,
    subject: "Confirm your e-mail address",
    paragraphs: [
      `The account ${username} names this as its e-mail address. Open the link below to confirm it.`,
      "The link works once, for 24 hours. If this is not your account, ignore this mail: nothing else is sent to you.",
    ],
    link: { label: "Confirm your e-mail address", href: link },
  });
}
