import type { Issue } from "../platform/errors.ts";

/** Levels of lists and objects within a body; valid bodies have nine at most. */
export const deepest = 64;

/**
 * How many fields and list items one body may hold. `ordinary` is several times what the largest ordinary call needs; `large` is for a
 * plan of a thousand changes.
 */
export const mostValues = { ordinary: 10_000, large: 100_000 } as const;

/** What is said of one that is deeper. */
export const tooDeep = `This is nested more than ${deepest} levels deep.`;

/** What the scan found, and how many octets it looked at. */
export interface ScannedShape {
  /** Null where the text may be parsed. */
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

/** A list or an object that the scan is in. */
interface Level {
  isList: boolean;
  /** Of the item that is read, in a list. */
  index: number;
  expectsKey: boolean;
  /** Where the last key stands, quotes included. */
  keyStart: number;
  keyEnd: number;
}

/**
 * Looks at JSON text before it is parsed, in one pass over its octets. The cost of parsing and validating grows with the number of values,
 * and a small body can hold half a million. Text that is not JSON passes: the parser refuses it.
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
    if (values > most) return refuse([], `The body has more than ${most} fields and list items; send it in parts.`);
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
