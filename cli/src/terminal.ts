import { readFile, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { decoded, mostBytes } from "../../server/dns/formats/decoded.ts";
import { exitCodes, Failure } from "./failure.ts";
import { prefix, tableLines, visible, widthOf, wrapped, type Column } from "./table.ts";

export type { Column };

/** `ZONEWRIGHT_TTY=80` prints as on a terminal of 80 columns wherever the output goes, and reads answers from any input. */
const forcedColumns = Number(process.env["ZONEWRIGHT_TTY"] ?? 0);
const forced = Number.isInteger(forcedColumns) && forcedColumns > 0;

const onTerminal = forced || process.stdout.isTTY;
/** Whether somebody can answer a question. */
export const interactive = forced || (process.stdin.isTTY && process.stderr.isTTY);
// A terminal that does not know its size reports 0.
const columns = forced ? forcedColumns : process.stdout.columns || 80;
/** How wide help is: as the terminal, but at least 40 columns; 80 where it goes to a file or another program. */
export const helpColumns = onTerminal ? Math.max(40, columns) : 80;
const isDumb = process.env["TERM"] === "dumb";
const mayColor = !process.env["NO_COLOR"] && !isDumb;

/** The codes that begin and end each style (ECMA-48, SGR). Before 20.12, Node has no `styleText`. */
const styles = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;
type Style = keyof typeof styles;

/** Styles a text, if the output shows styles. */
export function styled(style: Style, text: string): string {
  return onTerminal && mayColor ? inStyle(style, text) : text;
}

function inStyle(style: Style, text: string): string {
  const [begin, end] = styles[style];
  return `\u001b[${begin}m${text}\u001b[${end}m`;
}

/**
 * Prints a line of the answer. Characters that would control the terminal are shown as escapes. On a terminal, a longer line is wrapped at its
 * spaces, so that the signs before the records of a plan stay in a column of their own.
 * @param style of a change, which is the text of a record
 */
export function print(line = "", style?: Style): void {
  const text = visible(line);
  const fits = !onTerminal || widthOf(text) <= columns;
  const [first = "", ...rest] = fits
    ? [text]
    : wrapped(text, columns - hanging.length, { keepsQuoted: style === undefined });
  const lines = [first, ...rest.map((part) => hanging + part)];
  for (const one of lines) process.stdout.write(`${style === undefined ? one : styled(style, one)}\n`);
}

/** Before what continues a line. */
const hanging = "    ";

/** Returns `1 record` or `2 records`. */
export function counted(count: number, what: string): string {
  return `${count} ${count === 1 ? what : `${what}s`}`;
}

/** Prints text as it is: a zone file, a script. */
export function printRaw(text: string): void {
  process.stdout.write(text);
}

/** Hands over an exported text: to a file, or to the standard output. @param about what a JSON document says beside it; null for the text alone */
export async function deliver(text: string, output: string | undefined, about: object | null): Promise<void> {
  if (output !== undefined) await writeFile(output, text);
  if (about !== null) printJson({ ...about, file: output ?? null, content: output === undefined ? text : null });
  else if (output === undefined) printRaw(text);
  else note(`Wrote ${output}.`);
}

/** Prints the answer for programs: one JSON document. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, onTerminal ? 2 : 0)}\n`);
}

/** Prints rows: a table on a terminal, else a line each with tabs between its cells. @param none what to say on a terminal if there are none */
export function printTable<Row>(rows: readonly Row[], table: readonly Column<Row>[], none: string): void {
  if (!onTerminal) {
    const line = (row: Row) => table.map(({ cell }) => visible(cell(row))).join("\t");
    if (rows.length > 0) process.stdout.write(`${rows.map(line).join("\n")}\n`);
    return;
  }
  if (rows.length === 0) {
    note(none);
    return;
  }
  const { header, lines } = tableLines(rows, table, columns);
  if (header !== null) process.stdout.write(`${styled("dim", header)}\n`);
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** Beside the titles of fields, values need this much room; with less, they are below them. */
const leastBeside = 20;

/** Prints the fields of one thing, a line each. */
export function printFields(fields: readonly (readonly [title: string, value: string])[]): void {
  const width = Math.max(...fields.map(([title]) => title.length));
  const beside = columns - width - 2;
  for (const [title, value] of fields) {
    if (!onTerminal) process.stdout.write(`${title}\t${visible(value)}\n`);
    else if (beside < leastBeside) {
      const lines = wrapped(visible(value), columns - 2).map((line) => `  ${line}`);
      process.stdout.write(`${[styled("dim", title), ...lines].join("\n")}\n`);
    } else {
      const lines = wrapped(visible(value), beside).join(`\n${" ".repeat(width + 2)}`);
      process.stdout.write(`${styled("dim", title.padEnd(width))}  ${lines}\n`);
    }
  }
}

/** Says something beside the answer, such as a warning or what was done. */
export function note(text: string): void {
  progress("");
  process.stderr.write(`${text.split("\n").map(visible).join("\n")}\n`);
}

let shown = false;
let showsProgress = (forced || process.stderr.isTTY) && !isDumb;

/** Shows no progress from now on: the answer is for a program. */
export function hideProgress(): void {
  showsProgress = false;
}

/** With less room than this beside the text, a bar says nothing. */
const leastBar = 6;
const longestBar = 24;

/**
 * Shows how far long work is, on one line of a terminal that the next call replaces; elsewhere nothing. An empty text clears it.
 * @param part how much of the work is done: drawn as a bar, and as counts before the text
 */
export function progress(text: string, part?: { done: number; total: number }): void {
  if (!showsProgress || (text === "" && !shown)) return;
  shown = text !== "";
  // A second line would stay.
  const most = (forced ? forcedColumns : process.stderr.columns || 80) - 1;
  const counts = part ? `${String(part.done).padStart(String(part.total).length)} of ${part.total} ` : "";
  const line = prefix(visible(counts + text), most);
  process.stderr.write(`\r\u001b[2K${part ? barOf(part, most - widthOf(line) - 1) : ""}${line}`);
}

/** Returns a bar with a space after it; an empty text without room for one. */
function barOf({ done, total }: { done: number; total: number }, room: number): string {
  const width = Math.min(room, longestBar) - 2;
  if (width < leastBar) return "";
  const full = Math.floor((width * Math.min(done, total)) / Math.max(total, 1));
  const filled = "#".repeat(full);
  return `[${mayColor ? inStyle("green", filled) : filled}${" ".repeat(width - full)}] `;
}

/**
 * Asks a question that is answered by y or n.
 * @param about what would happen, for those who cannot be asked
 * @throws Failure without a terminal, naming `--yes`
 */
export async function confirmed(question: string, about: string): Promise<boolean> {
  if (!interactive) throw new Failure(`${about} Add --yes to do it without a question.`);
  for (;;) {
    const answer = (await ask(`${question} [y/N] `)).trim().toLowerCase();
    if (["y", "yes"].includes(answer)) return true;
    if (["", "n", "no"].includes(answer)) return false;
  }
}

/** Lets the user choose one of the items by its number. @throws Failure without a terminal, saying what to pass instead */
export async function chosen<Item>(
  title: string,
  items: readonly Item[],
  label: (item: Item) => string,
  otherwise: string,
): Promise<Item> {
  if (!interactive) throw new Failure(otherwise);
  note(title);
  for (const [index, item] of items.entries()) note(`${String(index + 1).padStart(3)}  ${label(item)}`);
  for (;;) {
    const item = items[Number(await ask(`Number, 1 to ${items.length}: `)) - 1];
    if (item !== undefined) return item;
  }
}

/** Asks for a line. Secrets are not shown as they are typed. @throws Failure when the user interrupts it or ends the input */
export async function ask(prompt: string, { secret = false } = {}): Promise<string> {
  const line = await (process.stdin.isTTY ? typedLine(prompt, secret) : pipedLine(prompt));
  if (line !== null) return line;
  process.stderr.write("\n");
  throw new Failure("Stopped. Nothing was changed.", exitCodes.interrupted);
}

/** A reader of its own for each question: in between, the terminal is as it was, and Ctrl-C ends the program. */
async function typedLine(prompt: string, secret: boolean): Promise<string | null> {
  const { stdin, stderr } = process;
  const reader = createInterface({ input: stdin, output: stderr, terminal: true, historySize: 0, prompt });
  reader.prompt();
  // Readline echoes what is typed by writing it.
  if (secret) Object.assign(reader, { _writeToOutput: () => undefined });
  const line = await new Promise<string | null>((resolve) => {
    reader.once("line", resolve);
    reader.once("SIGINT", () => resolve(null));
    reader.once("close", () => resolve(null));
  });
  reader.close();
  if (secret) stderr.write("\n");
  return line;
}

interface Piped {
  lines: AsyncIterator<string>;
  close(): void;
}

let piped: Piped | null = null;

/** One reader for all questions: another would lose what the first has read ahead. */
async function pipedLine(prompt: string): Promise<string | null> {
  if (piped === null) {
    const reader = createInterface({ input: process.stdin });
    piped = { lines: reader[Symbol.asyncIterator](), close: () => reader.close() };
  }
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once("SIGINT", interrupt);
  process.stderr.write(prompt);
  try {
    const interrupted = new Promise<null>((resolve) => stop.signal.addEventListener("abort", () => resolve(null)));
    const result = await Promise.race([piped.lines.next(), interrupted]);
    return result === null || result.done === true ? null : result.value;
  } finally {
    process.off("SIGINT", interrupt);
  }
}

/** Ends reading, or the open input would keep the program running. */
export function closeInput(): void {
  if (piped === null) return;
  piped.close();
  process.stdin.destroy();
}

/** Reads the whole standard input. */
export async function readInput(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return textOf("The standard input", Buffer.concat(parts));
}

/** Returns what a file holds, in UTF-8, UTF-16 or Latin-1. @throws Failure if it is not a text */
export function textOf(file: string, octets: Uint8Array): string {
  const read = decoded(octets);
  if (!read.ok) {
    throw new Failure(
      read.why === "tooLarge"
        ? `${file} exceeds ${mostBytes / 2 ** 20} MiB, the most that the server takes.`
        : `${file} is not a text file.`,
    );
  }
  if (read.isLatin1) note(`${file} is not UTF-8, so it is read as Latin-1.`);
  return read.text;
}

/** Reads a file that the user named. Adds its path to errors: before Node 26, the error about a folder has none. */
export async function readNamed(file: string): Promise<Buffer> {
  return await readFile(file).catch((error: NodeJS.ErrnoException) => {
    error.path ??= file;
    throw error;
  });
}
