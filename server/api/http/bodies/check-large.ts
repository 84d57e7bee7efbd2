import { AppError, type ErrorCode, type Issue } from "../../../platform/errors.ts";
import { inputError, alsoInPath } from "../../input-error.ts";
import { deserializeInput } from "../../trpc-input.ts";
import { readJsonObject, mostValues, type JsonObject } from "../../json-object.ts";
import type { z } from "zod";

/** A large body sent to the worker. */
export interface LargeBody {
  procedure: string;
  /** As in `LargeCall`. */
  inPath: Readonly<Record<string, string>> | null;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The worker's response: the validated body as sent, or why it is refused. */
export type CheckedBody =
  | { ok: true; body: JsonObject }
  | { ok: false; code: ErrorCode; message: string; issues: Issue[] | null };

/** Parses and validates a large body. Runs in the worker. @param inputs the input schemas by procedure */
export function checkLarge(
  { procedure, inPath, bytes }: LargeBody,
  inputs: Readonly<Record<string, z.ZodType>>,
): CheckedBody {
  try {
    const body = readJsonObject(bytes, mostValues.large);
    // A copy for tRPC, because deserializing replaces dates in place, which must not be sent back.
    const input = inPath ? withPathFields(body, inPath) : deserializeInput(structuredClone(body));
    const result = inputs[procedure]?.safeParse(input);
    if (result && !result.success) throw inputError(result.error);
    return { ok: true, body };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, issues } = error;
    return { ok: false, code, message, issues };
  }
}

/** Merges path and body fields. @throws AppError BAD_REQUEST for a path field that is also in the body */
function withPathFields(body: JsonObject, inPath: Readonly<Record<string, string>>): JsonObject {
  for (const field of Object.keys(inPath)) {
    if (!Object.hasOwn(body, field)) continue;
    throw new AppError("BAD_REQUEST", `${field}: ${alsoInPath}`, { issues: [{ path: [field], message: alsoInPath }] });
  }
  return { ...body, ...inPath };
}
