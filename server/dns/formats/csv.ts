import { shown } from "../names/names.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";
import type { Steps } from "../../platform/slices.ts";
import { dataFields } from "../zone-file/parse.ts";
import { readData } from "../zone-file/record-data.ts";
import type { Field } from "../zone-file/tokens.ts";
import { parseTtl } from "../record.ts";
import { columnsByHeader, guessedColumns, type Columns, type Row } from "./csv-columns.ts";
import { Entries, fieldsOfValue } from "./entries.ts";
import type { FormatOptions, FormatReader, FormatReading } from "./format.ts";

/** Twice the largest RDATA with every octet escaped; a quote that is never closed ends there. */
const longestRow = 524_288;
/** Characters of a row for each step, so that long rows give up the turn like many short ones. */
const stepCharacters = 4_096;
const sampledRows = 200;

/** Reads records from a table with one record per row (RFC 4180), its columns by a header or guessed. */
export const readCsv: FormatReader = (text, options) => readTable(text, options, separatorOf(text));

/** {@link readCsv} with tabs between the cells. */
export const readTsv: FormatReader = (text, options) => readTable(text, options, "\t");

/** Returns the separator of a table by its first line that is not blank: a comma, or a semicolon as spreadsheets write it in many countries. */
export function separatorOf(text: string): "," | ";" {
  const [line = ""] = text
    .slice(0, longestRow)
    .replace(/^\uFEFF?\s*/, "")
    .split("\n", 1);
  const count = (separator: string) => line.split(separator).length;
  return count(";") > count(",") ? ";" : ",";
}

/** Returns the first row that has anything. */
export function firstRow(head: string, separator: string): readonly string[] {
  for (const row of tableRows(head, separator)) if (row?.kind === "row") return row.cells;
  return [];
}

function* readTable(text: string, options: FormatOptions, separator: string): Steps<FormatReading> {
  const entries = new Entries(options);
  const sample: Row[] = [];
  let columns: Columns | null = null;
  const decide = () => {
    columns = columnsOf(entries, sample);
    if (columns) for (const row of columns.hasHeader ? sample.slice(1) : sample) readRow(entries, columns, row);
  };
  for (const row of tableRows(text, separator)) {
    yield;
    if (row === null) continue;
    if (row.kind === "error") entries.fault(row.line, row.message);
    else if (columns) readRow(entries, columns, row);
    else if (sample.push(row) === sampledRows) decide();
    if (entries.isFull || (sample.length === sampledRows && !columns)) break;
  }
  if (sample.length < sampledRows && sample.length > 0) decide();
  return yield* entries.finish();
}

function columnsOf(entries: Entries, sample: readonly Row[]): Columns | null {
  const [first] = sample;
  if (!first) return null;
  const columns = columnsByHeader(first) ?? guessedColumns(sample);
  if (!columns.ok) {
    entries.fault(first.line, columns.message);
    return null;
  }
  for (const note of columns.value.notes) entries.note(first.line, note);
  return columns.value;
}

function readRow(entries: Entries, { at, count }: Columns, { line, cells }: Row): void {
  if (cells.slice(count).some((cell) => cell !== "")) {
    return entries.fault(
      line,
      `The row has ${cells.length} cells, but the table has ${count} columns. Put a cell with a comma into quotes.`,
    );
  }
  const cell = (column: keyof Columns["at"]): string => {
    const index = at[column];
    return index === undefined ? "" : (cells[index] ?? "");
  };
  const typeText = cell("type").trim();
  if (typeText === "") return entries.fault(line, "The row has no type.");
  const recordType = entries.type(line, typeText);
  const owner = entries.owner(line, cell("name").trim() || "@", "either");
  const ttl = readTtl(entries, line, cell("ttl").trim());
  const [status, proxied] = [
    readStatus(cell("status"), cell("enabled"), cell("disabled")),
    readProxied(cell("proxied")),
  ];
  const faults = [status, proxied].flatMap((result) => (result.ok ? [] : [result.message]));
  for (const fault of faults) entries.fault(line, fault);
  if (!/^(?:in)?$/i.test(cell("class").trim()))
    return entries.fault(line, `Class ${cell("class")} is not supported; use IN.`);
  if (recordType === null || owner === null || !status.ok || !proxied.ok) return;
  const about = {
    line,
    owner,
    ttl,
    recordType,
    proxied: proxied.value,
    comment: cell("comment").trim() || null,
    isDisabled: status.value,
  };
  for (const value of valuesOf(entries, line, recordType, cell("value"))) {
    const fields = readValue(entries, line, recordType, value, [cell("priority"), cell("weight"), cell("port")]);
    if (fields.ok) entries.add({ ...about, fields: fields.value });
    else entries.fault(line, fields.message);
  }
}

