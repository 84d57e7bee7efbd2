import { mailOf } from "../letter.ts";
import type { Mail } from "../mailer.ts";

/** Returns the mail with a sign-in code. */
export function signInCode(to: string, code: string): Mail {
  return mailOf({
    to,
    // Not in the subject, which phones show on the lock screen.
    subject: "Your Zonewright sign-in code",
    paragraphs: [
      `Your sign-in code is ${code}.`,
      "It works once, expires after ten minutes, and is valid only for the sign-in that requested it.",
      "If you are not signing in, someone else knows your password. Change it, and do not share this code.",
    ],
  });
}
