import { mailOf } from "../letter.ts";
import type { Mail } from "../mailer.ts";

/** Tells the owner of an account that its password is another one now. */
export function passwordChanged(to: string, { username }: { username: string }): Mail {
  return mailOf({
    to,
    subject: "Your password was changed",
    paragraphs: [
      `The account ${username} has a new password, and whoever else was signed in is signed out.`,
      "If that was not you, ask for a new password at once and tell an administrator.",
    ],
  });
}
