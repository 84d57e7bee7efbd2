import { mailOf } from "../letter.ts";
import type { Mail } from "../mailer.ts";

/** The link for a new password. */
export function passwordReset(to: string, { username, link }: { username: string; link: string }): Mail {
  return mailOf({
    to,
    subject: "Set a new password",
    paragraphs: [
      `Somebody, probably you, asked for a new password for the account ${username}.`,
      "The link below works once, for one hour. If you did not ask for it, leave it be: your password stays as it is.",
    ],
    link: { label: "Set a new password", href: link },
  });
}
