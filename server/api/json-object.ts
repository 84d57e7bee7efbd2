import { isUtf8 } from "node:buffer";
import { AppError, badField, type Issue } from "../platform/errors.ts";
import { deepest, scanShape, tooDeep } from "./json-shape.ts";

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
