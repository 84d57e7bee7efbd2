import type { Mail } from "./mailer.ts";

/** A short letter: every mail of ours is one. All of it is plain text; markup in it is shown as it is. */
export interface Letter {
  to: string;
  subject: string;
  paragraphs: readonly string[];
  /** A link that stands on a line of its own. */
  link?: { label: string; href: string };
}

const closing = "Zonewright sent this to you because it concerns your account. Nobody reads answers to it.";

/** Writes a letter as text and as HTML that says the same. */
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