function readTtl(entries: Entries, line: number, text: string): number | null {
  if (text === "") return null;
  if (!/^(?:auto|automatic|default)$/i.test(text)) {
    const spaced = /^(\d+) ?(?:(s)ec|(m)in|(h)our|(d)ay|(w)eek)[a-z]*$/i.exec(text);
    const ttl = entries.or(line, parseTtl(spaced ? spaced.slice(1).filter(Boolean).join("") : text));
    if (ttl !== null && !/^\d+$/.test(text)) entries.note(line, `The TTL ${shown(text)} is read as ${ttl}.`);
    return ttl;
  }
  const { automaticTtl, defaultTtl = 3600 } = entries.options;
  if (automaticTtl === undefined) entries.note(line, `The TTL ${shown(text)} is read as ${defaultTtl}.`);
  return automaticTtl ?? defaultTtl;
}

const yes = /^(?:true|yes|y|1|on|proxied)$/i;
const no = /^(?:false|no|n|0|off|dns only|dns_only)$/i;

/** Returns whether a record is disabled. */
function readStatus(status: string, enabled: string, disabled: string): Result<boolean> {
  const text = status.trim();
  if (/^(?:disabled|inactive|paused)$/i.test(text) || yes.test(disabled.trim()) || no.test(enabled.trim()))
    return ok(true);
  const isKnown = text === "" || /^(?:active|enabled|enable)$/i.test(text) || yes.test(text);
  return isKnown ? ok(false) : refuse(`The status must be active or disabled, not ${shown(text)}.`);
}

function readProxied(given: string): Result<boolean | null> {
  const text = given.trim();
  if (text === "") return ok(null);
  if (yes.test(text)) return ok(true);
  return no.test(text) ? ok(false) : refuse(`Whether a record is proxied must be true or false, not ${shown(text)}.`);
}

/** Returns the values of a cell: some tables have a line for each. */
function valuesOf(entries: Entries, line: number, recordType: string, cell: string): string[] {
  if (recordType === "TXT" || !/[\n\r]/.test(cell.trim())) return [cell];
  const values = cell.split(/[\n\r]+/).filter((value) => value.trim() !== "");
  entries.note(line, `The ${values.length} lines of the value are read as records of their own.`);
  return values;
}

/** Reads a value as clients write it, or else as zone files have it. @param parts the cells of priority, weight and port */
function readValue(
  entries: Entries,
  line: number,
  recordType: string,
  cell: string,
  parts: readonly string[],
): Result<Field[]> {
  const { lenient = false } = entries.options;
  if (recordType === "TXT" && /^\s*".*"\s*$/s.test(cell)) {
    const strings = dataFields(cell.trim());
    if (strings.ok && strings.value.every(({ quoted }) => quoted)) {
      const [{ raw } = { raw: "" }, ...others] = strings.value;
      // Several strings and escapes are not meant literally.
      if (others.length === 0 && raw !== "" && !raw.includes("\\")) {
        entries.note(line, "Quotes around a text are read as those of a zone file, not as part of the text.");
      }
      return strings;
    }
  }
  const value = recordType === "TXT" ? cell : cell.trim();
  if (value === "")
    return refuse(recordType === "TXT" ? 'The value is missing. Write an empty text as "".' : "The value is missing.");
  const [priorityText = "", weight = "", port = ""] = parts.map((part) => part.trim());
  const takesPriority = recordType === "MX" || recordType === "SRV";
  if (takesPriority && priorityText !== "" && !/^\d{1,5}$/.test(priorityText))
    return refuse(`The priority must be a number, not ${shown(priorityText)}.`);
  const whole = recordType === "SRV" && weight !== "" && port !== "" ? `${weight} ${port} ${value}` : value;
  const priority = takesPriority && priorityText !== "" ? Number(priorityText) : null;
  const fields = fieldsOfValue(recordType, whole, priority, lenient);
  if (fields.ok) return fields;
  const asInFile = fieldsInFile(recordType, whole, priorityText, entries.options.zone);
  if (asInFile === null) return fields;
  entries.note(line, `${shown(value)} is read as in a zone file.`);
  return ok(asInFile);
}

