import type { AnyTRPCRouter } from "@trpc/server";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { visitor } from "../../access/actor.ts";
import { AppError, type ErrorCode } from "../../platform/errors.ts";
import { countCall } from "../../limits/requests.ts";
import type { ServerContext } from "../../api/trpc.ts";
import { admit, bodyLimits, isSmall, largeCalls, type LargeCall } from "./admission.ts";
import { bodyError, isTooLarge, notUtf8, readBytes } from "../request-guards.ts";
import { readJsonObject, mostValues, type JsonObject } from "../../api/json-object.ts";

/** Larger bodies of large calls are parsed in a worker thread. */
const inThreadBeyond = bodyLimits.anonymous;

/** Parses a JSON body within the limits of its caller and call, and refuses other bodies. */
export function jsonBody(
  router: AnyTRPCRouter,
  createContext: (req: Request, res: Response) => ServerContext,
): RequestHandler {
  const largeCall = largeCalls(router);
  return async (req: Request, res: Response, next: NextFunction) => {
    // Content of these methods has no defined meaning (RFC 9110 §9.3.1) and is not read.
    if (!["GET", "HEAD", "OPTIONS"].includes(req.method)) {
      req.body = hasBody(req) ? await readCounted(req, res, createContext(req, res), largeCall(req)) : {};
      req.headers["content-type"] = "application/json";
    }
    next();
  };
}

function hasBody(req: Request): boolean {
  return req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
}

const unreadable: ReadonlySet<ErrorCode> = new Set(["BAD_REQUEST", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"]);

/** Reads a body and counts a refused one as a call of its address, because no procedure will. @throws LimitReached, or as `readBody` */
async function readCounted(
  req: Request,
  res: Response,
  context: ServerContext,
  large: LargeCall | null,
): Promise<JsonObject> {
  try {
    return await readBody(req, res, context, large);
  } catch (error) {
    const refusal = error instanceof AppError ? error : bodyError(error);
    const { services, http, requestId } = context;
    if (refusal && unreadable.has(refusal.code))
      await countCall(services.requestLimits, http, visitor(http, requestId));
    throw error;
  }
}

async function readBody(
  req: Request,
  res: Response,
  context: ServerContext,
  large: LargeCall | null,
): Promise<JsonObject> {
  requireJson(req);
  if (isSmall(req)) return await readOrdinary(req, res, bodyLimits.anonymous);
  const admission = await admit(context, large);
  if (Number(req.headers["content-length"] ?? 0) > admission.limit) throw await admission.refuse();
  try {
    if (!large || admission.userId === null || admission.limit !== bodyLimits.large) {
      return await readOrdinary(req, res, admission.limit);
    }
    const { largeBodies } = context.services;
    await largeBodies.acquireSlot(admission.userId, res);
    const bytes = await readBytes(req, res, admission.limit);
    if (bytes.length <= inThreadBeyond) return parsed(bytes);
    const { procedure, inPath } = large;
    return await largeBodies.read({ procedure, inPath, bytes: Uint8Array.from(bytes) });
  } catch (error) {
    throw isTooLarge(error) ? await admission.refuse() : error;
  }
}

async function readOrdinary(req: Request, res: Response, limit: number): Promise<JsonObject> {
  return parsed(await readBytes(req, res, limit));
}

function parsed(bytes: Buffer): JsonObject {
  return bytes.length === 0 ? {} : readJsonObject(bytes, mostValues.ordinary);
}

function requireJson(req: Request): void {
  if (req.is("application/json") === false) {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send the body as JSON, with `Content-Type: application/json`.");
  }
  const [, charset = "utf-8"] = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(req.headers["content-type"] ?? "") ?? [];
  if (charset.toLowerCase() !== "utf-8") throw new AppError("UNSUPPORTED_MEDIA_TYPE", notUtf8);
}
