import { mailOf } from "../letter.ts";
import type { Mail } from "../mailer.ts";

/** The mail that carries a sign-in code. */
export function signInCode(to: string, code: string): Mail {
  return mailOf({
    to,
    // The code stays out of the subject, which phones show on their locked screens.
    subject: "Your Zonewright sign-in code",
    paragraphs: [
      `Your sign-in code is ${code}.`,
      "It works once, for ten minutes, and only for the sign-in that asked for it.",
      "If you are not signing in, somebody else knows your password: change it, and do not give this code to anybody.",
    ],
  });
}
