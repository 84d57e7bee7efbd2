import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";
import type { JsonObject } from "./json-object.ts";

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
