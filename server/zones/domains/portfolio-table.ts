import { tableRows } from "../../dns/formats/csv.ts";
import { shown } from "../../dns/names/names.ts";
import { badField } from "../../platform/errors.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";
import type { Steps } from "../../platform/slices.ts";

/* The table of a portfolio: how cells are written for spreadsheets, and read as people and spreadsheets write them. Pure. */

/** The columns of an exported table, in order, and the headers by which people call those that an import reads. */
const headers = {
  name: ["name", "domain", "domainname", "zone", "fqdn", "hostname"],
  view: ["view"],
  provider: ["provider", "dnsprovider"],
  group: ["group", "groupname"],
  tags: ["tags", "tag", "labels"],
  expires: ["expires", "expiresat", "expireson", "expiry", "expirydate", "expiration", "expirationdate", "validuntil"],
  registrar: ["registrar", "registraraccount"],
  notes: ["notes", "note", "comment", "comments", "remark", "description"],
  owner: ["owner", "username"],
  yearlyCost: ["yearlycost", "cost", "price", "annualcost", "costperyear", "priceperyear"],
  currency: ["currency"],
  reminders: ["reminders", "reminddays", "expiryreminddays"],
  autoRenew: ["autorenew", "autorenewal"],
  locked: ["locked", "lock", "transferlock"],
} as const satisfies Record<string, readonly string[]>;

export type PortfolioColumn = keyof typeof headers;
export const portfolioColumns = Object.keys(headers) as PortfolioColumn[];

/** The columns that an import changes. */
export const changeableColumns = [
  "group",
  "tags",
  "expires",
  "registrar",
  "notes",
  "owner",
  "yearlyCost",
  "currency",
  "reminders",
] as const satisfies readonly PortfolioColumn[];
export type ChangeableColumn = (typeof changeableColumns)[number];

/** A domain as a row of the table. */
export interface PortfolioRow {
  name: string;
  view: string;
  provider: string;
  groupName: string | null;
  tags: readonly string[];
  expiresAt: Date | null;
  /** The registrar's account; else what is known of the registrar. */
  registrar: string | null;
  notes: string | null;
  owner: string | null;
  costHundredths: number | null;
  currency: string | null;
  remindDays: readonly number[];
  autoRenew: boolean | null;
  locked: boolean | null;
}

/** Returns the cells of a row, before they are quoted. */
export function cellsOf(row: PortfolioRow): Record<PortfolioColumn, string> {
  return {
    name: row.name,
    view: row.view,
    provider: row.provider,
    group: row.groupName ?? "",
    tags: row.tags.map((tag) => quotedPart(tag)).join("; "),
    expires: row.expiresAt?.toISOString().slice(0, 10) ?? "",
    registrar: row.registrar ?? "",
    notes: row.notes ?? "",
    owner: row.owner ?? "",
    yearlyCost: row.costHundredths === null ? "" : (row.costHundredths / 100).toFixed(2),
    currency: row.currency ?? "",
    reminders: row.remindDays.join("; "),
    autoRenew: flag(row.autoRenew),
    locked: flag(row.locked),
  };
}

/** Puts quotes around a part of a cell that would be read as several, or otherwise. */
function quotedPart(part: string): string {
  return /[;,\n]|^\s|\s$|^"/.test(part) ? `"${part.replaceAll('"', '""')}"` : part;
}

const nextPart = /[^\S\n]*(?:"((?:[^"]|"")*)"[^\S\n]*(?:[;,\n]|$)|([^;,\n]*)(?:[;,\n]|$))/y;

/**
 * Returns the parts of a cell that semicolons, commas or line ends separate, as {@link cellsOf} writes them.
 * @param most more are not read: one more is returned
 */
export function partsOf(cell: string, most: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < cell.length && parts.length <= most;) {
    nextPart.lastIndex = at;
    const [whole = "", quoted, bare = ""] = nextPart.exec(cell) ?? [];
    if (quoted !== undefined) parts.push(quoted.replaceAll('""', '"'));
    else if (bare.trim() !== "") parts.push(bare.trim());
    at += Math.max(whole.length, 1);
  }
  return parts;
}

function flag(value: boolean | null): string {
  return value === null ? "" : value ? "yes" : "no";
}

/** Returns the text that a cell stands for, without the apostrophe that `csvRow` adds. */
function plainCell(cell: string): string {
  return normal(cell.replace(/^'(?='*[=+\-@\t\r])/, ""));
}

/** Spreadsheets trim cells and write other line ends. */
function normal(text: string): string {
  return text.replaceAll("\r\n", "\n").trim();
}

/** Returns whether a cell that was read says what a table of the present state says. */
export function sameText(cell: string, present: string): boolean {
  return cell === normal(present);
}

/** A cell that keeps the value, also where empty cells clear. */
export const kept = "(keep)";

/** A row of a table that was read. A column that the table does not have, or whose cell says to keep the value, is absent. */
export interface TableRow {
  /** The 1-based line that it begins on. */
  line: number;
  cells: Partial<Record<PortfolioColumn, string>>;
  /** Why the row cannot be read; null if it can. */
  fault: string | null;
  /** The date is set whatever it is by now, and is no part of the plan. */
  restoresDate?: boolean;
}

