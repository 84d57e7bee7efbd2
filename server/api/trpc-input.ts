import { AppError, shownPath, type Issue } from "../platform/errors.ts";
import { refuseUnsafe, type JsonObject } from "./json-object.ts";
import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";

const deepestPath = 64;

type Json = Record<string, unknown>;

/**
 * Deserializes superjson input in one pass over its annotations. Supports only what clients send: dates and undefined. Sets, maps, regular
 * expressions, classes and references would be built before validation, at unbounded cost.
 * @param payload parsed JSON, modified in place
 * @throws AppError BAD_REQUEST
 */
export function deserializeInput(payload: unknown): unknown {
  if (!isObject(payload) || !Object.hasOwn(payload, "json")) {
    throw unreadable("Send the input in superjson format: an object with `json` and, if needed, `meta`.");
  }
  for (const key in payload) {
    if (key !== "json" && key !== "meta") throw unreadable("The input may only have the fields `json` and `meta`.");
  }
  const { meta } = payload;
  if (typeof payload["json"] === "object" && payload["json"] !== null) refuseUnsafe(payload["json"]);
  if (meta === undefined) return payload["json"];
  if (!isObject(meta)) throw unreadable("`meta` must be an object.");
  for (const key in meta) {
    if (key !== "values" && key !== "v") {
      throw unreadable(
        "`meta` may only have the fields `values` and `v`. Send repeated values in full instead of references.",
      );
    }
  }
  const version = meta["v"];
  if (version !== undefined && version !== 0 && version !== 1) throw unreadable("`meta.v` must be 0 or 1.");
  if (meta["values"] !== undefined) annotate(payload, meta["values"], version !== 1);
  return payload["json"];
}

/** Applies the annotations. `values` is an annotation of the whole input, or annotations by path. */
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
  throw badAnnotation(path, "Only dates and undefined are supported in addition to JSON types.");
}

/** Returns an own item or field, so that no path reaches a prototype. */
function childOf(holder: unknown, part: string, path: string[]): unknown {
  const known = Array.isArray(holder)
    ? /^(?:0|[1-9]\d{0,8})$/.test(part) && Number(part) < holder.length
    : isObject(holder) && Object.hasOwn(holder, part);
  if (!known) throw badAnnotation(path, "`meta.values` refers to this field, but the input does not have it.");
  return (holder as Json)[part];
}

/** Parses a superjson path: parts separated by dots; a backslash escapes a dot and, since version 1, a backslash. */
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
      throw unreadable("A path in `meta.values` has an invalid backslash escape.");
    } else if (character === ".") {
      parts.push(part);
      part = "";
    } else {
      part += character;
    }
    if (parts.length >= deepestPath) {
      throw unreadable(`A path in \`meta.values\` has more than the maximum of ${deepestPath} parts.`);
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

function badAnnotation(path: Issue["path"], message: string): AppError {
  const shown = shownPath(path);
  return new AppError("BAD_REQUEST", `${shown.join(".") || "meta"}: ${message}`, {
    issues: [{ path: shown, message }],
  });
}

/** Parsed bodies waiting for tRPC, keyed by an unguessable name. */
const waiting = new Map<string, JsonObject>();

/**
 * Passes a parsed body to tRPC by name, which `parsedBody` resolves, because its adapter would serialize the body and parse it again.
 */
export function passToTrpc(req: Request, res: Response): void {
  const name = randomUUID();
  waiting.set(name, req.body as JsonObject);
  res.once("close", () => waiting.delete(name));
  req.body = JSON.stringify(name);
}

/** Returns the body stored under a name, or the payload itself, such as that of a query. */
export function parsedBody(payload: unknown): unknown {
  return (typeof payload === "string" ? waiting.get(payload) : undefined) ?? payload;
}
