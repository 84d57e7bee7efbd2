import { mailOf } from "../letter.ts";
import type { Mail } from "../mailer.ts";

/**
 * Returns the mail to an account's owner after its password was changed.
 * @param how.signedOut whether other sessions were signed out
 * @param how.byAdministrator whether an administrator set it, which also revokes other credentials
 */
export function passwordChanged(
  to: string,
  how: { username: string; signedOut?: boolean; byAdministrator?: boolean },
): Mail {
  const { username, signedOut = true, byAdministrator = false } = how;
  const owner = [
    `The password of the account ${username} was changed${signedOut ? ", and all other sessions were signed out" : ""}.`,
    "If this was not you, request a new password immediately and contact an administrator.",
  ];
  const administrator = [
    `An administrator set a new password for the account ${username}, and all sessions were signed out.`,
    "Ask an administrator for the new password. You may need to set up passkeys, personal tokens and second factors again.",
  ];
  return mailOf({ to, subject: "Your password was changed", paragraphs: byAdministrator ? administrator : owner });
}
