import { mailOf } from "../letter.ts";
import type { Mail } from "../mailer.ts";

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
