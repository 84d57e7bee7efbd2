import type { Issue } from "../platform/errors.ts";

/** Maximum nesting of lists and objects in a body. Valid bodies have at most nine levels. */
export const deepest = 64;

/**
 * Maximum number of fields and list items in a body. `ordinary` is several times what the largest ordinary call needs; `large` allows a plan
 * of ten thousand changes that set every field.
 */
export const mostValues = { ordinary: 10_000, large: 400_000 } as const;

/** Error message for deeper nesting. */
export const tooDeep = `This is nested too deeply. At most ${deepest} levels are allowed.`;

/** The result of a scan, and the number of bytes it read. */
export interface ScannedShape {
  /** Null if the text may be parsed. */
  fault: Issue | null;
  steps: number;
}

const quote = 34;
const comma = 44;
const openList = 91;
const backslash = 92;
const closeList = 93;
const openObject = 123;
const closeObject = 125;

/** A list or object that contains the scan position. */
interface Level {
  isList: boolean;
  /** Index of the current item in a list. */
  index: number;
  expectsKey: boolean;
  /** Position of the last key, including quotes. */
  keyStart: number;
  keyEnd: number;
}

/**
 * Scans JSON text before it is parsed, in one pass over its bytes. The cost of parsing and validating grows with the number of values, of
 * which a small body can contain half a million. Invalid JSON passes, because the parser refuses it.
 */
export function scanShape(json: Uint8Array, most: number): ScannedShape {
  const levels: Level[] = [];
  let level: Level | undefined;
  let values = 0;
  let at = 0;
  const refuse = (path: Issue["path"], message: string) => ({ fault: { path, message }, steps: at });
  for (; at < json.length; at++) {
    const code = json[at];
    if (code === quote) {
      const start = at;
      at = closingQuote(json, start);
      if (level?.expectsKey === true) {
        level.expectsKey = false;
        level.keyStart = start;
        level.keyEnd = at + 1;
      }
    } else if (code === comma) {
      values++;
      if (level?.isList === true) level.index++;
      else if (level) level.expectsKey = true;
    } else if (code === openList || code === openObject) {
      values++;
      if (levels.length >= deepest) {
        return refuse(pathOf(json, levels), tooDeep);
      }
      level = { isList: code === openList, index: 0, expectsKey: code === openObject, keyStart: 0, keyEnd: 0 };
      levels.push(level);
    } else if (code === closeList || code === closeObject) {
      levels.pop();
      level = levels.at(-1);
    }
    if (values > most) return refuse([], `The body has more than ${most} fields and list items. Send it in parts.`);
  }
  return { fault: null, steps: at };
}

function closingQuote(json: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
}

function pathOf(json: Uint8Array, levels: readonly Level[]): Issue["path"] {
  return levels.map(({ isList, index, keyStart, keyEnd }) => (isList ? index : keyAt(json, keyStart, keyEnd)));
}

function keyAt(json: Uint8Array, start: number, end: number): string {
  const text = Buffer.from(json.subarray(start, end)).toString("utf8");
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
