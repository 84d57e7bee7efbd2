import { mailOf } from "../letter.ts";
import type { Mail } from "../mailer.ts";

/** Tells the old address of an account that it is no longer the account's. */
export function emailChanged(
  to: string,
  { username, byAdministrator = false }: { username: string; byAdministrator?: boolean },
): Mail {
  const who = byAdministrator ? "An administrator changed" : "Somebody who knows the password changed";
  return mailOf({
    to,
    subject: "Your e-mail address was changed",
    paragraphs: [
      `${who} the e-mail address of the account ${username}. Mail about it no longer comes here.`,
      byAdministrator
        ? "If you did not expect this, ask an administrator."
        : "If that was not you, tell an administrator at once.",
    ],
  });
}