export interface ReadTable {
  columns: PortfolioColumn[];
  /** Headers that are not known, or that an import does not change, as written. */
  ignored: string[];
  rows: TableRow[];
}

const mostRows = 20_000;
const mostColumns = 100;

/** Reads a table with a header, separated by commas, semicolons or tabs. @throws AppError BAD_REQUEST if it is not one, or too long */
export function* readPortfolio(csv: string): Steps<ReadTable> {
  // Excel's own way to say what separates the cells.
  const declared = /^\uFEFF?sep=([,;\t])\r?\n/i.exec(csv);
  const [whole = "", separator = separatorOf(csv)] = declared ?? [];
  const text = csv.slice(whole.length);
  const skipped = declared ? 1 : 0;
  const read: ReadTable = { columns: [], ignored: [], rows: [] };
  let header: (PortfolioColumn | null)[] | null = null;
  for (const row of tableRows(text, separator, { keepsRemarks: true })) {
    yield;
    if (row === null) continue;
    if (row.kind === "error") throw badField(["csv"], `Line ${row.line + skipped}: ${row.message}`);
    if (header === null) {
      header = headerOf(row.cells, read);
      continue;
    }
    if (read.rows.length === mostRows)
      throw badField(["csv"], `A table can have at most ${mostRows} rows. Import the rest as another table.`);
    read.rows.push(rowOf(header, row.line + skipped, row.cells));
  }
  if (header === null) throw badField(["csv"], "The table is empty. Begin it with a line that names the columns.");
  return read;
}

function separatorOf(text: string): string {
  const [line = ""] = text
    .slice(0, 65_536)
    .replace(/^\uFEFF?\s*/, "")
    .replaceAll(/"[^"]*"/g, "")
    .split(/\r?\n/, 1);
  const count = (separator: string) => line.split(separator).length;
  return [";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best), ",");
}

function headerOf(cells: readonly string[], read: ReadTable): (PortfolioColumn | null)[] {
  if (cells.length > mostColumns)
    throw badField(
      ["csv"],
      `A table can have at most ${mostColumns} columns. Remove those that an import does not need.`,
    );
  const header = cells.map((cell) => columnOf(cell));
  for (const [index, column] of header.entries()) {
    const written = (cells[index] ?? "").trim();
    if (column === null || !(isIdentifying(column) || isChangeable(column))) {
      if (written !== "") read.ignored.push(written.slice(0, 100));
    } else if (read.columns.includes(column)) throw badField(["csv"], `Two columns are ${column}. Remove one of them.`);
    if (column !== null) read.columns.push(column);
  }
  if (!read.columns.includes("name"))
    throw badField(["csv"], "No column is called name or domain. Begin the table with a line that names the columns.");
  return header;
}

function columnOf(header: string): PortfolioColumn | null {
  const plain = header.toLowerCase().replaceAll(/[^a-z]/g, "");
  return portfolioColumns.find((column) => (headers[column] as readonly string[]).includes(plain)) ?? null;
}

function isIdentifying(column: PortfolioColumn): boolean {
  return column === "name" || column === "view";
}

function isChangeable(column: PortfolioColumn): column is ChangeableColumn {
  return (changeableColumns as readonly string[]).includes(column);
}

function rowOf(header: readonly (PortfolioColumn | null)[], line: number, given: readonly string[]): TableRow {
  const cells: TableRow["cells"] = {};
  for (const [index, column] of header.entries()) {
    const cell = given[index];
    const text = plainCell(cell ?? kept);
    if (column !== null && text !== kept) cells[column] = text;
  }
  const isTooLong = given.slice(header.length).some((cell) => cell.trim() !== "");
  const fault = `The row has ${given.length} cells, but the table has ${header.length} columns. Put a cell with a separator into quotes.`;
  return { line, cells, fault: isTooLong ? fault : null };
}

/** The order of day, month and year in dates such as 03/04/27. */
export const dateOrders = ["dmy", "mdy", "ymd"] as const;
export type DateOrder = (typeof dateOrders)[number];

/** A date that can be read in several ways. */
export const ambiguous = Symbol("ambiguous");

const months = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];
export const time = /[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AP]M)?(?:Z| ?[+-]\d{2}:?\d{2}| ?UTC)?$/i;

/** Longer texts are no dates or costs, and are not looked into. */
const longestValue = 100;

/**
 * Reads a date as people and spreadsheets write it; a time after it does not count. What can be several days is not guessed.
 * @param order how to read such dates; undefined: they are {@link ambiguous}
 */
