/** A table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), `|${"---|".repeat(head.length)}`, ...rows.map(row)].join("\n");
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(cell).join(" | ")} |`;
}

function cell(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll("|", String.raw`\|`)
    .trim();
}

export function fenced(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}

export function json(value: unknown): string {
  return fenced("json", printed(value));
}

const lineWidth = 100;

/** JSON as people write it: what is short stays on one line. */
export function printed(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const inner = `${indent}  `;
  const items = Object.entries(value).map(
    ([key, item]) => (Array.isArray(value) ? "" : `${JSON.stringify(key)}: `) + printed(item, inner),
  );
  if (items.length === 0) return `${open}${close}`;
  const space = Array.isArray(value) ? "" : " ";
  const line = `${open}${space}${items.join(", ")}${space}${close}`;
  if (indent.length + line.length <= lineWidth && !line.includes("\n")) return line;
  return `${open}\n${items.map((item) => `${inner}${item}`).join(",\n")}\n${indent}${close}`;
}

/** What follows the `#` in a link to a heading. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

/** Paragraphs, tables and blocks of a page; what is null is left out. */
export function page(...parts: (string | null)[]): string {
  return `${parts.filter((part) => part !== null).join("\n\n")}\n`;
}

/** What whoever opens the file in an editor should know; not shown to readers. */
export const generatedNote = "<!-- Written by `npm run docs`; change what it says where it is defined, in server/. -->";
