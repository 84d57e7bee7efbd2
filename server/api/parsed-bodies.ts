import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";
import type { JsonObject } from "./json-object.ts";

/** Bodies that were read already and wait for tRPC, by a name that nobody can guess. */
const waiting = new Map<string, JsonObject>();

/**
 * Hands a body over to tRPC, whose adapter writes what was parsed as text again, to parse it once more. It gets a name for the body instead,
 * which `parsedBody` resolves.
 */
export function handToTrpc(req: Request, res: Response): void {
  const name = randomUUID();
  waiting.set(name, req.body as JsonObject);
  res.once("close", () => waiting.delete(name));
  req.body = JSON.stringify(name);
}

/** The body behind a name of ours; any other payload, such as that of a query, as it is. */
export function parsedBody(payload: unknown): unknown {
  return (typeof payload === "string" ? waiting.get(payload) : undefined) ?? payload;
}
