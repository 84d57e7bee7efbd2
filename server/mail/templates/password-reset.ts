import { mailOf } from "../letter.ts";
import type { Mail } from "../mailer.ts";

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
