import { AppError, type ErrorCode, type Issue } from "../../platform/errors.ts";
import { inputError } from "../../api/input-error.ts";
import { deserializeInput } from "../../api/trpc-input.ts";
import { alsoInPath } from "../../api/also-in-path.ts";
import { readJsonObject, type JsonObject } from "../../api/json-object.ts";
import { mostValues } from "../../api/json-shape.ts";
import type { z } from "zod";

/** A large body on its way to the worker. */
export interface LargeBody {
  procedure: string;
  /** As in `LargeCall`. */
  inPath: Readonly<Record<string, string>> | null;
  bytes: Uint8Array<ArrayBuffer>;
}

/** What comes back: the body as it was sent, which is now known to be small in structure, or why it is refused. */
export type CheckedBody =
  | { ok: true; body: JsonObject }
  | { ok: false; code: ErrorCode; message: string; issues: Issue[] | null };

/** Reads and validates a large body. Runs in the worker. @param inputs what each procedure takes */
export function checkLarge(
  { procedure, inPath, bytes }: LargeBody,
  inputs: Readonly<Record<string, z.ZodType>>,
): CheckedBody {
  try {
    const body = readJsonObject(bytes, mostValues.large);
    // A copy for tRPC: moments are put in place within it, and they do not belong into what is sent back.
    const input = inPath ? besidePath(body, inPath) : deserializeInput(structuredClone(body));
    const result = inputs[procedure]?.safeParse(input);
    if (result && !result.success) throw inputError(result.error);
    return { ok: true, body };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, issues } = error;
    return { ok: false, code, message, issues };
  }
}

/** @throws AppError BAD_REQUEST for a field of the path that stands in the body as well */
function besidePath(body: JsonObject, inPath: Readonly<Record<string, string>>): JsonObject {
  for (const field of Object.keys(inPath)) {
    if (!Object.hasOwn(body, field)) continue;
    throw new AppError("BAD_REQUEST", `${field}: ${alsoInPath}`, { issues: [{ path: [field], message: alsoInPath }] });
  }
  return { ...body, ...inPath };
}
