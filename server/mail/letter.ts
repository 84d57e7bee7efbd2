import type { Mail } from "./mailer.ts";

/** The content of a mail. All of it is plain text; markup is escaped. */
export interface Letter {
  to: string;
  subject: string;
  paragraphs: readonly string[];
  /** A link on its own line. */
  link?: { label: string; href: string };
}

const closing = "Zonewright sent you this message because it concerns your account. Replies are not read.";

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