export function readDate(text: string, order: DateOrder | undefined): Result<Date> | typeof ambiguous {
  if (text.length > longestValue) return notADate(text);
  const plain = text
    .replace(time, "")
    .replaceAll(/\s*([-/.])\s*/g, "$1")
    .replace(/\.$/, "");
  const named = /^(\d{1,2}|\d{4})(?:st|nd|rd|th)?[-/. ]([a-z]{3,9})[-/., ]+(\d{4}|\d{1,2})$/i.exec(plain);
  if (named) {
    const [, first = "", month = "", last = ""] = named;
    return ofNamedMonth(text, first, month, last, order);
  }
  const american = /^([a-z]{3,9}) (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/i.exec(plain);
  if (american) return dateOf(text, american[3] ?? "", monthOf(american[1] ?? ""), Number(american[2]));
  const [, first = "", , second = "", third = ""] = /^(\d{1,4})([-/. ])(\d{1,2})\2(\d{1,4})$/.exec(plain) ?? [];
  if (first.length === 4) return dateOf(text, first, Number(second), Number(third));
  if (third === "" || first.length === 3 || third.length === 3) return notADate(text);
  const numbers = [Number(first), Number(second)] as const;
  if (order === undefined) {
    if (third.length !== 4) return ambiguous;
    const [one, other] = numbers;
    if (one <= 12 && other <= 12 && one !== other) return ambiguous;
    return one > 12 ? dateOf(text, third, other, one) : dateOf(text, third, one, other);
  }
  if (order === "dmy") return dateOf(text, third, numbers[1], numbers[0]);
  if (order === "mdy") return dateOf(text, third, numbers[0], numbers[1]);
  return third.length === 4 ? notADate(text) : dateOf(text, first, numbers[1], Number(third));
}

function ofNamedMonth(text: string, first: string, month: string, last: string, order: DateOrder | undefined) {
  if (first.length === 4) return dateOf(text, first, monthOf(month), Number(last));
  if (last.length === 4) return dateOf(text, last, monthOf(month), Number(first));
  if (order === undefined) return ambiguous;
  return order === "ymd"
    ? dateOf(text, first, monthOf(month), Number(last))
    : dateOf(text, last, monthOf(month), Number(first));
}

/** Returns the number of an English month, also by its first three letters; 0 if it is none. */
function monthOf(name: string): number {
  const plain = name.toLowerCase() === "sept" ? "sep" : name.toLowerCase();
  return months.findIndex((month) => plain === month || plain === month.slice(0, 3)) + 1;
}

function dateOf(text: string, year: string, month: number, day: number): Result<Date> {
  const whole = year.length === 4 ? Number(year) : 2000 + Number(year);
  const date = new Date(Date.UTC(whole, month - 1, day));
  const isReal = month >= 1 && month <= 12 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal && whole >= 1970 ? ok(date) : notADate(text);
}

function notADate(text: string): Result<never> {
  const hint = /^\d{5}$/.test(text) ? " Format the column as dates in the spreadsheet." : "";
  return refuse(`${shown(text)} is not a date. Write it as 2027-04-03.${hint}`);
}

/** A cost, and the currencies that the text beside it can mean; null: it names none. */
export interface Cost {
  hundredths: number;
  currencies: readonly string[] | null;
}

const dollars =
  "USD ARS AUD BBD BMD BND BSD BZD CAD CLP COP DOP FJD GYD HKD JMD KYD LRD MXN NAD NZD SBD SGD SRD TTD TWD UYU XCD";
const signs: ReadonlyMap<string, readonly string[]> = new Map([
  ["€", ["EUR"]],
  ["£", ["GBP"]],
  ["₹", ["INR"]],
  ["$", dollars.split(" ")],
  ["¥", ["JPY", "CNY"]],
]);

/** Plain, and with thousands set apart in the ways of several countries. */
const costForms = [
  /^\d+(?:[.,]\d{1,2})?$/,
  /^\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?$/,
  /^\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?$/,
  /^\d{1,3}(?:['’\s\u00A0\u202F]\d{3})+(?:[.,]\d{1,2})?$/,
];

/** Reads a cost as people and spreadsheets write it, such as `12.50`, `12,5`, `1.234,50` or `€ 12`. */
export function readCost(text: string): Result<Cost> {
  if (text.length > longestValue) return notACost(text);
  const [, before = "", number = "", after = ""] =
    /^([^\d.,-]*)(-?[\d.,'’\s\u00A0\u202F]*\d)([^\d]*)$/.exec(text.trim()) ?? [];
  const unit = (before + after).replaceAll(/[\s\u00A0\u202F]/g, "");
  const currencies = /^[a-z]{3}$/i.test(unit) ? [unit.toUpperCase()] : (signs.get(unit) ?? null);
  if (number === "" || (unit !== "" && currencies === null)) return notACost(text);
  if (number.startsWith("-")) return refuse("A cost must not be negative.");
  if (/^\d{1,3}[.,]\d{3}$/.test(number))
    return refuse(
      `${shown(text)} can be a number of thousands or have decimals. Write ${number.replaceAll(/\D/g, "")} or two decimals.`,
    );
  if (!costForms.some((form) => form.test(number))) return notACost(text);
  const [, whole = "", decimals = ""] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(number) ?? [];
  const hundredths = Number(whole.replaceAll(/\D/g, "")) * 100 + Number(decimals.padEnd(2, "0"));
  return ok({ hundredths, currencies });
}

function notACost(text: string): Result<never> {
  return refuse(`${shown(text)} is not a cost. Write a number with at most two decimals, such as 12.50.`);
}
