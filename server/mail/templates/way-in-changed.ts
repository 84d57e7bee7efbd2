import { mailOf } from "../letter.ts";
import type { Mail } from "../mailer.ts";

/** Mails a notice about a way in: to the owner of the account, or to administrators where it opens more than one account. */
export function wayInChanged(to: string, { title, content }: { title: string; content: string }): Mail {
  return mailOf({ to, subject: title, paragraphs: [`${title}.`, content] });
}
