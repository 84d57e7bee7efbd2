import type { Mail } from "./outbox.ts";

/** The content of a mail. All of it is plain text; markup is escaped. */
interface Letter {
  to: string;
  subject: string;
  paragraphs: readonly string[];
  /** A link on its own line. */
  link?: { label: string; href: string };
}

const closing = "Zonewright sent you this message because it concerns your account. Replies are not read.";

/** Returns the mail with the link that verifies an email address. */
export function verifyEmail(to: string, { username, link }: { username: string; link: string }): Mail {
  return mailOf({
    to,
    subject: "Confirm your email address",
    paragraphs: [
      `This email address was added to the account ${username}. Open the link below to confirm it.`,
      "The link works once and expires after 24 hours. If this is not your account, ignore this mail. You will not receive another.",
    ],
    link: { label: "Confirm your email address", href: link },
  });
}

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

/** Returns the mail with the link for a new password. */
export function passwordReset(to: string, { username, link }: { username: string; link: string }): Mail {
  return mailOf({
    to,
    subject: "Set a new password",
    paragraphs: [
      `Someone, probably you, requested a new password for the account ${username}.`,
      "The link below works once and expires after one hour. If you did not request it, ignore this mail: your password stays the same.",
    ],
    link: { label: "Set a new password", href: link },
  });
}

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

/** Returns the mail to an account's previous email address after it was changed. */
export function emailChanged(
  to: string,
  { username, byAdministrator = false }: { username: string; byAdministrator?: boolean },
): Mail {
  const change = byAdministrator ? "An administrator changed" : "Someone who knows the password changed";
  return mailOf({
    to,
    subject: "Your email address was changed",
    paragraphs: [
      `${change} the email address of the account ${username}. You will no longer receive mail about it at this address.`,
      byAdministrator
        ? "If you did not expect this, contact an administrator."
        : "If this was not you, contact an administrator immediately.",
    ],
  });
}

/** Returns the mail about a changed credential: to the account's owner, or to administrators if it affects more than one account. */
export function securityNotice(to: string, { title, content }: { title: string; content: string }): Mail {
  return mailOf({ to, subject: title, paragraphs: [`${title}.`, content] });
}

/** Renders a letter as plain text and equivalent HTML. */
export function mailOf({ to, subject, paragraphs, link }: Letter): Mail {
  const text = [...paragraphs, ...(link ? [`${link.label}:\n${link.href}`] : []), `-- \n${closing}`].join("\n\n");
  const html = `<!doctype html>
<html lang="en"><body style="font-family:sans-serif;line-height:1.5;color:#1a1a1a;max-width:36em">
${paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>`).join("\n")}
${link ? `<p><a href="${escaped(link.href)}">${escaped(link.label)}</a></p>` : ""}
<p style="color:#666;font-size:.85em">${escaped(closing)}</p>
</body></html>
`;
  return { to, subject, text: `${text}\n`, html };
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
