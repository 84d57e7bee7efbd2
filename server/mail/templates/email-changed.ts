import { mailOf } from "../letter.ts";
import type { Mail } from "../mailer.ts";

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
