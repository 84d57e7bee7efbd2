import { mailOf } from "../letter.ts";
import type { Mail } from "../mailer.ts";

/** Returns the mail about a changed credential: to the account's owner, or to administrators if it affects more than one account. */
export function securityNotice(to: string, { title, content }: { title: string; content: string }): Mail {
  return mailOf({ to, subject: title, paragraphs: [`${title}.`, content] });
}
