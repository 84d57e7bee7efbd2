import type { AnyTRPCRouter } from "@trpc/server";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { visitor } from "../../../access/actor.ts";
import { AppError, type ErrorCode } from "../../../platform/errors.ts";
import { countCall } from "../../limits/requests.ts";
import type { ServerContext } from "../../trpc.ts";
import { bodyError, isTooLarge, notUtf8, readBytes } from "../request-guards.ts";
import { readJsonObject, mostValues, type JsonObject } from "../../json-object.ts";
import { permitted } from "../../../access/caller.ts";
import type { Permission } from "../../../access/permissions.ts";
import { patternOf, restProcedures } from "../../rest.ts";

const kibibyte = 1_024;
const mebibyte = 1_048_576;

/** Maximum size of a decompressed body in bytes. */
export const bodyLimits = { anonymous: 64 * kibibyte, ordinary: mebibyte, large: 16 * mebibyte } as const;

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
    const { gate, http, requestId } = context;
    if (refusal && unreadable.has(refusal.code)) await countCall(gate.requestLimits, http, visitor(http, requestId));
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
    const { largeBodies } = context.gate;
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

/** The size limit of a body, and the error if it is exceeded. */
interface Admission {
  limit: number;
  /** The sender; null if unauthenticated. */
  userId: string | null;
  refuse(): Promise<AppError>;
}

const tooLarge = (message: string) => () => Promise.resolve(new AppError("PAYLOAD_TOO_LARGE", message));

const beforeSignIn: Admission = {
  limit: bodyLimits.anonymous,
  userId: null,
  refuse: tooLarge("The body exceeds 64 KiB, the limit for unauthenticated calls. Sign in first, or send less."),
};

/** Returns whether the headers declare a body small enough for unauthenticated calls. */
export function isSmall({ headers }: Request): boolean {
  const plain = (headers["content-encoding"] ?? "identity").toLowerCase() === "identity";
  return plain && Number(headers["content-length"] ?? Number.NaN) <= bodyLimits.anonymous;
}

/**
 * Determines the size limit of a body before reading it. Up to 64 KiB need no authentication, so credentials are checked, and rejected,
 * only for larger bodies.
 */
async function admit(context: ServerContext, large: LargeCall | null): Promise<Admission> {
  const { gate, http, requestId } = context;
  if (http.header("authorization") === undefined) return beforeSignIn;
  try {
    const { caller } = await gate.authenticator.authenticate(gate.database.fork(), http);
    const { userId } = caller;
    if (!large) {
      const refuse = tooLarge("The body exceeds 1 MiB. Send it in parts.");
      return { limit: bodyLimits.ordinary, userId, refuse };
    }
    const forbidden = permissionFault(caller, large);
    if (forbidden) return { limit: bodyLimits.ordinary, userId, refuse: () => Promise.resolve(forbidden) };
    const refuse = tooLarge("The body exceeds 16 MiB. Import larger zones from their provider.");
    return { limit: bodyLimits.large, userId, refuse };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "UNAUTHORIZED") throw error;
    const refuse = async () => {
      await countCall(gate.requestLimits, http, visitor(http, requestId));
      return error;
    };
    return { ...beforeSignIn, refuse };
  }
}

function permissionFault(caller: Parameters<typeof permitted>[0], { permission }: LargeCall): AppError | null {
  try {
    if (permission !== null) permitted(caller, permission);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** A call that accepts a large body. */
interface LargeCall {
  procedure: string;
  permission: Permission | null;
  /** Input fields from the path; null for tRPC, where the body contains all input. */
  inPath: Readonly<Record<string, string>> | null;
}

/** Returns a function that matches requests to calls with large bodies by method and path, before the body is read. */
function largeCalls(router: AnyTRPCRouter): (req: Request) => LargeCall | null {
  const routes = restProcedures(router).flatMap(({ name, meta: { openapi, largeBody = false, permission = null } }) =>
    openapi && largeBody
      ? [{ procedure: name, permission, method: openapi.method, pattern: patternOf(`/api${openapi.path}`) }]
      : [],
  );
  return ({ method, path }) => {
    for (const { procedure, permission, ...route } of routes) {
      if (method === "POST" && path === `/trpc/${procedure}`) return { procedure, permission, inPath: null };
      const inPath = method === route.method ? route.pattern.exec(path) : null;
      if (inPath) return { procedure, permission, inPath: { ...inPath.groups } };
    }
    return null;
  };
}
