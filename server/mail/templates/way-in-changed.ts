import { mailOf } from "../letter.ts";
import type { Mail } from "../mailer.ts";

/** Tells the owner of an account that a way into it was added, removed or replaced. */
export function wayInChanged(to: string, { title, content }: { title: string; content: string }): Mail {
  return mailOf({ to, subject: title, paragraphs: [`${title}.`, content] });
}
