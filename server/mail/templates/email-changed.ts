import { mailOf } from "../letter.ts";
import type { Mail } from "../mailer.ts";

/** Tells the old address of an account that it is not the account's any more. */
export function emailChanged(to: string, { username }: { username: string }): Mail {
  return mailOf({
    to,
    subject: "Your e-mail address was changed",
    paragraphs: [
      `The account ${username} has another e-mail address now. Mail about it no longer comes here.`,
      "If that was not you, somebody knows your password: tell an administrator at once.",
    ],
  });
}
