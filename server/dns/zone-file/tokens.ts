import type { RdataField } from "../values/value-rule.ts";
import { typesWithParameters } from "../values/uneditable.ts";

/** An error or warning at a 1-based line of the text. */
export interface LineMessage {
  line: number;
  message: string;
}

export interface Field extends RdataField {
  /** The 1-based line of its first character. */
  line: number;
  /** Whether no whitespace separates it from the previous field, as in `alpn="h2,h3"` (RFC 9460 appendix A). */
  glued: boolean;
}

/** One entry of a master file: one line, or several joined by parentheses. Entries without fields are omitted. */
export interface LogicalLine {
  kind: "line";
  /** The 1-based line of its first character. */
  line: number;
  /** Whether it begins with whitespace and so inherits the previous record's owner (RFC 1035 §5.1). */
  leadingBlank: boolean;
  fields: Field[];
  /** Whether a comment directly follows an unquoted field (`v=DKIM1;k=rsa`): legal, but rarely intended. */
  abruptComment: boolean;
  /** Its last comment, as in the text after the `;`; null for none. */
  comment: string | null;
}

interface BrokenLine extends LineMessage {
  kind: "error";
}

const tab = 9;
const newline = 10;
const carriageReturn = 13;
const space = 32;
const quote = 34;
const openParenthesis = 40;
const closeParenthesis = 41;
const semicolon = 59;
const backslash = 92;

/**
 * Splits master-file text into logical lines (RFC 1035 §5.1), one at a time. Keeps escapes. Yields an error in place of an unreadable
 * line and continues after it.
 */
export function* logicalLines(text: string): Generator<LogicalLine | BrokenLine, void> {
  for (const entry of scannedEntries(text)) if (entry !== null) yield entry;
}

/**
 * {@link logicalLines}, plus null for each line without fields, and extra nulls around long entries in proportion to their length, for
 * callers that measure work by the number of steps.
 */
export function* scannedEntries(text: string): Generator<LogicalLine | BrokenLine | null, void> {
  // A byte order mark is not part of the first owner.
  const scanner = { text, position: text.charCodeAt(0) === 0xfeff ? 1 : 0, limit: 0, line: 1 };
  while (scanner.position < text.length) {
    scanner.limit = Math.min(text.length, scanner.position + longestEntry + 1);
    const start = scanner.position;
    const entry = readEntry(scanner);
    const further = Math.floor((scanner.position - start) / charactersPerStep);
    for (let step = 0; step < further; step++) yield null;
    yield entry.kind === "error" || entry.fields.length > 0 ? entry : null;
    for (let step = 0; step < further; step++) yield null;
  }
}

/** Twice the length of the largest RDATA (RFC 1035 §3.2.1: 65,535 octets) with every octet written as `\DDD`. */
const longestEntry = 524_288;
/** Most entries take one step. */
const charactersPerStep = 128;

interface Scanner {
  text: string;
  position: number;
  /** Position by which the current entry must end. */
  limit: number;
  line: number;
}

/** Reads up to and including the line end that closes the entry. */
function readEntry(scanner: Scanner): LogicalLine | BrokenLine {
  const { text } = scanner;
  const first = text.charCodeAt(scanner.position);
  const entry: LogicalLine = {
    kind: "line",
    line: scanner.line,
    leadingBlank: first === space || first === tab,
    fields: [],
    abruptComment: false,
    comment: null,
  };
  let error: BrokenLine | null = null;
  let depth = 0;
  let openedAt = 0;
  let glued = false;

  const start = scanner.position;
  while (scanner.position < text.length) {
    if (scanner.position - start > longestEntry) {
      scanner.position = text.length;
      return broken(
        entry.line,
        `The entry that begins here is longer than ${longestEntry} characters; parsing stops here.`,
      );
    }
    const code = text.charCodeAt(scanner.position);
    if (code === newline || isLoneReturn(text, scanner.position)) {
      scanner.position++;
      scanner.line++;
      glued = false;
      if (depth === 0) return error ?? entry;
    } else if (code === space || code === tab || code === carriageReturn) {
      scanner.position++;
      glued = false;
    } else if (code === semicolon) {
      if (glued && entry.fields.at(-1)?.quoted === false) entry.abruptComment = true;
      entry.comment = readComment(scanner);
    } else if (code === openParenthesis) {
      if (depth === 0) openedAt = scanner.line;
      depth++;
      scanner.position++;
      glued = false;
    } else if (code === closeParenthesis) {
      if (depth === 0) error ??= broken(scanner.line, "This ) has no matching (.");
      else depth--;
      scanner.position++;
      glued = false;
    } else {
      const field = code === quote ? readQuoted(scanner, glued) : readBare(scanner, glued);
      if (typeof field === "string") {
        error ??= broken(scanner.line, field);
        skipToLineEnd(scanner);
      } else {
        entry.fields.push(field);
        glued = true;
      }
    }
  }
  if (depth > 0) error ??= broken(openedAt, "The parenthesis that opens here is never closed.");
  return error ?? entry;
}

