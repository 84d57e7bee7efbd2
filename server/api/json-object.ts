import { isUtf8 } from "node:buffer";
import { AppError, badField, type Issue } from "../platform/errors.ts";
import { deepest, scanShape, tooDeep } from "./json-shape.ts";

/** A body as its calls take it. */
export type JsonObject = Record<string, unknown>;

/**
 * Reads a JSON object from the octets of a body, at a cost that grows with their number. Nothing is parsed before its encoding and its shape
 * are known to be sound; broken octets would be stored as replacement characters (RFC 8259 §8.1 wants UTF-8).
 * @throws AppError BAD_REQUEST
 */
export function readJsonObject(bytes: Uint8Array, mostValues: number): JsonObject {
  if (!isUtf8(bytes)) throw new AppError("BAD_REQUEST", "The body is not well-formed UTF-8.");
  const { fault } = scanShape(bytes, mostValues);
  if (fault) throw refusal(fault);
  // Without a byte order mark, which some editors leave in front.
  const body = parsed(new TextDecoder().decode(bytes));
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new AppError("BAD_REQUEST", "The body must be a JSON object.");
  }
  refuseOddities(body);
  return body as JsonObject;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words quote the text, which may hold a password.
    throw new AppError("BAD_REQUEST", "The body is not well-formed JSON.");
  }
}

/**
 * Refuses what libraries behind us do not survive, or drop without a word: a nesting that ends their recursion, and fields called `__proto__`.
 * @throws AppError BAD_REQUEST
 */
export function refuseOddities(value: object): void {
  const fault = oddityIn(value, deepest);
  if (fault) throw refusal(fault);
}

function oddityIn(value: object, levels: number): Issue | null {
  if (levels === 0) return { path: [], message: tooDeep };
  if (Object.hasOwn(value, "__proto__")) return { path: ["__proto__"], message: "There is no such field; remove it." };
  for (const key in value) {
    const child = (value as JsonObject)[key];
    if (typeof child !== "object" || child === null) continue;
    const fault = oddityIn(child, levels - 1);
    if (fault) return { ...fault, path: [Array.isArray(value) ? Number(key) : key, ...fault.path] };
  }
  return null;
}

function refusal({ path, message }: Issue): AppError {
  return path.length === 0 ? new AppError("BAD_REQUEST", message) : badField(path, message);
}
