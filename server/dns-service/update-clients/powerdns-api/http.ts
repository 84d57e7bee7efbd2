import type { Request, RequestHandler, Response } from "express";
import { permitted, looksPersonal } from "../../../access/authenticator.ts";
import { type Caller, visitor } from "../../../access/caller.ts";
import { refuseAuditor, errorOf, type ServerContext } from "../../../api/trpc.ts";
import { logFailure } from "../../../api/failures.ts";
import { readJsonObject, mostValues, type JsonObject } from "../../../api/json-object.ts";
import { bodyLimits, isSmall, isTooLarge, readBytes, bodyError } from "../../../api/http/request.ts";
import { countCall, countCostlyCall } from "../../../api/limits/requests.ts";
import { AppError } from "../../../platform/errors.ts";
import { takeTurns } from "../../../platform/slices.ts";
import { endpoints, type CallAnswer, type CallParts, type Endpoint } from "./calls.ts";
import { statusOf } from "./refusals.ts";

/*
 * PowerDNS's HTTP API (https://doc.powerdns.com/authoritative/http-api/): a protocol of others, with its own paths, statuses and errors, so
 * its handlers are not procedures (docs/decisions/0063).
 */

/** Handles every request below its mount. Mount it before bodies are read: callers are identified first. */
export function powerdnsApi(
  createContext: (req: Request, res: Response) => ServerContext,
  parts: CallParts,
): RequestHandler {
  return async (req, res) => {
    const context = createContext(req, res);
    try {
      const caller = await callerOf(context);
      const { endpoint, path } = matchEndpoint(req.method, req.path, (methods) =>
        res.setHeader("Allow", methods.join(", ")),
      );
      await send(res, await answerTo(context, { parts, req, res, endpoint, path, caller }));
    } catch (failure) {
      sendPowerdnsError(context, res, failure);
    }
  };
}

/** Identifies the caller by a personal token in `X-API-Key`, and counts the call. @throws AppError UNAUTHORIZED, TOO_MANY_REQUESTS */
async function callerOf({ gate, http, requestId }: ServerContext): Promise<Caller> {
  try {
    const key = http.header("x-api-key") ?? "";
    if (!looksPersonal(key)) throw new AppError("UNAUTHORIZED", "Send a personal token in the header X-API-Key.");
    const { caller, at } = await gate.authenticator.identify(gate.database.fork(), key);
    const whole = { ...caller, at, ip: http.ip, requestId };
    await countCall(gate.requestLimits, http, whole);
    return whole;
  } catch (error) {
    if (errorOf(error).code === "UNAUTHORIZED") await countCall(gate.requestLimits, http, visitor(http, requestId));
    throw error;
  }
}

interface Matched {
  parts: CallParts;
  req: Request;
  res: Response;
  endpoint: Endpoint;
  path: Readonly<Record<string, string>>;
  caller: Caller;
}

async function answerTo(
  context: ServerContext,
  { parts, req, res, endpoint, path, caller }: Matched,
): Promise<CallAnswer> {
  const { gate, http } = context;
  const { permission, method } = endpoint;
  const procedure = `pdns.${endpoint.name}`;
  http.noteProcedure(procedure);
  if (permission !== null) permitted(caller, permission);
  refuseAuditor(caller, { procedure, type: method === "GET" ? "query" : "mutation", permission });
  return await endpoint.answer({
    parts,
    em: gate.database.fork(),
    caller,
    path,
    query: new URL(req.originalUrl, "http://localhost").searchParams,
    wantsJson: req.accepts(["text", "json"]) === "json",
    countCostly: () => countCostlyCall(gate.requestLimits, http, caller),
    body: () => readBody(context, req, res, caller.userId),
  });
}

