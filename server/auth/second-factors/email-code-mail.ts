import type { Mail } from "../../mail/mailer.ts";

/** The mail that carries a sign-in code. */
export function emailCodeMail(to: string, code: string): Mail {
  const meaning = "It works once, for ten minutes, and only for the sign-in that asked for it.";
  const warning =
    "If you are not signing in, somebody else knows your password: change it, and do not give this code to anybody.";
  return {
    to,
    // The code stays out of the subject, which phones show on their locked screens.
    subject: "Your Zonewright sign-in code",
    text: `Your sign-in code is ${code}.\n\n${meaning}\n\n${warning}\n`,
    html: `<p>Your sign-in code is <strong>${code}</strong>.</p>\n<p>${meaning}</p>\n<p>${warning}</p>\n`,
  };
}
