import { isUtf8 } from "node:buffer";
import { AppError, badField, type Issue } from "../platform/errors.ts";

/** A parsed JSON body. */
export type JsonObject = Record<string, unknown>;

/**
 * Parses a JSON object from the bytes of a body in linear time. Checks encoding and shape first; invalid UTF-8 would be stored as
 * replacement characters (RFC 8259 §8.1 requires UTF-8).
 * @throws AppError BAD_REQUEST
 */
export function readJsonObject(bytes: Uint8Array, mostValues: number): JsonObject {
  if (!isUtf8(bytes)) throw new AppError("BAD_REQUEST", "The body is not valid UTF-8. Encode it as UTF-8.");
  const { fault } = scanShape(bytes, mostValues);
  if (fault) throw refusal(fault);
  // TextDecoder drops a byte order mark, which some editors add.
  const body = parsed(new TextDecoder().decode(bytes));
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new AppError("BAD_REQUEST", "The body must be a JSON object.");
  }
  refuseUnsafe(body);
  return body as JsonObject;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may contain a password.
    throw new AppError("BAD_REQUEST", "The body is not valid JSON.");
  }
}

/**
 * Refuses input that libraries cannot handle or silently drop: nesting that overflows their recursion, and fields named `__proto__`.
 * @throws AppError BAD_REQUEST
 */
export function refuseUnsafe(value: object): void {
  const fault = unsafeIn(value, deepest);
  if (fault) throw refusal(fault);
}

function unsafeIn(value: object, levels: number): Issue | null {
  if (levels === 0) return { path: [], message: tooDeep };
  if (Object.hasOwn(value, "__proto__"))
    return { path: ["__proto__"], message: "This field is not allowed. Remove it." };
  for (const key in value) {
    const child = (value as JsonObject)[key];
    if (typeof child !== "object" || child === null) continue;
    const fault = unsafeIn(child, levels - 1);
    if (fault) return { ...fault, path: [Array.isArray(value) ? Number(key) : key, ...fault.path] };
  }
  return null;
}

function refusal({ path, message }: Issue): AppError {
  return path.length === 0 ? new AppError("BAD_REQUEST", message) : badField(path, message);
}

/** Maximum nesting of lists and objects in a body. Valid bodies have at most nine levels. */
const deepest = 64;

/**
 * Maximum number of fields and list items in a body. `ordinary` is several times what the largest ordinary call needs; `large` allows a plan
 * of ten thousand changes that set every field.
 */
export const mostValues = { ordinary: 10_000, large: 400_000 } as const;

/** Error message for deeper nesting. */
const tooDeep = `This is nested too deeply. At most ${deepest} levels are allowed.`;

/** The result of a scan, and the number of bytes it read. */
interface ScannedShape {
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
function scanShape(json: Uint8Array, most: number): ScannedShape {
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