/** Reads a JSON body whatever its content type says, as PowerDNS does. Larger ones wait for a slot and are parsed in a worker thread. */
async function readBody(
  { gate: { largeBodies } }: ServerContext,
  req: Request,
  res: Response,
  userId: string,
): Promise<JsonObject> {
  try {
    if (isSmall(req)) return readJsonObject(await readBytes(req, res, bodyLimits.anonymous), mostValues.large);
    await largeBodies.acquireSlot(userId, res);
    const bytes = await readBytes(req, res, bodyLimits.large);
    if (bytes.length <= bodyLimits.anonymous) return readJsonObject(bytes, mostValues.large);
    return await largeBodies.read({ procedure: "pdns", inPath: {}, bytes: Uint8Array.from(bytes) });
  } catch (error) {
    throw isTooLarge(error) ? new AppError("PAYLOAD_TOO_LARGE", "The body exceeds 16 MiB. Send it in parts.") : error;
  }
}

const pieceOctets = 65_536;

/** Sends an answer in pieces, letting other calls run in between. */
async function send(res: Response, { status, type, text }: CallAnswer): Promise<void> {
  res.status(status);
  if (type === undefined) {
    res.end();
    return;
  }
  // PowerDNS names no charset for JSON, and some clients compare the header as a whole.
  res.setHeader("Content-Type", type === "json" ? "application/json" : "text/plain; charset=utf-8");
  let piece = "";
  for await (const part of text ?? []) {
    piece += part;
    if (piece.length < pieceOctets) continue;
    if (res.closed) return;
    if (!res.write(piece)) await drained(res);
    // A fast reader takes everything at once.
    await takeTurns();
    piece = "";
  }
  res.end(piece);
}

/** Waits until a response takes more, or its client is gone. */
async function drained(res: Response): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const event of ["drain", "close"]) res.once(event, resolve);
  await promise;
  for (const event of ["drain", "close"]) res.off(event, resolve);
}

/** Sends an error in PowerDNS's form, and logs it. */
export function sendPowerdnsError({ gate, requestId }: ServerContext, res: Response, failure: unknown): void {
  const error = bodyError(failure) ?? errorOf(failure);
  logFailure(gate, error, { requestId });
  if (res.headersSent) {
    res.destroy();
    return;
  }
  if (error.code === "UNAUTHORIZED") res.setHeader("WWW-Authenticate", 'X-API-Key realm="Zonewright"');
  if (error.retryAfterSeconds !== null) res.setHeader("Retry-After", String(error.retryAfterSeconds));
  res.status(statusOf(error)).setHeader("Content-Type", "application/json");
  res.end(JSON.stringify({ error: error.message }));
}

/** An endpoint, and the variable parts of the path that it was found by. */
interface Match {
  endpoint: Endpoint;
  path: Record<string, string>;
}

const known = endpoints.map((endpoint) => ({ endpoint, segments: segmentsOf(endpoint.path) }));

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

/**
 * Finds the endpoint of a request. HEAD counts as GET.
 * @param allow receives the methods of a path that does not take this one
 * @throws AppError NOT_FOUND, METHOD_NOT_ALLOWED, BAD_REQUEST for a malformed path
 */
function matchEndpoint(given: string, path: string, allow: (methods: readonly string[]) => void): Match {
  const method = given === "HEAD" ? "GET" : given;
  const segments = segmentsOf(path).map(decoded);
  const matches = known.flatMap(({ endpoint, segments: pattern }) => {
    const parts = partsIn(pattern, segments);
    return parts ? [{ endpoint, path: parts }] : [];
  });
  const match = matches.find(({ endpoint }) => endpoint.method === method);
  if (match) return match;
  if (matches.length === 0)
    throw new AppError("NOT_FOUND", "Not Found. Zonewright has no such part of PowerDNS's API.");
  allow(matches.map(({ endpoint }) => endpoint.method));
  throw new AppError("METHOD_NOT_ALLOWED", "Method Not Allowed");
}

function partsIn(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const parts: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? "";
    if (expected.startsWith(":")) parts[expected.slice(1)] = segment;
    else if (expected !== segment) return null;
  }
  return parts;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new AppError("BAD_REQUEST", "The URL is malformed. Check its percent-encoding.");
  }
}
