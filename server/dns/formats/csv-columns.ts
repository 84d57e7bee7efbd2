import { shown } from "../names/names.ts";
import { shortened } from "../rdata/field.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";
import { canonicalType } from "../zone-file/type-names.ts";
import { looksLikeTtl } from "../record.ts";

/** A row of a table. */
export interface Row {
  /** The 1-based line that it begins on. */
  line: number;
  cells: readonly string[];
}

/** What a column may hold, and the headers by which tables of many makers call it, in lower case and without other characters than letters. */
const headers = {
  name: [
    "name",
    "host",
    "hostname",
    "recordname",
    "record",
    "owner",
    "subdomain",
    "label",
    "fqdn",
    "domainname",
    "rrname",
  ],
  type: ["type", "recordtype", "rrtype"],
  ttl: ["ttl", "ttlseconds", "ttlsec", "timetolive"],
  priority: ["priority", "prio", "preference", "pref", "mxpriority", "mxpref", "level"],
  value: [
    "value",
    "content",
    "data",
    "rdata",
    "target",
    "address",
    "answer",
    "pointsto",
    "destination",
    "recordvalue",
    "recorddata",
    "valueroutetrafficto",
  ],
  weight: ["weight"],
  port: ["port"],
  class: ["class"],
  proxied: ["proxied", "proxy", "proxystatus"],
  comment: ["comment", "comments", "note", "notes", "description", "remark"],
  status: ["status", "state"],
  enabled: ["enabled", "active"],
  disabled: ["disabled"],
} as const satisfies Record<string, readonly string[]>;

type Column = keyof typeof headers;

/** Where a table has what. */
export interface Columns {
  at: Partial<Record<Column, number>>;
  count: number;
  hasHeader: boolean;
  notes: string[];
}

const names = new Map<string, Column>(
  (Object.keys(headers) as Column[]).flatMap((column) => headers[column].map((header) => [header, column] as const)),
);

/** Returns the columns that a header names; null if the row is no header. */
export function columnsByHeader({ cells }: Row): Result<Columns> | null {
  const at: Columns["at"] = {};
  const notes: string[] = [];
  for (const [index, cell] of cells.entries()) {
    const column = names.get(cell.toLowerCase().replaceAll(/[^a-z]/g, ""));
    if (column === undefined) {
      if (cell.trim() !== "") notes.push(`The column ${shown(shortened(cell))} is left out.`);
    } else if (at[column] === undefined) at[column] = index;
    else notes.push(`The column ${shown(shortened(cell))} is left out: another one is read as the ${column}.`);
  }
  if (at.type === undefined || at.value === undefined) return null;
  if (at.name === undefined)
    return refuse('The table has no column "name". Name its columns: name, type, ttl, priority, value.');
  return ok({ at, count: cells.length, hasHeader: true, notes });
}

/** Returns whether a row names the columns of records. */
export function isHeader(cells: readonly string[]): boolean {
  return columnsByHeader({ line: 1, cells })?.ok === true;
}

/** Returns whether a row without a header is probably a record: it has a type in a cell of its own, and its first cell is one word. */
export function isRecordRow(cells: readonly string[]): boolean {
  const isWord = !/\s/.test(cells[0] ?? "");
  return cells.length > 2 && isWord && cells.some((cell) => canonicalType(cell.trim()) !== null);
}

/** More than any table of records has. */
const mostColumns = 50;

/** Guesses the columns of a table without a header by what is in them. */
export function guessedColumns(rows: readonly Row[]): Result<Columns> {
  const count = Math.max(...rows.map(({ cells }) => cells.length));
  if (count > mostColumns) return unclear;
  const columns = Array.from({ length: count }, (_, index) => rows.map(({ cells }) => (cells[index] ?? "").trim()));
  const indices = columns.flatMap((cells, index) => (cells.some((cell) => cell !== "") ? [index] : []));
  const all = (index: number, test: (cell: string) => boolean) => columns[index]?.every(test) === true;
  const types = indices.filter((index) => all(index, (cell) => canonicalType(cell) !== null));
  const [type] = types;
  if (type === undefined || types.length > 1) return unclear;
  const others = indices.filter(
    (index) => index !== type && !all(index, (cell) => cell === "" || cell.toUpperCase() === "IN"),
  );
  const numbers = others.filter((index) => all(index, (cell) => cell === "" || looksLikeTtl(cell)));
  const [name, value, ...more] = others.filter((index) => !numbers.includes(index));
  if (name === undefined || value === undefined || more.length > 0) return unclear;
  const isPriority = (index: number) =>
    columns[index]?.every((cell, row) => cell === "" || /^(?:MX|SRV)$/i.test(columns[type]?.[row] ?? "")) === true;
  const priorities = numbers.filter(isPriority);
  const ttls = numbers.filter((index) => !isPriority(index));
  // Of a table with only such records, one column of numbers could be either.
  const hasOthers = columns[type]?.some((cell) => !/^(?:MX|SRV)$/i.test(cell)) === true;
  if (priorities.length > 1 || ttls.length > 1 || (priorities.length > 0 && !hasOthers)) return unclear;
  const at: Columns["at"] = { type, name, value, ttl: ttls[0], priority: priorities[0] };
  const order = Object.entries(at)
    .filter(([, index]) => index !== undefined)
    .toSorted(([, one], [, other]) => (one ?? 0) - (other ?? 0));
  const notes = [`Without a header, the columns are read as ${order.map(([column]) => column).join(", ")}.`];
  return ok({ at, count, hasHeader: false, notes });
}

const unclear = refuse(
  "What the columns mean is unclear. Add a first line that names them, such as name,type,ttl,priority,value.",
);