/** Reads a quoted `<character-string>`. Returns an error message if it is not closed on its line. */
function readQuoted(scanner: Scanner, glued: boolean): Field | string {
  const { text, limit } = scanner;
  const start = scanner.position + 1;
  for (let end = start; end < limit; end++) {
    const code = text.charCodeAt(end);
    if (code === quote) {
      scanner.position = end + 1;
      return { raw: text.slice(start, end), quoted: true, glued, line: scanner.line };
    }
    if (code === newline) break;
    // A backslash cannot escape the line end, because quoted text never spans lines.
    if (code === backslash && text.charCodeAt(end + 1) !== newline) end++;
  }
  return "A quote on this line is never closed; close it on the same line.";
}

/** Reads an unquoted field. Returns an error message if it ends in a backslash. */
function readBare(scanner: Scanner, glued: boolean): Field | string {
  const { text, limit } = scanner;
  const start = scanner.position;
  let end = start;
  while (end < limit && !endsBare(text.charCodeAt(end))) {
    if (text.charCodeAt(end) === backslash) {
      end++;
      if (end === text.length || isLineEnd(text.charCodeAt(end)))
        return "The backslash at the end of this line has nothing to escape; remove it.";
    }
    end++;
  }
  scanner.position = end;
  return { raw: text.slice(start, end), quoted: false, glued, line: scanner.line };
}

function endsBare(code: number): boolean {
  // Fast path: most characters of a name or number are above `;`.
  if (code > semicolon) return false;
  return (
    code === space ||
    code === tab ||
    code === newline ||
    code === carriageReturn ||
    code === semicolon ||
    code === quote ||
    code === openParenthesis ||
    code === closeParenthesis
  );
}

function isLineEnd(code: number): boolean {
  return code === newline || code === carriageReturn;
}

/** Returns whether a carriage return alone ends the line, as in BIND. Taken for a blank, it would make one record of two lines. */
function isLoneReturn(text: string, position: number): boolean {
  return text.charCodeAt(position) === carriageReturn && text.charCodeAt(position + 1) !== newline;
}

function readComment(scanner: Scanner): string {
  const start = scanner.position + 1;
  skipToLineEnd(scanner);
  return scanner.text.slice(start, scanner.position);
}

function skipToLineEnd(scanner: Scanner): void {
  const { text } = scanner;
  let end = scanner.position;
  // Not with indexOf, which would read the rest of a text without line feeds for each of its lines.
  while (end < text.length && text.charCodeAt(end) !== newline && !isLoneReturn(text, end)) end++;
  scanner.position = end;
}

function broken(line: number, message: string): BrokenLine {
  return { kind: "error", line, message };
}

/**
 * Joins `alpn=` and the quoted `h2,h3` directly after it into the single field `alpn="h2,h3"` (RFC 9460 appendix A).
 * For other types a quote begins a new field, as in BIND.
 */
export function joinParameters(recordType: string, fields: Field[]): Field[] {
  if (!typesWithParameters.has(recordType)) return fields;
  const joined: Field[] = [];
  for (const field of fields) {
    const before = joined.at(-1);
    if (before && field.glued && field.quoted && !before.quoted && before.raw.endsWith("=")) {
      joined[joined.length - 1] = { ...before, raw: `${before.raw}"${field.raw}"` };
    } else {
      joined.push(field);
    }
  }
  return joined;
}