/** Returns the fields of data as in a zone file; null if it is not that either. */
function fieldsInFile(recordType: string, value: string, priority: string, zone: string): Field[] | null {
  for (const text of priority === "" ? [value] : [`${priority} ${value}`, value]) {
    const fields = dataFields(text);
    if (fields.ok && fields.value.length > 0 && readData(recordType, fields.value, zone).ok) return fields.value;
  }
  return null;
}

type Scanned = ({ kind: "row" } & Row) | { kind: "error"; line: number; message: string };

/**
 * Yields the rows of a table that have anything, null for others and within long rows, and an error in place of what cannot be read.
 * @param options.keepsRemarks whether rows that begin with # are rows like others
 */
export function* tableRows(
  text: string,
  separator: string,
  { keepsRemarks = false }: { keepsRemarks?: boolean } = {},
): Generator<Scanned | null, void> {
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const start = at;
    const first = line;
    const cells: string[] = [];
    let isRemark = false;
    let stepped = start;
    for (;;) {
      const cell = text[at] === '"' ? quotedCell(text, at, separator) : bareCell(text, at, separator);
      if (cell === null || cell.end - start > longestRow) {
        const message =
          cell === null
            ? "A quote in the row that begins here is never closed, has text after it, or closes too far away. Write a quote within quotes twice."
            : `The row that begins here has more than ${longestRow} characters.`;
        yield { kind: "error", line: first, message };
        return;
      }
      for (; cell.end - stepped >= stepCharacters; stepped += stepCharacters) yield null;
      // A quoted cell is content, as exports write a name that begins with #.
      if (cells.length === 0) isRemark = !keepsRemarks && !cell.isQuoted && cell.content.startsWith("#");
      cells.push(cell.content);
      if (cell.isQuoted) line += text.slice(at, cell.end).split("\n").length - 1;
      at = cell.end + 1;
      if (text[cell.end] !== separator) break;
    }
    line++;
    const isEmpty = isRemark || cells.every((cell) => cell.trim() === "");
    yield isEmpty ? null : { kind: "row", line: first, cells };
  }
}

interface Cell {
  content: string;
  isQuoted: boolean;
  /** The position of what ends the cell: a separator or a line feed. */
  end: number;
}

function bareCell(text: string, at: number, separator: string): Cell {
  let end = at;
  const most = Math.min(text.length, at + longestRow + 1);
  while (end < most && text[end] !== separator && text[end] !== "\n") end++;
  return { content: text.slice(at, end).trim(), isQuoted: false, end };
}

/** Returns null if the quote is not closed, or followed by text. */
function quotedCell(text: string, at: number, separator: string): Cell | null {
  const blanks = separator === "\t" ? " \r" : " \r\t";
  for (
    let close = text.indexOf('"', at + 1);
    close !== -1 && close - at <= longestRow;
    close = text.indexOf('"', close + 1)
  ) {
    if (text[close + 1] === '"') {
      close++;
      continue;
    }
    let end = close + 1;
    while (blanks.includes(text[end] ?? "x")) end++;
    const isEnd = end >= text.length || text[end] === separator || text[end] === "\n";
    return isEnd ? { content: text.slice(at + 1, close).replaceAll('""', '"'), isQuoted: true, end } : null;
  }
  return null;
}
