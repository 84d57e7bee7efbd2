import { mailOf } from "../letter.ts";
import type { Mail } from "../mailer.ts";

/**
 * Tells the owner of an account that it has a new password.
 * @param how.signedOut whether the other sessions ended
 * @param how.byAdministrator whether an administrator set it, which ends the other ways in as well
 */
export function passwordChanged(
  to: string,
  how: { username: string; signedOut?: boolean; byAdministrator?: boolean },
): Mail {
  const { username, signedOut = true, byAdministrator = false } = how;
  const owner = [
    `The account ${username} has a new password${signedOut ? ", and whoever else was signed in is signed out" : ""}.`,
    "If that was not you, ask for a new password at once and tell an administrator.",
  ];
  const administrator = [
    `An administrator set a new password for the account ${username}, and whoever was signed in is signed out.`,
    "Ask an administrator for the new password. Passkeys, personal tokens and second factors may have to be set up again.",
  ];
  return mailOf({ to, subject: "Your password was changed", paragraphs: byAdministrator ? administrator : owner });
}
