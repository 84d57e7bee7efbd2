import { AppError, shownPath, type Issue } from "../platform/errors.ts";
import { refuseOddities } from "./json-object.ts";

const deepestPath = 64;

type Json = Record<string, unknown>;

/**
 * Turns superjson's form of an input into the input, in one pass over its notes. Of what superjson can say, it takes what a client sends:
 * dates and undefined. Sets, maps, patterns, classes and references would be built before anything is validated, at a cost of their own.
 * @param payload parsed JSON, which is changed in place
 * @throws AppError BAD_REQUEST
 */
export function deserializeInput(payload: unknown): unknown {
  if (!isObject(payload) || !Object.hasOwn(payload, "json")) {
    throw unreadable("Send the input as superjson writes it: an object with `json`, and `meta` where it is needed.");
  }
  for (const key in payload) {
    if (key !== "json" && key !== "meta") throw unreadable("Next to `json` there may only be `meta`.");
  }
  const { meta } = payload;
  if (typeof payload["json"] === "object" && payload["json"] !== null) refuseOddities(payload["json"]);
  if (meta === undefined) return payload["json"];
  if (!isObject(meta)) throw unreadable("`meta` must be an object.");
  for (const key in meta) {
    if (key !== "values" && key !== "v") {
      throw unreadable("`meta` may only have `values` and `v`; values that occur twice must be sent twice.");
    }
  }
  const version = meta["v"];
  if (version !== undefined && version !== 0 && version !== 1) throw unreadable("`meta.v` must be 0 or 1.");
  if (meta["values"] !== undefined) annotate(payload, meta["values"], version !== 1);
  return payload["json"];
}

/** Puts what the notes say in place. `values` is a note on the whole input, or notes by path. */
function annotate(payload: Json, values: unknown, legacyPaths: boolean): void {
  if (Array.isArray(values)) {
    payload["json"] = annotated(payload["json"], values, []);
    return;
  }
  if (!isObject(values)) throw unreadable("`meta.values` must be an object.");
  for (const key in values) {
    const path = pathOf(key, legacyPaths);
    const last = path.pop() ?? "";
    let holder = payload["json"];
    for (const part of path) holder = childOf(holder, part, [...path, last]);
    const child = childOf(holder, last, [...path, last]);
    (holder as Json)[last] = annotated(child, values[key], [...path, last]);
  }
}

function annotated(value: unknown, note: unknown, path: Issue["path"]): unknown {
  const [kind] = Array.isArray(note) && note.length === 1 ? note : [];
  if (kind === "undefined" && value === null) return undefined;
  if (kind === "Date" && typeof value === "string") return new Date(value);
  throw badNote(path, "Only dates and undefined can be sent beside what JSON has.");
}

/** An own item or field, so that no path leads to a prototype or out of the input. */
function childOf(holder: unknown, part: string, path: string[]): unknown {
  const known = Array.isArray(holder)
    ? /^(?:0|[1-9]\d{0,8})$/.test(part) && Number(part) < holder.length
    : isObject(holder) && Object.hasOwn(holder, part);
  if (!known) throw badNote(path, "`meta.values` names this, and the input does not have it.");
  return (holder as Json)[part];
}

/** superjson's paths: parts between dots, with a backslash before a dot of the part, and from version 1 before a backslash, too. */
function pathOf(text: string, legacy: boolean): string[] {
  const parts: string[] = [];
  let part = "";
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    if (character === "\\" && (next === "." || (next === "\\" && !legacy))) {
      part += next;
      at++;
    } else if (character === "\\" && !legacy) {
      throw unreadable("A path in `meta.values` has a backslash that escapes nothing.");
    } else if (character === ".") {
      parts.push(part);
      part = "";
    } else {
      part += character;
    }
    if (parts.length >= deepestPath) {
      throw unreadable(`A path in \`meta.values\` has more than ${deepestPath} parts.`);
    }
  }
  return [...parts, part];
}

function isObject(value: unknown): value is Json {
  if (typeof value !== "object" || value === null) return false;
  return Object.getPrototypeOf(value) === Object.prototype;
}

function unreadable(message: string): AppError {
  return new AppError("BAD_REQUEST", message);
}

function badNote(path: Issue["path"], message: string): AppError {
  const shown = shownPath(path);
  return new AppError("BAD_REQUEST", `${shown.join(".") || "meta"}: ${message}`, {
    issues: [{ path: shown, message }],
  });
}
