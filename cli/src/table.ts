/** A column of a table: its title, and the text of a cell. */
export interface Column<Row> {
  title: string;
  cell: (row: Row) => string;
  /** Numbers line up at their last digit. */
  alignRight?: boolean;
}

const gap = "  ";

/**
 * Lays out rows for a terminal. Columns that do not fit are narrowed, the widest first, and their cells wrapped: nothing is cut off. Where even
 * that leaves too little, each row becomes a block of `title: value` lines.
 */
export function tableLines<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
): { header: string | null; lines: string[] } {
  const cells = rows.map((row) => columns.map(({ cell }) => visible(cell(row))));
  const widths = columnWidths(cells, columns, width);
  if (widths === null) return { header: null, lines: blocks(cells, columns, width) };
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => pad(text, widths[index] ?? 0, columns[index]?.alignRight === true))
      .join(gap)
      .trimEnd();
  return {
    header: line(columns.map(({ title }) => title)),
    lines: cells.flatMap((row) => {
      const wrapped = row.map((text, index) => wrap(text, widths[index] ?? 1));
      const height = Math.max(...wrapped.map(({ length }) => length));
      return Array.from({ length: height }, (_, part) => line(wrapped.map((lines) => lines[part] ?? "")));
    }),
  };
}

/** Columns are narrowed to no less than this, or their longest word if that is shorter: broken words are hard to read. */
const least = 12;

function columnWidths<Row>(
  cells: readonly (readonly string[])[],
  columns: readonly Column<Row>[],
  width: number,
): number[] | null {
  const widest = (measure: (text: string) => number) =>
    columns.map(({ title }, index) =>
      cells.reduce((most, row) => Math.max(most, measure(row[index] ?? "")), widthOf(title)),
    );
  const widths = widest(widthOf);
  let excess = widths.reduce((sum, one) => sum + one, 0) + gap.length * (columns.length - 1) - width;
  if (excess <= 0) return widths;
  const words = widest((text) => Math.max(...text.split(" ").map(widthOf)));
  const floors = columns.map(({ title }, index) => Math.max(widthOf(title), Math.min(least, words[index] ?? 0)));
  while (excess > 0) {
    const shrinkable = widths.map((one, index) => (one > (floors[index] ?? 0) ? one : 0));
    const most = Math.max(...shrinkable);
    if (most === 0) return null;
    const index = shrinkable.indexOf(most);
    // Columns of the same width are narrowed in turn.
    const next = Math.max(...shrinkable.filter((_, other) => other !== index), floors[index] ?? 0);
    const step = Math.min(excess, Math.max(1, most - next));
    widths[index] = most - step;
    excess -= step;
  }
  return widths;
}

function blocks<Row>(cells: readonly (readonly string[])[], columns: readonly Column<Row>[], width: number): string[] {
  return cells.flatMap((row, at) => {
    const lines = columns.flatMap(({ title }, index) => {
      const text = row[index] ?? "";
      return text === "" ? [] : wrap(`${title}: ${text}`, width);
    });
    return at === 0 ? lines : ["", ...lines];
  });
}

/** Breaks at spaces, else behind the signs of names and paths, else anywhere. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (widthOf(rest) > width) {
    const whole = prefix(rest, width);
    const space = rest[whole.length] === " " ? whole.length : whole.lastIndexOf(" ");
    const [named = ""] = /^.*[-./_,;:=]/.exec(whole) ?? [];
    const taken = space > whole.length / 3 ? whole.slice(0, space) : named.length > whole.length / 2 ? named : whole;
    lines.push(taken);
    rest = rest.slice(taken.length).replace(/^ /, "");
  }
  return [...lines, rest];
}

/**
 * Wraps text at its spaces. A longer word keeps a line of its own, so that it can be copied; so does what is in backticks, unless they are the
 * text's own, as in a record.
 */
export function wrapped(text: string, width: number, { keepsQuoted = true } = {}): string[] {
  const words = (line: string) => (keepsQuoted ? wordsOf(line) : line.split(" "));
  return text.split("\n").flatMap((line) => (widthOf(line) <= width ? [line] : fill(words(line), width)));
}

function wordsOf(line: string): string[] {
  const words: string[] = [];
  let quoted = false;
  for (const word of line.split(" ")) {
    if (quoted) words[words.length - 1] += ` ${word}`;
    else words.push(word);
    if (word.split("`").length % 2 === 0) quoted = !quoted;
  }
  return words;
}

/** Puts as many words on each line as fit, at least one. */
export function fill(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The longest beginning that fits, at least one character. */
export function prefix(text: string, width: number): string {
  let taken = "";
  let used = 0;
  for (const character of text) {
    used += widthOf(character);
    if (used > width && taken !== "") break;
    taken += character;
  }
  return taken;
}

function pad(text: string, width: number, right: boolean): string {
  const blank = " ".repeat(Math.max(0, width - widthOf(text)));
  return right ? blank + text : text + blank;
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu;

/** How many places of a terminal a text takes. */
export function widthOf(text: string): number {
  // Most texts are ASCII: counting them is all that a long list costs.
  if (/^[ -~]*$/.test(text)) return text.length;
  return Array.from(text.replaceAll(/\p{M}/gu, "")).length + (text.match(wide)?.length ?? 0);
}

/** Text of others, such as a TXT record's, must not control the terminal or reverse what stands beside it. */
export function visible(text: string): string {
  return text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- these are what is replaced
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
